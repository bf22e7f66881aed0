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

// A rule set gets a lookup when its decisions have cost as much as building one, or if one decision costs too
// much. With few rules, or if a lookup would not help, it never gets one.
func TestWhenALookupIsBuilt(t *testing.T) {
	const rules, bytes = 100, 300
	for _, c := range []struct {
		name, pattern string
		rules         int
		sweepAt       int
		work          int // about that of a decision; 0: it does not count
	}{
		{"few rules", "/a", fewBytes / 3, sweepWork, 0},
		{"more", "/a", rules, sweepWork, bytes + compareWork}, // the last rule is compared whole
		{"wildcards", "/*b", rules, sweepWork, bytes + rules*(compareWork+len("*b")+segmentWork)},
		{"few rules, which are compiled", "/%62", 3, sweepWork, 3 * (compareWork + compileWork)},
		{"few rules, one is long", "/*" + strings.Repeat("x", 300) + "y", 1, sweepWork, 300},
		{"one decision costs too much", "/*b", fewBytes / 3, 0, 1 << 20},
	} {
		r := patternsOf(c.rules, c.pattern)
		r.sweepAt = c.sweepAt
		decisions := 0
		for r.lookup.Load() == nil && decisions < 10_000 {
			s := subjectOf(RFC9309, "/xb")
			r.decide(&s)
			decisions++
		}
		built, want := r.lookup.Load() != nil, 0
		if c.work > 0 {
			want = 1 + lookupWork*r.length/c.work
		}
		if built != (c.work > 0) || built && (decisions < want-1 || decisions > want+1) {
			t.Errorf("%s: a lookup: %v, after %d decisions, want about %d", c.name, built, decisions, want)
		}
	}
}

// A decision uses a sweep when it has cost more than sweepWork, if there is a sweep. If there
// is none, the decision must also have cost as much as building one.
func TestWhenASweepIsUsed(t *testing.T) {
	l := newLookup(patternsOf(10, "/*ab"))
	if l.tails.textBytes != 40 || len(l.tails.patterns) != 10 {
		t.Fatalf("%d tails of %d bytes", len(l.tails.patterns), l.tails.textBytes)
	}
	wants := func(work int, want bool) {
		t.Helper()
		if got := l.tails.wantsSweep(&subject{work: work}); got != want {
			t.Errorf("after %d of work: %v", work, got)
		}
	}
	wants(sweepWork+1, false)
	wants(sweepWork+40*sweepBuildWork, false)
	wants(sweepWork+40*sweepBuildWork+1, true)
	s := subjectOf(RFC9309, "/xab")
	if got := l.tails.runSweep(l, &s, 10); got != 0 {
		t.Errorf("the sweep finds %d", got)
	}
	built := l.tails.swept.Load()
	if built == nil {
		t.Fatal("no sweep is kept")
	}
	wants(sweepWork, false)
	wants(sweepWork+1, true)
	if l.tails.runSweep(l, &s, 10); l.tails.swept.Load() != built {
		t.Error("a sweep is built again")
	}
}

// A sweep can replace each way in which tails are tried, and only does so if it is wanted.
func TestEveryWayCanUseASweep(t *testing.T) {
	for _, pattern := range []string{"/*abz", "/a*z", "/*z"} {
		for _, hasPlaces := range []bool{false, true} {
			for _, wants := range []bool{false, true} {
				l := newLookup(patternsOf(fewUnderHead, pattern))
				if hasPlaces {
					l.tails.place(l, 0)
				}
				if wants {
					l.tails.sweepAt, l.tails.textBytes = -1, 0
				}
				s := subjectOf(RFC9309, "/ab")
				l.find(&s)
				if got := l.tails.swept.Load() != nil; got != wants {
					t.Errorf("%s, places: %v: uses a sweep: %v, want %v", pattern, hasPlaces, got, wants)
				}
			}
		}
	}
}

// A sweep has the segments of tails only.
func TestPartsOfASweep(t *testing.T) {
	r := Parse([]byte("user-agent: *\ndisallow: /*a\ndisallow: /b\ndisallow: /?c/d\n"), nil).Agent("a").rules
	if w := newSweep(newLookup(r)); len(w.partsEnd) != 2 || len(w.parts) != 1 {
		t.Errorf("a sweep of %d tails and %d segments", len(w.partsEnd), len(w.parts))
	}
}

