package robotstxt

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Ways returns, by name, a copy of the policy for each way of finding the rule that decides.
func Ways(p *Policy) map[string]*Policy {
	lookup := func(hasPlaces, swept bool) func(r *ruleSet) {
		return func(r *ruleSet) {
			l := newLookup(r)
			if hasPlaces {
				l.tails.place(l, 0)
			}
			if swept {
				l.tails.sweepAt = -1
				l.tails.swept.Store(newSweep(l))
			}
			r.lookup.Store(l)
		}
	}
	compact, _ := Compact([]*Policy{p})
	return map[string]*Policy{
		"a compact policy":             compact[0],
		"a walk":                       p.anew(func(r *ruleSet) { r.spentWork.Store(1 << 60) }),
		"a walk that ends too early":   p.anew(func(r *ruleSet) { r.sweepAt = 0 }),
		"a lookup":                     p.anew(lookup(false, false)),
		"a lookup with places":         p.anew(lookup(true, false)),
		"a lookup and a sweep":         p.anew(lookup(false, true)),
		"a lookup, places and a sweep": p.anew(lookup(true, true)),
	}
}

// anew returns a policy of the same groups with its own rule set, which change modifies.
func (p *Policy) anew(change func(*ruleSet)) *Policy {
	if p.rules == nil {
		return p
	}
	r := p.file.newRules(p.rules.named())
	change(r)
	return &Policy{file: p.file, dialect: p.dialect, agents: p.agents, rules: r, ignoresEveryone: p.ignoresEveryone}
}

// named returns for each group the number of the agent line that names the crawler.
func (r *ruleSet) named() (lines []int32) {
	for _, g := range r.groups {
		lines = append(lines, g.named)
	}
	return lines
}

// Oracle is the second implementation.
var Oracle = oracle

// RaceDetector reports whether the tests run under the race detector.
const RaceDetector = raceDetector

// NewRandom returns a random generator, and logs its seed.
func NewRandom(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 9309))
}
