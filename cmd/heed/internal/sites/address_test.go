package sites

import (
	"io"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/origin"
)

// An argument that begins with a host is read as https, and others are errors.
func TestHostIsReadAsHTTPS(t *testing.T) {
	for given, want := range map[string]string{
		"example.com":           "https://example.com",
		"example.com/a:b":       "https://example.com/a:b",
		"example.com?a@b":       "https://example.com?a@b",
		"EXAMPLE.com:8080/x":    "https://EXAMPLE.com:8080/x",
		"localhost":             "https://localhost",
		"host:8080":             "https://host:8080",
		"127.0.0.1/x":           "https://127.0.0.1/x",
		"[::1]/x":               "https://[::1]/x",
		"bücher.example/x":      "https://bücher.example/x",
		"":                      "",
		"cart":                  "",
		"cart/a.html":           "",
		"me@example.com":        "",
		"example.com:99999/":    "",
		"tel:112":               "",
		"https:example.com":     "",
		"a b.example":           "",
		".example/x":            "",
		":8080/x":               "",
		"about:blank":           "",
		"urn:isbn:1":            "",
		"https://":              "",
		"javascript:alert(1.5)": "",
	} {
		a := &term.Terminal{Err: io.Discard}
		if got, _, err := absoluteURL(a, given, true); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", given, got, err, want)
		}
	}
}

// moved replaces the origin of a URL and keeps all that follows it. A path does not change.
func TestMovedReplacesOrigin(t *testing.T) {
	to, err := origin.Parse("http://b.example:8080")
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"https://a.example":             "http://b.example:8080",
		"https://u:p@a.example/x?y#z":   "http://b.example:8080/x?y#z",
		"https://a.example?x=https://c": "http://b.example:8080?x=https://c",
		`https://a.example\x`:           `http://b.example:8080\x`,
		"/x?u=https://a.example/":       "/x?u=https://a.example/",
	} {
		if got := WithOrigin(url, to); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}
