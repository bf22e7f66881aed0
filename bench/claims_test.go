package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	rival "github.com/temoto/robotstxt"

	"github.com/heed-robots/heed/robotstxt"
)

// A claim is a statement in docs/comparison.md or docs/migrating-from-temoto.md about another
// library, with a question that shows it.
type claim struct {
	what       string // what the other library does
	robots     string
	agent, url string
	want       bool // whether the URL is allowed: by RFC 9309 and Heed
	answers    bool // by the other library
}

// ofTemoto are the claims about temoto/robotstxt.
var ofTemoto = []claim{
	{"the name of a group is a prefix of the agent", "User-agent: beta\nDisallow: /b\n", "beta-news", "/b", true, false},
	{"groups of one name are merged", "User-agent: alpha\nDisallow: /a\n\nUser-agent: beta\nDisallow: /b\n\nUser-agent: alpha\nAllow: /a/open\n", "alpha", "/a/open", true, true},
	{"a sitemap between two user-agent lines ends no group", "User-agent: alpha\nSitemap: https://www.example.com/s\nUser-agent: beta\nDisallow: /b\n", "alpha", "/b", false, false},
	{"an unknown line between two user-agent lines ends no group", "User-agent: alpha\nUnknown: x\nUser-agent: beta\nDisallow: /b\n", "alpha", "/b", false, false},
	{"a crawl delay between two user-agent lines ends a group", "User-agent: alpha\nCrawl-delay: 1\nUser-agent: beta\nDisallow: /b\n", "alpha", "/b", false, true},
	{"the first of two patterns of one length decides", "User-agent: *\nDisallow: /a\nAllow: /a\n", "alpha", "/a", true, false},
	{"the length of a pattern with a wildcard is that of a regular expression", "User-agent: *\nAllow: /a.b.c*d\nDisallow: /a.b.c/de\n", "alpha", "/a.b.c/de", false, true},
	{"a $ in the middle ends a URL", "User-agent: *\nDisallow: /a$b\n", "alpha", "/a$b", false, true},
	{"%2A is no literal star", "User-agent: *\nDisallow: /a%2Ab\n", "alpha", "/a*b", false, true},
	{"a pattern with a wildcard is found anywhere in a path", "User-agent: *\nDisallow: /a*b\n", "alpha", "/x/a/b", true, false},
	{"an escape is not decoded", "User-agent: *\nDisallow: /%7Ejoe\n", "alpha", "/~joe", false, true},
	{"a character that is not ASCII is not escaped", "User-agent: *\nDisallow: /ü\n", "alpha", "/%C3%BC", false, true},
	{"/robots.txt is a path like any other", "User-agent: *\nDisallow: /\n", "alpha", "/robots.txt", true, false},
	{"# within a value begins no comment", "User-agent: *\nDisallow: /a#x\n", "alpha", "/a", false, true},
	{"misspellings are not read", "User-agent: *\nDissallow: /d\n", "alpha", "/d", false, true},
	{"an empty path is allowed", "User-agent: *\nDisallow: /cart\n", "alpha", "", false, true},
	{"Disallow: / disallows an empty path", "User-agent: *\nDisallow: /\n", "alpha", "", false, false},
	{"Disallow: / disallows a path without /", "User-agent: *\nDisallow: /\n", "alpha", "cart", false, false},
	{"a path without / is allowed", "User-agent: *\nDisallow: /cart\n", "alpha", "cart", false, true},
	{"a query without a path is allowed", "User-agent: *\nDisallow: /?a\n", "alpha", "?a=1", false, true},
	{"a pattern without / gets one", "User-agent: *\nDisallow: d\n", "alpha", "/d", true, false},
}

func TestClaimsAboutTemoto(t *testing.T) {
	for _, c := range ofTemoto {
		policy := temoto.policyOf([]byte(c.robots), c.agent)
		if policy == nil {
			t.Errorf("%s: the file is refused", c.what)
			continue
		}
		if got := temoto.check(policy, c.url); got != c.answers {
			t.Errorf("%s: it answers %v", c.what, got)
		}
		checkHeed(t, c)
	}
}

