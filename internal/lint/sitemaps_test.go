package lint

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
)

// checkSitemapIn checks an example: a robots.txt that has the URLs of its sitemap in comments.
func checkSitemapIn(example string) []Finding {
	var urls []string
	for line := range strings.Lines(example) {
		if u, ok := strings.CutPrefix(line, "#   "); ok {
			urls = append(urls, strings.TrimSpace(u))
		}
	}
	findings, _ := CheckSitemaps([]byte(example), sitemapOf(urls...))
	return findings
}

// sitemapOf returns sitemaps that all have the same URLs. One that has no scheme is an error.
func sitemapOf(urls ...string) func(string) iter.Seq2[string, error] {
	return func(string) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for _, u := range urls {
				var err error
				if !strings.Contains(u, "://") {
					u, err = "", errors.New(u)
				}
				if !yield(u, err) {
					return
				}
			}
		}
	}
}

func TestCheckSitemaps(t *testing.T) {
	const listed = "Sitemap: https://a.example/s.xml\n"
	a, b, c, d := "https://a.example/a", "https://a.example/b", "https://a.example/c?x=1", "https://a.example/d"
	for _, test := range []struct {
		body string
		urls []string
		want []string
	}{
		{"User-agent: *\nDisallow: /a\n", []string{a}, nil}, // it lists no sitemap
		{listed, []string{a}, nil},
		{listed + "User-agent: *\nDisallow: /x\n", []string{a, b}, nil},
		{listed + "User-agent: *\nDisallow: /a\n", []string{a, b, a + "/2"},
			[]string{"1:10 [] search engines may not fetch 2 of its 3 URLs, such as https://a.example/a by line 3"}},
		{listed + "User-agent: *\nDisallow: /a\n", []string{a},
			[]string{"1:10 [] search engines may not fetch its only URL, such as https://a.example/a by line 3"}},
		{listed + listed + "User-agent: *\nDisallow: /\n", []string{a, b},
			[]string{"1:10 [] search engines may not fetch any of its 2 URLs, such as https://a.example/a by line 4"}},
		{listed + "User-agent: *\nDisallow: /a\n\nUser-agent: bingbot\nDisallow: /a\n\nUser-agent: Googlebot-News\nDisallow: /b\nDisallow: /a\n", []string{a, b},
			[]string{"1:10 [] search engines may not fetch any of its 2 URLs (Googlebot: 1), such as https://a.example/a by line 3, https://a.example/b by line 9"}},
		{listed + "User-agent: GPTBot\nDisallow: /a\n", []string{a}, nil}, // not of a search engine
		{listed + "User-agent: bingbot\nDisallow: /a\n", []string{a},
			[]string{"1:10 [bingbot] bingbot may not fetch its only URL, such as https://a.example/a by line 3"}},
		{listed + "User-agent: bingbot\nDisallow: /b\n\nUser-agent: PetalBot\nAllow: /\n\nUser-agent: *\nDisallow: /d\n", []string{b, c, d},
			[]string{"1:10 [bingbot] some search engines may not fetch 2 of its 3 URLs (Googlebot: 1), such as https://a.example/b by line 3, https://a.example/d by line 9"}},
		{listed + "User-agent: bingbot\nDisallow: /\n", []string{a}, nil}, // shut out, as its owner wants it
		{listed + "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /*?\nDisallow: /d\n", []string{a, b, c, d},
			[]string{"1:10 [] search engines may not fetch any of its 4 URLs, such as https://a.example/a by line 3, https://a.example/b by line 4, https://a.example/c?x=1 by line 5"}},
		{listed + "User-agent: *\nAllow: /a\nDisallow: /b\n", []string{a}, nil},
		{listed + "User-agent: *\nDisallow: /a\n", []string{a + "?\x1b", b},
			[]string{`1:10 [] search engines may not fetch 1 of its 2 URLs, such as https://a.example/a?\x1b by line 3`}},
		{listed + "User-agent: *\nDisallow: /a\n", []string{"://a"}, nil}, // no URL
		{"Sitemap: /s.xml\nHost: a.example\n", []string{"never read"}, nil},
		{listed, []string{"\x1b"}, []string{`1:10 [] cannot be read: \x1b`}},
		{listed, []string{a, "one"}, []string{"1:10 [] only 1 URL could be read: one"}},
		{listed + "User-agent: *\nDisallow: /a\n", []string{a, "one", b, "two", "three"}, []string{
			"1:10 [] search engines may not fetch 1 of the 2 URLs that heed could read, such as https://a.example/a by line 3",
			"1:10 [] only 2 URLs could be read: one, and 2 more errors"}},
	} {
		var got []string
		findings, n := CheckSitemaps([]byte(test.body), sitemapOf(test.urls...))
		for _, found := range findings {
			names := found.Crawlers
			if slices.Contains(names, "bingbot") {
				names = []string{"bingbot"}
			}
			got = append(got, fmt.Sprintf("%d:%d %v %s", found.Line, found.Column, names, found.Message))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q\n%q\nwant\n%q", test.body, test.urls, got, test.want)
		}
		if want := min(strings.Count(test.body, listed), 1); n != want {
			t.Errorf("%q: %d sitemaps, want %d", test.body, n, want)
		}
	}
}

func TestEachSitemapHasItsOwnCrawlers(t *testing.T) {
	const body = "Sitemap: https://a.example/b\nSitemap: https://a.example/c\nUser-agent: PetalBot\nDisallow: /b\n\nUser-agent: bingbot\nDisallow: /c\n"
	var got []string
	findings, _ := CheckSitemaps([]byte(body), func(sitemap string) iter.Seq2[string, error] { return sitemapOf(sitemap)(sitemap) })
	for _, found := range findings {
		got = append(got, strings.Join(found.Crawlers, " "))
	}
	if want := []string{"PetalBot", "bingbot"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
