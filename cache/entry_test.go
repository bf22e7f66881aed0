package cache

import (
	"slices"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// G-8: one copy serves every crawler: the policies of those who asked last are
// kept, so many and no more.
func TestPoliciesThatAreKept(t *testing.T) {
	s := &source{file: robotstxt.Parse([]byte("User-agent: *\nDisallow: /private\n"), nil)}
	names := func() (names []string) {
		for _, p := range *s.policies.Load() {
			names = append(names, p.agents...)
		}
		return names
	}
	var want []string
	for i := range maxPolicies + 5 {
		name := "crawler" + string(rune('a'+i))
		want = append(want, name)
		made, grown := s.policy([]string{name}, 1<<20)
		if wasRoom := i < maxPolicies; (grown > 0) != wasRoom {
			t.Errorf("policy %d: grown by %d", i, grown)
		}
		if again, grown := s.policy([]string{name}, 1<<20); again.Policy != made.Policy || grown != 0 {
			t.Errorf("policy %d is compiled twice, grown by %d", i, grown)
		}
	}
	if got := names(); !slices.Equal(got, want[5:]) {
		t.Errorf("kept are %v, want %v", got, want[5:])
	}
}
