package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/heed-robots/heed/robotstxt"
)

// google is Heed with the dialect google: the expected answers to the real questions come from
// Google's parser.
var google = heedAs(robotstxt.Google)

// real prints the table of real files, or of made-up ones if the environment names no real
// ones.
func (s settings) real() error {
	in, err := readInputs()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%d files, %s; one core, processor time with the collection of garbage, least of %d rounds; dialect google; seed %d\n\n",
		len(in.all), in.from, s.rounds, s.seed)
	heading := []string{"what", "heed", rivals[0].name, "ratio"}
	if !s.quick {
		heading = append(heading, processes[0].name, "ratio")
	}
	m := measurer{newTable(s.out, s.markdown, heading...), s.rounds, s.quick}
	m.once(fmt.Sprintf("mean of %d files of about 3 KB", len(in.small)), in.small)
	m.once(describe(in.large), []site{in.large})
	m.once(describe(in.huge), []site{in.huge})
	anew := in.sites
	if s.quick {
		anew = quarter(anew)
	}
	m.anew(fmt.Sprintf("%d real questions, all anew: each", questionsOf(anew)), anew)
	m.kept(fmt.Sprintf("%d real questions, parsed once, policies kept: each", questionsOf(in.sites)), in.sites)
	m.compile(in.large)
	m.memory(in)
	m.decide("real mix of URLs", in.sites)
	long := overSize(in.sites, 2000)
	m.decide(fmt.Sprintf("the same of the %d files above 2 KB", len(long)), long)
	m.wildcards()
	m.hostileRows()
	m.slowest(in.sites)
	m.parse(in.all)
	m.cachedSites("the typical made-up file", []site{{body: typical.body, questions: []question{{agent, typical.miss}}}})
	m.cachedSites("files of about 3 KB", in.small)
	m.drawn(in, s.seed)
	m.flush()
	return nil
}

// A measurer adds rows to a table.
type measurer struct {
	*table
	rounds int
	quick  bool
}

func describe(s site) string {
	rules := 0
	for g := range robotstxt.Parse(s.body, robotstxt.Google).Groups() {
		rules += len(g.Rules)
	}
	return fmt.Sprintf("%s, %d rules, %d KB", s.name, rules, len(s.body)/1000)
}

// answer parses, compiles and decides, unless the library refuses the file.
func (l library) answer(body []byte, q question) {
	if file := l.parse(body); file != nil {
		runtime.KeepAlive(l.check(l.compile(file, q.agent), q.url))
	}
}

// policyOf returns the policy of a file for an agent, or nil if the library refuses the file.
func (l library) policyOf(body []byte, agent string) any {
	file := l.parse(body)
	if file == nil {
		return nil
	}
	return l.compile(file, agent)
}

// both returns the same run for Heed and for the rival.
func both(of func(l library) run) []run { return []run{of(google), of(rivals[0])} }

// compared adds a row with the times of both libraries, and, unless quick, with that of npm's
// parser. kind is as for measured.
func (m measurer) compared(name string, best []float64, kind string, sites []site) {
	cells := compare(name, best)
	if !m.quick {
		if ns, err := measured(kind, sites); err != nil {
			cells = append(cells, "skipped")
		} else {
			cells = append(cells, duration(ns), ratio(ns/best[0]))
		}
	}
	m.row(cells...)
}

// once adds a row: parse, compile and one decision for each site.
func (m measurer) once(name string, sites []site) {
	m.anew("parse, compile, one decision: "+name, first(1, sites))
}

// first returns the sites with count of their questions each. The agent is the same in all
// questions; few files name it.
func first(count int, sites []site) []site {
	few := make([]site, len(sites))
	for i, s := range sites {
		few[i] = site{name: s.name, body: s.body}
		for k := range count {
			few[i].add(agent, s.questions[k%len(s.questions)].url)
		}
	}
	return few
}

// anew adds a row: parse, compile and one decision for each question.
func (m measurer) anew(name string, sites []site) {
	best := inTurn(m.rounds, questionsOf(sites), both(func(l library) run {
		return repeat(func() {
			for i := range sites {
				for _, q := range sites[i].questions {
					l.answer(sites[i].body, q)
				}
			}
		})
	})...)
	m.compared(name, best, "anew", sites)
}

// quarter returns the sites with a quarter of their questions.
func quarter(sites []site) []site {
	few := slices.Clone(sites)
	for i := range few {
		few[i].questions = few[i].questions[:(len(few[i].questions)+3)/4]
	}
	return few
}

