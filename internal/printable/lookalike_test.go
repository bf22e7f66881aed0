package printable

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A letter that looks like one of ASCII is escaped in a word with ASCII letters, and in no other.
func TestLookAlikes(t *testing.T) {
	for s, want := range map[string]string{
		"GPTB\u043et":                          `GPTB\u{43e}t`,
		"User-agent: \u0410dsBot":              `User-agent: \u{410}dsBot`,
		"https://ex\u0430mple.com/":            `https://ex\u{430}mple.com/`,
		"G\u03bfogle":                          `G\u{3bf}ogle`,                         // Greek
		"G\u0585ogle":                          `G\u{585}ogle`,                         // Armenian
		"\u13aaPTBot":                          `\u{13aa}PTBot`,                        // Cherokee
		"\uff27PTBot":                          `\u{ff27}PTBot`,                        // full width
		"\U0001d406PTBot":                      `\u{1d406}PTBot`,                       // mathematics
		"b\u2170ngbot":                         `b\u{2170}ngbot`,                       // Roman numeral
		"\u212aimi":                            `\u{212a}imi`,                          // Kelvin
		"\u043e\u0301t":                        `\u{43e}` + "\u0301t",                  // a mark does not end the word
		"\u0430\u00e9b":                        `\u{430}` + "\u00e9b",                  // nor does another letter
		"\u043f\u0440\u0438\u0432\u0435\u0442": "\u043f\u0440\u0438\u0432\u0435\u0442", // Cyrillic alone
		"/\u03b1\u03b2/caf\u00e9/\u65e5\u672cbot": "/\u03b1\u03b2/caf\u00e9/\u65e5\u672cbot",
		"news-\u043c\u0438\u0440":                 "news-\u043c\u0438\u0440", // two words
		"\u043c\u0438\u0440\u2014peace":           "\u043c\u0438\u0440\u2014peace",
		"\u03bd\u03b1\u037eyes":                   "\u03bd\u03b1\u037eyes", // the question mark of Greek ends a word
	} {
		if got := Text(s); got != want {
			t.Errorf("Text(%q) = %q, want %q", s, got, want)
		}
	}
	for _, r := range "\u01c0\u0251\u03bf\u0435\u0585\u13aa\u1c81\u1d04\u1fbe\u2113\u2170\u2c9f\u2de0\ua4ee\ua647\uab75\uff41\U000102a0\U0001042c\U000118c8\U00016f08\U0001d41a" { // one of each block
		if got, want := Text("Bot"+string(r)), fmt.Sprintf(`Bot\u{%x}`, r); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for s, want := range map[string]string{
		"GPTB\u043et":                 `"GPTB\u043et"`,
		"a\u00e9\u0430":               "\"a\u00e9" + `\u0430"`,
		"\n\u043c\u0438\u0440 \xff\"": `"\n` + "\u043c\u0438\u0440" + ` \xff\""`,
	} {
		if got := Quote(s); got != want {
			t.Errorf("Quote(%q) = %s, want %s", s, got, want)
		}
	}
}

// Each word is read once.
func TestLookAlikesAreLinear(t *testing.T) {
	began := time.Now()
	Text(strings.Repeat("a\u0430", 1<<20))
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("%v for one word of 3 MiB", took)
	}
}

func FuzzText(f *testing.F) {
	f.Add("GPTB\u043et \xff\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		if got := Text(s); Text(got) != got {
			t.Errorf("Text(%q) = %q, and of that %q", s, got, Text(got))
		}
		Quote(s)
	})
}
