package cache_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// The methods of a Cache other than Check.
func TestPeekRefreshForget(t *testing.T) {
	runTimelines(t, []timeline{
		{
			name: "Peek makes no retrieval, however old the cached answer is (R-15, R-18)",
			table: `
			at     | server                           | call          | answer              | retrieval             | age | next  | requests
			0      | 200; Cache-Control: max-age=3600 | peek /private | denied unreachable  | unreachable error     | -   | 0     | 0
			0      |                                  | /private      | denied rule         | rules 200             | 0   | 1h    | 1
			30m    |                                  | peek /private | denied rule         | rules 200             | 30m | 30m   | 1
			1h     |                                  | peek /private | denied rule         | rules 200 stale       | 1h  | 0     | 1
			100d   |                                  | peek /private | denied rule         | rules 200 stale       | 100d| 0     | 1
			100d   | 404; Cache-Control: max-age=3600 | /private      | allowed unavailable | unavailable 404       | 0   | 1h    | 2
			101d   | down                             | peek /private | allowed unavailable | unavailable 404 stale | 1d  | 0     | 2
			101d   |                                  | /private      | denied unreachable  | unreachable error, failing 0s   | 0  | ~1m | 3
			102d   |                                  | peek /private | denied unreachable  | unreachable error, failing 1d0s | 1d | ~1m | 3
			131d   |                                  | peek /private | denied unreachable  | unreachable error, failing 30d0s  | 30d | ~1m | 3
			131d   |                                  | /private      | denied unreachable  | unreachable error, failing 0s     | 0   | ~2m | 4
			160d every 7d |                           | /private      | denied unreachable  | unreachable error, failing 29d0s  | 0   | ~1h | 9
			161d   |                                  | peek /private | allowed unavailable | unavailable error stale, failing 30d0s | 1d | ~1h | 9`,
		},
		{
			name: "Peek with nothing cached: everything is denied (R-15) except /robots.txt itself (R-6)",
			table: `
			call              | answer                                                           | retrieval         | age | next  | requests
			peek /private     | denied unreachable                                               | unreachable error | -   | 0     | 0
			peek /robots.txt  | denied unreachable [draft2019,rfc9309 allowed robots-txt-itself] | unreachable error | -   | 0     | 0`,
		},
		{
			name: "Refresh makes a retrieval even if the answer is fresh (G-1)",
			table: `
			at  | server                                      | call     | answer              | retrieval       | age | next  | requests
			0   | 200; Cache-Control: max-age=3600; Etag: "1" | refresh  |                     |                 |     |       | 1
			1m  |                                             | refresh  |                     |                 |     |       | 2 conditional [google 2]
			2m  |                                             | /private | denied rule         | rules 200       | 1m  | 59m   | 2
			3m  | 200 other; Cache-Control: max-age=3600      | refresh  |                     |                 |     |       | 3 conditional [google 3]
			4m  |                                             | /private | allowed no-rule-matched | rules 200   | 1m  | 59m   | 3
			5m  | 500                                         | refresh  |                     |                 |     |       | 4
			5m  |                                             | /other   | denied rule         | rules 200, failing 0s | 2m | 58m | 4
			6m  | 404                                         | refresh  |                     |                 |     |       | 5
			6m  |                                             | /other   | allowed unavailable | unavailable 404 | 0   | 24h [draft1996 7d] | 5`,
		},
		{
			name: "Refresh makes a retrieval before the back-off is over (R-15)",
			table: `
			at  | server | call     | answer             | retrieval                   | age | next  | requests
			0   | 500    | /private | denied unreachable | unreachable 500, failing 0s | 0   | ~1m   | 1
			10s | 200    | refresh  |                    |                             |     |       | 2
			11s |        | /private | denied rule        | rules 200                   | 1s  |       | 2`,
		},
		{
			name: "Forget deletes what is cached",
			table: `
			at  | server                                      | call          | answer             | retrieval                   | age | next  | requests
			0   | 200; Cache-Control: max-age=3600; Etag: "1" | /private      | denied rule        | rules 200                   | 0   | 1h    | 1
			1m  |                                             | forget        |                    |                             |     |       | 1
			1m  |                                             | peek /private | denied unreachable | unreachable error           | -   | 0     | 1
			1m  |                                             | /private      | denied rule        | rules 200                   | 0   | 1h    | 2
			2h  | 500                                         | /private      | denied unreachable | unreachable 500, failing 0s | 0   | ~1m   | 3 conditional [google 3]
			3h  |                                             | forget        |                    |                             |     |       | 3
			31d |                                             | /private      | denied unreachable | unreachable 500, failing 0s | 0   | ~1m   | 4
			61d every 7d |                                    | /private      | allowed unavailable| unavailable 500 stale, failing 30d0s | 0 | ~32m | 9`,
		},
	})
}

