package lint

import (
	"net/url"
	"strings"
	"testing"
)

// What splitURL finds in URLs that were requested is what net/url does.
func TestSplitURL(t *testing.T) {
	for _, s := range []string{
		"https://example.com/robots.txt", "http://www.example.com:8080/robots.txt?a=b://c@d:1#e", "HTTPS://WWW.Example.COM",
		"ftp://user:secret@example.com:21/robots.txt", "https://[::1]:8080/robots.txt", "https://[2001:db8::1]/robots.txt",
		"https://example.com?a/b", "https://example.com#a/b", "https://wwwexample.com/", "https://xn--bcher-kva.example/",
	} {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		scheme, host := splitURL(s)
		if want := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."); scheme != u.Scheme || strings.Trim(host, "[]") != want {
			t.Errorf("%s: %q and %q, net/url has %q and %q", s, scheme, host, u.Scheme, want)
		}
	}
}
