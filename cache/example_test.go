package cache_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// The robots.txt of a site is fetched once, and used for each question while it is fresh.
func ExampleCache_Check() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		fmt.Fprint(w, "User-agent: *\nDisallow: /cart\nCrawl-delay: 2\n")
	}))
	defer site.Close()

	c := &cache.Cache{
		Fetcher: &fetch.Fetcher{
			UserAgent:    "ExampleBot/1.0 (+https://example.com/bot)",
			AllowPrivate: true, // the site of this example is on this machine
		},
		Events: cache.Events{Fetched: func(r *fetch.Result) { fmt.Println("fetched, status", r.Status) }},
	}
	defer c.Close()
	for _, path := range []string{"/cart", "/products/"} {
		a, err := c.Check(context.Background(), []string{"ExampleBot"}, site.URL+path)
		if err != nil {
			panic(err)
		}
		fmt.Println(path, a.Allowed, a.Outcome, a.CrawlDelay, a.NextRetrieval.Sub(a.Fetched).Round(time.Minute))
	}
	// Output:
	// fetched, status 200
	// /cart false rules 2s 1h0m0s
	// /products/ true rules 2s 1h0m0s
}

// An unreachable site is no error: everything is disallowed, and the answer contains the time of
// the next retrieval.
func ExampleCache_Check_unreachable() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer site.Close()
	c := &cache.Cache{Fetcher: &fetch.Fetcher{AllowPrivate: true}}
	defer c.Close()
	a, err := c.Check(context.Background(), []string{"ExampleBot"}, site.URL+"/")
	fmt.Println(a, err, a.NextRetrieval.Sub(a.Fetched).Round(time.Minute))
	// Output: disallowed: robots.txt is unreachable (status 503) <nil> 10m0s
}

// A Site has everything that a robots.txt contains: here, what a crawler needs before it begins.
func ExampleCache_Site() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /cart\nCrawl-delay: 2\nSitemap: https://www.example.com/sitemap.xml\n")
	}))
	defer server.Close()
	c := &cache.Cache{Fetcher: &fetch.Fetcher{AllowPrivate: true}}
	defer c.Close()
	o, err := origin.Parse(server.URL)
	if err != nil {
		panic(err)
	}
	site, err := c.Site(context.Background(), o)
	if err != nil {
		panic(err)
	}
	crawler := []string{"ExampleBot"}
	delay, err := site.CrawlDelay(crawler)
	if err != nil {
		panic(err)
	}
	trace, err := site.Explain(crawler, "/cart/1")
	if err != nil {
		panic(err)
	}
	fmt.Println(site.Sitemaps(), delay)
	fmt.Print(trace)
	// Output:
	// [https://www.example.com/sitemap.xml] 2s
	// /cart/1 is disallowed for ExampleBot (RFC 9309)
	//   line 2: Disallow: /cart
	//
	// Groups that apply in RFC 9309
	//   line 1: User-agent: *  (for "*", and no group names the crawler; 1 rule)
	//
	// Rules that match /cart/1 (1 of 1)
	//   line 2: Disallow: /cart  (5 bytes; decides)
}

// A Store keeps the history of a site.
func ExampleStore() {
	text := "User-agent: *\nDisallow:\n"
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }))
	defer site.Close()
	store := cache.NewMemory(0, 0)
	c := &cache.Cache{Store: store, Fetcher: &fetch.Fetcher{AllowPrivate: true}}
	o, err := origin.Parse(site.URL)
	if err != nil {
		panic(err)
	}
	for _, text = range []string{text, "User-agent: *\nDisallow: /\n"} {
		if err := c.Refresh(context.Background(), o); err != nil {
			panic(err)
		}
	}
	c.Close() // waits until the records are written
	versions, err := store.History(context.Background(), o)
	if err != nil {
		panic(err)
	}
	for _, v := range versions {
		fmt.Printf("%d %q\n", v.Status, v.Body)
	}
	// Output:
	// 200 "User-agent: *\nDisallow: /\n"
	// 200 "User-agent: *\nDisallow:\n"
}