// Tails are under their heads if few have the same; the others are under pairs, or always tried.
func TestPlacesOfTails(t *testing.T) {
	body := "user-agent: *\n" + strings.Repeat("disallow: /many/*x\n", fewUnderHead+1) + strings.Repeat("disallow: /few/*x\n", fewUnderHead) +
		"disallow: /*\ndisallow: /*y\ndisallow: *y\ndisallow: /?a/b*c\n"
	l := placed(ParseString(body, nil).Agent().rules, 0)
	t1 := l.tails.places.Load()
	if len(t1.heads.members) != 2 || len(t1.underHeads) != fewUnderHead+1 || len(t1.pairs.tails) != fewUnderHead+1 || len(t1.alwaysTried) != 2 {
		t.Errorf("heads %q, %d tails under them, %d under pairs, %d always", t1.heads.textsOf(t1.heads.members), len(t1.underHeads), len(t1.pairs.tails), len(t1.alwaysTried))
	}
}

// The best head is the longest text, except where a pattern had wildcards at its end, or the first in the file
// decides.
func TestBestHead(t *testing.T) {
	for _, c := range []struct {
		dialect   *Dialect
		rules     string
		path      string
		line      int
		keepsBest bool
	}{
		{RFC9309, "disallow: /a\nallow: /ab\ndisallow: /ab$", "/ab", 4, false},
		{RFC9309, "disallow: /a\nallow: /ab\ndisallow: /ab$", "/abc", 3, false},
		{RFC9309, "disallow: /ab$\ndisallow: /a\n", "/abc", 3, false},
		{RFC9309, "disallow: /ab$\ndisallow: /a\ndisallow: /abc$", "/abcd", 3, false},
		{RFC9309, "disallow: /a***\nallow: /ab\n", "/ab", 2, true},
		{RFC9309, "disallow: /a***\nallow: /ab\nallow: /ab$", "/ab", 2, true},
		{RFC9309, "disallow: /a*\nallow: /ab$\n", "/ab", 3, true},
		{Draft1996, "disallow: /a\nallow: /ab\n", "/ab", 2, true},
		{Draft1996, "allow: /ab\ndisallow: /a\n", "/ab", 2, true},
		{Draft1996, "allow: /ab\ndisallow: /a\n", "/a", 3, true},
		{Google, "disallow:\nallow: /ab$", "/", 2, false},
	} {
		l := newLookup(ParseString("user-agent: *\n"+c.rules, c.dialect).Agent("a").rules)
		s := subjectOf(c.dialect, c.path)
		if m, ok := l.find(&s); !ok || int(m.line) != c.line || (l.heads.best != nil) != c.keepsBest {
			t.Errorf("%s, %q, %s: line %d, keeps the best: %v", c.dialect, c.rules, c.path, m.line, l.heads.best != nil)
		}
	}
}

// A lookup that was built early gets places when its decisions have cost as much as finding these.
func TestWhenTailsGetPlaces(t *testing.T) {
	for _, c := range []struct{ tails, sweepAt, want int }{{fewTails, sweepWork, 0}, {100, sweepWork, placeWork / (1 + segmentWork)}, {100, 10, 0}} {
		l := newLookup(patternsOf(c.tails, "/*b"))
		l.tails.sweepAt = c.sweepAt
		decisions := 0
		for ; l.tails.places.Load() == nil && decisions < 1000; decisions++ {
			s := subjectOf(RFC9309, "/xb/")
			s.path = "/x/c"
			l.find(&s)
		}
		if placed := l.tails.places.Load() != nil; placed != (c.want > 0) || placed && decisions != c.want {
			t.Errorf("%d tails: places: %v, after %d decisions, want %d", c.tails, placed, decisions, c.want)
		}
	}
}

// placed returns a lookup whose tails have places, although they may be few.
func placed(r *ruleSet, fewTails int) *lookup {
	l := newLookup(r)
	l.tails.place(l, fewTails)
	return l
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

// Buffers that others use do not keep the body of a file in memory.
func TestBuffersAreCleared(t *testing.T) {
	b := &buffers{}
	b.patterns, b.side = patternsOf(3, "/%61").patterns(nil, nil)
	patterns := b.patterns
	b.release()
	for i := range patterns {
		if patterns[i] != (pattern{}) {
			t.Errorf("%+v", patterns[i])
		}
	}
}
