package robotstxt

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// deepest and the way up from it are all members that a text begins with, the
// longest first, whatever the members are and however many.
func TestPrefixSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9309))
	alphabets := []string{"ab", "a", "/*?", "\x00\xff", "\xff", "abcdefgh"}
	text := func(alphabet string, most int) string {
		b := make([]byte, r.IntN(most+1))
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	}
	for round := range 600 {
		alphabet := alphabets[round%len(alphabets)]
		var texts []string
		for range 1 + r.IntN(4*fewTexts) {
			texts = append(texts, strings.Repeat(alphabet[:1], r.IntN(3)*4)+text(alphabet, 12))
		}
		s, number := newPrefixSet(texts)
		for i, n := range number {
			if s.texts[n] != texts[i] {
				t.Fatalf("%q is said to be number %d, which is %q", texts[i], n, s.texts[n])
			}
		}
		for i := 1; i < len(s.texts); i++ {
			if s.texts[i-1] >= s.texts[i] {
				t.Fatalf("%q stands before %q", s.texts[i-1], s.texts[i])
			}
		}
		for range 40 {
			question := strings.Repeat(alphabet[:1], r.IntN(3)*4) + text(alphabet, 30)
			var want, got []string
			for _, member := range s.texts {
				if strings.HasPrefix(question, member) {
					want = append(want, member)
				}
			}
			for at := s.deepest(question, firstOctets(question)); at >= 0; at = s.parent[at] {
				got = append(got, s.texts[at])
			}
			slices.Reverse(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%q begins with %q of %q, want %q", question, got, s.texts, want)
			}
		}
	}
}
