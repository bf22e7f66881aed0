package robotstxt

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// AI-5, AI-13: the longest pattern that matches, or the first one, as the rules of a file would decide; by all ways to
// decide.
func TestOfPaths(t *testing.T) {
	tests := []struct {
		patterns, path string
		longest, first int
	}{
		{"", "/", 0, 0},
		{"/a /a/b", "/a/b", 2, 1},
		{"/a/b /a", "/a/c", 2, 2},
		{"/a* /*a", "/a", 1, 1},
		{"/a$ /a", "/a", 1, 1},
		{"/ /robots.txt", "/robots.txt", 2, 1},
		{"a /A", "/a", 0, 0},
		{"/%61b%C3%A4", "/abä", 1, 1},
		{"/*.pdf$", "/x/y.pdf", 1, 1},
		{"/*.pdf$", "/x/y.pdf?z", 0, 0},
	}
	for _, test := range tests {
		patterns := strings.Fields(test.patterns)
		for _, target := range []string{test.path, "https://a.example" + test.path} {
			if d := LongestOf(patterns).Check(target); d.Rule.Line != test.longest || (d.Reason == ByRule) != (test.longest > 0) {
				t.Errorf("LongestOf(%q).Check(%q) = %v, want %d", patterns, target, d, test.longest)
			}
			if d := FirstOf(patterns).Check(target); d.Rule.Line != test.first || (d.Reason == ByRule) != (test.first > 0) {
				t.Errorf("FirstOf(%q).Check(%q) = %v, want %d", patterns, target, d, test.first)
			}
		}
	}
}

// LongestOf decides as a file with these Allow rules, and FirstOf as the rules tried one by one, also behind many
// questions, when the patterns are compiled.
func TestOfPathsAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	part := func() string { return strings.Split("/ /a /b a b * $ %2F ? /ab", " ")[random.IntN(10)] }
	for range 300 {
		var patterns []string
		var body strings.Builder
		body.WriteString("User-agent: *\n")
		for range random.IntN(60) {
			pattern := "/"
			for range random.IntN(5) {
				pattern += part()
			}
			patterns = append(patterns, pattern)
			body.WriteString("Allow: " + pattern + "\n")
		}
		longest, first, file := LongestOf(patterns), FirstOf(patterns), ParseString(body.String(), nil).Agent()
		var alone []*Policy
		for _, pattern := range patterns {
			alone = append(alone, LongestOf([]string{pattern}))
		}
		for range 200 {
			target := "/"
			for range random.IntN(6) {
				target += part()
			}
			want := file.Check(target).Rule
			if got := longest.Check(target).Rule; got.Pattern != want.Pattern || got.Line != max(want.Line-1, 0) {
				t.Fatalf("LongestOf(%q).Check(%q) is %v, of a file %v", patterns, target, got, want)
			}
			wantFirst := 0
			for i, p := range alone {
				if p.Check(target).Reason == ByRule {
					wantFirst = i + 1
					break
				}
			}
			if got := first.Check(target).Rule.Line; got != wantFirst {
				t.Fatalf("FirstOf(%q).Check(%q) is %d, want %d", patterns, target, got, wantFirst)
			}
		}
	}
}

// FirstOfRules decides by the first rule that matches, also about /robots.txt.
func TestFirstOfRules(t *testing.T) {
	rules := []Rule{{Allow: true, Pattern: "/a"}, {Pattern: "/a/b"}, {Pattern: ""}, {Pattern: "/*.pdf$"}, {Allow: true, Pattern: "/x.pdf"}, {Pattern: "/robots.txt", Line: 9}}
	policy := FirstOfRules(rules)
	for path, want := range map[string]int{"/": 0, "/a": 1, "/a/b": 1, "/z.pdf": 4, "/x.pdf": 4, "/x.pdfs": 5, "/robots.txt": 6} {
		d := policy.Check(path)
		if d.Rule.Line != want || d.Allowed != (want == 0 || rules[want-1].Allow) {
			t.Errorf("%s: %v, want %d", path, d, want)
		}
	}
}
