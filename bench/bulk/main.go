// Command bulk measures "heed filter" and "heed compile" over the real robots.txt files and URLs of the
// corpus: URLs a second of each format beside a program that only reads, finds the host and writes; the
// loading of WARC files, memory, the opening of a compiled archive; and scripts with other parsers, with the
// number of their wrong answers. With -origins it measures what a URL and an origin cost. It prints Markdown.
//
//	go run ./bench/bulk -heed ./heed
//	go run ./bench/bulk -heed ./heed -folder /tmp/bulk -urls 1000000 -rounds 2
//	go run ./bench/bulk -heed ./heed -origins 10000,100000,1000000,3000000
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/internal/corpus"
)

// settings are the flags of a run.
type settings struct {
	heed    string // the path of the command
	folder  string // of the data
	urls    int    // in each list
	rounds  int
	only    string // the names of the measurements, as a regular expression
	rival   int    // URLs that the scripts of other parsers judge
	origins string // numbers of origins; "": what URLs and origins cost is not asked for
}

func main() {
	s := &settings{}
	flag.StringVar(&s.heed, "heed", "./heed", "path of the command to measure")
	flag.StringVar(&s.folder, "folder", "", "folder for the data, which is kept, and used again for as many URLs (default: a temporary one)")
	flag.IntVar(&s.urls, "urls", 10_000_000, "URLs in each list")
	flag.IntVar(&s.rounds, "rounds", 5, "how often each row is measured, in turns; the best counts")
	flag.StringVar(&s.only, "only", "", "measure only what this regular expression matches: runs, opening, rivals; with -origins: compile, judge, tools")
	flag.IntVar(&s.rival, "rival-urls", 500_000, "URLs that each other parser judges")
	flag.StringVar(&s.origins, "origins", "", "measure how time and memory grow with the number of origins, and nothing else: numbers such as 10000,100000,1000000,3000000; the last one is predicted from the others")
	role := flag.String("role", "", "for the processes that this command starts: make, ceiling, temoto, scale-data, stages")
	flag.Parse()
	run := map[string]func() error{
		"":           s.run,
		"make":       s.makeData,
		"ceiling":    func() error { return ceiling(flag.Arg(0), os.Stdout) },
		"temoto":     func() error { return temotoFilter(flag.Arg(0), flag.Arg(1), os.Stdout) },
		"scale-data": func() error { return s.scaleData(flag.Args()) },
		"stages":     func() error { return stages(flag.Arg(0), flag.Arg(1)) },
	}[*role]
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bulk:", err)
		os.Exit(1)
	}
}

func (s *settings) run() error {
	if os.Getenv(corpus.Variable) == "" {
		return fmt.Errorf("%s is not set: it must name the folder with robots-txt.tar.gz, manifest.tsv.gz and urls.tar.gz", corpus.Variable)
	}
	if s.folder == "" {
		folder, err := os.MkdirTemp("", "heed-bulk")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		s.folder = folder
	}
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return err
	}
	fmt.Printf("%s, best of %d.\n", machine(), s.rounds)
	if s.origins != "" {
		return s.measureScale()
	}
	return s.measureFilter()
}

// A part is a measurement that -only may name.
type part struct {
	name    string
	measure func() error
}

func (s *settings) measureParts(parts ...part) error {
	only, err := regexp.Compile(s.only)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if only.MatchString(p.name) {
			err = errors.Join(err, p.measure())
		}
	}
	return err
}

// path returns the path of a file of the data.
func (s *settings) path(name string) string { return filepath.Join(s.folder, name) }

// self returns this command in another role. What a process has in memory counts for those that it starts,
// so the one that measures does little itself.
func (s *settings) self(role string, args ...string) process {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	flags := []string{program, "-role", role, "-folder", s.folder, "-urls", strconv.Itoa(s.urls), "-rival-urls", strconv.Itoa(s.rival)}
	return process{args: append(flags, args...)}
}

// output returns what this command prints in another role, without the line end.
func (s *settings) output(role string, args ...string) (string, error) {
	p := s.self(role, args...)
	p.to = s.path("output")
	if _, err := p.run(); err != nil {
		return "", err
	}
	text, err := os.ReadFile(p.to)
	return strings.TrimSpace(string(text)), err
}

// workers is how many goroutines judge in heed, and work in the ceiling.
func workers() int { return runtime.GOMAXPROCS(0) }
