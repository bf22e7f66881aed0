package robotstxt

import (
	"slices"
	"strings"
	"testing"
)

// patternsOf returns the rule set of a file that disallows one pattern count times.
func patternsOf(count int, pattern string) *ruleSet {
	return Parse([]byte("user-agent: *\n"+strings.Repeat("disallow: "+pattern+"\n", count)), nil).Agent("a").rules
}

// A rule set gets a lookup when its decisions have cost as much as building one. With few
// patterns, or if a lookup would not help, it never gets one.
func TestWhenALookupIsBuilt(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		patterns      int
		path          string
		work          int // of one decision; 0: it does not count
		sweepAt       int
	}{
		{"few patterns", "/a", fewPatterns, "/b", 0, sweepWork},
		{"more", "/a", fewPatterns + 1, "/b", fewPatterns + 1, sweepWork},
		{"the first matches", "/a", 100, "/a", 0, sweepWork},
		{"tails", "/*ab", 100, "/ba", 100 * (1 + segmentWork + 2), sweepWork},
		{"a sweep is due", "/*ab", 100, "/ba", 0, 0},
	} {
		r := patternsOf(c.patterns, c.pattern)
		r.sweepAt = c.sweepAt
		want := 10_000 // decisions
		if c.work > 0 {
			want = (lookupWork*c.patterns + c.work - 1) / c.work
		}
		for i := range want {
			if r.builtLookup.Load() != nil {
				t.Fatalf("%s: a lookup after %d decisions, want one after %d", c.name, i, want)
			}
			s := newSubject(c.path, RFC9309.octetsOf(c.path), false)
			r.first(&s)
		}
		if (r.builtLookup.Load() != nil) != (c.work > 0) {
			t.Errorf("%s: after %d decisions a lookup: %v", c.name, want, r.builtLookup.Load() != nil)
		}
	}
}

// A decision uses a sweep when it has cost more than sweepWork, if there is a sweep. If there
// is none, the decision must also have cost as much as building one.
func TestWhenASweepIsUsed(t *testing.T) {
	r := patternsOf(10, "/*ab")
	if r.octets != 40 || r.tails != 10 {
		t.Fatalf("%d tails of %d octets", r.tails, r.octets)
	}
	wants := func(work int, want bool) {
		t.Helper()
		if got := r.wantsSweep(&subject{work: work}); got != want {
			t.Errorf("after %d of work: %v", work, got)
		}
	}
	wants(sweepWork+1, false)
	wants(sweepWork+40*sweepBuildWork, false)
	wants(sweepWork+40*sweepBuildWork+1, true)
	s := newSubject("/xab", RFC9309.octetsOf("/xab"), false)
	if got := r.sweep(&s, none); got != 0 {
		t.Errorf("the sweep finds %d", got)
	}
	built := r.builtSweep.Load()
	if built == nil {
		t.Fatal("no sweep is kept")
	}
	wants(sweepWork, false)
	wants(sweepWork+1, true)
	if r.sweep(&s, none); r.builtSweep.Load() != built {
		t.Error("a sweep is built again")
	}
}

// A sweep can replace each way in which tails are tried, and only does so if it is wanted.
func TestEveryWayCanUseASweep(t *testing.T) {
	for name, fewTails := range map[string]int{"a scan": -1, "a lookup": 1000, "a pair table": 0} {
		for _, wants := range []bool{false, true} {
			r := patternsOf(100, "/*abz")
			if fewTails >= 0 {
				r.builtLookup.Store(newLookup(r, fewTails))
			}
			if wants {
				r.sweepAt, r.octets = -1, 0
			}
			s := newSubject("/ab", RFC9309.octetsOf("/ab"), false)
			r.first(&s)
			if got := r.builtSweep.Load() != nil; got != wants {
				t.Errorf("%s uses a sweep: %v, want %v", name, got, wants)
			}
		}
	}
}

// A rule set of more than manyTails tails gets a sweep when it is compiled.
func TestManyTailsHaveASweepAtOnce(t *testing.T) {
	if patternsOf(manyTails, "/*a").builtSweep.Load() != nil || patternsOf(manyTails+1, "/*a").builtSweep.Load() == nil {
		t.Error("a sweep from the start is for more than", manyTails)
	}
	r := Parse([]byte("user-agent: *\ndisallow: /*a\ndisallow: /b\ndisallow: /?c/d\n"), nil).Agent("a").rules
	if w := newSweep(r); len(w.tails) != 2 || len(w.parts) != 1 {
		t.Errorf("a sweep of %d tails and %d segments", len(w.tails), len(w.parts))
	}
}

// Each way of finding the rule decides alike, also about the next path.
func TestEveryWayFindsTheRule(t *testing.T) {
	const other = "/*not/in/a/path" // is tried first: a sweep then tries the tails
	for _, c := range []struct {
		pattern string
		matches []string
		others  []string
	}{
		{"/a$", []string{"/a"}, []string{"/ab", "/"}},
		{"/a", []string{"/a", "/ab"}, []string{"/b"}},
		{"/123456789a*x", []string{"/123456789a/x"}, []string{"/123456789bax"}},
		{"/*a*b$", []string{"/xab", "/aab"}, []string{"/xaba", "/ba"}},
		{"/*a*b", []string{"/xaba"}, []string{"/ba"}},
		{"/*aa*a", []string{"/aaa"}, []string{"/xaax"}},
		{"/*ab*cd", []string{"/abcd"}, []string{"/ab/c/d", "/cdab"}}, // "cd" is not waited for twice
		{"/a?b/c$", []string{"/a?b/c", "/a?b%2Fc"}, []string{"/a?b/cd"}},
		{"/a?b/c*d", []string{"/a?b/c/d", "/a?b%2Fcd"}, []string{"/a?b%2Fdc"}},
	} {
		for name, p := range Ways(ParseString("User-agent: *\nDisallow: "+other+"\nDisallow: "+c.pattern, nil).Agent()) {
			for _, path := range append(c.others, c.matches...) {
				if got, want := p.Check(path).Allowed, slices.Contains(c.others, path); got != want {
					t.Errorf("%s: %s with %s: allowed %v", c.pattern, path, name, got)
				}
			}
		}
	}
}
