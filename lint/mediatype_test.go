package lint

import (
	"math/rand/v2"
	"mime"
	"strings"
	"testing"
)

func TestMediaType(t *testing.T) {
	for header, want := range map[string][2]string{
		"text/plain":                              {"text/plain", ""},
		" Text/Plain ;\tCharset = \"UTF-8\" ; ":   {"text/plain", "UTF-8"},
		"text/plain;charset=utf-8;":               {"text/plain", "utf-8"},
		"text/plain; charset=":                    {"text/plain", ""},
		"text/plain; a=\";charset=x\"; charset=y": {"text/plain", "y"},
		"text/plain; charset=\"a\\\"b\\c\"":       {"text/plain", `a"b\c`},
		"text/plain; charset=a; charset=a":        {"text/plain", "a"},
		"text/plain; charset=a; charset=b":        {"", ""},
		"text/plain; charset=a b":                 {"text/plain", ""},
		"text/plain; charset=a; b":                {"text/plain", ""},
		"text":                                    {"text", ""},
		"text/plain, text/html":                   {"", ""},
		"text/":                                   {"", ""},
		"/plain":                                  {"", ""},
		"; charset=utf-8":                         {"", ""},
		"":                                        {"", ""},
	} {
		if kind, charset := mediaType(header); kind != want[0] || charset != want[1] {
			t.Errorf("%q: %q and %q, want %q", header, kind, charset, want)
		}
	}
}

// TestMediaTypeIsThatOfMime compares with package mime. Only that package knows the names of
// parameters with "*", which are for file names. A header has no line ends.
func TestMediaTypeIsThatOfMime(t *testing.T) {
	parts := []string{
		"text", "text/plain", "Text/HTML", "/", "application/x+y.z", "text/{}", ";", ";", ";", "; ", " ", "\t", "\u00a0", "charset", "Charset", "charset=utf-8", "charset=latin1",
		"; charset=utf-8", "; CHARSET=\"UTF-8\"", "; a=1", "; a=2", "; b=\"x;y\"", "; charset=\"\"", "=", "\"", "\"a\\\"b\"", "\\", "\\\\", "a", "1", ",", "\x00", "\x7f", "\xff", "\u00e9",
	}
	random := rand.New(rand.NewPCG(1, 2))
	kinds, charsets := 0, 0
	for range 200_000 {
		header := ""
		if random.IntN(2) == 0 {
			header = "text/plain"
		}
		for range random.IntN(7) {
			header += parts[random.IntN(len(parts))]
		}
		if random.IntN(4) == 0 {
			header += string(rune(random.IntN(256)))
		}
		if strings.ContainsAny(header, "*\r\n") {
			continue
		}
		kind, charset := mediaType(header)
		wantKind, parameters, _ := mime.ParseMediaType(header)
		if want := parameters["charset"]; kind != wantKind || charset != want {
			t.Errorf("%q: %q and %q, want %q and %q", header, kind, charset, wantKind, want)
		}
		if kind != "" {
			kinds++
		}
		if charset != "" {
			charsets++
		}
	}
	if kinds < 20_000 || charsets < 2_000 {
		t.Errorf("%d types and %d charsets: too few to compare", kinds, charsets)
	}
}
