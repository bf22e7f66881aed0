package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// A row is a line of the table of lists: the same list through heed and through the ceiling.
type row struct {
	what    string
	bar     float64 // URLs a second; 0: none
	list    string
	args    []string
	ceiling string // the list for the ceiling; "": it has none

	runs, ceilings []usage
	failure        error
}

// listRows are the rows about lists of URLs.
func (s *settings) listRows() []*row {
	allowed, robots := "--allowed", "--robots="+s.path(compiled)
	return []*row{
		{what: "plain lines, shuffled, `--allowed`", bar: 3_000_000, list: shuffledList, args: []string{robots, allowed}, ceiling: shuffledList},
		{what: "plain lines, sorted by host, `--allowed`", bar: 5_000_000, list: sortedList, args: []string{robots, allowed}, ceiling: sortedList},
		{what: "plain lines, shuffled, every URL with its verdict", list: shuffledList, args: []string{robots}},
		{what: "plain lines, shuffled, `--allowed`, loading a folder of robots.txt files first", list: shuffledList, args: []string{"--robots", s.path(robotsFolder), allowed}},
		{what: "plain lines, shuffled, `--allowed`, loading WARC files first", list: shuffledList, args: []string{"--robots", s.warc(warcFolder), allowed}},
		{what: "JSON lines in and out, every URL with its verdict", bar: 800_000, list: jsonList, args: []string{robots}, ceiling: jsonList},
		{what: "JSON lines in and out, `--allowed`", bar: 800_000, list: jsonList, args: []string{robots, allowed}},
		{what: "Parquet in and out, `--allowed`", list: parquetList, args: []string{robots, allowed}},
		{what: "Parquet in and out, every URL with its verdict", bar: 1_500_000, list: parquetList, args: []string{robots}},
	}
}

// warc returns the WARC files of a folder, as an argument.
func (s *settings) warc(folder string) string { return filepath.Join(s.path(folder), "*.warc.gz") }

// measureAll measures what -only names, and prints it.
func (s *settings) measureAll() error {
	only, err := regexp.Compile(s.only)
	if err != nil {
		return err
	}
	known, err := s.readFacts()
	if err != nil {
		return err
	}
	s.printMachine(known)
	if err := s.compile(robotsJSON, compiled); err != nil {
		return err
	}
	for _, group := range []struct {
		name    string
		measure func(facts) error
	}{
		{"lists", s.measureLists}, {"sources", s.compareSources}, {"loading", s.measureLoading},
		{"opening", s.measureOpening}, {"memory", s.measureMemory}, {"rivals", s.measureRivals},
	} {
		if !only.MatchString(group.name) {
			continue
		}
		if err := group.measure(known); err != nil {
			return err
		}
	}
	return nil
}

// facts are numbers of the data.
type facts struct {
	Hosts    int   // each has two origins: https and http
	Bodies   int   // distinct robots.txt files
	Distinct int64 // octets of them
}

