package compare

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// randomText returns a text of up to n units.
func randomText(r *rand.Rand, n int, units ...string) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(units[r.IntN(len(units))])
	}
	return b.String()
}

// ruleOf returns the only rule of a file with one pattern.
func ruleOf(pattern string) (*robotstxt.Policy, *rule) {
	p := robotstxt.ParseString("User-agent: *\nDisallow: "+pattern+"\n", nil).Agent()
	s := newSide(p, &budget{})
	return p, s.rules[len(s.rules)-1]
}

// A pattern matches the same paths as an automaton, as a rule, and in robotstxt; none is shorter
// than the shortest one, and each begins with the head.
func TestAutomata(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 3_000 {
		pattern := []string{"/", "/", "*"}[r.IntN(3)] + randomText(r, 7, "a", "b", "*", "/", "?", "2F", "ab") + randomText(r, 1, "$")
		p, m := ruleOf(pattern)
		a := m.automaton(&budget{})
		for range 50 {
			path := "/" + randomText(r, 9, "a", "b", "/", "?", "%2F", "2F", "x")
			state := a.start()
			for i := range len(path) {
				state = a.next(state, path[i])
			}
			want := !p.Check("http://www.example.com" + path).Allowed
			if got, direct := a.accepts(state), m.matches(path, &budget{}); got != want || direct != want {
				t.Fatalf("%s, %s: the automaton %v, the rule %v, Check %v", pattern, path, got, direct, want)
			}
			if want && (len(path) < m.minLength() || !strings.HasPrefix(path, m.head())) {
				t.Fatalf("%s, %s: shortest %d, head %q", pattern, path, m.minLength(), m.head())
			}
		}
	}
}

// Where a rule covers another one, it matches all paths that the other one matches.
func TestCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	covered := 0
	for i := range 20_000 {
		units, inPaths := []string{"a", "b", "*"}, []string{"a", "b"}
		if i%2 == 0 {
			units, inPaths = append(units, "?", "/"), append(inPaths, "?", "/", "%2F")
		}
		_, a := ruleOf("/" + randomText(r, 4, units...) + randomText(r, 1, "$"))
		_, b := ruleOf("/" + randomText(r, 6, units...) + randomText(r, 1, "$"))
		if !a.coversRule(b) {
			continue
		}
		covered++
		for range 40 {
			path := "/" + randomText(r, 7, inPaths...)
			if b.matches(path, &budget{}) && !a.matches(path, &budget{}) {
				t.Fatalf("%v does not cover %v: %s", a.Segments, b.Segments, path)
			}
		}
	}
	if covered < 500 {
		t.Errorf("only %d pairs", covered)
	}
	for _, c := range []struct {
		pattern, other string
		covers         bool
	}{
		{"/a", "/ab", true}, {"/ab", "/a", false},
		{"/a", "/a$", true}, {"/a$", "/a", false}, {"/a$", "/a$", true}, {"/a$", "/ab$", false}, {"/a$", "/a*$", false},
		{"/*b", "/ab", true}, {"/*b", "/b", true}, {"/*b", "/a*b", true}, {"/*bc", "/a*b*c", false}, {"/*b", "/a*c", false},
		{"/*a*b", "/ab", true}, {"/*a*b", "/a*b*c", true}, {"/*a*b", "/x*a*y*b", true}, {"/*a*b", "/b*a", false},
		{"/*b$", "/ab$", true}, {"/*b$", "/bab$", true}, {"/*b$", "/a*b$", true}, {"/*b$", "/a*bc$", false}, {"/*b$", "/bc$", false},
		{"/*a*b$", "/xa*yb$", true}, {"/*a*b$", "/xab$", true}, {"/*a*b$", "/xb$", false},
	} {
		_, a := ruleOf(c.pattern)
		_, b := ruleOf(c.other)
		if got := a.coversRule(b); got != c.covers {
			t.Errorf("%s covers %s: %v", c.pattern, c.other, got)
		}
	}
}

// The states of a lax pattern with very many segments are all different.
func TestLaxStatesOfManySegments(t *testing.T) {
	const n = 70_000
	_, m := ruleOf("/?/" + strings.Repeat("*a", n))
	a := m.automaton(&budget{})
	state := a.start()
	for i, c := range []byte("/?/" + strings.Repeat("a", n)) {
		next := a.next(state, c)
		if next == state && next >= 0 || (next == matched) != (i == n+2) {
			t.Fatalf("byte %d leads from state %d to %d", i, state, next)
		}
		state = next
	}
}

