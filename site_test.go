package heed_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed"
	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/heedtest"
	"github.com/heed-robots/heed/origin"
)

// a Site decides for its Crawler, with and without Tokens.
func TestSiteOfCrawler(t *testing.T) {
	site := heedtest.NewSite(t, "User-agent: ExampleBot\nDisallow: /cart\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /\n")
	for name, tokens := range map[string][]string{"without Tokens": nil, "with Tokens": {"ExampleBot-News", "ExampleBot"}} {
		crawler := &heed.Crawler{UserAgent: userAgent, Tokens: tokens, AllowPrivate: true}
		defer crawler.Close()
		found, err := crawler.Site(context.Background(), site.URL+"/cart")
		if err != nil {
			t.Fatal(err)
		}
		if found.CrawlDelay() != 3*time.Second || fmt.Sprint(found.Records()) != "[{3s}]" || found.Result().Status != 200 {
			t.Errorf("%s: %s, %v, %d", name, found.CrawlDelay(), found.Records(), found.Result().Status)
		}
		for path, want := range map[string]bool{"/cart": false, "/": true} {
			a, err := found.Check(path)
			trace, err2 := found.Explain(site.URL + path)
			if err != nil || err2 != nil || a.Allowed != want || trace.Decision != a.Decision {
				t.Errorf("%s: %s: %v, %v, %v, %v", name, path, a, trace.Decision, err, err2)
			}
		}
	}
	if _, err := (&heed.Crawler{}).Site(context.Background(), site.URL); err == nil || !strings.Contains(err.Error(), "UserAgent") {
		t.Errorf("no name: %v", err)
	}
}

// If the Store fails, an event is reported, and the answer is given all the same.
func TestStoreOfCrawlerFails(t *testing.T) {
	site := heedtest.NewSite(t, "User-agent: *\nDisallow: /cart\n")
	events := make(chan string, 10)
	crawler := &heed.Crawler{UserAgent: userAgent, AllowPrivate: true, Store: broken{cache.NewMemory(0, 0)}, Events: cache.Events{
		StoreFailed: func(what string, _ origin.Origin, _ error) { events <- what },
	}}
	if a, err := crawler.Check(context.Background(), site.URL+"/"); err != nil || !a.Allowed {
		t.Errorf("%v, %v", a, err)
	}
	crawler.Close()
	if got := <-events; got != "put" {
		t.Errorf("the event is %q, want put", got)
	}
}

type broken struct{ cache.Store }

func (broken) Put(context.Context, *cache.Record) error { return fmt.Errorf("the disk is full") }
