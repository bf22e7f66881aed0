package compare_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/robotstxt"
)

// allPaths yields all paths of up to max units over an alphabet.
func allPaths(units []string, max int) []string {
	paths, last := []string{"/"}, []string{"/"}
	for range max - 1 {
		var next []string
		for _, p := range last {
			for _, u := range units {
				next = append(next, p+u)
			}
		}
		paths, last = append(paths, next...), next
	}
	return paths
}

// bruteForce returns a path with different verdicts, a shortest one.
func bruteForce(old, new *robotstxt.Policy, paths []string) (string, bool) {
	best, found := "", false
	for _, p := range paths {
		if found && len(p) >= len(best) {
			continue
		}
		if old.Check(site+p).Allowed != new.Check(site+p).Allowed {
			best, found = p, true
		}
	}
	return best, found
}

const site = "https://www.example.com"

// checkPair compares two policies with all short paths.
func checkPair(t *testing.T, old, new *robotstxt.Policy, paths []string) {
	t.Helper()
	r := compare.Policies(old, new)
	witness, differs := bruteForce(old, new, paths)
	switch {
	case r.Outcome == compare.Undecided || r.Undecided > 0:
		t.Fatalf("undecided after %d steps", r.Work)
	case differs && r.Outcome != compare.Differs:
		t.Fatalf("%s, but %q differs: %v, %v", r.Outcome, witness, old.Check(site+witness), new.Check(site+witness))
	case differs && len(r.Changes[0].Witness) > len(witness):
		t.Fatalf("the shortest witness is %q, but %q is one too", r.Changes[0].Witness, witness)
	}
	for _, c := range r.Changes {
		if a, b := old.Check(site+c.Witness), new.Check(site+c.Witness); a.Allowed == b.Allowed || a != c.Old || b != c.New {
			t.Fatalf("%q: %v and %v, but %v and %v", c.Witness, c.Old, c.New, a, b)
		}
	}
}

func randomFile(r *rand.Rand, units []string) string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for range 1 + r.IntN(4) {
		key := "Disallow"
		if r.IntN(2) == 0 {
			key = "Allow"
		}
		fmt.Fprintf(&b, "%s: /", key)
		for range r.IntN(6) {
			b.WriteString(units[r.IntN(len(units))])
		}
		if r.IntN(4) == 0 {
			b.WriteString("$")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestRandomPairs(t *testing.T) {
	paths := allPaths([]string{"a", "b", "/", "x"}, 7)
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		for _, d := range robotstxt.Dialects() {
			a, b := randomFile(r, []string{"a", "b", "/", "*"}), randomFile(r, []string{"a", "b", "/", "*"})
			t.Run("", func(t *testing.T) {
				t.Logf("%s\n%s\n%s", d, a, b)
				checkPair(t, robotstxt.ParseString(a, d).Agent("ExampleBot"), robotstxt.ParseString(b, d).Agent("ExampleBot"), paths)
			})
			if t.Failed() {
				return
			}
		}
	}
}
