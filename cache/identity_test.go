package cache_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/robotstxt"
)

// siteAt returns a site whose robots.txt was fetched at a time. body "": status 404.
func siteAt(t *testing.T, at time.Time, body string, d *robotstxt.Dialect, url string) *cache.Site {
	t.Helper()
	f := &statusFetcher{status: 200, body: body}
	if body == "" {
		f.status = 404
	}
	c := &cache.Cache{Fetcher: f, Dialect: d, Now: func() time.Time { return at }}
	t.Cleanup(func() { c.Close() })
	s, err := c.Site(t.Context(), originOf(url))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The id of a retrieval is the same in each process, and depends on all that makes it another one: the
// origin, the dialect, the robots.txt and the time.
func TestSiteID(t *testing.T) {
	now := time.Now()
	const body = "User-agent: *\nDisallow: /x\n"
	first := siteAt(t, now, body, robotstxt.RFC9309, "https://a.example/").ID()
	if again := siteAt(t, now, body, robotstxt.RFC9309, "https://a.example/other").ID(); again != first || len(first) != 22 {
		t.Errorf("the same retrieval has the ids %q and %q", first, again)
	}
	for what, id := range map[string]string{
		"origin":  siteAt(t, now, body, robotstxt.RFC9309, "http://a.example/").ID(),
		"dialect": siteAt(t, now, body, robotstxt.Google, "https://a.example/").ID(),
		"body":    siteAt(t, now, "User-agent: *\nDisallow: /y\n", robotstxt.RFC9309, "https://a.example/").ID(),
		"none":    siteAt(t, now, "", robotstxt.RFC9309, "https://a.example/").ID(),
		"time":    siteAt(t, now.Add(1), body, robotstxt.RFC9309, "https://a.example/").ID(),
	} {
		if id == first || len(id) != 22 {
			t.Errorf("another %s has the id %q", what, id)
		}
	}
}

// An origin that was never fetched has an id, which no retrieval has.
func TestSiteIDOfNothing(t *testing.T) {
	c := &cache.Cache{}
	defer c.Close()
	s, err := c.PeekSite(t.Context(), originOf("https://a.example/"))
	if err != nil {
		t.Fatal(err)
	}
	if id := s.ID(); len(id) != 22 || id != s.ID() {
		t.Errorf("id %q", id)
	}
}

// The hash and the id are computed once for a cached robots.txt.
func TestIdentityIsKept(t *testing.T) {
	body := "User-agent: *\nDisallow: /x\n"
	s := siteAt(t, time.Now(), body, nil, "https://a.example/")
	sum, id := s.SHA256(), s.ID()
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(body))); sum != want {
		t.Errorf("SHA-256 %s, want %s", sum, want)
	}
	if n := testing.AllocsPerRun(100, func() {
		if s.SHA256() != sum || s.ID() != id {
			t.Error("another hash or id")
		}
	}); n != 0 {
		t.Errorf("%v allocations for a hash and an id that are known", n)
	}
}
