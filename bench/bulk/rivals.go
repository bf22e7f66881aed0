package main

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/temoto/robotstxt"
)

// A rival is a script that filters a list with another parser: it reads the robots.txt of each host once.
type rival struct {
	name    string
	process process
}

// measureRivals runs the beginning of the shuffled list through each script, and counts the verdicts
// that differ from those of heed with the rules of Google's parser.
func (s *settings) measureRivals(facts) error {
	robots, list := s.path(robotsFolder), s.path(rivalList)
	urls := min(s.urls, s.rival)
	t := table{fmt.Sprintf("%s URLs, robots.txt files in a folder", number(float64(urls))), "URLs a second", "heed is faster by", "wrongly allowed", "wrongly denied"}
	t.head()
	var ours float64
	for _, source := range []string{compiled, robotsFolder} { // the scripts are compared with the last one
		// --missing: scripts get files too that are no text, and Google's parser finds no rule in them.
		p := s.heedFilter("--dialect", "google", "--missing", "allowed", "--robots", s.path(source), "--allowed", list)
		p.to = s.path("truth")
		var runs []usage
		for range s.rounds {
			u, err := p.again().run()
			if err != nil {
				return err
			}
			runs = append(runs, u)
		}
		ours = perSecond(urls, best(runs).took)
		t.row(map[string]string{compiled: "heed, the same files compiled", robotsFolder: "heed"}[source], number(ours), "", "0", "0")
	}
	for _, r := range s.rivals(robots, list) {
		r.process.to = s.path("rival.out")
		u, err := r.process.run()
		if err != nil {
			t.row(r.name, "skipped: "+err.Error(), "", "", "")
			continue
		}
		allowed, denied, err := differences(list, s.path("truth"), r.process.to)
		if err != nil {
			return err
		}
		rate := perSecond(urls, u.took)
		t.row(r.name, number(rate), fmt.Sprintf("%.1f times", ours/rate), fmt.Sprint(allowed), fmt.Sprint(denied))
	}
	return nil
}

// again returns the same process, not started.
func (p process) again() process {
	return process{Cmd: exec.Command(p.Args[0], p.Args[1:]...), to: p.to}
}

func (s *settings) rivals(robots, list string) []rival {
	script := filepath.Join("bench", "rivals", "filter.py")
	if _, err := os.Stat(script); err != nil { // started in bench
		script = filepath.Join("rivals", "filter.py")
	}
	python := func(program, parser string) process {
		return process{Cmd: exec.Command(program, script, parser, robots, list, crawler)}
	}
	// A package of Debian belongs to Debian's Python, which may not be the first in the PATH.
	protego := "python3"
	if exec.Command(protego, "-c", "import protego").Run() != nil {
		protego = "/usr/bin/python3"
	}
	return []rival{
		{"Go, temoto/robotstxt v1.1.2", s.self("temoto", robots, list, crawler)},
		{"Python, urllib.robotparser", python("python3", "urllib")},
		{"Python, Protego", python(protego, "protego")},
	}
}

// differences returns how many lines of a list are in the output of a script but not in that of heed,
// and the other way around. Both outputs are some lines of the list, in its order.
func differences(list, truth, other string) (wronglyAllowed, wronglyDenied int, err error) {
	lines, closeLines, err := openLines(list, truth, other)
	if err != nil {
		return 0, 0, err
	}
	defer closeLines()
	// Equal lines have equal verdicts, so the next line of an output that is equal is this one.
	inTruth, inOther := lines[1].Scan(), lines[2].Scan()
	for lines[0].Scan() {
		line := lines[0].Text()
		isTrue := inTruth && lines[1].Text() == line
		is := inOther && lines[2].Text() == line
		switch {
		case is && !isTrue:
			wronglyAllowed++
		case isTrue && !is:
			wronglyDenied++
		}
		if isTrue {
			inTruth = lines[1].Scan()
		}
		if is {
			inOther = lines[2].Scan()
		}
	}
	if inTruth || inOther {
		return 0, 0, fmt.Errorf("%s or %s has lines that are not in %s", truth, other, list)
	}
	return wronglyAllowed, wronglyDenied, nil
}

func openLines(names ...string) (lines []*bufio.Scanner, closeAll func(), err error) {
	var files []*os.File
	closeAll = func() {
		for _, f := range files {
			f.Close()
		}
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		files, lines = append(files, f), append(lines, bufio.NewScanner(f))
	}
	return lines, closeAll, nil
}

// temotoFilter writes the URLs of a list that temoto/robotstxt allows, as a careful script would: each
// file is parsed once, and a file that the library refuses allows everything.
func temotoFilter(folder, list, agent string, to io.Writer) error {
	lines, closeLines, err := openLines(list)
	if err != nil {
		return err
	}
	defer closeLines()
	out := bufio.NewWriterSize(to, 1<<20)
	groups := map[string]*robotstxt.Group{}
	for lines[0].Scan() {
		u, err := url.Parse(lines[0].Text())
		if err != nil {
			continue
		}
		group, ok := groups[u.Host]
		if !ok {
			if group, err = temotoGroup(folder, u.Host, agent); err != nil {
				return err
			}
			groups[u.Host] = group
		}
		if group == nil || group.Test(u.RequestURI()) {
			fmt.Fprintln(out, lines[0].Text())
		}
	}
	if err := lines[0].Err(); err != nil {
		return err
	}
	return out.Flush()
}

func temotoGroup(folder, host, agent string) (*robotstxt.Group, error) {
	body, err := os.ReadFile(filepath.Join(folder, host+".txt"))
	if err != nil {
		return nil, err
	}
	file, err := robotstxt.FromBytes(body)
	if err != nil {
		return nil, nil
	}
	return file.FindGroup(agent), nil
}
