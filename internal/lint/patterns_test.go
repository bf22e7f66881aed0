package lint

import (
	"strings"
	"testing"
)

func TestPrivateWords(t *testing.T) {
	for _, word := range strings.Fields("admin backup backups confidential config credentials database db dump env git hidden htaccess htpasswd intern internal " +
		"intranet passwd password passwords phpmyadmin private secret secrets secure staging svn bak old sql") {
		if got := privateWord("/a/." + word + "*"); got != word {
			t.Errorf("%q: %q", word, got)
		}
	}
}

// TestOddity has parts of patterns that crawlers compare in different ways, and the pattern that
// all compare alike.
func TestOddity(t *testing.T) {
	for _, c := range []struct {
		pattern, odd string
		escaped      string
	}{
		{"/a-z.A_Z~09!$&'()*+,;=:@/", "", "/a-z.A_Z~09!$&'()*+,;=:@/"},
		{"/%C3%a9%20%3f", "", "/%C3%A9%20%3F"},
		{"/a%", "%", "/a%25"},
		{"/a%4", "%4", "/a%254"},
		{"/%4g%20", "%4g", "/%254g%20"},
		{"/%g4", "%g4", "/%25g4"},
		{"/%%41", "%%4", "/%25A"},
		{"/%41%7E%2d%5F%2E%39", "%41", "/A~-_.9"},
		{"/%2Fa", "%2F", "/%2Fa"},
		{"/?%2Fa%2f", "", "/?%2Fa%2F"},
		{"/é", "é", "/%C3%A9"},
		{"/\u0080", "\u0080", "/%C2%80"},
		{"/\x7f", "", "/%7F"},
		{"/\x1f", "\x1f", "/%1F"},
		{`/"`, `"`, "/%22"}, {"/<", "<", "/%3C"}, {"/>", ">", "/%3E"}, {`/\`, `\`, "/%5C"}, {"/^", "^", "/%5E"},
		{"/{", "{", "/%7B"}, {"/|", "|", "/%7C"}, {"/}", "}", "/%7D"}, {"/`", "`", "/%60"}, {"/ a", " ", "/%20a"},
	} {
		o, odd := findOddity(c.pattern)
		if got := c.pattern[o.at : o.at+o.length]; got != c.odd || odd != (c.odd != "") {
			t.Errorf("%q: %q is odd, want %q", c.pattern, got, c.odd)
		}
		if got := escapedWell(c.pattern); got != c.escaped {
			t.Errorf("%q: escaped to %q, want %q", c.pattern, got, c.escaped)
		}
	}
}

func TestStartedWithSlash(t *testing.T) {
	for pattern, want := range map[string]string{
		"a": "/a", "a/": "/a/", "./a": "/a", ".": "/*.", ".pdf$": "/*.pdf$", ".git/x": "/*.git/x", "?a": "/*?a", "$a": "/$a",
		"https://a.example": "/", "https://a.example/": "/", "https://a.example/b/c?d": "/b/c?d", "a.b/": "", "a.b": "/a.b", "a/b.c": "/a/b.c",
	} {
		got := startedWithSlash(pattern)
		if looksLikeHost(pattern) {
			got = "" // nothing is offered
		}
		if got != want {
			t.Errorf("%q: %q, want %q", pattern, got, want)
		}
	}
}

func TestAnyQuery(t *testing.T) {
	for _, pattern := range []string{"/*?", "*?", "*?*", "/**?**", "/*=", "/*?*=*"} {
		if !isAnyQuery(pattern) {
			t.Errorf("%q does not match every query", pattern)
		}
	}
	for _, pattern := range []string{"/?", "?", "/*", "/*?a", "/*a?", "/a*?", "//*?", "/*?*?", "/?*", "/*/?", "/*?=", "/*==", "/="} {
		if isAnyQuery(pattern) {
			t.Errorf("%q matches every query, and nothing else", pattern)
		}
	}
}