// writeFacts writes the facts for the process that measures: it does not read the corpus.
func writeFacts(to string, d *data) error {
	f := facts{Hosts: len(d.hosts)}
	seen := map[string]bool{}
	for _, h := range d.hosts {
		if text := string(h.robots); !seen[text] {
			seen[text] = true
			f.Distinct += int64(len(text))
		}
	}
	f.Bodies = len(seen)
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

func (s *settings) readFacts() (f facts, err error) {
	text, err := os.ReadFile(s.path(factsFile))
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	return f, err
}

// measureLists measures all rows in turns, so that what else the machine does touches all of them.
func (s *settings) measureLists(facts) error {
	rows := s.listRows()
	for range s.rounds {
		for _, r := range rows {
			s.measureRow(r)
		}
	}
	t := table{"list, to /dev/null", "URLs a second", "bar", "processor time for a URL", "ceiling", "of the ceiling", "memory"}
	t.head()
	for _, r := range rows {
		if r.failure != nil {
			t.row(r.what, "failed: "+r.failure.Error(), number(r.bar), "", "", "", "")
			continue
		}
		b := best(r.runs)
		cpu := fmt.Sprintf("%.2f µs", float64(least(r.runs).Nanoseconds())/1000/float64(s.urls))
		rate := perSecond(s.urls, b.took)
		if r.ceiling == "" {
			t.row(r.what, number(rate), number(r.bar), cpu, "", "", mib(b.peak))
			continue
		}
		most := perSecond(s.urls, best(r.ceilings).took)
		t.row(r.what, number(rate), number(r.bar), cpu, number(most), fmt.Sprintf("%.0f %%", 100*rate/most), mib(b.peak))
	}
	return nil
}

func (s *settings) measureRow(r *row) {
	if r.failure != nil {
		return
	}
	p := s.heedFilter(append(r.args, s.path(r.list))...)
	p.to = os.DevNull // a disk would set the pace
	u, err := p.run()
	if err != nil {
		r.failure = err
		return
	}
	r.runs = append(r.runs, u)
	if r.ceiling == "" {
		return
	}
	c := s.self("ceiling", s.path(r.ceiling))
	c.to = os.DevNull
	if u, err = c.run(); err != nil {
		r.failure = err
		return
	}
	r.ceilings = append(r.ceilings, u)
}

// compile makes a compiled archive.
func (s *settings) compile(from, to string) error {
	os.Remove(s.path(to))
	start := time.Now()
	if _, err := (process{Cmd: command(s.heed, "compile", s.path(from), "-o", s.path(to))}).run(); err != nil {
		return err
	}
	info, err := os.Stat(s.path(to))
	if err != nil {
		return err
	}
	fmt.Printf("`heed compile %s`: %.2f s, %s\n", from, time.Since(start).Seconds(), mib(info.Size()))
	return nil
}

// compareSources counts the lines of the output that differ from those with the compiled archive.
func (s *settings) compareSources(facts) error {
	t := table{"source", "lines that differ, of every URL of the small list"}
	t.head()
	for _, source := range []string{s.path(compiled), s.warc(warcFolder), s.warc(crawlFolder), s.path(robotsJSON), s.path(robotsParquet), s.path(robotsFolder)} {
		p := s.heedFilter("--robots", source, s.path(smallList))
		p.to = s.path("out")
		if source == s.path(compiled) {
			p.to = s.path("first")
		}
		name, err := filepath.Rel(s.folder, source)
		if err != nil {
			return err
		}
		if _, err := p.run(); err != nil {
			t.row(name, "failed: "+err.Error())
			continue
		}
		n, example, err := differentLines(s.path("first"), p.to)
		if err != nil {
			return err
		}
		t.row(name, fmt.Sprint(n, " ", example))
	}
	return nil
}

// differentLines returns how many lines of two files differ, and the first ones that do.
func differentLines(one, other string) (n int, example string, err error) {
	lines, closeLines, err := openLines(one, other)
	if err != nil {
		return 0, "", err
	}
	defer closeLines()
	for {
		a, b := lines[0].Scan(), lines[1].Scan()
		if !a && !b {
			return n, example, errors.Join(lines[0].Err(), lines[1].Err())
		}
		if a != b || lines[0].Text() != lines[1].Text() {
			if n++; n == 1 {
				example = fmt.Sprintf("%q, not %q", lines[1].Text(), lines[0].Text())
			}
		}
	}
}

// A loading is a source that is loaded.
type loading struct {
	what    string
	source  string
	bar     float64 // files a second
	ceiling string  // the folder that is decompressed beside it; "": none

	runs, ceilings []usage
	failure        error
}

// measureLoading measures how many robots.txt files a second are loaded. The time of heed with a source
// of one file, and no URLs, is subtracted.
func (s *settings) measureLoading(f facts) error {
	sources := []*loading{
		{what: "WARC, one gzip member a record", source: s.warc(warcFolder), bar: 35_000, ceiling: s.path(warcFolder)},
		{what: "WARC with requests and metadata", source: s.warc(crawlFolder), ceiling: s.path(crawlFolder)},
		{what: "JSON lines", source: s.path(robotsJSON)},
		{what: "Parquet", source: s.path(robotsParquet)},
		{what: "folder, half as many files", source: s.path(robotsFolder)},
	}
	var empty []usage
	for range s.rounds {
		u, err := s.heedFilter("--robots", s.path(oneRobots), s.path(noURL)).run()
		if err != nil {
			return err
		}
		empty = append(empty, u)
		for _, l := range sources {
			s.load(l)
		}
	}
	start := best(empty)
	t := table{"loading", "files a second", "bar", "processor time for a file", "decompression alone", "memory"}
	t.head()
	for _, l := range sources {
		files := 2 * f.Hosts
		if l.source == s.path(robotsFolder) {
			files = f.Hosts
		}
		if l.failure != nil {
			t.row(l.what, "failed: "+l.failure.Error(), number(l.bar), "", "", "")
			continue
		}
		cpu := fmt.Sprintf("%.0f µs", float64((least(l.runs)-least(empty)).Nanoseconds())/1000/float64(files))
		b, most := best(l.runs), ""
		if l.ceiling != "" {
			most = number(perSecond(files, best(l.ceilings).took))
		}
		t.row(l.what, number(perSecond(files, b.took-start.took)), number(l.bar), cpu, most, mib(b.peak))
	}
	return nil
}

func (s *settings) load(l *loading) {
	if l.failure != nil {
		return
	}
	u, err := s.heedFilter("--robots", l.source, s.path(noURL)).run()
	if err != nil {
		l.failure = err
		return
	}
	l.runs = append(l.runs, u)
	if l.ceiling != "" {
		if u, err = s.self("decompress", l.ceiling).run(); err != nil {
			l.failure = err
			return
		}
		l.ceilings = append(l.ceilings, u)
	}
}

// measureMemory measures the memory for few and many URLs. What heed needs without robots.txt files, for
// the same URLs, is subtracted.
func (s *settings) measureMemory(f facts) error {
	fmt.Printf("\nDistinct robots.txt files: %d, %s; bar: 1.6 times that, %s.\n", f.Bodies, mib(f.Distinct), mib(f.Distinct*16/10))
	t := table{"memory", "peak", "without robots.txt files", "difference", "of the distinct octets"}
	t.head()
	for _, source := range []string{s.path(compiled), s.warc(warcFolder)} {
		for _, list := range []string{smallList, shuffledList} {
			peak, err := s.peak(source, list)
			if err != nil {
				t.row(filepath.Base(source)+", "+list, "failed: "+err.Error(), "", "", "")
				continue
			}
			base, err := s.peak(s.path(oneRobots), list)
			if err != nil {
				return err
			}
			urls := s.urls
			if list == smallList {
				urls /= 10
			}
			t.row(fmt.Sprintf("%s, %s URLs", filepath.Base(source), number(float64(urls))), mib(peak), mib(base), mib(peak-base), fmt.Sprintf("%.2f", float64(peak-base)/float64(f.Distinct)))
		}
	}
	return nil
}

// peak returns the least of the peaks of some runs.
func (s *settings) peak(source, list string) (least int64, err error) {
	for i := range s.rounds {
		p := s.heedFilter("--robots", source, "--allowed", s.path(list))
		p.to = os.DevNull
		u, err := p.run()
		if err != nil {
			return 0, err
		}
		if i == 0 || u.peak < least {
			least = u.peak
		}
	}
	return least, nil
}