// PeekSite makes no retrieval, and its Result is the retrieval that the answers come from.
func TestResultOfPeekSite(t *testing.T) {
	w, ctx := newWorld(t, nil, nil), context.Background()
	for _, step := range []struct {
		at     time.Duration
		server string
		check  bool
		want   string
	}{
		{0, "200; Cache-Control: max-age=600", false, "nothing"},
		{0, "", true, "200, 0s ago, 48 bytes"},
		{time.Hour, "500", false, "200, 1h0m0s ago, 48 bytes"},
		{time.Hour, "", true, "500, 0s ago, 0 bytes"},
		{7 * 24 * time.Hour, "", true, "500, 0s ago, 0 bytes"},
		{14 * 24 * time.Hour, "", true, "500, 0s ago, 0 bytes"},
		{21 * 24 * time.Hour, "", true, "500, 0s ago, 0 bytes"},
		{28 * 24 * time.Hour, "", true, "500, 0s ago, 0 bytes"},
		{31 * 24 * time.Hour, "", true, "200, 31d0s ago, 48 bytes"},
		{32 * 24 * time.Hour, "404", true, "404, 0s ago, 0 bytes"},
	} {
		w.clock.set(start.Add(step.at))
		w.site.do(t, step.server)
		before := w.site.requests()
		if step.check {
			if _, err := w.cache.Check(ctx, agents, w.site.origin.String()+"/"); err != nil {
				t.Fatal(err)
			}
			before++
		}
		got := "nothing"
		site, err := w.cache.PeekSite(ctx, w.site.origin)
		if err != nil {
			t.Fatal(err)
		}
		if r := site.Result(); r != nil {
			got = fmt.Sprintf("%d, %s ago, %d bytes", r.Status, short(w.clock.Now().Sub(r.End)), len(r.Body))
		}
		if got != step.want || w.site.requests() != before {
			t.Errorf("after %s: %s, %d requests, want %s, %d", step.at, got, w.site.requests(), step.want, before)
		}
	}
}

