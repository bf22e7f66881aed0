package cache_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// R-17, G-8: the record and the Answer show that a robots.txt is an HTML page. Two Caches share
// the record: one reads the page, for the other it is a failure.
func TestHTMLPages(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<!DOCTYPE html>\n<title>Log in</title>\nUser-agent: *\nDisallow: /x\n")
	}))
	defer site.Close()
	for _, d := range robotstxt.Dialects() {
		statuses := fetch.StatusesOf(d)
		statuses.Pages = fetch.Unreachable
		store := cache.NewMemory(0, 0)
		lenient := func() *cache.Cache { return &cache.Cache{Dialect: d, Fetcher: anyone, Store: store} }
		strict := func() *cache.Cache {
			return &cache.Cache{Dialect: d, Fetcher: anyone, Store: store, Statuses: &statuses}
		}
		for i, step := range []struct {
			cache   *cache.Cache
			want    string
			outcome fetch.Outcome
		}{
			{lenient(), "allowed no-rule-matched", fetch.Rules},
			{lenient(), "allowed no-rule-matched", fetch.Rules}, // from the store
			{strict(), "denied unreachable", fetch.Unreachable},
			{strict(), "denied unreachable", fetch.Unreachable},
			{lenient(), "allowed no-rule-matched", fetch.Rules},
		} {
			a, err := step.cache.Check(context.Background(), agents, site.URL+"/")
			if err != nil || decision(a.Decision) != step.want || a.Outcome != step.outcome || a.Page != fetch.HTML || a.Status != 200 || a.Err != nil {
				t.Errorf("%s, step %d: %s, %s, page %q, %d, %v, %v", d, i, decision(a.Decision), a.Outcome, a.Page, a.Status, a.Err, err)
			}
			if step.outcome == fetch.Rules {
				if a, err := step.cache.Check(context.Background(), agents, site.URL+"/x"); err != nil || a.Allowed {
					t.Errorf("%s, step %d: the rule of the page has no effect: %s, %v", d, i, decision(a.Decision), err)
				}
			}
			step.cache.Close()
		}
	}
}
