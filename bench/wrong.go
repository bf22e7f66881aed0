package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/heed-robots/heed/conformance"
	"github.com/heed-robots/heed/internal/corpus"
	"github.com/heed-robots/heed/robotstxt"
)

// A group is a robots.txt with all cases about it.
type group struct {
	robots    []byte
	questions []conformance.Case
}

// printWrongAnswers prints how many questions each library answers wrongly. The questions are
// the project's own cases for RFC 9309 and, if the environment has them, those about real files,
// for which Google's parser decides what is right.
func printWrongAnswers(w io.Writer) {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer out.Flush()
	fmt.Fprintln(out, "\nwrong answers\tquestions\theed\ttemoto/robotstxt\tnpm robots-parser\turllib.robotparser\t")
	for _, set := range []struct {
		name string
		load func() ([]group, error)
	}{
		{"own cases, RFC 9309", ownCases},
		{"real files, Google", realCases},
	} {
		groups, err := set.load()
		if err != nil {
			fmt.Fprintf(out, "%s\tskipped: %v\t\n", set.name, err)
			continue
		}
		count := 0
		for _, g := range groups {
			count += len(g.questions)
		}
		fmt.Fprintf(out, "%s\t%d\t%d\t", set.name, count, len(wrongHeed(groups)))
		for i, wrong := range [][]conformance.Case{
			wrongTemoto(groups), wrongProcess(processes[0], groups), wrongProcess(processes[1], groups),
		} {
			fmt.Fprintf(out, "%d\t", len(wrong))
			showExamples(set.name, i, wrong)
		}
		fmt.Fprintln(out)
	}
}

// showExamples writes the wrong answers to a file in the folder BENCH_EXAMPLES, if that is set.
func showExamples(set string, rival int, wrong []conformance.Case) {
	dir := os.Getenv("BENCH_EXAMPLES")
	if dir == "" {
		return
	}
	var b strings.Builder
	for _, c := range wrong {
		fmt.Fprintf(&b, "%s %s: %q, %q, must be %v; robots.txt %s %.300q\n", c.ID, c.Source, c.Agents, c.URL, c.Allow, c.RobotsFile, c.Robots)
	}
	name := fmt.Sprintf("%s-%d.txt", strings.ReplaceAll(set, " ", "-"), rival)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// wrongHeed returns the cases that Heed decides wrongly.
func wrongHeed(groups []group) (wrong []conformance.Case) {
	for _, g := range groups {
		file := robotstxt.Parse(g.robots, g.questions[0].Dialect)
		for _, c := range g.questions {
			if file.Agent(c.Agents...).Check(c.URL).Allowed != c.Allow {
				wrong = append(wrong, c)
			}
		}
	}
	return wrong
}

// wrongTemoto returns the cases that temoto decides wrongly. If it refuses a file, its answer is
// "allowed".
func wrongTemoto(groups []group) (wrong []conformance.Case) {
	temoto := rivals[0]
	for _, g := range groups {
		file := temoto.parse(g.robots)
		for _, c := range g.questions {
			got := file == nil || temoto.check(temoto.compile(file, c.Agents[0]), c.URL)
			if got != c.Allow {
				wrong = append(wrong, c)
			}
		}
	}
	return wrong
}

// wrongProcess returns the cases that a library of another language decides wrongly.
func wrongProcess(p process, groups []group) (wrong []conformance.Case) {
	var questions []any
	for _, g := range groups {
		var pairs [][2]string
		for _, c := range g.questions {
			pairs = append(pairs, [2]string{c.Agents[0], c.URL})
		}
		questions = append(questions, map[string]any{"robots": string(g.robots), "questions": pairs})
	}
	err := p.ask(questions, func(i int, line []byte) error {
		var got []bool
		if err := json.Unmarshal(line, &got); err != nil {
			return err
		}
		for k, c := range groups[i].questions {
			if got[k] != c.Allow {
				wrong = append(wrong, c)
			}
		}
		return nil
	})
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.name, err)
	}
	return wrong
}

// ownCases returns the project's own cases for RFC 9309 that every library can decide: those with
// one agent, and in UTF-8.
func ownCases() ([]group, error) {
	dir := "../conformance/testdata"
	if _, err := os.Stat(dir); err != nil {
		dir = "conformance/testdata"
	}
	return load(conformance.Options{}, filepath.Join(dir, "rfc9309.cases"), filepath.Join(dir, "rfc9309-bytes.jsonl"))
}

// realCases returns the questions about real files.
func realCases() ([]group, error) {
	cases, archives := os.Getenv("HEED_CONFORMANCE"), os.Getenv("HEED_CORPUS")
	if cases == "" || archives == "" {
		return nil, errors.New("HEED_CONFORMANCE and HEED_CORPUS are not set")
	}
	files, err := readArchive(filepath.Join(archives, "robots-txt.tar.gz"))
	if err != nil {
		return nil, err
	}
	read := func(name string) ([]byte, error) { return files[name], nil }
	return load(conformance.Options{ReadFile: read}, filepath.Join(cases, "google-real.jsonl.gz"))
}

// load returns the cases of case files, grouped by robots.txt.
func load(o conformance.Options, files ...string) ([]group, error) {
	var groups []group
	for _, file := range files {
		err := conformance.Run(file, o, func(r conformance.Result) {
			c := r.Case
			body := c.Robots
			if c.RobotsFile != "" {
				body, _ = o.ReadFile(c.RobotsFile)
			}
			if len(c.Agents) != 1 || !utf8.Valid(body) || !utf8.ValidString(c.URL) {
				return
			}
			if n := len(groups); n == 0 || string(groups[n-1].robots) != string(body) {
				groups = append(groups, group{robots: body})
			}
			g := &groups[len(groups)-1]
			g.questions = append(g.questions, c)
		})
		if err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// readArchive returns the files of an archive by their names, without folders.
func readArchive(name string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := corpus.Read(name, func(file string, data []byte) bool {
		files[path.Base(file)] = data
		return true
	})
	return files, err
}
