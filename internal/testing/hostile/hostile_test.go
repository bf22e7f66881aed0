package hostile

import (
	"strings"
	"testing"
)

// Every family keeps the limits of size that the tests and the bench need, and has a unique
// name.
func TestFamiliesKeepLimits(t *testing.T) {
	names := map[string]bool{}
	for _, f := range Families() {
		if len(f.Body) > Size || len(f.Targets) == 0 || names[f.Name] {
			t.Errorf("%s: %d bytes, %d URLs, seen before: %v", f.Name, len(f.Body), len(f.Targets), names[f.Name])
		}
		names[f.Name] = true
		for i, target := range f.Targets {
			if len(target) > URLSize+8 {
				t.Errorf("%s: URL %d has %d bytes", f.Name, i, len(target))
			}
		}
	}
	if len(names) < 39 {
		t.Errorf("%d families", len(names))
	}
}

// Families with a number in their name have at least so many rules and wildcards.
func TestFamiliesMatchTheirNames(t *testing.T) {
	for _, f := range Families() {
		rules, stars := strings.Count(f.Body, "\n")-1, strings.Count(f.Body, "*")-1
		var want [2]int // at least
		switch f.Name {
		case "231 wildcards of 3,129":
			want = [2]int{3129, 231}
		case "286 wildcards of 3,129":
			want = [2]int{3129, 286}
		case "file endings":
			want = [2]int{1000, 1000}
		case "one line of stars":
			want = [2]int{0, 500_000}
		case "10,000 rules of stars":
			want = [2]int{10_000, 180_000}
		case "one-letter segments":
			want = [2]int{310, 310 * 800}
		case "46,000 wildcards":
			want = [2]int{46_000, 46_000}
		}
		if rules < want[0] || stars < want[1] {
			t.Errorf("%s: %d rules with %d stars", f.Name, rules, stars)
		}
	}
}

// The path of "all pairs" contains all pairs of letters, but no end of a pattern. In the path
// of "pairs in the wrong order" every second segment comes before every first one.
func TestMisleadingPaths(t *testing.T) {
	f := allPairs()
	path := f.Targets[0]
	for i, line := range strings.Split(strings.TrimSpace(f.Body), "\n")[1:] {
		tail := strings.TrimPrefix(line, "disallow:/*")
		if len(tail) != 3 || strings.Contains(path, tail) || !strings.Contains(path, tail[:2]) || !strings.Contains(path, tail[1:]) {
			t.Fatalf("rule %d, %q", i, tail)
		}
	}
	f = pairsInTheWrongOrder()
	path = f.Targets[0]
	for i, line := range strings.Split(strings.TrimSpace(f.Body), "\n")[1:] {
		a, b, _ := strings.Cut(strings.TrimPrefix(line, "disallow:/*"), "*")
		if !strings.Contains(path, a) || !strings.Contains(path, b) || strings.LastIndex(path, b) > strings.Index(path, a) {
			t.Fatalf("rule %d, %q then %q", i, a, b)
		}
	}
}
