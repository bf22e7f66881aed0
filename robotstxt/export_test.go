package robotstxt

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Ways returns, by name, a copy of the policy for each way of finding the rule that decides.
func Ways(p *Policy) map[string]*Policy {
	sweep := func(r *ruleSet) {
		r.sweepAt = -1
		r.builtSweep.Store(newSweep(r))
	}
	return map[string]*Policy{
		"a scan":                   p.anew(func(r *ruleSet) { r.spent.Store(1 << 60) }),
		"a lookup":                 p.anew(func(r *ruleSet) { r.builtLookup.Store(newLookup(r, fewTails)) }),
		"a lookup with pairs":      p.anew(func(r *ruleSet) { r.builtLookup.Store(newLookup(r, 0)) }),
		"a scan and a sweep":       p.anew(sweep),
		"a lookup and a sweep":     p.anew(func(r *ruleSet) { sweep(r); r.builtLookup.Store(newLookup(r, fewTails)) }),
		"a pair table and a sweep": p.anew(func(r *ruleSet) { sweep(r); r.builtLookup.Store(newLookup(r, 0)) }),
	}
}

// anew returns a policy of the same groups with its own rule set, which change modifies.
func (p *Policy) anew(change func(*ruleSet)) *Policy {
	if p.rules == nil {
		return p
	}
	r := p.file.compile(p.rules.lines)
	change(r)
	return &Policy{file: p.file, dialect: p.dialect, agents: p.agents, rules: r}
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