// A record contains the facts of retrievals, not what they mean.
func TestRecordAfterFailures(t *testing.T) {
	store := cache.NewMemory(0, 0)
	w, ctx := newWorld(t, nil, func(c *cache.Cache) { c.Store = store }), context.Background()
	record := func(at time.Duration, server string) *cache.Record {
		t.Helper()
		w.clock.set(start.Add(at))
		w.site.do(t, server)
		if _, err := w.cache.Check(ctx, agents, w.site.origin.String()+"/"); err != nil {
			t.Fatal(err)
		}
		w.cache.Settle()
		r, err := store.Get(ctx, w.site.origin)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := record(0, "200; Cache-Control: max-age=600")
	if r.Origin != w.site.origin || r.Answered == nil || r.Answered != r.Copy || r.Failed != nil || r.Last() != r.Answered ||
		string(r.Body()) != bodies[""] || !r.FailingSince.IsZero() || r.Failures != 0 {
		t.Errorf("with a file: %+v", r)
	}
	record(time.Hour, "500")
	r = record(2*time.Hour, "500")
	if r.Failed == nil || r.Failed.Status != 500 || r.Last() != r.Failed || r.Answered == nil || r.Answered != r.Copy ||
		!r.FailingSince.Equal(start.Add(time.Hour)) || r.Failures != 2 || string(r.Body()) != bodies[""] {
		t.Errorf("after failures: %+v", r)
	}
	r = record(4*time.Hour, "404")
	if r.Failed != nil || r.Answered.Status != 404 || r.Answered.Body != nil || r.Copy == nil || !r.FailingSince.IsZero() || r.Failures != 0 {
		t.Errorf("without a file: %+v", r)
	}
}

// A URL without an origin is an error, and the Answer denies.
func TestInvalidURLs(t *testing.T) {
	w, ctx := newWorld(t, nil, nil), context.Background()
	for _, url := range []string{"", "/private", "example.com/", "mailto:a@example.com", "gopher://example.com/", "http://", "http://example.com:99999/"} {
		a, err := w.cache.Check(ctx, agents, url)
		if err == nil || a.Allowed || a.Reason != robotstxt.InvalidTarget || !a.Origin.IsZero() {
			t.Errorf("%q: %s, %v", url, decision(a.Decision), err)
		}
		if a.String() != "disallowed: not an absolute URL" || a.Because() != "not an absolute URL" {
			t.Errorf("%q: %s", url, a)
		}
	}
}

// G-11, R-2, R-3: which groups apply to a crawler, for many crawlers.
func TestGroupsOfManyCrawlers(t *testing.T) {
	const file = "User-agent: *\nDisallow: /all\n\n" +
		"User-agent: news\nDisallow: /news\nCrawl-delay: 7\n\n" +
		"User-agent: bot\nDisallow: /bot\nCrawl-delay: 3\n"
	var text strings.Builder
	text.WriteString(file)
	const many = 40
	letters := func(i int) string { return string([]rune{'a' + rune(i/26), 'a' + rune(i%26)}) }
	for i := range many {
		fmt.Fprintf(&text, "\nUser-agent: crawler%s\nDisallow: /%s\n", letters(i), letters(i))
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text.String()) }))
	defer site.Close()
	ctx := context.Background()
	for _, d := range newer {
		c := &cache.Cache{Dialect: d, Fetcher: anyone}
		check := func(path, want string, delay time.Duration, agents ...string) {
			t.Helper()
			a, err := c.Check(ctx, agents, site.URL+path)
			if d == robotstxt.Google {
				delay = 0 // G-10
			}
			if err != nil || decision(a.Decision) != want || a.CrawlDelay != delay {
				t.Errorf("%s, %q, %s: %s, delay %s, %v, want %s, %s", d, agents, path, decision(a.Decision), a.CrawlDelay, err, want, delay)
			}
		}
		for range 2 {
			check("/news", "denied rule", 7*time.Second, "news", "bot")
			check("/bot", "allowed no-rule-matched", 7*time.Second, "news", "bot")
			check("/bot", "denied rule", 3*time.Second, "bot", "news")
			check("/news", "allowed no-rule-matched", 3*time.Second, "bot", "news")
			check("/bot", "denied rule", 3*time.Second, "images", "bot")
			check("/all", "denied rule", 0, "images")
			check("/all", "denied rule", 0, "*")
			for i := range many {
				check("/"+letters(i), "denied rule", 0, "crawler"+letters(i))
				check("/"+letters(many-1-i), "allowed no-rule-matched", 0, "crawler"+letters(i))
			}
		}
		names := []string{"news"}
		check("/news", "denied rule", 7*time.Second, names...)
		names[0] = "bot" // the Cache has a copy of the slice
		check("/news", "allowed no-rule-matched", 3*time.Second, names...)
		names[0] = "news"
		check("/news", "denied rule", 7*time.Second, names...)
	}
	c := &cache.Cache{Fetcher: anyone}
	if a, err := c.Check(ctx, []string{"1234"}, site.URL+"/"); err != nil || a.Allowed || a.Reason != robotstxt.InvalidAgent {
		t.Errorf("no name: %s, %v", decision(a.Decision), err)
	}
}

// The Crawl-delay of an answer is that of the robots.txt in use; without one it is 0.
func TestCrawlDelay(t *testing.T) {
	for _, d := range conditional {
		w := newWorld(t, d, func(c *cache.Cache) { c.LastGood = cache.LastGoodAtOnce })
		for _, step := range []struct {
			at     time.Duration
			server string
			want   time.Duration
		}{
			{0, "200; Cache-Control: max-age=3600", 2 * time.Second},
			{time.Hour, "500", 2 * time.Second},
			{2 * time.Hour, "404", 0},
			{200 * time.Hour, "500", 0},
		} {
			w.clock.set(start.Add(step.at))
			w.site.do(t, step.server)
			a, err := w.cache.Check(context.Background(), agents, w.site.origin.String()+"/")
			if err != nil || a.CrawlDelay != step.want {
				t.Errorf("%s, %s: %s, %v, want %s", d, step.server, a.CrawlDelay, err, step.want)
			}
		}
	}
}

