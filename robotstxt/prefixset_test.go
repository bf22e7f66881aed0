package robotstxt

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// setOf returns the set of some texts, and for each text its number.
func setOf(each []string) (prefixSet, []int32) {
	all, at := make([]storedPattern, len(each)), 0
	for i, text := range each {
		all[i] = storedPattern{at: uint32(at), size: uint32(len(text))}
		at += len(text)
	}
	return newPrefixSet(&texts{body: strings.Join(each, "")}, all)
}

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
		s, number := setOf(texts)
		for i, n := range number {
			if s.text(n) != texts[i] {
				t.Fatalf("%q has the number %d, which is %q", texts[i], n, s.text(n))
			}
		}
		members := s.textsOf(s.members)
		for i := 1; i < len(members); i++ {
			if members[i-1] >= members[i] {
				t.Fatalf("%q is before %q", members[i-1], members[i])
			}
		}
		for range 40 {
			question := strings.Repeat(alphabet[:1], []int{0, 4, 8, 8, 100}[r.IntN(5)]) + text(alphabet, 30)
			var want, got []string
			for _, member := range members {
				if strings.HasPrefix(question, member) {
					want = append(want, member)
				}
			}
			for at := s.longestMember(question, firstBytes(question)); at >= 0; at = s.parent[at] {
				got = append(got, s.text(at))
			}
			slices.Reverse(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%q begins with %q of %q, want %q", question, got, members, want)
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
		texts.add(segment, 0)
	}
	if n := len(texts.texts); n < distinct || n > 3*distinct {
		t.Errorf("%d texts of %d distinct ones", n, distinct)
	}
}

// The bytes of a pattern that its normal form changes, and those that it keeps (R-8, K-8).
func TestNormalFormsOfPatterns(t *testing.T) {
	for _, c := range []struct {
		dialect       *Dialect
		pattern, want string
	}{
		{RFC9309, "?a%2fb", "?a/b"},
		{RFC9309, "/%2fa?%2fb", "/%2Fa?/b"},
		{Google, "/\x7f%2fb\xff", "/\x7f%2Fb%FF"},
	} {
		if got := string(c.dialect.appendForm(nil, c.pattern)); got != c.want {
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