func questionsOf(sites []site) (count int) {
	for i := range sites {
		count += len(sites[i].questions)
	}
	return count
}

// kept adds a row about files that are parsed once and compiled once for each agent. Files and
// policies stay in memory until the end.
func (m measurer) kept(name string, sites []site) {
	best := inTurn(m.rounds, questionsOf(sites), both(func(l library) run {
		return staged(func() func() {
			policies := make([][]any, len(sites))
			for i := range sites {
				policies[i] = make([]any, len(sites[i].agents))
			}
			return func() {
				for i := range sites {
					l.answerAll(&sites[i], policies[i])
				}
			}
		})
	})...)
	m.compared(name, best, "kept", sites)
}

// answerAll answers all questions of a site, with one policy for each agent.
func (l library) answerAll(s *site, policies []any) {
	file := l.parse(s.body)
	if file == nil {
		return
	}
	for i, agent := range s.agents {
		policies[i] = l.compile(file, agent)
	}
	for i := range s.questions {
		runtime.KeepAlive(l.check(policies[s.agentOf[i]], s.questions[i].url))
	}
}

// compile adds two rows: the first policy of a file, and a second policy for another agent with
// the same groups.
func (m measurer) compile(s site) {
	const copies = 64
	agents := []string{"ExampleBot", "OtherBot"}
	for second, name := range []string{"compile, %s", "compile, %s, for a second agent of the same groups"} {
		best := inTurn(m.rounds, copies, staged(func() func() {
			files := make([]*robotstxt.File, copies)
			for i := range files {
				files[i] = robotstxt.Parse(s.body, robotstxt.Google)
				for _, agent := range agents[:second] {
					files[i].Agent(agent)
				}
			}
			policies := make([]*robotstxt.Policy, copies)
			return func() {
				for i := range files {
					policies[i] = files[i].Agent(agents[second])
				}
			}
		}))
		m.row(fmt.Sprintf(name, describe(s)), duration(best[0]))
	}
}

// parse adds two rows about parsing all files. The second compares the time with that of three
// searches through all bytes.
func (m measurer) parse(sites []site) {
	size := 0
	for i := range sites {
		size += len(sites[i].body)
	}
	parseAll := func(l library) run {
		return repeat(func() {
			for i := range sites {
				runtime.KeepAlive(l.parse(sites[i].body))
			}
		})
	}
	searches := repeat(func() {
		for i := range sites {
			for _, c := range []byte("\n:#") {
				findAll(sites[i].body, c)
			}
		}
	})
	best := inTurn(m.rounds, 1, append(both(parseAll), searches)...)
	m.row(fmt.Sprintf("parse, all %d files, %.0f MB", len(sites), float64(size)/1e6), megabytes(size, best[0]), megabytes(size, best[1]), ratio(best[1]/best[0]))
	m.row(`the same, of the time of IndexByte for '\n', ':' and '#'`, ratio(best[0]/best[2])+" ×", ratio(best[1]/best[2])+" ×")
}

// findAll finds every place of an octet.
func findAll(body []byte, c byte) {
	for {
		at := bytes.IndexByte(body, c)
		if at < 0 {
			return
		}
		body = body[at+1:]
	}
}

func overSize(sites []site, size int) (long []site) {
	for _, s := range sites {
		if len(s.body) > size {
			long = append(long, s)
		}
	}
	return long
}

// drawn adds some of the rows for randomly drawn files.
func (m measurer) drawn(in *inputs, seed uint64) {
	const count = 400
	r := rand.New(rand.NewPCG(seed, 9309))
	var sites []site
	for range min(count, len(in.sites)) {
		sites = append(sites, in.sites[r.IntN(len(in.sites))])
	}
	name := fmt.Sprintf("%d drawn files", len(sites))
	m.once(name, sites)
	m.anew(name+", questions all anew: each", sites)
	m.kept(name+", parsed once, policies kept: each question", sites)
	m.decide(name, sites)
}

// newSeed returns another seed at every call.
func newSeed() uint64 { return uint64(time.Now().UnixNano()) % 1_000_000 }

// keptHeap returns how many bytes of the heap a value keeps.
func keptHeap(value func() any) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := heapBytes()
	v := value()
	after := heapBytes()
	runtime.KeepAlive(v)
	return after - before
}
