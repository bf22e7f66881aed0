package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The names of the data in its folder.
const (
	robotsFolder  = "robots"
	warcFolder    = "warc"  // responses only
	crawlFolder   = "crawl" // requests and metadata beside the responses
	robotsJSON    = "robots.jsonl"
	compiled      = "robots.heed"
	compiledCrawl = "crawl.heed"
	compiledLarge = "large.heed" // of largeTimes as many hosts
	largeJSON     = "large.jsonl"
	oneRobots     = "one"
	numberOfHosts = "hosts" // and of the URLs; it is written last

	shuffledList = "shuffled.txt"
	sortedList   = "sorted.txt"
	logList      = "crawl.jsonl"
	parquetList  = "index.parquet"
	smallList    = "small.txt" // the first tenth of shuffledList
	rivalList    = "rival.txt" // the beginning of shuffledList
	oneURL       = "one.txt"
	noURL        = "none.txt"
)

const largeTimes = 10

// makeData makes all data.
func (s *settings) makeData() error {
	w, err := newWorld(0, bothSchemes)
	if err != nil {
		return err
	}
	large := *w
	large.count *= largeTimes
	list, _ := w.list(skewed, s.urls)
	err = errors.Join(
		w.writeFolder(s.path(robotsFolder)), writeOneRobots(s.path(oneRobots)),
		w.writeWARC(s.path(warcFolder), false), w.writeWARC(s.path(crawlFolder), true),
		w.writeJSON(s.path(robotsJSON)), large.writeJSON(s.path(largeJSON)),
		w.writeList(s.path(sortedList), list), w.writeParquet(s.path(parquetList), list))
	shuffle(list)
	return errors.Join(err,
		w.writeList(s.path(shuffledList), list), w.writeLog(s.path(logList), list), w.writeList(s.path(noURL), nil), w.writeList(s.path(oneURL), list[:1]),
		w.writeList(s.path(smallList), list[:len(list)/10]), w.writeList(s.path(rivalList), list[:min(len(list), s.rival)]),
		os.WriteFile(s.path(numberOfHosts), fmt.Append(nil, w.count, len(list), min(len(list), s.rival)), 0o644))
}

// measureFilter measures heed filter and heed compile with the hosts of the corpus.
func (s *settings) measureFilter() error {
	hosts, urls, rival := 0, 0, 0
	known := func() error {
		text, err := os.ReadFile(s.path(numberOfHosts))
		fmt.Sscan(string(text), &hosts, &urls, &rival)
		return err
	}
	if known(); urls != s.urls || rival != min(s.urls, s.rival) {
		if _, err := s.self("make").run(); err != nil {
			return err
		}
	}
	if err := known(); err != nil {
		return err
	}
	fmt.Printf("%d hosts, each with two origins; %s URLs in each list.\n", hosts, number(float64(s.urls)))
	for _, archive := range [][2]string{{robotsJSON, compiled}, {largeJSON, compiledLarge}} {
		if _, err := s.compile(s.path(archive[0]), archive[1]).run(); err != nil {
			return err
		}
	}
	return s.measureParts(part{"runs", func() error { return s.measureRuns(hosts) }}, part{"opening", s.measureOpening}, part{"rivals", s.measureRivals})
}

// compile returns the process that makes a compiled archive.
func (s *settings) compile(from, to string) process {
	return process{args: []string{s.heed, "compile", from, "-o", s.path(to)}}
}

// warc returns the WARC files of a folder, as an argument.
func (s *settings) warc(folder string) string { return filepath.Join(s.path(folder), "*.warc.gz") }

// measureRuns measures lists, each beside a program that only reads the lines, finds the host and writes
// them; the loading of sources, without the start of a process; and the memory that these need.
func (s *settings) measureRuns(hosts int) error {
	of := func(what string, count int, base *row, list string, args ...string) *row {
		return &row{what: what, count: count, base: base, process: s.filter(append(args, s.path(list))...)}
	}
	robots, one := "--robots="+s.path(compiled), "--robots="+s.path(oneRobots)
	rows := []*row{
		of("plain lines, shuffled, `--allowed`", s.urls, nil, shuffledList, robots, "--allowed"),
		of("plain lines, sorted by host, `--allowed`", s.urls, nil, sortedList, robots, "--allowed"),
		of("JSON lines in and out, every URL with its verdict", s.urls, nil, logList, robots),
		of("Parquet in and out, `--allowed`", s.urls, nil, parquetList, robots, "--allowed"),
		of("Parquet in and out, every URL with its verdict", s.urls, nil, parquetList, robots),
	}
	for _, r := range rows[:3] {
		list := r.process.args[len(r.process.args)-1]
		ceiling := s.self("ceiling", list)
		ceiling.to = os.DevNull
		rows = append(rows, &row{what: "ceiling: " + filepath.Base(list), count: s.urls, process: ceiling})
	}
	start := of("start of a process", 1, nil, noURL, one)
	rows = append(rows, start,
		of("loading WARC, one gzip member a record", 2*hosts, start, noURL, "--robots="+s.warc(warcFolder)),
		of("loading WARC with requests and metadata", 2*hosts, start, noURL, "--robots="+s.warc(crawlFolder)),
		&row{what: "`heed compile` of the same", count: 2 * hosts, process: s.compile(s.warc(crawlFolder), compiledCrawl)})
	for _, list := range []string{smallList, shuffledList} {
		count := s.urls
		if list == smallList {
			count /= 10
		}
		without := of("without robots.txt files, "+list, count, nil, list, one, "--allowed")
		rows = append(rows, without, of("beyond that: an archive", count, without, list, robots, "--allowed"),
			of("beyond that: WARC", count, without, list, "--robots="+s.warc(warcFolder), "--allowed"))
	}
	if err := measure(s.rounds, rows...); err != nil {
		return err
	}
	printRows("`heed filter`, to /dev/null", rows...)
	var crawl int64
	files, err := filepath.Glob(s.warc(crawlFolder))
	for _, file := range files {
		crawl += sizeOf(file)
	}
	fmt.Printf("\n`heed compile` of WARC with requests and metadata: %s become %s.\n", mib(crawl), mib(sizeOf(s.path(compiledCrawl))))
	return err
}

// measureOpening opens archives of two sizes, and asks for one URL.
func (s *settings) measureOpening() error {
	t := append(table{"compiled archive", "size"}, stageNames...)
	t.head()
	for _, name := range []string{compiled, compiledLarge} {
		stages, err := s.output("stages", s.path(name), s.path(oneURL))
		if err != nil {
			return err
		}
		t.row(append([]string{name, mib(sizeOf(s.path(name)))}, strings.Split(stages, "\t")...)...)
	}
	return nil
}
