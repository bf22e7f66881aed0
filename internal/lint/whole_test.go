package lint

import (
	"fmt"
	"strings"
	"testing"
)

var wholeCases = []ruleCase{
	{"a page", "<!DOCTYPE html><title>Hello</title>\n", "html-body", []string{"0:0 [] the file is no robots.txt: it is an HTML page"}},

	{"as many rules as Yandex reads", "User-agent: *\n" + strings.Repeat("Disallow: /a\n", 2048), "too-many-rules", nil},
	{"one rule more", "User-agent: *\n" + numbered("Disallow: /%d", 2049), "too-many-rules", []string{"0:0 [] the file has 2049 rules in 1 group"}},
	{"one rule again and again", "User-agent: *\n" + strings.Repeat("Disallow: /a\n", 2049), "too-many-rules",
		[]string{"0:0 [] the file has 2049 rules in 1 group, but only 1 different one"}},
	{"one rule twice", "User-agent: *\n" + numbered("Disallow: /%d", 2048) + "User-agent: a\nDisallow: /7\n", "too-many-rules",
		[]string{"0:0 [] the file has 2049 rules in 2 groups, but only 2048 different ones"}},

	{"no line", "", "empty-file", []string{"0:0 [] the file is empty, so everything is allowed"}},
	{"a line without text", "\n", "empty-file", []string{"0:0 [] the file is empty, so everything is allowed"}},
	{"a comment", "# a\n\n", "empty-file", []string{"0:0 [] the file has nothing but comments, so everything is allowed"}},
	{"a record", "# a\n\nHost: a\n", "empty-file", nil},

	{"a group", "User-agent: *\nDisallow: /\n", "no-sitemap", []string{"0:0 [] the file has no Sitemap line"}},
}

func TestWholeRules(t *testing.T) { checkCases(t, wholeCases) }

func TestTooLarge(t *testing.T) {
	// The end of the line with "x" is behind so many bytes.
	padded := func(head string, size int) string { return head + "#" + strings.Repeat("x", size-len(head)-1) }
	const start, head = "crawlers need only read 512000: from this line on they may ignore ", "User-agent: *\nDisallow: /a\n"
	for _, c := range []struct {
		name, body string
		line       int
		want       string
	}{
		{"one of each", padded(head, 511_999) + "\nUser-agent: b\x1b\nDisallow: /b\nSitemap: https://www.example.com/\n", 4,
			start + `1 rule, 1 sitemap, 1 User-agent line ("b")`},
		{"nothing but comments", padded(head, 512_001), 3, start + "0 rules, 0 sitemaps, 0 User-agent lines"},
		{"as many names as a message has", padded(head, 512_000) + "\n" + named("User-agent: %s", 5) + "Allow: /\nDisallow:/c\n", 4,
			start + `2 rules, 0 sitemaps, 5 User-agent lines ("a", "b", "c", "d", "e")`},
		{"more names", padded(head, 512_000) + "\r\n" + named("User-agent: %s", 6), 4,
			start + `0 rules, 0 sitemaps, 6 User-agent lines ("a", "b", "c", "d", "e", …)`},
		{"a rule is cut", padded("User-agent: *\n", 511_995) + "\nDisallow: /a\n", 3, start + "1 rule, 0 sitemaps, 0 User-agent lines"},
		{"only the line end is too much", padded(head, 512_000) + "\n", 0, "crawlers need only read 512000"},
	} {
		findings := findingsOf(c.body, "too-large")
		if len(findings) != 1 || findings[0].Line != c.line {
			t.Errorf("%s: %v, want line %d", c.name, findings, c.line)
		} else if want := fmt.Sprintf("the file has %d bytes, and %s", len(c.body), c.want); findings[0].Message != want {
			t.Errorf("%s: %s\nwant %s", c.name, findings[0].Message, want)
		}
	}
}
