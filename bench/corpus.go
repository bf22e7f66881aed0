package main

import (
	"errors"
	"path"
	"strings"

	"github.com/heed-robots/heed/internal/conformance"
)

// A question is a URL, and the crawler that wants to fetch it.
type question struct{ agent, url string }

// A site is a robots.txt with questions about it.
type site struct {
	name      string
	body      []byte
	questions []question
	agents    []string // the agents of the questions, each once
	agentOf   []int    // for each question, the index of its agent in agents
}

// add adds a question.
func (s *site) add(agent, url string) {
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
	s.agentOf = append(s.agentOf, at)
}

// fetched is the maximum size of a file in bytes. Larger ones are left out, since a fetcher
// truncates them.
const fetched = 500 << 10

// inputs are the files of the table of real files.
type inputs struct {
	from  string // what they are, in words
	all   []site // every file
	sites []site // the files of up to 500 KiB
	small []site // the files of about 3 KB
	large site   // 3,129 rules, most of them with wildcards
	huge  site   // 15,292 rules, hardly any with wildcards
}

// readInputs returns real files if the environment names them, else made-up ones of the same
// shape.
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

// realSites returns the real files, with questions that Google's parser has decided.
func realSites() ([]site, error) {
	files, cases, err := realFiles()
	if err != nil {
		return nil, err
	}
	var sites []site
	read := func(name string) ([]byte, error) { return files[path.Base(name)], nil }
	err = conformance.Run(cases, conformance.Options{ReadFile: read}, func(r conformance.Result) {
		c := r.Case
		if n := len(sites); n == 0 || sites[n-1].name != c.RobotsFile {
			sites = append(sites, site{name: c.RobotsFile, body: files[c.RobotsFile]})
		}
		sites[len(sites)-1].add(c.Agents[0], c.URL)
	})
	return sites, err
}
