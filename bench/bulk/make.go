package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// The names of the data in its folder.
const (
	robotsFolder  = "robots"
	warcFolder    = "warc"  // responses only
	crawlFolder   = "crawl" // requests and metadata beside the responses
	robotsJSON    = "robots.jsonl"
	robotsParquet = "robots.parquet"
	compiled      = "robots.heed"
	compiledLarge = "large.heed" // of largeTimes as many hosts, each with a file of its own
	largeJSON     = "large.jsonl"
	oneRobots     = "one"
	factsFile     = "facts.json"

	shuffledList = "shuffled.txt"
	sortedList   = "sorted.txt"
	jsonList     = "crawl.jsonl"
	parquetList  = "index.parquet"
	smallList    = "small.txt" // the first tenth of shuffledList
	rivalList    = "rival.txt" // the beginning of shuffledList
	oneURL       = "one.txt"
	noURL        = "none.txt"
)

const largeTimes = 10

// A recipe makes a part of the data.
type recipe struct {
	name string
	make func(to string, d *data) error
}

// data is what all recipes need.
type data struct {
	*settings
	hosts []*host
	paths []string
	list  []question // sorted by host, until it is shuffled

	isShuffled bool
}

// A question is a URL of a list.
type question struct {
	host int32 // index of a host
	path int32 // index of its paths, or of all
	http bool
}

// makeData makes what is not in the folder yet.
func (s *settings) makeData() error {
	recipes := []recipe{
		{factsFile, writeFacts},
		{robotsFolder, writeFolder},
		{oneRobots, writeOneRobots},
		{warcFolder, func(to string, d *data) error { return d.writeWARC(to, false) }},
		{crawlFolder, func(to string, d *data) error { return d.writeWARC(to, true) }},
		{robotsJSON, func(to string, d *data) error { return d.writeJSON(to, 1) }},
		{largeJSON, func(to string, d *data) error { return d.writeJSON(to, largeTimes) }},
		{robotsParquet, writeRobotsParquet},
		{sortedList, func(to string, d *data) error { return d.writeList(to, d.list) }},
		{parquetList, func(to string, d *data) error { return d.writeParquet(to, d.list) }},
		{shuffledList, func(to string, d *data) error { d.shuffle(); return d.writeList(to, d.list) }},
		{jsonList, func(to string, d *data) error { d.shuffle(); return d.writeCrawl(to) }},
		{smallList, func(to string, d *data) error { d.shuffle(); return d.writeList(to, d.list[:len(d.list)/10]) }},
		{rivalList, func(to string, d *data) error {
			d.shuffle()
			return d.writeList(to, d.list[:min(len(d.list), s.rival)])
		}},
		{oneURL, func(to string, d *data) error { return d.writeList(to, d.list[:1]) }},
		{noURL, func(to string, d *data) error { return d.writeList(to, nil) }},
	}
	d := &data{settings: s}
	for _, r := range recipes {
		to := s.path(r.name)
		if made, err := isMade(to, s.mark(r.name)); made || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if err := d.prepare(); err != nil {
			return err
		}
		start := time.Now()
		if err := errors.Join(os.RemoveAll(to), r.make(to, d), os.WriteFile(to+".made", []byte(s.mark(r.name)), 0o644)); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		fmt.Fprintf(os.Stderr, "made %s in %s\n", r.name, time.Since(start).Round(time.Millisecond))
	}
	return nil
}

// mark is in the file beside a part of the data that was made to its end.
func (s *settings) mark(name string) string {
	switch name {
	case sortedList, shuffledList, jsonList, parquetList, smallList:
		return fmt.Sprintln(s.urls, "URLs")
	case rivalList:
		return fmt.Sprintln(min(s.urls, s.rival), "of", s.urls, "URLs")
	}
	return "made\n"
}

func isMade(name, mark string) (bool, error) {
	text, err := os.ReadFile(name + ".made")
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return string(text) == mark, err
}

// prepare reads the corpus, and draws the URLs: how many a host has is skewed, as in a crawl, and the
// same in each run.
func (d *data) prepare() error {
	if d.hosts != nil {
		return nil
	}
	if err := d.readCorpus(); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(9309, 17))
	rank := random.Perm(len(d.hosts))
	drawn := rand.NewZipf(random, 1.05, 20, uint64(len(d.hosts)-1))
	counts := make([]int, len(d.hosts))
	for range d.urls {
		counts[rank[drawn.Uint64()]]++
	}
	d.list = make([]question, 0, d.urls)
	for i, n := range counts {
		paths := d.pathsOf(i)
		for range n {
			d.list = append(d.list, question{int32(i), int32(random.IntN(len(paths))), random.IntN(10) == 0})
		}
	}
	return nil
}

func (d *data) readCorpus() (err error) {
	d.hosts, d.paths, err = readHosts()
	return err
}

// pathsOf returns the paths of a host: those of all hosts if the corpus has none of it.
func (d *data) pathsOf(host int) []string {
	if own := d.hosts[host].paths; len(own) >= 20 {
		return own
	}
	return d.paths
}

// shuffle shuffles the list, always in the same way.
func (d *data) shuffle() {
	if !d.isShuffled {
		random := rand.New(rand.NewPCG(9309, 18))
		random.Shuffle(len(d.list), func(i, j int) { d.list[i], d.list[j] = d.list[j], d.list[i] })
	}
	d.isShuffled = true
}

// url appends the URL of a question.
func (d *data) url(to []byte, q question) []byte {
	scheme := "https://"
	if q.http {
		scheme = "http://"
	}
	to = append(append(to, scheme...), d.hosts[q.host].name...)
	return append(to, d.pathsOf(int(q.host))[q.path]...)
}

// writeList writes a URL on each line.
func (d *data) writeList(to string, list []question) error {
	return writeFile(to, func(w *bufio.Writer) error {
		for _, q := range list {
			if _, err := w.Write(append(d.url(w.AvailableBuffer(), q), '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeCrawl writes the list as the log of a crawl.
func (d *data) writeCrawl(to string) error {
	random := rand.New(rand.NewPCG(9309, 19))
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	return writeFile(to, func(w *bufio.Writer) error {
		for i, q := range d.list {
			line := append(w.AvailableBuffer(), `{"url":"`...)
			line = append(d.url(line, q), `","status":200,"mime":"text/html","digest":"sha1:`...)
			for bits := range 32 {
				line = append(line, digits[(random.Uint64()>>bits)&31])
			}
			line = fmt.Appendf(line, `","timestamp":"2026-05-%02dT%02d:%02d:%02dZ","length":%d,"languages":["eng"]}`+"\n",
				1+i%28, i%24, i%60, i*7%60, 1000+random.IntN(100_000))
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeFile writes a file through a buffer.
func writeFile(name string, write func(w *bufio.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(w), w.Flush(), f.Close())
}
