package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/heed-robots/heed/robotstxt"
)

type measurer struct {
	*bench
	table
	isQuick bool // libraries in other languages are not measured
}

func (b *bench) manySites(isQuick bool) {
	in := &inputs{}
	err := catchFailure(func() { in = realInputs() })
	if errors.Is(err, errNoCorpus) {
		in, err = madeUpInputs(), nil
	}
	must(err)
	if isQuick {
		in.all, in.sites = everyFourth(in.all), everyFourth(in.sites)
	}
	fmt.Printf("\n%d files, %s; one core, processor time with the collection of garbage; dialect google; seed %d\n", len(in.all), in.from, b.seed)
	heading := []string{"what", "heed", temotoName, "ratio"}
	if !isQuick {
		heading = append(heading, npm.name, "ratio")
		if rust.isBuilt() {
			heading = append(heading, fastName, "ratio")
		}
	}
	m := &measurer{b, newTable(heading...), isQuick}
	m.once(fmt.Sprintf("mean of %d files of about 3 KB", len(in.small)), in.small)
	m.once(describe(in.large), []site{in.large})
	m.once(describe(in.huge), []site{in.huge})
	m.addQuestionRows(fmt.Sprint(questionsOf(in.sites), " real questions"), in.sites)
	hits, misses := in.large.withAnswer(false), in.large.withAnswer(true)
	m.compare("decide, "+describe(in.large)+", a rule matches: asked often", "decide", []site{hits}, library.askedOften)
	m.compare("decide, "+describe(in.large)+", no rule matches: asked often", "decide", []site{misses}, library.askedOften)
	for _, s := range []site{in.large, in.huge} {
		m.compare("parse, compile and 1,000 decisions: "+describe(s)+": each", "kept", repeatQuestions(1000, []site{s}), library.answerKept)
	}
	m.addDecisionRows("real mix of URLs", in.sites)
	long := slices.DeleteFunc(slices.Clone(in.sites), func(s site) bool { return len(s.Robots) <= 2000 })
	m.addDecisionRows(fmt.Sprintf("the same of the %d files above 2 KB", len(long)), long)
	for _, share := range []int{25, 100} {
		sites := repeatQuestions(firstQuestions, []site{makeFile("", 3000, share).about(miss)})
		m.compare(fmt.Sprintf("decide, 3,000 rules, %d %% with wildcards, no match: asked often", share), "decide", sites, library.askedOften)
	}
	m.hostileRows()
	m.addSlowest("first decision", in.sites, 0)
	m.addSlowest("asked often", in.sites, 100)
	m.parse(in.all)
	took, _ := m.cachedTime(1000, []site{typical.about(miss)})
	m.row("cache.Check, fresh, 1,000 origins in turn: the typical made-up file", took)
	took, _ = m.cachedTime(1000, in.small)
	m.row("cache.Check, fresh, 1,000 origins in turn: files of about 3 KB", took)
	random := rand.New(rand.NewPCG(b.seed, 9309))
	drawn := make([]site, min(400, len(in.sites)))
	for i := range drawn {
		drawn[i] = in.sites[random.IntN(len(in.sites))]
	}
	name := fmt.Sprintf("%d drawn files", len(drawn))
	m.once(name, drawn)
	m.addQuestionRows(name, drawn)
	m.addDecisionRows(name, drawn)
}

func everyFourth(sites []site) (few []site) {
	for chunk := range slices.Chunk(sites, 4) {
		few = append(few, chunk[0])
	}
	return few
}

func describe(s site) string {
	rules := 0
	for g := range robotstxt.Parse(s.Robots, robotstxt.Google).Groups() {
		rules += len(g.Rules)
	}
	return fmt.Sprintf("%s, %d rules, %d KB", s.name, rules, len(s.Robots)/1000)
}

const firstQuestions = 15

func repeatQuestions(count int, sites []site) []site {
	few := make([]site, len(sites))
	for i, s := range sites {
		few[i] = site{name: s.name, Robots: s.Robots}
		for k := range count {
			few[i].Questions = append(few[i].Questions, question{Agent: crawler, URL: s.Questions[k%len(s.Questions)].URL})
		}
	}
	return few
}

func (s site) withAnswer(allow bool) site {
	s.Questions = slices.DeleteFunc(slices.Clone(s.Questions), func(q question) bool { return q.allow != allow })
	return s
}

// The kinds of measurements are those of program.measure.
func (m *measurer) compare(name, kind string, sites []site, answer func(l library, sites []site) run) {
	best := m.inTurn(questionsOf(sites), answer(google, sites), answer(temoto, sites))
	cells := []string{name, duration(best[0]), duration(best[1]), ratio(best[1], best[0])}
	if !m.isQuick {
		ns := npm.measure(kind, sites)
		cells = append(cells, duration(ns), ratio(ns, best[0]))
		if rust.isBuilt() {
			ns := rust.measure(kind, sites)
			cells = append(cells, duration(ns), ratio(ns, best[0]))
		}
	}
	m.row(cells...)
}

