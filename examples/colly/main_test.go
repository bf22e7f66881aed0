package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/polite"
)

// local returns a transport that may go to this machine.
func local() *polite.Transport {
	return &polite.Transport{
		UserAgent: userAgent,
		Cache:     &cache.Cache{Fetcher: &fetch.Fetcher{UserAgent: userAgent, AllowPrivate: true}},
	}
}

func TestCrawlObeysRobotsTxt(t *testing.T) {
	pages := map[string]string{
		"/robots.txt": "User-agent: ExampleBot\nDisallow: /private\n",
		"/":           `<a href="/public">1</a> <a href="/private">2</a> <a href="/moved">3</a> <a href="https://other.example/">4</a>`,
		"/public":     `<a href="/">back</a> <a href="/gone">5</a>`,
		"/private":    "secret",
	}
	var requested []string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested = append(requested, r.URL.Path)
		page, ok := pages[r.URL.Path]
		switch {
		case r.UserAgent() != userAgent:
			t.Errorf("%s requested %s", r.UserAgent(), r.URL)
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/private/new", http.StatusFound)
		case !ok:
			http.NotFound(w, r)
		default:
			fmt.Fprint(w, page)
		}
	}))
	defer site.Close()

	var out strings.Builder
	if err := crawl(site.URL+"/", local(), &out); err != nil {
		t.Fatal(err)
	}
	want := `visited SITE/
visited SITE/public
failed SITE/gone: Not Found
refused SITE/private: line 2
refused SITE/private/new: line 2
`
	if got := strings.ReplaceAll(out.String(), site.URL, "SITE"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if want := []string{"/robots.txt", "/", "/public", "/gone", "/moved"}; !slices.Equal(requested, want) {
		t.Errorf("requested %q, want %q", requested, want)
	}
}

func TestCrawlStopsIfRobotsTxtIsUnreachable(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer site.Close()
	var out strings.Builder
	err := crawl(site.URL+"/", local(), &out)
	var unreachable *polite.UnreachableError
	if !errors.As(err, &unreachable) {
		t.Errorf("got %v", err)
	}
	if want := "refused " + site.URL + "/: robots.txt is unreachable\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
