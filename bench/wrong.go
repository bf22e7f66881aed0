package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/corpus"
)

// A group is a robots.txt with all cases about it.
type group struct {
	robots    []byte
	questions []conformance.Case
}

// wrongAnswers prints how many questions each library answers wrongly. The questions are the project's own
// cases for RFC 9309 and, if the environment has them, those about real files, for which Google's parser
// decides what is right.
func (s settings) wrongAnswers() {
	heading := []string{"wrong answers", "questions", "heed", rivals[0].name}
	for _, p := range processes {
		heading = append(heading, p.name)
	}
	t := s.table(heading...)
	defer t.flush()
	for _, set := range []struct {
		name string
		ours library
		load func() ([]group, error)
	}{
		{"own cases, RFC 9309", heed, ownCases},
		{"real files, Google", google, realCases},
	} {
		groups, err := set.load()
		if err != nil {
			t.row(set.name, "skipped: "+err.Error())
			continue
		}
		count := 0
		for _, g := range groups {
			count += len(g.questions)
		}
		cells := []string{set.name, fmt.Sprint(count), fmt.Sprint(wrong(set.ours, groups)), fmt.Sprint(wrong(rivals[0], groups))}
		for _, p := range processes {
			n, err := p.wrong(groups)
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", p.name, err)
			}
			cells = append(cells, fmt.Sprint(n))
		}
		t.row(cells...)
	}
}

// wrong returns how many cases a library decides wrongly. If it refuses a file, its answer is "allowed".
func wrong(l library, groups []group) (count int) {
	for _, g := range groups {
		file := l.parse(g.robots)
		for _, c := range g.questions {
			if got := file == nil || l.check(l.compile(file, c.Agents[0]), c.URL); got != c.Allow {
				count++
			}
		}
	}
	return count
}

// wrong returns how many cases a library of another language decides wrongly.
func (p process) wrong(groups []group) (count int, err error) {
	var questions []any
	for _, g := range groups {
		var pairs [][2]string
		for _, c := range g.questions {
			pairs = append(pairs, [2]string{c.Agents[0], c.URL})
		}
		questions = append(questions, map[string]any{"robots": string(g.robots), "questions": pairs})
	}
	err = p.ask(questions, func(i int, line []byte) error {
		var got []bool
		err := json.Unmarshal(line, &got)
		for k, allowed := range got {
			if allowed != groups[i].questions[k].Allow {
				count++
			}
		}
		return err
	})
	return count, err
}

// ownCases returns the project's own cases for RFC 9309 that every library can decide: those with
// one agent, and in UTF-8.
func ownCases() ([]group, error) {
	dir := "../internal/conformance/testdata"
	if _, err := os.Stat(dir); err != nil {
		dir = "internal/conformance/testdata"
	}
	return load(conformance.Options{}, filepath.Join(dir, "rfc9309.cases"), filepath.Join(dir, "rfc9309-bytes.jsonl"))
}

// realCases returns the questions about real files.
func realCases() ([]group, error) {
	files, cases, err := realFiles()
	if err != nil {
		return nil, err
	}
	read := func(name string) ([]byte, error) { return files[name], nil }
	return load(conformance.Options{ReadFile: read}, cases)
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

// realFiles returns the real files by their names, without folders, and the name of the file of cases about
// them, or errNoCorpus.
func realFiles() (files map[string][]byte, cases string, err error) {
	conformance, archives := os.Getenv("HEED_CONFORMANCE"), os.Getenv(corpus.Variable)
	if conformance == "" || archives == "" {
		return nil, "", errNoCorpus
	}
	files = map[string][]byte{}
	err = corpus.Read(filepath.Join(archives, "robots-txt.tar.gz"), func(file string, data []byte) bool {
		files[path.Base(file)] = data
		return true
	})
	return files, filepath.Join(conformance, "google-real.jsonl.gz"), err
}
