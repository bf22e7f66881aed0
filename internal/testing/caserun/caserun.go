// Package caserun tests libraries for other languages with the case files. A runner is a program that reads files (F) and
// questions (Q) from standard input:
//
//	F <length of the dialect> <length of the robots.txt>
//	Q <number of tokens> <length of each token ...> <length of the URL>
//
// Lengths are in bytes. The texts follow each line without separators, then a line end. The answer to a Q is a line: 1
// (allowed) or 0, and the deciding line or 0; or "error" and a text.
package caserun

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// Run checks a runner with all cases of the project, and with a random part of the shared cases. If HEED_WHOLE is set, Run
// uses all shared cases.
func Run(t *testing.T, command ...string) {
	t.Helper()
	cases := all(t)
	var in, out, stderr bytes.Buffer
	write(&in, cases)
	c := exec.Command(command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = &in, &out, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, stderr.Bytes())
	}
	answers := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(answers) != len(cases) {
		t.Fatalf("%v: %d answers to %d questions\n%s", command, len(answers), len(cases), stderr.Bytes())
	}
	failed := 0
	for i, got := range answers {
		if c := cases[i]; !passed(got, c) {
			if failed++; failed <= 20 {
				t.Errorf("%s:%d: %s: %q, %q in %s: got %s; want %v", c.File, c.FileLine, c.ID, c.Agents, c.URL, c.Dialect, got, c.Allow)
			}
		}
	}
	t.Logf("%d cases, %d failed", len(cases), failed)
}

func passed(got string, c conformance.Case) bool {
	verdict := "0"
	if c.Allow {
		verdict = "1"
	}
	if c.Line == nil {
		return strings.HasPrefix(got, verdict+" ")
	}
	return got == fmt.Sprint(verdict, " ", *c.Line)
}

func write(to *bytes.Buffer, cases []conformance.Case) {
	var dialect *robotstxt.Dialect
	var robots []byte
	for i, c := range cases {
		if i == 0 || c.Dialect != dialect || !bytes.Equal(c.Robots, robots) {
			dialect, robots = c.Dialect, c.Robots
			name := ""
			if dialect != nil {
				name = dialect.String()
			}
			fmt.Fprintf(to, "F %d %d\n%s%s\n", len(name), len(robots), name, robots)
		}
		fmt.Fprintf(to, "Q %d", len(c.Agents))
		for _, token := range c.Agents {
			fmt.Fprintf(to, " %d", len(token))
		}
		fmt.Fprintf(to, " %d\n%s%s\n", len(c.URL), strings.Join(c.Agents, ""), c.URL)
	}
}

func all(t *testing.T) (cases []conformance.Case) {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	own, err := filepath.Glob(filepath.Join(filepath.Dir(here), "../../conformance/testdata/*.*"))
	if err != nil || len(own) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	for _, file := range own {
		cases = append(cases, read(t, file, nil, 1)...)
	}
	cases = append(cases, documentedCases(t, filepath.Join(filepath.Dir(here), "../../../docs/dialects.md"))...)
	dir := os.Getenv("HEED_CONFORMANCE")
	if dir == "" {
		t.Log("HEED_CONFORMANCE is not set: only the project's own cases")
		return cases
	}
	part := 64
	if portion.Whole() {
		part = 1
	}
	for _, name := range []string{"google-cases.jsonl", "rfc9309-figures.jsonl", "traps.jsonl"} {
		cases = append(cases, read(t, filepath.Join(dir, name), nil, 1)...)
	}
	cases = append(cases, read(t, filepath.Join(dir, "google-fuzz.jsonl.gz"), nil, part)...)
	if os.Getenv(corpus.Variable) == "" {
		t.Log(corpus.Variable + " is not set: no cases about real files")
		return cases
	}
	files := map[string][]byte{}
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		files[path.Base(name)] = body
	}
	return append(cases, read(t, filepath.Join(dir, "google-real.jsonl.gz"), files, part)...)
}

// The cells of a table about invalid crawlers and URLs are cases.
func documentedCases(t *testing.T, name string) (cases []conformance.Case) {
	t.Helper()
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## What is no name, and what is no URL\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, file, _ := strings.Cut(section, "The table is about this robots.txt:\n\n")
	file, table, _ := strings.Cut(file, "\n\n")
	robots := strings.ReplaceAll(file, "    ", "")
	cell := func(text string) string {
		return strings.Trim(strings.Replace(strings.TrimSpace(text), "an empty text", "", 1), "`")
	}
	var dialects []*robotstxt.Dialect
	for i, line := range strings.Split(strings.TrimSpace(table), "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for n, text := range cells[2:] {
			switch {
			case i == 0:
				d, err := robotstxt.DialectNamed(cell(text))
				if err != nil {
					t.Fatal(err)
				}
				dialects = append(dialects, d)
			case i > 1:
				cases = append(cases, conformance.Case{ID: strings.TrimSpace(line), File: name, Dialect: dialects[n], Robots: []byte(robots),
					Agents: []string{cell(cells[0])}, URL: cell(cells[1]), Allow: cell(text) == "allowed"})
			}
		}
	}
	if len(cases) == 0 {
		t.Fatalf("%s: no table", name)
	}
	return cases
}

// read chooses robots.txt files at random, and returns all cases about these files. Each file is chosen with a probability
// of 1/part.
func read(t *testing.T, name string, files map[string][]byte, part int) (cases []conformance.Case) {
	t.Helper()
	last, use := "", false
	o := conformance.Options{ReadFile: func(name string) ([]byte, error) { return nil, nil }} // only the cases are needed, and not their results, so an empty robots.txt is enough
	err := conformance.Run(name, o, func(r conformance.Result) {
		c := r.Case
		if this := c.RobotsFile + string(c.Robots); this != last || last == "" {
			last, use = this, rand.IntN(part) == 0
		}
		if !use {
			return
		}
		if c.RobotsFile != "" {
			var ok bool
			if c.Robots, ok = files[c.RobotsFile]; !ok {
				t.Fatalf("%s:%d: there is no %s", name, c.FileLine, c.RobotsFile)
			}
		}
		cases = append(cases, c)
	})
	if err != nil || len(cases) == 0 {
		t.Fatalf("%s: %d cases, %v", name, len(cases), err)
	}
	return cases
}
