package robotstxt

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// longest and its ancestors are all members with which a text begins, the longest first, for
// random sets.
func TestPrefixSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9309))
	alphabets := []string{"ab", "a", "/*?", "\x00\xff", "\xff", "abcdefgh"}
	text := func(alphabet string, limit int) string {
		if r.IntN(8) == 0 {
			limit *= 20 // long texts have long common beginnings
		}
		b := make([]byte, r.IntN(limit+1))
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	}
	for round := range 600 {
		alphabet := alphabets[round%len(alphabets)]
		var texts []string
		for range 1 + r.IntN(4*fewTexts) {
			texts = append(texts, strings.Repeat(alphabet[:1], []int{0, 4, 8, 8, 100}[r.IntN(5)])+text(alphabet, 12))
		}
		s, number := newPrefixSet(texts)
		for i, n := range number {
			if s.texts[n] != texts[i] {
				t.Fatalf("%q has the number %d, which is %q", texts[i], n, s.texts[n])
			}
		}
		for i := 1; i < len(s.texts); i++ {
			if s.texts[i-1] >= s.texts[i] {
				t.Fatalf("%q is before %q", s.texts[i-1], s.texts[i])
			}
		}
		for range 40 {
			question := strings.Repeat(alphabet[:1], []int{0, 4, 8, 8, 100}[r.IntN(5)]) + text(alphabet, 30)
			var want, got []string
			for _, member := range s.texts {
				if strings.HasPrefix(question, member) {
					want = append(want, member)
				}
			}
			for at := s.longest(question, firstOctets(question)); at >= 0; at = s.parent[at] {
				got = append(got, s.texts[at])
			}
			slices.Reverse(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%q begins with %q of %q, want %q", question, got, s.texts, want)
			}
		}
	}
}

// A sweep has each segment about once, even if the file repeats it often.
func TestSegmentsOfASweepAreDistinct(t *testing.T) {
	const rules, segments, distinct = 40, 3000, 36 * 36
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	r := rand.New(rand.NewPCG(1, 9309))
	var body strings.Builder
	body.WriteString("User-agent: *\n")
	for range rules {
		body.WriteString("Disallow: ")
		for range segments {
			body.WriteString("*" + string([]byte{digits[r.IntN(36)], digits[r.IntN(36)]}))
		}
		body.WriteString("\n")
	}
	texts := newDistinctTexts(rules * segments)
	for segment := range strings.FieldsFuncSeq(body.String(), func(c rune) bool { return c == '*' || c == '\n' }) {
		texts.add(segment)
	}
	if n := len(texts.texts); n < distinct || n > 3*distinct {
		t.Errorf("%d texts of %d distinct ones", n, distinct)
	}
	if p := ParseString(body.String(), nil).Agent(); p.rules.builtSweep.Load() == nil {
		t.Error("rules of many octets are compiled without a sweep")
	}
}

// The octets of a pattern that its normal form changes, and those that it keeps (R-8, K-8).
func TestNormalFormsOfPatterns(t *testing.T) {
	for _, c := range []struct {
		dialect       *Dialect
		pattern, want string
	}{
		{RFC9309, "?a%2fb", "?a/b"},
		{RFC9309, "/%2fa?%2fb", "/%2Fa?/b"},
		{Google, "/\x7f%2fb\xff", "/\x7f%2Fb%FF"},
	} {
		if got := c.dialect.patternForm(c.pattern); got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.dialect, c.pattern, got, c.want)
		}
	}
}

// No dialect compares the fragment of a target.
func TestPathWithoutFragment(t *testing.T) {
	for _, d := range Dialects() {
		if got := ParseString("User-agent: *\nDisallow: /", d).Agent().Explain("/a#b").Path; got != "/a" {
			t.Errorf("%s compares %q", d, got)
		}
	}
}

// For a normal form that is longer than the pattern, patternForm allocates a buffer and the
// result only.
func TestNormalFormOfALongLine(t *testing.T) {
	long := strings.Repeat("\xff", 400_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	RFC9309.patternForm(long)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if limit := uint64(2*maxGrowth*len(long)) + 1<<16; allocated > limit {
		t.Errorf("%d bytes are allocated, want at most %d", allocated, limit)
	}
}
