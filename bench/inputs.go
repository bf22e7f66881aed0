package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/testing/corpus"
)

// Libraries differ in texts that are not UTF-8, so such questions are not fair.
type question struct {
	Agent, URL    string
	allow, isFair bool
}

// The questions are sorted by agent.
type site struct {
	name      string
	Robots    []byte
	Questions []question
}

func questionsOf(sites []site) (count int) {
	for i := range sites {
		count += len(sites[i].Questions)
	}
	return count
}

var errNoCorpus = errors.New("HEED_CONFORMANCE and HEED_CORPUS are not set")

func realFiles() (files map[string][]byte, cases string) {
	conformance, archives := os.Getenv("HEED_CONFORMANCE"), os.Getenv(corpus.Variable)
	if conformance == "" || archives == "" {
		must(errNoCorpus)
	}
	files = map[string][]byte{}
	must(corpus.Read(filepath.Join(archives, "robots-txt.tar.gz"), func(file string, data []byte) bool {
		files[path.Base(file)] = data
		return true
	}))
	return files, filepath.Join(conformance, "google-real.jsonl.gz")
}

// The right answers are those of Google's parser.
func realSites() []site {
	files, cases := realFiles()
	return readCases(func(name string) ([]byte, error) { return files[path.Base(name)], nil }, cases)
}

// Cases with several agents are left out, because other libraries take only one.
func readCases(readFile func(name string) ([]byte, error), names ...string) (sites []site) {
	for _, name := range names {
		must(conformance.Run(name, conformance.Options{ReadFile: readFile}, func(r conformance.Result) {
			c, body := r.Case, r.Case.Robots
			if len(c.Agents) != 1 {
				return
			}
			if c.RobotsFile != "" {
				body = get(readFile(c.RobotsFile))
			}
			if n := len(sites); n == 0 || sites[n-1].name != c.RobotsFile || string(sites[n-1].Robots) != string(body) {
				sites = append(sites, site{name: c.RobotsFile, Robots: body})
			}
			s := &sites[len(sites)-1]
			s.Questions = append(s.Questions, question{c.Agents[0], c.URL, c.Allow, utf8.Valid(body) && utf8.ValidString(c.URL)})
		}))
	}
	for i := range sites {
		slices.SortStableFunc(sites[i].Questions, func(a, b question) int { return strings.Compare(a.Agent, b.Agent) })
	}
	return sites
}

type inputs struct {
	from  string
	all   []site
	sites []site // the files of up to 500 KiB; a fetcher would cut larger files
	small []site // the files with about 3 KB
	large site   // a file with 3,129 rules; most of them have wildcards
	huge  site   // a file with 15,292 rules; hardly any of them have wildcards
}

func realInputs() *inputs {
	in := &inputs{from: "real files of the corpus", all: realSites()}
	for _, s := range in.all {
		if len(s.Robots) <= 500<<10 {
			in.sites = append(in.sites, s)
		}
		if len(s.Robots) >= 2950 && len(s.Robots) <= 3300 {
			in.small = append(in.small, s)
		}
		switch s.name {
		case "www.unesco.org.txt":
			in.large = s
		case "docs.oracle.com@2019.txt":
			in.huge = s
			in.huge.Robots = s.Robots[:strings.LastIndexByte(string(s.Robots[:400<<10]), '\n')+1]
		}
	}
	return in
}

var words = strings.Fields(`about account admin api archive author basket blog brand cart category checkout comment
	compare contact customer download events feed files filter forum gallery help images includes item legal list login
	mail map member news order page partner press print private product profile review sale search session shop sort
	static stock store support tag terms theme tmp track user video wishlist`)

// Equal arguments give equal files. The parameter wildcards is the percentage of rules with wildcards.
func makeFile(name string, rules, wildcards int) site {
	r := rand.New(rand.NewPCG(9309, uint64(rules)))
	word := func() string { return words[r.IntN(len(words))] }
	var b strings.Builder
	b.WriteString("# robots.txt of an imaginary shop\n\nUser-agent: *\n")
	hit := ""
	for i := range rules {
		key := "Disallow: "
		if r.IntN(5) == 0 {
			key = "Allow: "
		}
		path := fmt.Sprintf("/%s/%s-%s/%s-%d/", word(), word(), word(), word(), i)
		if r.IntN(100) < wildcards {
			switch r.IntN(4) {
			case 0:
				path = fmt.Sprintf("/*?%s%d=", word(), i)
			case 1:
				path = fmt.Sprintf("/%s/*/%s%d", word(), word(), i)
			case 2:
				path = fmt.Sprintf("/*.%s%d$", word()[:3], i)
			case 3:
				path = fmt.Sprintf("/*/%s-%d/", word(), i)
			}
		} else if i >= rules*3/4 && hit == "" {
			hit = path + "index.html?page=2"
		}
		fmt.Fprintf(&b, "%s%s\n", key, path)
		if i%6 == 5 {
			fmt.Fprintf(&b, "\n# Nobody needs the %s and the %s of a %s in an index.\n", word(), word(), word())
		}
	}
	b.WriteString("\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nSitemap: https://shop.example/sitemap.xml\n")
	s := site{name: name, Robots: []byte(b.String())}
	for _, path := range []string{hit, "/product/blue-suede-shoes/size-42.html", "/product/blue%2dsuede-shoes/gr%c3%b6%c3%9fe-42.html"} {
		s.Questions = append(s.Questions, question{Agent: crawler, URL: path})
	}
	return s
}

func (s site) about(q int) site {
	s.Questions = s.Questions[q : q+1]
	return s
}

const hit, miss = 0, 1 // indexes in Questions of a made-up file: a rule matches the first URL, and no rule matches the second

var (
	typical = makeFile("typical", 60, 25)
	large   = makeFile("3,000 rules", 3000, 25)
	largest = makeFile("8,000 rules", 8000, 25)
)

func madeUpInputs() *inputs {
	random := rand.New(rand.NewPCG(1, 9309))
	in := &inputs{from: "made up", large: makeFile("made up", 3129, 82), huge: makeFile("made up", 8000, 0)}
	for range 4000 {
		const middle, spread = 9.5, 1.73 // half of the files have fewer rules than middle; the mean is 40 rules
		in.sites = append(in.sites, makeFile("made up", min(int(middle*math.Exp(spread*random.NormFloat64())), 3000), 31))
	}
	for range 206 {
		in.small = append(in.small, makeFile("made up", 52+random.IntN(34), 32))
	}
	in.all = in.sites
	return in
}