// A long segment of one letter falls back in few steps.
func TestBordersAreShort(t *testing.T) {
	_, m := ruleOf("/*" + strings.Repeat("a", 10_000) + "b")
	a := m.automaton(&budget{}).(*segmentAutomaton)
	longest := 0
	for state := range a.borders {
		chain := 0
		for b := a.borders[state]; b >= 0; b = a.borders[b] {
			chain++
		}
		longest = max(longest, chain)
	}
	if longest > 20 {
		t.Errorf("%d steps", longest)
	}
}

func TestHeads(t *testing.T) {
	p := robotstxt.ParseString("User-agent: *\nDisallow: /a\nDisallow: /ab\nDisallow: /ab*c\nDisallow: /b\nDisallow: *x\nDisallow: /?q=/\n", nil).Agent()
	s := newSide(p, &budget{})
	s.buildIndexes()
	texts := func(indexes []int) string {
		var all []string
		for _, i := range indexes {
			all = append(all, s.rules[i].key.text)
		}
		return strings.Join(all, " ")
	}
	if got := texts(s.heads.appendBegun(nil, "/abc", &budget{})); got != "*x /a /ab*c /ab" {
		t.Errorf("begun: %s", got)
	}
	if got := texts(s.heads.appendMeeting(nil, "/a", &budget{})); got != "*x /a /ab*c /ab" {
		t.Errorf("meeting: %s", got)
	}
	if got := texts(s.heads.appendMeeting(nil, "/?q=", &budget{})); got != "*x /?q=/" {
		t.Errorf("meeting a lax slash: %s", got)
	}
}

// From each state, all bytes that are not marked lead to the same one.
func TestMarkedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	const bytes = "/ab?%2Fx"
	marks := 0
	for range 3_000 {
		_, m := ruleOf("/" + randomText(r, 7, "a", "b", "*", "/", "?", "2F", "ab", "aab") + randomText(r, 1, "$"))
		a := m.automaton(&budget{})
		state := a.start()
		for range 20 {
			var marked byteSet
			a.addMarked(&marked, state)
			other := a.next(state, 'z')
			if marked.has('z') {
				t.Fatalf("%v: state %d marks a byte that is not in the pattern", m.Segments, state)
			}
			for i := range len(bytes) {
				if marked.has(bytes[i]) {
					marks++
				} else if to := a.next(state, bytes[i]); to != other {
					t.Fatalf("%v: %q leads from state %d to %d, not %d", m.Segments, bytes[i], state, to, other)
				}
			}
			next := slices.AppendSeq([]byte{bytes[r.IntN(len(bytes))]}, marked.all)
			state = a.next(state, next[r.IntN(len(next))])
		}
	}
	if marks < 1_000 {
		t.Errorf("only %d marked bytes", marks)
	}
}

// A text that is read at once leads to the same state as its bytes, or to the same end.
func TestRead(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	ended := 0
	for range 5_000 {
		_, m := ruleOf("/" + randomText(r, 5, "a", "b", "*", "ab") + randomText(r, 1, "$"))
		a := m.automaton(&budget{}).(*segmentAutomaton)
		text, end := "/"+randomText(r, 6, "a", "b"), []int32{dead, matched}[r.IntN(2)]
		want, bytes, wantOK := a.start(), 0, true
		for ; bytes < len(text) && wantOK; bytes++ {
			want = a.next(want, text[bytes])
			wantOK = want != end
		}
		state, read, ok := a.readText(text, end)
		if state != want || read != bytes || ok != wantOK {
			t.Fatalf("%v, %s: state %d behind %d bytes, not %d behind %d", m.Segments, text, state, read, want, bytes)
		}
		if !ok {
			ended++
		}
	}
	if ended < 500 {
		t.Errorf("only %d ends", ended)
	}
}

func TestByteSet(t *testing.T) {
	var s byteSet
	s.addAll("\x00a\x3f\x40\xffb")
	s.remove('b')
	if got := string(slices.Collect(s.all)); got != "\x00\x3f\x40a\xff" || s.count() != 5 || s.rank(0) != 0 || s.rank('a') != 3 || s.rank(0xff) != 4 {
		t.Errorf("%q, %d bytes, %d below 'a'", got, s.count(), s.rank('a'))
	}
}