func (m *measurer) once(name string, sites []site) {
	m.compare("parse, compile, one decision: "+name, "anew", repeatQuestions(1, sites), library.answerAnew)
}

func (m *measurer) addQuestionRows(name string, sites []site) {
	m.compare(name+", all anew: each", "anew", sites, library.answerAnew)
	m.compare(name+", parsed once, policies kept: each", "kept", sites, library.answerKept)
}

// A policy becomes faster after many questions, so new policies and often asked ones are measured apart.
func (m *measurer) addDecisionRows(name string, sites []site) {
	sites = repeatQuestions(firstQuestions, sites)
	m.compare(fmt.Sprintf("decide, %s: the first %d questions", name, firstQuestions), "decide", sites, library.askedFirst)
	m.compare(fmt.Sprintf("decide, %s: asked often", name), "decide", sites, library.askedOften)
}

func (l library) answerAnew(sites []site) run {
	return repeat(func() {
		for i := range sites {
			for _, q := range sites[i].Questions {
				l.ask(l.policyOf(sites[i].Robots, q.Agent), q.URL)
			}
		}
	})
}

func (l library) answerKept(sites []site) run {
	return repeat(func() {
		kept := make([]any, 0, questionsOf(sites)) // there is room for all policies
		for i := range sites {
			file := l.parse(sites[i].Robots)
			if file == nil {
				continue
			}
			agent := ""
			for k, q := range sites[i].Questions {
				if k == 0 || q.Agent != agent {
					kept, agent = append(kept, l.compile(file, q.Agent)), q.Agent
				}
				l.ask(kept[len(kept)-1], q.URL)
			}
		}
		runtime.KeepAlive(kept)
	})
}

func (l library) makeAsker(sites []site, warmups int) (ask func()) {
	policies := make([]any, len(sites))
	for i := range sites {
		policies[i] = l.policyOf(sites[i].Robots, crawler)
	}
	ask = func() {
		for i := range sites {
			for _, q := range sites[i].Questions {
				l.ask(policies[i], q.URL)
			}
		}
	}
	for range warmups {
		ask()
	}
	return ask
}

// A policy is new only once, so each repetition makes new policies, outside of the measured time.
func (l library) askedFirst(sites []site) run {
	return func(n int) (took time.Duration) {
		for range n {
			ask := repeat(l.makeAsker(sites, 0))
			runtime.GC()
			took += ask(1)
		}
		return took
	}
}

// After many questions, a policy does not become faster any more.
func (l library) askedOften(sites []site) run {
	return repeat(l.makeAsker(sites, l.learns/firstQuestions))
}

func (m *measurer) addSlowest(name string, sites []site, earlierQuestions int) {
	var slowest worst
	for _, s := range sites {
		for _, q := range s.Questions {
			policy, took := google.policyOf(s.Robots, q.Agent), time.Hour
			for range 5 {
				if earlierQuestions == 0 {
					policy = google.policyOf(s.Robots, q.Agent)
				}
				for range earlierQuestions {
					google.ask(policy, q.URL)
				}
				start := time.Now()
				google.ask(policy, q.URL)
				took = min(took, time.Since(start))
			}
			slowest.add(float64(took), s.name)
		}
	}
	m.row("slowest real file, "+name+": "+slowest.name, duration(slowest.value))
}

// A parser must at least search the line ends, colons and "#" in the bytes. So the second row compares the parsers with this
// search.
func (m *measurer) parse(sites []site) {
	size := 0
	for i := range sites {
		size += len(sites[i].Robots)
	}
	each := func(do func(body []byte)) run {
		return repeat(func() {
			for i := range sites {
				do(sites[i].Robots)
			}
		})
	}
	parsed := func(l library) run { return each(func(body []byte) { runtime.KeepAlive(l.parse(body)) }) }
	best := m.inTurn(1, parsed(google), parsed(temoto), each(func(body []byte) {
		for _, c := range []byte("\n:#") {
			for rest, at := body, 0; at >= 0; rest = rest[at+1:] {
				at = bytes.IndexByte(rest, c)
			}
		}
	}))
	m.row(fmt.Sprintf("parse, all %d files, %.0f MB", len(sites), float64(size)/1e6), speed(size, best[0]), speed(size, best[1]), ratio(best[1], best[0]))
	m.row(`the same, of the time of IndexByte for '\n', ':' and '#'`, ratio(best[0], best[2])+" ×", ratio(best[1], best[2])+" ×")
}
