package ascii

import (
	"strings"
	"testing"
	"unicode"
)

// For ASCII the functions agree with package unicode. Bytes from 0x80 are in no class.
func TestClasses(t *testing.T) {
	for c := range 256 {
		r, b, plain := rune(c), byte(c), c < unicode.MaxASCII+1
		for name, same := range map[string]bool{
			"Lower":     !plain && Lower(b) == b || plain && rune(Lower(b)) == unicode.ToLower(r),
			"IsLetter":  IsLetter(b) == (plain && unicode.IsLetter(r)),
			"IsDigit":   IsDigit(b) == (plain && unicode.IsDigit(r)),
			"IsSpace":   IsSpace(b) == (plain && unicode.IsSpace(r)) && IsSpace(b) == strings.Contains(Space, string(r)),
			"IsControl": IsControl(b) == (plain && unicode.IsControl(r)),
		} {
			if !same {
				t.Errorf("%s of %#x", name, c)
			}
		}
	}
}

// The long s and the kelvin sign are not equal to s and k.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		a, b                    string
		equal, prefix, contains bool
	}{
		{"Disallow", "dISALLOW", true, true, true},
		{"Disallow", "dis", false, true, true},
		{"Disallow", "ALL", false, false, true},
		{"dis", "Disallow", false, false, false},
		{"Mozilla/5.0 ExampleBot-News", "exampleBOT-news", false, false, true},
		{"Mozilla/5.0 ExampleBot-News", "examplebot-newz", false, false, false},
		{"ExampleBot-News", "example_bot-new", false, false, false},
		{strings.Repeat("aB", 400) + "c", strings.Repeat("Ab", 300) + "C", false, false, true},
		{strings.Repeat("aB", 400) + "c", strings.Repeat("Ab", 300) + "d", false, false, false},
		{"", "", true, true, true},
		{"ſitemap", "sitemap", false, false, false},
		{"\u212a", "k", false, false, false},
		{"É", "é", false, false, false},
	} {
		if EqualFold(c.a, c.b) != c.equal || HasPrefixFold(c.a, c.b) != c.prefix || ContainsFold(c.a, c.b) != c.contains {
			t.Errorf("%q, %q: %v, %v, %v", c.a, c.b, EqualFold(c.a, c.b), HasPrefixFold(c.a, c.b), ContainsFold(c.a, c.b))
		}
	}
}

func TestToLower(t *testing.T) {
	for text, want := range map[string]string{"": "", "abc-1": "abc-1", "GPTBot": "gptbot", "aÉ\u212aZ[@": "aÉ\u212az[@", "\xffA": "\xffa"} {
		if got := ToLower(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Compare sorts without regard to the case of ASCII letters only.
func TestCompare(t *testing.T) {
	sorted := []string{"", "-", "a", "A\x00", "ab", "AC", "b", "\u212a"}
	for i, a := range sorted {
		for k, b := range sorted {
			if got := Compare(a, b); got < 0 != (i < k) || got > 0 != (i > k) {
				t.Errorf("%q and %q: %d", a, b, got)
			}
		}
	}
	if Compare("aBc", "AbC") != 0 {
		t.Error("letter case matters")
	}
}
