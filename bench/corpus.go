package main

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/heed-robots/heed/conformance"
)

// A question is who asks for what.
type question struct{ agent, url string }

// A site is a robots.txt with the questions that are asked about it.
type site struct {
	name      string
	body      []byte
	questions []question
	agents    []string // of the questions, each once
	asks      []int    // which of the agents asks each question
}

func (s *site) ask(agent, url string) {
	at := -1
	for i, a := range s.agents {
		if a == agent {
			at = i
		}
	}
	if at < 0 {
		at = len(s.agents)
		s.agents = append(s.agents, agent)
	}
	s.questions = append(s.questions, question{agent, url})
	s.asks = append(s.asks, at)
}

// fetched is the size up to which files count: a fetcher cuts the others.
const fetched = 500 << 10

// inputs are what the table is measured on.
type inputs struct {
	from  string // in words: what they are
	all   []site // every file
	sites []site // those of up to 500 KiB, with their questions
	small []site // of about 3 KB
	large site   // 3,129 rules, most of them with wildcards
	huge  site   // 15,292 rules, hardly a wildcard
}

// readInputs returns real files where the environment names them, made-up ones
// of the same shape elsewhere.
func readInputs() (*inputs, error) {
	sites, err := realSites()
	if errors.Is(err, errNoCorpus) {
		return shapedInputs(), nil
	}
	if err != nil {
		return nil, err
	}
	return realInputs(sites), nil
}

func realInputs(sites []site) *inputs {
	in := &inputs{from: "real files of the corpus", all: sites}
	for _, s := range sites {
		if len(s.body) <= fetched {
			in.sites = append(in.sites, s)
		}
		if len(s.body) >= 2950 && len(s.body) <= 3300 {
			in.small = append(in.small, s)
		}
		switch s.name {
		case "www.unesco.org.txt":
			in.large = s
		case "docs.oracle.com@2019.txt":
			in.huge = s
			in.huge.body = s.body[:strings.LastIndexByte(string(s.body[:400<<10]), '\n')+1]
		}
	}
	return in
}

var errNoCorpus = errors.New("HEED_CONFORMANCE and HEED_CORPUS are not set")

// realSites returns the real files, with the questions about them that Google's
// parser answered.
func realSites() ([]site, error) {
	cases, archives := os.Getenv("HEED_CONFORMANCE"), os.Getenv("HEED_CORPUS")
	if cases == "" || archives == "" {
		return nil, errNoCorpus
	}
	files, err := readArchive(filepath.Join(archives, "robots-txt.tar.gz"))
	if err != nil {
		return nil, err
	}
	var sites []site
	read := func(name string) ([]byte, error) { return files[path.Base(name)], nil }
	err = conformance.Run(filepath.Join(cases, "google-real.jsonl.gz"), conformance.Options{ReadFile: read}, func(r conformance.Result) {
		c := r.Case
		if n := len(sites); n == 0 || sites[n-1].name != c.RobotsFile {
			sites = append(sites, site{name: c.RobotsFile, body: files[c.RobotsFile]})
		}
		sites[len(sites)-1].ask(c.Agents[0], c.URL)
	})
	return sites, err
}
