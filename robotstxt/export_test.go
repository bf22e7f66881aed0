package robotstxt

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// Ways returns the policy in every way in which it may decide, by name.
func Ways(p *Policy) map[string]*Policy {
	sweep := func(r *ruleSet) {
		r.sweepAt = -1
		r.swept.Store(newSweep(r))
	}
	return map[string]*Policy{
		"a scan":                   p.anew(func(r *ruleSet) { r.spent.Store(1 << 60) }),
		"a lookup":                 p.anew(func(r *ruleSet) { r.index.Store(newLookup(r, fewTails)) }),
		"a lookup with pairs":      p.anew(func(r *ruleSet) { r.index.Store(newLookup(r, 0)) }),
		"a scan and a sweep":       p.anew(sweep),
		"a lookup and a sweep":     p.anew(func(r *ruleSet) { sweep(r); r.index.Store(newLookup(r, fewTails)) }),
		"a pair table and a sweep": p.anew(func(r *ruleSet) { sweep(r); r.index.Store(newLookup(r, 0)) }),
	}
}

// anew returns a policy of the same groups with rules of its own.
func (p *Policy) anew(change func(*ruleSet)) *Policy {
	if p.rules == nil {
		return p
	}
	r := p.file.compile(p.rules.lines)
	change(r)
	return &Policy{file: p.file, agents: p.agents, rules: r}
}

// Oracle is the second implementation.
var Oracle = oracle

// RaceDetector: these tests run under it.
const RaceDetector = raceDetector

// Whole: tests on real and on hostile files leave nothing out. Else they draw a part
// of them, another one each time.
var Whole = os.Getenv("HEED_WHOLE") != ""

// Draw returns what draws, and logs its seed.
func Draw(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 9309))
}
