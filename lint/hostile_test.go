package lint

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// numbered returns lines that each have a number in them.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

// letters writes a number in letters, because a product token has no digits.
func letters(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n))
}

func named(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", letters(i))
	}
	return b.String()
}

// hostileFiles are files that are made to cost much time.
var hostileFiles = map[string]string{
	"agents with a delay each":        named("User-agent: x%s\nCrawl-delay: 1", 10_000),
	"agents, then delays":             named("User-agent: x%s", 10_000) + strings.Repeat("Crawl-delay: x\n", 10_000),
	"agents with a rule each":         named("User-agent: x%s\nDisallow: /a", 10_000),
	"agents of one name":              "User-agent: *\nDisallow: /b\n" + numbered("User-agent: x\nDisallow: /%d", 10_000),
	"everyone again and again":        numbered("User-agent: *\nDisallow: /%d", 10_000),
	"agents above many rules":         named("User-agent: x%s", 5_000) + numbered("Disallow: /%d", 5_000),
	"named groups and a big wildcard": "User-agent: *\n" + numbered("Disallow: /%d", 5_000) + named("\nUser-agent: x%s\nDisallow: /a", 1_000),
	"path starts":                     "User-agent: *\n" + numbered("Disallow: a%d", 20_000),
	"missing colons":                  "User-agent: *\n" + numbered("Disallow /%d", 10_000),
	"misspelt keys":                   "User-agent: *\n" + numbered("Dissallow: /%d", 10_000),
	"ties":                            "User-agent: *\n" + numbered("Disallow: /%05d\nAllow: /%05[1]d", 5_000),
	"ties with wildcards":             "User-agent: *\n" + numbered("Disallow: /*a%05d\nAllow: /*b%05[1]d", 2_000),
	"wildcards":                       "User-agent: *\n" + numbered("Disallow: /*a*b*%d\nAllow: /*b*a*%[1]d", 2_000),
	"rules that never decide":         "User-agent: *\n" + strings.Repeat("Disallow: /a\nAllow: /a\n", 10_000),
	"queries":                         "User-agent: *\n" + strings.Repeat("Disallow: /*?\n", 20_000),
	"queries for everyone":            named("User-agent: x%s\nDisallow: /*?", 10_000),
	"noindex":                         named("User-agent: x%s\nDisallow: /a\nNoindex: /a", 5_000),
	"noindex in one group":            named("User-agent: x%s", 1_000) + "Disallow: /a\n" + numbered("Noindex: /a%d", 10_000),
	"odd patterns":                    "User-agent: *\n" + numbered("Disallow: /%%7e a%d", 10_000),
	"lax slashes":                     "User-agent: *\n" + numbered("Disallow: /*?*/*/a%d", 3_000),
	"index pages":                     "User-agent: *\nDisallow: /\n" + numbered("Allow: /%d/index.html", 5_000),
	"blank lines":                     "User-agent: *\n" + numbered("Disallow: /%d\n", 10_000),
	"stray text":                      strings.Repeat("stray\n\n", 40_000),
	"empty agents":                    strings.Repeat("User-agent:\nDisallow: /a\n", 10_000),
	"no tokens":                       numbered("User-agent: a/%d\nDisallow: /a", 10_000),
	"lists of agents":                 numbered("User-agent: a, b\nDisallow: /%d", 10_000),
	"byte-order marks":                strings.Repeat(bom+"Disallow: /a\n", 20_000),
	"octets that are not UTF-8":       "User-agent: *\n" + numbered("Disallow: /\xe9%d", 20_000),
	"conflict markers":                strings.Repeat("<<<<<<< a\n=======\n>>>>>>> b\n", 10_000),
	"signals":                         named("User-agent: x%s\nContent-Signal: search=yes, ai-train=no\nContent-Usage: search=n\nDisallow: /", 3_000),
	"sitemaps":                        strings.Repeat("Sitemap: /a\n", 30_000),
	"unknown records":                 numbered("X%d: y", 30_000),
	"colons":                          strings.Repeat(":", 500_000),
	"a long line":                     "User-agent: *\nDisallow: /" + strings.Repeat("a", 500_000),
	"a long pattern with wildcards":   "User-agent: *\nDisallow: /" + strings.Repeat("a*", 200_000),
	"long patterns with wildcards":    "User-agent: *\nDisallow: /*" + strings.Repeat("a*", 5_000) + "b\nAllow: /*" + strings.Repeat("b*", 5_000) + "a\n",
	"comments that turn rules off":    "User-agent: *\n" + strings.Repeat("Disallow: a # heed-lint: ignore path-start\n", 10_000),
}

func TestHostile(t *testing.T) {
	for name, body := range hostileFiles {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			findings := Check([]byte(body))
			t.Logf("%d findings in %v for %d octets", len(findings), time.Since(start), len(body))
		})
	}
}
