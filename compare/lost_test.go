package compare

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// For random policies, LostWithin finds a path if one of all short paths is lost, and each path that it finds is lost.
func TestLostWithin(t *testing.T) {
	random := rand.New(rand.NewPCG(57, 9))
	patterns := strings.Fields("/ /a /b /ab /*a /*b /a*b /a$ /*b$ /aa /%61b /a?b/ /a?b%2F")
	paths := []string{"/"}
	for i := 0; len(paths[i]) < 6; i++ {
		for _, c := range []string{"a", "b", "/", "?"} {
			paths = append(paths, paths[i]+c)
		}
	}
	found := map[Outcome]int{}
	for range 400 {
		d := []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google}[random.IntN(2)]
		var all []*robotstxt.Policy
		for range 3 + random.IntN(2) {
			text := "User-agent: *\n"
			for range random.IntN(5) {
				text += []string{"Allow: ", "Disallow: "}[random.IntN(2)] + patterns[random.IntN(len(patterns))] + "\n"
			}
			all = append(all, robotstxt.ParseString(text, d).Agent())
		}
		isLost := func(path string) bool {
			for _, p := range all[1:] {
				if !Check(p, path).Allowed {
					return false
				}
			}
			return !Check(all[0], path).Allowed
		}
		outcome, path, _ := LostWithin(t.Context(), MaxWork, all[1:], all[0])
		found[outcome]++
		if outcome == Differs {
			if !isLost(path) {
				t.Fatalf("%s is not lost: %v", path, all)
			}
			continue
		}
		for _, path := range paths {
			if isLost(path) {
				t.Fatalf("%s is lost, but the result is %s: %v", path, outcome, all)
			}
		}
	}
	if found[Differs] < 50 || found[Equal] < 50 || found[Undecided] > 0 {
		t.Error(found)
	}
	if outcome, _, work := LostWithin(t.Context(), 10, nil, robotstxt.ParseString("User-agent: *\nDisallow: /*a*b\n", nil).Agent()); outcome != Undecided || work > 200 {
		t.Errorf("with little work: %s after %d steps", outcome, work)
	}
}
