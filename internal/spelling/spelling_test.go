package spelling

import (
	"strings"
	"testing"
)

// Closest finds the choice that a misspelt word means, and no choice for other words.
func TestClosest(t *testing.T) {
	choices := []string{"rfc9309", "google", "draft1996", "draft2019", "Googlebot", "check", "cache", "color", "cors", "allow-private"}
	for word, want := range map[string]string{
		"gogle":                     "google",
		"googel":                    "google",
		"GOOGLE":                    "google",
		"rfc":                       "rfc9309",
		"rfc9308":                   "rfc9309",
		"draft2018":                 "draft2019",
		"googlebt":                  "Googlebot",
		"chek":                      "check",
		"colour":                    "color",
		"private":                   "allow-private",
		"port":                      "",
		"low-private":               "allow-private",
		"":                          "",
		"xml":                       "",
		"r":                         "",
		"https://shop.example/":     "",
		strings.Repeat("check", 50): "",
	} {
		if got := Closest(word, choices); got != want {
			t.Errorf("Closest(%q) = %q, want %q", word, got, want)
		}
	}
}

// Distance counts characters, not bytes.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3}, {"abc", "abd", 1}, {"abc", "xabc", 1}, {"abc", "bc", 1},
		{"ab", "ba", 1}, {"xab", "xba", 1}, {"abx", "bax", 1}, {"xb", "by", 2}, {"bx", "yb", 2}, {"abcd", "badc", 2}, {"abc", "xyz", 3}, {"é", "e", 1},
		{"disallow", "disallow", 0},
		{"dissallow", "disallow", 1},
		{"dsiallow", "disallow", 1},
		{"disalow", "disallow", 1},
		{"disаllоw", "disallow", 2}, // two Cyrillic letters
		{"ca", "abc", 3},
		{"\xff\xfe", "\xff", 1},
		{strings.Repeat("a", MaxLength), strings.Repeat("a", MaxLength), 0},
		{strings.Repeat("a", MaxLength+1), strings.Repeat("a", MaxLength+1), MaxLength},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := AreOneApart(c.a, strings.ToUpper(c.b)); got != (c.want == 1) && c.b != "\xff" {
			t.Errorf("AreOneApart(%q, %q) = %v", c.a, c.b, got)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