// If the context of a caller ends, Check returns at once; the retrieval goes on for the others.
func TestContextOfOneCallerEnds(t *testing.T) {
	var requests atomic.Int64
	requested, answer := make(chan bool, 10), make(chan bool)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		requested <- true
		select {
		case <-answer:
			fmt.Fprint(w, bodies[""])
		case <-r.Context().Done():
		}
	}))
	defer site.Close()
	c := &cache.Cache{Fetcher: anyone}
	why := errors.New("the cause")
	first, cancel := context.WithCancelCause(context.Background())
	type outcome struct {
		cache.Answer
		err error
	}
	check := func(ctx context.Context) <-chan outcome {
		done := make(chan outcome, 1)
		go func() {
			a, err := c.Check(ctx, agents, site.URL+"/private")
			done <- outcome{a, err}
		}()
		return done
	}
	cancelled := check(first)
	<-requested
	waiting := check(context.Background())
	cancel(why)
	select {
	case got := <-cancelled:
		if !errors.Is(got.err, why) || got.Allowed {
			t.Errorf("%s, %v, want denied and the cause", decision(got.Decision), got.err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Check did not return after its context ended")
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if a, err := c.Check(ended, agents, site.URL+"/private"); !errors.Is(err, context.Canceled) || a.Allowed {
		t.Errorf("with a context that has ended: %s, %v", decision(a.Decision), err)
	}
	close(answer)
	if got := <-waiting; got.err != nil || decision(got.Decision) != "denied rule" {
		t.Errorf("the caller that waits: %s, %v", decision(got.Decision), got.err)
	}
	if a, err := c.Check(context.Background(), agents, site.URL+"/"); err != nil || !a.Allowed {
		t.Errorf("afterwards: %s, %v", decision(a.Decision), err)
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// If the Fetcher cannot send a request at all, Check returns an error, and nothing is cached.
func TestFetcherThatCannotSend(t *testing.T) {
	w := newWorld(t, nil, func(c *cache.Cache) { c.Fetcher = &fetch.Fetcher{UserAgent: "1234", AllowPrivate: true} })
	w.site.do(t, "200")
	a, err := w.cache.Check(context.Background(), agents, w.site.origin.String()+"/")
	if err == nil || a.Allowed || w.site.requests() != 0 {
		t.Errorf("%s, %v, %d requests", decision(a.Decision), err, w.site.requests())
	}
	if a, err = peek(context.Background(), w.cache, w.site.origin.String()+"/"); err != nil || a.Err == nil || !a.FailingSince.IsZero() {
		t.Errorf("cached: %s, %v", retrievalText(a, w.clock.Now()), err)
	}
}

// unableFetcher is a Fetcher that cannot send a request while err is set.
type unableFetcher struct {
	cache.Fetcher
	err atomic.Pointer[error]
}

func (m *unableFetcher) Fetch(ctx context.Context, o origin.Origin, v fetch.Validators) (fetch.Result, error) {
	if err := m.err.Load(); err != nil {
		return fetch.Result{}, *err
	}
	return m.Fetcher.Fetch(ctx, o, v)
}

// G-8: after a refresh in the background that could not send a request, the next question tries
// again.
func TestRefreshThatCannotSend(t *testing.T) {
	f := &unableFetcher{Fetcher: anyone}
	w := newWorld(t, nil, func(c *cache.Cache) { c.Fetcher = f })
	check := func(at time.Duration, want string, requests int) {
		t.Helper()
		w.clock.set(start.Add(at))
		a, err := w.cache.Check(context.Background(), agents, w.site.origin.String()+"/private")
		w.cache.Settle()
		if got := retrievalText(a, w.clock.Now()) + ", age " + short(a.Age); err != nil || got != want || w.site.requests() != requests {
			t.Errorf("after %s: %s, %v, %d requests, want %s, %d", at, got, err, w.site.requests(), want, requests)
		}
	}
	w.site.do(t, "200; Cache-Control: max-age=6000")
	check(0, "rules 200, age 0s", 1)
	unable := errors.New("no request")
	f.err.Store(&unable)
	check(91*time.Minute, "rules 200, age 1h31m0s", 1)
	f.err.Store(nil)
	check(92*time.Minute, "rules 200, age 1h32m0s", 2)
	check(93*time.Minute, "rules 200, age 1m0s", 2)
}

// an origin with a refused address is denied, and this is not stored.
func TestRefusedAddressIsNotStored(t *testing.T) {
	store := cache.NewMemory(0, 0)
	w := newWorld(t, nil, func(c *cache.Cache) { c.Fetcher, c.Store = &fetch.Fetcher{}, store })
	w.site.do(t, "404")
	ctx := context.Background()
	a, err := w.cache.Check(ctx, agents, w.site.origin.String()+"/")
	if got := retrievalText(a, w.clock.Now()); err != nil || a.Allowed || got != "unreachable error" || w.site.requests() != 0 {
		t.Errorf("%s, %s, %v, %d requests", decision(a.Decision), got, err, w.site.requests())
	}
	if _, err := store.Get(ctx, w.site.origin); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("in the store: %v, want ErrNotFound", err)
	}
	other := &cache.Cache{Fetcher: anyone, Store: store, Now: w.clock.Now}
	if a, err := other.Check(ctx, agents, w.site.origin.String()+"/"); err != nil || decision(a.Decision) != "allowed unavailable" {
		t.Errorf("a Cache that allows the address: %s, %v", decision(a.Decision), err)
	}
	if a, err := w.cache.Check(ctx, agents, w.site.origin.String()+"/"); err != nil || a.Allowed {
		t.Errorf("during the back-off: %s, %v", decision(a.Decision), err)
	}
}

// validators are sent only to the URL from which they came.
func TestValidatorsOfRedirects(t *testing.T) {
	for _, d := range conditional {
		w := newWorld(t, d, nil)
		type visit struct {
			server      string
			conditional bool
		}
		var visits []visit
		serve := func(name string, h http.HandlerFunc) *httptest.Server {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				visits = append(visits, visit{name, isConditional(r.Header)}) // no lock: requests come one after the other
				h(w, r)
			}))
			t.Cleanup(s.Close)
			return s
		}
		file := func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Etag", `"1"`)
			w.Header().Set("Cache-Control", "max-age=600")
			if r.Header.Get("If-None-Match") == `"1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprint(w, bodies[""])
		}
		b, c := serve("b", file), serve("c", file)
		var to string
		a := serve("a", func(w http.ResponseWriter, r *http.Request) {
			if to == "" {
				file(w, r)
				return
			}
			http.Redirect(w, r, to, http.StatusFound)
		})
		for i, step := range []struct {
			to   string
			want string
		}{
			{b.URL + "/robots.txt", "[{a false} {b false}]"},
			{b.URL + "/robots.txt", "[{a false} {b true}]"},
			{b.URL + "/robots.txt", "[{a false} {b true}]"},
			{b.URL + "/elsewhere.txt", "[{a false} {b false}]"},
			{c.URL + "/elsewhere.txt", "[{a false} {c false}]"},
			{"", "[{a false}]"},
			{"", "[{a true}]"},
		} {
			w.clock.set(start.Add(time.Duration(i) * time.Hour))
			to, visits = step.to, nil
			got, err := w.cache.Check(context.Background(), agents, a.URL+"/private")
			if err != nil || decision(got.Decision) != "denied rule" {
				t.Errorf("%s, step %d: %s, %v", d, i, decision(got.Decision), err)
			}
			if got := fmt.Sprint(visits); got != step.want {
				t.Errorf("%s, step %d: visits %s, want %s", d, i, got, step.want)
			}
		}
	}
}

// R-13, S96-1: the redirects of the last retrieval count, also if it ended with 304.
func TestRedirectsTo304(t *testing.T) {
	for d, want := range map[*robotstxt.Dialect]string{
		robotstxt.Draft1996: "denied rule",
		robotstxt.RFC9309:   "allowed unavailable",
	} {
		w := newWorld(t, d, nil)
		var redirects, validated int
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var hop int
			fmt.Sscanf(r.URL.Path, "/hop/%d", &hop)
			switch {
			case r.URL.Path == "/file" && isConditional(r.Header):
				validated++
				w.WriteHeader(http.StatusNotModified)
			case r.URL.Path == "/file":
				w.Header().Set("Etag", `"1"`)
				w.Header().Set("Cache-Control", "max-age=600")
				fmt.Fprint(w, bodies[""])
			case hop+1 < redirects:
				http.Redirect(w, r, fmt.Sprintf("/hop/%d", hop+1), http.StatusFound)
			default:
				http.Redirect(w, r, "/file", http.StatusFound)
			}
		}))
		defer site.Close()
		for i, step := range []struct {
			redirects int
			want      string
		}{{1, "denied rule"}, {5, "denied rule"}, {6, want}} {
			redirects = step.redirects
			w.clock.set(start.Add(time.Duration(i) * time.Hour))
			a, err := w.cache.Check(context.Background(), agents, site.URL+"/private")
			if err != nil || decision(a.Decision) != step.want || validated != i {
				t.Errorf("%s, %d redirects: %s, %v, not modified %d times, want %s, %d",
					d, redirects, decision(a.Decision), err, validated, step.want, i)
			}
		}
	}
}