func checkHeed(t *testing.T, c claim) {
	t.Helper()
	if d := robotstxt.Parse([]byte(c.robots), nil).Agent(c.agent).Check(c.url); d.Allowed != c.want {
		t.Errorf("%s: RFC 9309 answers %v", c.what, d)
	}
}

// temoto returns an error for a rule before the first group, for a crawl delay that is no number, for a redirect, and for
// a status that RFC 9309 does not name. (Heed's parser has no such errors; in Heed package fetch follows redirects.)
func TestTemotoRefuses(t *testing.T) {
	if _, err := rival.FromString("Disallow: /a\nUser-agent: *\nDisallow: /b\n"); err == nil {
		t.Error("a rule before the first group is no error")
	}
	if _, err := rival.FromString("User-agent: *\nCrawl-delay: abc\nDisallow: /b\n"); err == nil {
		t.Error("a crawl delay that is no number is no error")
	}
	for _, status := range []int{http.StatusContinue, http.StatusFound, http.StatusNotModified, 600} {
		if _, err := rival.FromStatusAndString(status, ""); err == nil {
			t.Errorf("status %d is no error", status)
		}
	}
	for _, status := range []int{http.StatusPartialContent, http.StatusIMUsed} {
		if data, err := rival.FromStatusAndString(status, "User-agent: *\nDisallow: /b\n"); err != nil || !data.TestAgent("/a", "alpha") || data.TestAgent("/b", "alpha") {
			t.Errorf("status %d does not apply the rules", status)
		}
	}
	if data, err := rival.FromStatusAndString(http.StatusTooManyRequests, ""); err != nil || !data.TestAgent("/", "alpha") {
		t.Error("status 429 does not allow everything")
	}
	if data, err := rival.FromStatusAndString(http.StatusServiceUnavailable, ""); err != nil || data.TestAgent("/", "alpha") {
		t.Error("status 503 does not disallow everything")
	}
}

// ofPrograms are the claims about the libraries of other languages.
var ofPrograms = []struct {
	program
	claims []claim
}{
	{npm, []claim{
		{"misspellings are not read", "User-agent: *\nDiasllow: /d\n", "alpha", "/d", false, true},
		{"/robots.txt is a path like any other", "User-agent: *\nDisallow: /\n", "alpha", "/robots.txt", true, false},
		{"a reserved character is not its escape", "User-agent: *\nDisallow: /a:b\n", "alpha", "/a%3ab", false, true},
	}},
	{urllib, []claim{
		{"a star is an ordinary character", "User-agent: *\nDisallow: /a*$\n", "alpha", "/a?b", false, true},
		{"the first rule that matches decides", "User-agent: *\nDisallow: /\nAllow: /this/*/exactly\n", "alpha", "/this/other/exactly", true, false},
		{"the first of two groups of one name counts", "User-agent: alpha\nDisallow: /a\n\nUser-agent: alpha\nDisallow: /b\n", "alpha", "/b", false, true},
	}},
}

func TestClaimsAboutOtherLanguages(t *testing.T) {
	t.Chdir("..")
	for _, p := range ofPrograms {
		t.Run(p.name, func(t *testing.T) {
			skipWithout(t, p.program)
			var sites []site
			for _, c := range p.claims {
				sites = append(sites, site{Robots: []byte(c.robots), Questions: []question{{Agent: c.agent, URL: c.url}}})
			}
			for i, got := range p.decisions(sites) {
				c := p.claims[i]
				checkHeed(t, c)
				if !slices.Equal(got, []bool{c.answers}) {
					t.Errorf("%s: it answers %v", c.what, got)
				}
			}
		})
	}
}

// skipWithout skips a test if the language or its library is not installed.
func skipWithout(t *testing.T, p program) {
	t.Helper()
	if _, err := exec.LookPath(p.command[0]); err != nil {
		t.Skip(err)
	}
	if p.command[0] != "node" {
		return
	}
	if _, err := os.Stat(filepath.Join(rivals, "node_modules", "robots-parser")); err != nil {
		t.Skip("run npm ci in bench/rivals: ", err)
	}
}
