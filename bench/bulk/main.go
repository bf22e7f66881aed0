// Command bulk measures "heed filter" and "heed compile" over the real robots.txt files and URLs of the
// corpus: URLs a second of each format beside a program that only reads, finds the host and writes;
// the loading of WARC files, the opening of a compiled archive, memory; and scripts with other parsers,
// with the number of their wrong answers. It prints Markdown.
//
//	go run ./bench/bulk -heed ./heed
//	go run ./bench/bulk -heed ./heed -folder /tmp/bulk -urls 1000000 -rounds 2
//	go run ./bench/bulk -heed ./heed -origins 10000,100000,1000000,3000000
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/heed-robots/heed/internal/corpus"
)

// settings are the flags of a run.
type settings struct {
	heed   string // the path of the command
	folder string // of the data
	urls   int    // in each list
	rounds int
	only   string // the names of the measurements, as a regular expression
	rival  int    // URLs that the scripts of other parsers judge

	origins string // numbers of origins; "": measureScale is not asked for
}

func main() {
	s := &settings{}
	flag.StringVar(&s.heed, "heed", "./heed", "path of the command to measure")
	flag.StringVar(&s.folder, "folder", "", "folder for the data, which is kept and used again (default: a temporary one)")
	flag.IntVar(&s.urls, "urls", 10_000_000, "URLs in each list")
	flag.IntVar(&s.rounds, "rounds", 5, "how often each row is measured, in turns; the best counts")
	flag.StringVar(&s.only, "only", "", "measure only what this regular expression matches: lists, sources, loading, opening, memory, rivals; with -origins: compile, judge, tools")
	flag.IntVar(&s.rival, "rival-urls", 500_000, "URLs that each other parser judges")
	flag.StringVar(&s.origins, "origins", "", "measure how time and memory grow with the number of origins, and nothing else: numbers such as 10000,100000,1000000,3000000; the last one is predicted from the others")
	role := flag.String("role", "", "for the processes that this command starts: make, ceiling, decompress, temoto, scale-data, stages")
	flag.Parse()
	var err error
	switch *role {
	case "make":
		err = s.makeData()
	case "ceiling":
		err = ceiling(flag.Arg(0), os.Stdout)
	case "decompress":
		err = decompress(flag.Arg(0))
	case "scale-data":
		err = s.scaleData(flag.Args())
	case "stages":
		err = stages(flag.Arg(0), flag.Arg(1))
	case "temoto":
		err = temotoFilter(flag.Arg(0), flag.Arg(1), flag.Arg(2), os.Stdout)
	default:
		err = s.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bulk:", err)
		os.Exit(1)
	}
}

func (s *settings) run() error {
	if os.Getenv(corpus.Variable) == "" {
		return fmt.Errorf("%s is not set: it must name the folder with robots-txt.tar.gz, manifest.tsv.gz and urls.tar.gz", corpus.Variable)
	}
	if _, err := os.Stat(s.heed); err != nil {
		return err
	}
	if s.folder == "" {
		folder, err := os.MkdirTemp("", "heed-bulk")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		s.folder = folder
	}
	if s.origins != "" {
		return s.measureScale()
	}
	// In a process of its own: what this one has in memory would count for those that it starts.
	making := s.self("make")
	making.Stderr = os.Stderr // its progress
	if _, err := making.run(); err != nil {
		return err
	}
	return s.measureAll()
}

// path returns the path of a file of the data.
func (s *settings) path(name string) string { return filepath.Join(s.folder, name) }

// workers is how many goroutines judge in heed, and work in the ceiling.
func workers() int { return runtime.GOMAXPROCS(0) }
