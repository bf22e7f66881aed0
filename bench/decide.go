package main

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/robotstxt"
)

// firstQuestions is the number of questions for a policy that was just compiled.
const firstQuestions = 15

// oftenAsked is the number of questions before the measurement, if a row says "asked often".
// Heed builds a lookup for such a policy, which makes later decisions faster.
const oftenAsked = 1000

// decide adds two rows: the first questions for policies that were just compiled, and the same
// questions for policies that were asked often.
func (m measurer) decide(name string, sites []site) {
	sites = first(firstQuestions, sites)
	policies := func(l library) []any {
		made := make([]any, len(sites))
		for i := range sites {
			made[i] = l.policyOf(sites[i].body, agent)
		}
		return made
	}
	theirs := policies(rivals[0]) // these are as fast at the first question as at later ones
	other := repeat(func() { rivals[0].checkAll(sites, theirs) })
	firstOnes := staged(func() func() {
		made := policies(google)
		return func() { google.checkAll(sites, made) }
	})
	made := policies(google)
	for range oftenAsked / firstQuestions {
		google.checkAll(sites, made)
	}
	often := repeat(func() { google.checkAll(sites, made) })
	m.compared(fmt.Sprintf("decide, %s: the first %d questions", name, firstQuestions),
		inTurn(m.rounds, questionsOf(sites), firstOnes, other), "decide", sites)
	m.compared(fmt.Sprintf("decide, %s: asked often", name),
		inTurn(m.rounds, questionsOf(sites), often, other), "decide", sites)
}

// checkAll checks all questions about each site with its policy.
func (l library) checkAll(sites []site, policies []any) {
	for i := range sites {
		if policies[i] == nil {
			continue
		}
		for _, q := range sites[i].questions {
			runtime.KeepAlive(l.check(policies[i], q.url))
		}
	}
}

// wildcards adds rows about 3,000 made-up rules, a quarter or all of them with wildcards.
func (m measurer) wildcards() {
	for _, share := range []int{25, 100} {
		in := makeFile("3,000 rules", 3000, share)
		url := "https://shop.example" + in.miss
		best := inTurn(m.rounds, 1, both(func(l library) run {
			policy := l.compile(l.parse(in.body), agent)
			for range oftenAsked {
				runtime.KeepAlive(l.check(policy, url))
			}
			return repeat(func() { runtime.KeepAlive(l.check(policy, url)) })
		})...)
		m.row(compare(fmt.Sprintf("decide, 3,000 rules, %d %% with wildcards, no match: asked often", share), best)...)
	}
}

// memory adds rows about the memory of policies. Each compares a hundred crawlers, with a policy
// each, with one policy for all crawlers to which the same groups apply.
func (m measurer) memory(in *inputs) {
	crawlers := commonest(in.sites, 100)
	for _, c := range []struct {
		name  string
		sites []site
	}{
		{fmt.Sprintf("each of %d files of about 3 KB", len(in.small)), in.small},
		{describe(in.large), []site{in.large}},
	} {
		few, sets := make([][]string, len(c.sites)), 0
		for i := range c.sites {
			few[i] = oneForEachSet(c.sites[i].body, crawlers)
			sets += len(few[i])
		}
		all := policiesHeap(c.sites, func(int) []string { return crawlers })
		distinct := policiesHeap(c.sites, func(i int) []string { return few[i] })
		m.row(fmt.Sprintf("memory of a hundred crawlers' policies, of that of their %.1f sets of groups: %s", float64(sets)/float64(len(c.sites)), c.name),
			ratio(all/distinct)+" ×")
	}
}

// policiesHeap returns the memory of the policies of agents(i) for each site i.
func policiesHeap(sites []site, agents func(i int) []string) float64 {
	files := make([]*robotstxt.File, len(sites))
	for i := range files {
		files[i] = robotstxt.Parse(sites[i].body, robotstxt.Google)
	}
	kept := keptHeap(func() any {
		var kept []*robotstxt.Policy
		for i, f := range files {
			for _, agent := range agents(i) {
				policy := f.Agent(agent)
				for range 2 { // enough for the policy to build its lookup
					for _, q := range sites[i].questions {
						runtime.KeepAlive(policy.Check(q.url).Allowed)
					}
				}
				kept = append(kept, policy)
			}
		}
		return kept
	})
	runtime.KeepAlive(files)
	return kept
}

// oneForEachSet returns one agent for each set of groups that applies to some of the agents.
func oneForEachSet(body []byte, agents []string) (few []string) {
	file := robotstxt.Parse(body, robotstxt.Google)
	seen := map[string]bool{}
	for _, agent := range agents {
		var set []int
		for i, use := range file.Agent(agent).Explain("/").Groups {
			if use.Role.Applies() {
				set = append(set, i)
			}
		}
		if key := fmt.Sprint(set); !seen[key] {
			seen[key] = true
			few = append(few, agent)
		}
	}
	return few
}

// commonest returns the agents with the most questions, in lower case. If there are fewer than
// count, it adds names that no file has.
func commonest(sites []site, count int) []string {
	asked := map[string]int{}
	for i := range sites {
		for _, a := range sites[i].agents {
			asked[strings.ToLower(a)]++
		}
	}
	var names []string
	for name := range asked {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(asked[b]-asked[a], strings.Compare(a, b)) })
	for i := 0; len(names) < count; i++ {
		names = append(names, "examplebot-"+letters(i))
	}
	return names[:count]
}

// A slow is a decision that takes long.
type slow struct {
	site *site
	question
	took time.Duration
}

// slowest adds rows for the file, agent and question with the slowest decision, once for a
// policy that was just compiled and once for one that was asked often. All decisions are
// measured a few times, in case the machine was busy; the slowest are measured again.
func (m measurer) slowest(sites []site) {
	for _, c := range []struct {
		name  string
		asked int // how often each question is checked before the measurement
	}{
		{"first decision", 0},
		{"asked often", oftenAsked},
	} {
		var all []slow
		for i := range sites {
			for _, q := range sites[i].questions {
				s := slow{site: &sites[i], question: q}
				s.measure(min(c.asked, 50), 3)
				all = append(all, s)
			}
		}
		slower := func(a, b slow) int { return cmp.Compare(b.took, a.took) }
		slices.SortFunc(all, slower)
		all = all[:min(len(all), 500)]
		for i := range all {
			all[i].measure(c.asked, 4*m.rounds)
		}
		worst := slices.MinFunc(all, slower)
		m.row("slowest real file, "+c.name+": "+worst.site.name, duration(float64(worst.took)))
	}
}

// measure sets took to the shortest time of some tries. If asked is 0, each try is the first
// question of a new policy.
func (s *slow) measure(asked, tries int) {
	file := robotstxt.Parse(s.site.body, robotstxt.Google)
	policy := file.Agent(s.agent)
	s.took = time.Hour
	for try := range tries {
		if asked == 0 && try > 0 {
			file = robotstxt.Parse(s.site.body, robotstxt.Google)
			policy = file.Agent(s.agent)
		}
		for range asked {
			runtime.KeepAlive(policy.Check(s.url).Allowed)
		}
		start := time.Now()
		runtime.KeepAlive(policy.Check(s.url).Allowed)
		s.took = min(s.took, time.Since(start))
	}
}
