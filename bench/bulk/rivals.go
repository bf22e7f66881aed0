package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/temoto/robotstxt"
)

// measureRivals runs the beginning of the shuffled list through scripts with other parsers, and counts the
// verdicts that differ from those of heed with the rules of Google's parser.
func (s *settings) measureRivals() error {
	robots, list := s.path(robotsFolder), s.path(rivalList)
	urls := min(s.urls, s.rival)
	ours := func(source string) *row {
		// --missing: scripts get files too that are no text, and Google's parser finds no rule in them.
		return &row{what: "heed, " + source, process: s.filter("--dialect", "google", "--missing", "allowed", "--robots", s.path(source), "--allowed", list)}
	}
	rows := []*row{ours(compiled), ours(robotsFolder)} // the scripts are compared with the last one
	rows[1].process.to = s.path("truth")
	if err := measure(s.rounds, rows...); err != nil {
		return err
	}
	t := table{number(float64(urls)) + " URLs, robots.txt files in a folder", "URLs a second", "heed is faster by", "wrongly allowed", "wrongly denied"}
	t.head()
	print := func(r *row, allowed, denied int) {
		took := r.least().took.Seconds()
		t.row(r.what, number(float64(urls)/took), fmt.Sprintf("%.1f times", took/rows[1].least().took.Seconds()), fmt.Sprint(allowed), fmt.Sprint(denied))
	}
	print(rows[0], 0, 0)
	print(rows[1], 0, 0)
	for _, r := range s.rivals(robots, list) {
		r.process.to = s.path("rival.out")
		if err := measure(1, r); err != nil {
			t.row("skipped: "+err.Error(), "", "", "", "")
			continue
		}
		allowed, denied, err := differences(list, s.path("truth"), r.process.to)
		if err != nil {
			return err
		}
		print(r, allowed, denied)
	}
	return nil
}

// rivals are scripts that read the robots.txt of each host once.
func (s *settings) rivals(robots, list string) []*row {
	script := filepath.Join("bench", "rivals", "filter.py")
	if _, err := os.Stat(script); err != nil { // started in bench
		script = filepath.Join("rivals", "filter.py")
	}
	python := func(program, parser string) process {
		return process{args: []string{program, script, parser, robots, list, crawler}}
	}
	// A package of Debian belongs to Debian's Python, which may not be the first in the PATH.
	protego := "python3"
	if exec.Command(protego, "-c", "import protego").Run() != nil {
		protego = "/usr/bin/python3"
	}
	return []*row{
		{what: "Go, temoto/robotstxt v1.1.2", process: s.self("temoto", robots, list)},
		{what: "Python, urllib.robotparser", process: python("python3", "urllib")},
		{what: "Python, Protego", process: python(protego, "protego")},
	}
}

// differences returns how many lines of a list are in the output of a script but not in that of heed, and
// the other way around. Equal lines have equal verdicts.
func differences(list, truth, other string) (wronglyAllowed, wronglyDenied int, err error) {
	var lines [3][]string
	for i, name := range []string{list, truth, other} {
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, 0, err
		}
		lines[i] = slices.Collect(strings.Lines(string(text)))
	}
	var allows [2]map[string]bool
	for i, output := range lines[1:] {
		allows[i] = map[string]bool{}
		for _, line := range output {
			allows[i][line] = true
		}
	}
	inTruth, inOther := 0, 0
	for _, line := range lines[0] {
		isTrue, is := allows[0][line], allows[1][line]
		switch {
		case is && !isTrue:
			wronglyAllowed++
		case isTrue && !is:
			wronglyDenied++
		}
		if isTrue {
			inTruth++
		}
		if is {
			inOther++
		}
	}
	if inTruth != len(lines[1]) || inOther != len(lines[2]) {
		return 0, 0, fmt.Errorf("%s or %s has not the lines of %s", truth, other, list)
	}
	return wronglyAllowed, wronglyDenied, nil
}

// temotoFilter writes the URLs of a list that temoto/robotstxt allows, as a careful script would: each file is
// parsed once, and a file that the library refuses allows everything.
func temotoFilter(folder, list string, to io.Writer) error {
	f, err := os.Open(list)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriterSize(to, 1<<20)
	groups := map[string]*robotstxt.Group{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		u, err := url.Parse(lines.Text())
		if err != nil {
			continue
		}
		group, ok := groups[u.Host]
		if !ok {
			body, err := os.ReadFile(filepath.Join(folder, u.Host+".txt"))
			if err != nil {
				return err
			}
			if file, err := robotstxt.FromBytes(body); err == nil {
				group = file.FindGroup(crawler)
			}
			groups[u.Host] = group
		}
		if group == nil || group.Test(u.RequestURI()) {
			fmt.Fprintln(out, lines.Text())
		}
	}
	return errors.Join(lines.Err(), out.Flush())
}
