package cache_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// statusFetcher is a Fetcher that returns a status and a body; 0 is a failure. If err is set, Fetch
// returns it, as if no request could be sent.
type statusFetcher struct {
	status    int
	body      string
	redirects int
	err       error
}

func (f *statusFetcher) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	if f.err != nil {
		return fetch.Result{}, f.err
	}
	r := fetch.Result{Origin: o, Status: f.status, Body: []byte(f.body)}
	for range f.redirects {
		r.Hops = append(r.Hops, fetch.Hop{URL: o.RobotsURL(), Status: 301})
	}
	if f.status == 0 {
		r.Err = errors.New("no answer")
	}
	return r, nil
}

const siteBody = `User-agent: *
Disallow: /everyone
Sitemap: https://a.example/sitemap.xml
Sitemap: /relative.xml

User-agent: ExampleBot
Disallow: /private
Crawl-delay: 7
Noindex: /old
Sitemap: https://cdn.example/more.xml
`

// A Site returns everything that a robots.txt contains. A crawler is named by its product tokens or
// as "*".
func TestSite(t *testing.T) {
	c := &cache.Cache{Fetcher: &statusFetcher{status: 200, body: siteBody}}
	defer c.Close()
	s, err := c.Site(context.Background(), originOf("https://a.example/whatever"))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct{ agent, target, want string }{
		{"ExampleBot", "/private", "denied rule"},
		{"ExampleBot", "https://a.example/private", "denied rule"},
		{"ExampleBot", "https://A.example:443/everyone", "allowed no-rule-matched"},
		{"*", "/everyone", "denied rule"},
		{"OtherBot", "/everyone", "denied rule"},
		{"ExampleBot", "https://b.example/x", "denied other-origin"},
		{"ExampleBot", "http://a.example/x", "denied other-origin"},
		{"(", "/x", "denied invalid-agent"},
	} {
		a, err := s.Check([]string{q.agent}, q.target)
		if got := decision(a.Decision); err != nil || got != q.want || a.Origin != s.Origin() {
			t.Errorf("%s %s: %s, %v, want %s", q.agent, q.target, got, err, q.want)
		}
		trace, err := s.Explain([]string{q.agent}, q.target)
		if err != nil || trace.Decision != a.Decision || trace.Dialect != robotstxt.RFC9309 || trace.Target != q.target {
			t.Errorf("%s %s: Explain decides %s, %v", q.agent, q.target, decision(trace.Decision), err)
		}
	}
	for _, target := range []string{"", "x", "mailto:a@b"} {
		if a, err := s.Check(agents, target); err == nil || a.Reason != robotstxt.InvalidTarget || !strings.HasSuffix(err.Error(), `; a path must begin with "/"`) {
			t.Errorf("%q: %+v, %v", target, a, err)
		}
		if trace, err := s.Explain(agents, target); err == nil || trace.Decision.Reason != robotstxt.InvalidTarget {
			t.Errorf("%q: %+v, %v", target, trace, err)
		}
	}
	for _, target := range []string{"/", "x", "https://b.example/"} {
		if trace, _ := s.ExplainIn(nil, nil, agents, target); trace.Dialect != robotstxt.RFC9309 {
			t.Errorf("%q is explained in %s", target, trace.Dialect)
		}
	}
	if a, err := s.Check(agents, "/"); err != nil || a.CrawlDelay != 7*time.Second {
		t.Errorf("an answer has the delay %s, %v", a.CrawlDelay, err)
	}
	if got := s.Sitemaps(); !slices.Equal(got, []string{"https://a.example/sitemap.xml", "https://cdn.example/more.xml"}) {
		t.Errorf("sitemaps: %q", got)
	}
	records, err := s.Records(agents)
	if got := fmt.Sprintf("%+v", records); err != nil || got != "[{Delay:7s} {Pattern:/old}]" {
		t.Errorf("records: %s, %v", got, err)
	}
	if delay, err := s.CrawlDelay(agents); err != nil || delay != 7*time.Second {
		t.Errorf("delay: %s, %v", delay, err)
	}
	if n := len(slices.Collect(s.File().Lines())); n != strings.Count(siteBody, "\n") {
		t.Errorf("%d lines", n)
	}
}

// A question that names no crawler returns ErrNoAgent, and makes no retrieval.
func TestQuestionWithoutCrawler(t *testing.T) {
	c := &cache.Cache{Fetcher: &statusFetcher{err: errors.New("a retrieval")}}
	defer c.Close()
	ctx := context.Background()
	var errs []error
	for _, none := range [][]string{nil, {}} {
		a, err := c.Check(ctx, none, "https://a.example/")
		if errs = append(errs, err); a.Allowed {
			t.Error("allowed")
		}
		s, err := c.PeekSite(ctx, originOf("https://a.example/"))
		if err != nil {
			t.Fatal(err)
		}
		_, err2 := s.Check(none, "/")
		_, err3 := s.Explain(none, "/")
		_, err4 := s.Records(none)
		_, err5 := s.CrawlDelay(none)
		errs = append(errs, err2, err3, err4, err5)
	}
	for i, err := range errs {
		if !errors.Is(err, cache.ErrNoAgent) || !strings.Contains(err.Error(), `"*"`) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// If nothing is cached, a Site of PeekSite denies with ErrNotCached, in each dialect.
func TestNothingIsCached(t *testing.T) {
	c := &cache.Cache{Fetcher: &statusFetcher{err: errors.New("a retrieval")}}
	defer c.Close()
	a, err := peek(context.Background(), c, "https://a.example/")
	if err != nil || !errors.Is(a.Err, cache.ErrNotCached) || a.Allowed || a.Age != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	s, err := c.PeekSite(context.Background(), originOf("https://a.example/"))
	if err != nil || s.Result() != nil || len(s.Sitemaps()) != 0 || s.SHA256() != "" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, d := range robotstxt.Dialects() {
		trace, err := s.ExplainIn(d, nil, agents, "/")
		if err != nil || trace.Decision.Allowed || trace.Decision.Reason != robotstxt.Unreachable || trace.Dialect != d {
			t.Errorf("%s: %+v, %v", d, trace, err)
		}
	}
}

// ExplainIn decides by the status, and by how long the origin has been unreachable (R-6, R-15,
// The decision is the same for each dialect of the Cache.
func TestExplainInEachDialect(t *testing.T) {
	older, newer, google := "standard1994 draft1996", "draft2019 rfc9309", "google"
	for _, c := range []struct {
		name    string
		fetcher statusFetcher
		fails   time.Duration // how long the origin has failed, with a question each day
		target  string
		want    map[string]string
	}{
		{"rules", statusFetcher{status: 200, body: "User-agent: *\nDisallow: /*x\n"}, 0, "/x",
			map[string]string{older: "allowed no-rule-matched", newer: "denied rule", google: "denied rule"}},
		{"403", statusFetcher{status: 403}, 0, "/x",
			map[string]string{older: "denied restricted", newer: "allowed unavailable", google: "allowed unavailable"}},
		{"403, /robots.txt", statusFetcher{status: 403}, 0, "/robots.txt",
			map[string]string{older: "denied restricted", newer: "allowed unavailable", google: "allowed unavailable"}},
		{"six redirects", statusFetcher{status: 200, body: someBody, redirects: 6}, 0, "/x",
			map[string]string{older: "denied rule", newer: "allowed unavailable", google: "allowed unavailable"}},
		{"no answer", statusFetcher{}, 0, "/x",
			map[string]string{older: "denied unreachable", newer: "denied unreachable", google: "denied unreachable"}},
		{"no answer, /robots.txt", statusFetcher{}, 0, "/robots.txt",
			map[string]string{older: "denied unreachable", newer: "allowed robots-txt-itself", google: "denied unreachable"}},
		{"no answer for 29 days", statusFetcher{}, 29 * day, "/x",
			map[string]string{older: "denied unreachable", newer: "denied unreachable", google: "denied unreachable"}},
		{"no answer for 31 days", statusFetcher{}, 31 * day, "/x",
			map[string]string{older: "allowed unavailable", newer: "allowed unavailable", google: "allowed unavailable"}},
		{"no answer for 31 days, /robots.txt", statusFetcher{}, 31 * day, "/robots.txt",
			map[string]string{older: "allowed unavailable", newer: "allowed unavailable", google: "allowed unavailable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, own := range robotstxt.Dialects() {
				s := siteAfter(t, own, 30*day, c.fetcher, c.fails)
				for names, want := range c.want {
					for name := range strings.FieldsSeq(names) {
						d, _ := robotstxt.DialectNamed(name)
						trace, err := s.ExplainIn(d, nil, agents, c.target)
						if got := decision(trace.Decision); err != nil || got != want || trace.Dialect != d || !slices.Equal(trace.Agents, agents) {
							t.Errorf("%s in a Cache of %s: %s in %s, %v, want %s", d, own, got, trace.Dialect, err, want)
						}
					}
				}
				a, err := s.Check(agents, c.target)
				trace, _ := s.Explain(agents, c.target)
				if err != nil || a.Decision != trace.Decision || trace.Dialect != own {
					t.Errorf("%s: %s, explained as %s in %s", own, decision(a.Decision), decision(trace.Decision), trace.Dialect)
				}
			}
		})
	}
}

const (
	day      = 24 * time.Hour
	someBody = "User-agent: *\nDisallow: /x\n"
)

// siteAfter returns the Site of a Cache after one question each day for some time.
func siteAfter(t *testing.T, d *robotstxt.Dialect, relaxAfter time.Duration, f statusFetcher, fails time.Duration) *cache.Site {
	t.Helper()
	now := start
	c := &cache.Cache{Fetcher: &f, Dialect: d, RelaxAfter: relaxAfter, Now: func() time.Time { return now }}
	t.Cleanup(func() { c.Close() })
	for ; ; now = now.Add(day) {
		s, err := c.Site(context.Background(), originOf("https://a.example/"))
		if err != nil {
			t.Fatal(err)
		}
		if !now.Before(start.Add(fails)) {
			return s
		}
	}
}

// S96-1: without RelaxAfter, the draft of 1996 has no end of a failure, in a Cache of each dialect.
func TestExplainIn1996(t *testing.T) {
	for _, own := range robotstxt.Dialects() {
		s := siteAfter(t, own, 0, statusFetcher{}, 31*day)
		for d, want := range map[*robotstxt.Dialect]string{robotstxt.Draft1996: "denied unreachable", own: "allowed unavailable"} {
			if own == robotstxt.Draft1996 {
				want = "denied unreachable"
			}
			if trace, err := s.ExplainIn(d, nil, agents, "/"); err != nil || decision(trace.Decision) != want {
				t.Errorf("%s in a Cache of %s: %s, %v", d, own, decision(trace.Decision), err)
			}
		}
	}
}

// All methods of a Site use the file in memory, which is parsed once.
func TestSiteParsesOnce(t *testing.T) {
	large := &statusFetcher{status: 200, body: someBody + strings.Repeat("# nothing\n", 40<<10)}
	c := &cache.Cache{Fetcher: large}
	defer c.Close()
	s, err := c.Site(context.Background(), originOf("https://a.example/"))
	if err != nil {
		t.Fatal(err)
	}
	useAll := func() {
		a, _ := s.Check(agents, "/x")
		trace, _ := s.Explain(agents, "/x")
		if a.Allowed || trace.Decision != a.Decision {
			t.Errorf("%+v, %+v", a, trace)
		}
		s.Sitemaps()
	}
	useAll()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	useAll()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > uint64(len(large.body))/2 {
		t.Errorf("%d bytes are allocated for more questions", n)
	}
}

// ExplainIn uses the given Statuses or those of the dialect, not those of the Cache.
func TestExplainInUsesStatusesOfDialect(t *testing.T) {
	strict := func(d *robotstxt.Dialect) *fetch.Statuses {
		s := fetch.StatusesOf(d)
		s.NotFound = fetch.Restricted
		return &s
	}
	c := &cache.Cache{Fetcher: &statusFetcher{status: 404}, Statuses: strict(nil)}
	defer c.Close()
	s, err := c.Site(context.Background(), originOf("https://a.example/"))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		statuses *fetch.Statuses
		want     string
	}{{nil, "allowed unavailable"}, {strict(robotstxt.Google), "denied restricted"}} {
		trace, err := s.ExplainIn(robotstxt.Google, q.statuses, agents, "/")
		if got := decision(trace.Decision); err != nil || got != q.want {
			t.Errorf("%s, %v, want %s", got, err, q.want)
		}
	}
	if trace, err := s.ExplainIn(nil, nil, agents, "/"); err != nil || !trace.Decision.Allowed {
		t.Errorf("with the statuses of RFC 9309: %s, %v", decision(trace.Decision), err)
	}
	if trace, err := s.Explain(agents, "/"); err != nil || trace.Decision.Allowed {
		t.Errorf("with the statuses of the Cache: %s, %v", decision(trace.Decision), err)
	}
}

// slowError is a Fetcher that returns an error after the channel release is closed.
type slowError struct{ begun, release chan struct{} }

func (f *slowError) Fetch(context.Context, origin.Origin, fetch.Validators) (fetch.Result, error) {
	close(f.begun)
	<-f.release
	return fetch.Result{}, errors.New("no request was sent")
}

// Forget waits for a retrieval that is under way, and then deletes. It does not return the error of
// the retrieval.
func TestForgetAfterFailedRetrieval(t *testing.T) {
	f := &slowError{make(chan struct{}), make(chan struct{})}
	store := &deletions{Store: cache.NewMemory(0, 0)}
	c := &cache.Cache{Fetcher: f, Store: store}
	defer c.Close()
	o, _ := origin.Parse("https://a.example")
	checked, forgotten := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := c.Check(context.Background(), agents, o.String()+"/")
		checked <- err
	}()
	<-f.begun
	waits := &waiting{Context: context.Background(), begun: make(chan struct{})}
	go func() { forgotten <- c.Forget(waits, o) }()
	<-waits.begun // otherwise Forget may begin after the end of the retrieval
	close(f.release)
	if err := <-checked; err == nil {
		t.Error("Check: no error")
	}
	if err := <-forgotten; err != nil || store.n != 1 {
		t.Errorf("forgotten: %v, %d deletions", err, store.n)
	}
}

// waiting is a context that closes begun when the first caller waits for its end.
type waiting struct {
	context.Context
	once  sync.Once
	begun chan struct{}
}

func (w *waiting) Done() <-chan struct{} {
	w.once.Do(func() { close(w.begun) })
	return w.Context.Done()
}

// deletions is a Store that counts the calls of Delete.
type deletions struct {
	cache.Store
	n int
}

func (d *deletions) Delete(ctx context.Context, o origin.Origin) error {
	d.n++
	return d.Store.Delete(ctx, o)
}

// String and Because return the decision in words, with the reason why no robots.txt is used.
// Control characters are escaped.
func TestAnswerInWords(t *testing.T) {
	unreachable := robotstxt.Decision{Reason: robotstxt.Unreachable}
	other := robotstxt.Decision{Reason: robotstxt.OtherOrigin}
	rule := robotstxt.Decision{Reason: robotstxt.ByRule, Rule: robotstxt.Rule{Pattern: "/x", Line: 2}}
	for want, a := range map[string]cache.Answer{
		"disallowed: nothing was decided":                                  {},
		"disallowed by line 2: Disallow: /x":                               {Decision: rule, Stale: true, Err: errors.New("late")},
		"disallowed: robots.txt is unreachable (status 503)":               {Decision: unreachable, Status: 503},
		"disallowed: robots.txt is unreachable (status 200, an HTML page)": {Decision: unreachable, Status: 200, Page: fetch.HTML},
		`disallowed: robots.txt is unreachable (\x1b[2J)`:                  {Decision: unreachable, Err: errors.New("\x1b[2J")},
		"disallowed: the URL is of another origin":                         {Decision: other, Err: cache.ErrNotCached},
		"allowed: robots.txt is unavailable (status 404)": {
			Decision: robotstxt.Decision{Allowed: true, Reason: robotstxt.Unavailable}, Status: 404},
	} {
		if got := fmt.Sprint(a); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got := a.Because(); !strings.HasSuffix(want, got) {
			t.Errorf("%s, want the end of %s", got, want)
		}
	}
}

// R-13, S96-1: if more redirects than the dialect follows are the reason, the Answer says so.
func TestManyRedirectsInWords(t *testing.T) {
	redirected := fetch.Result{Status: 302, Hops: slices.Repeat([]fetch.Hop{{URL: "https://a.example/robots.txt", Status: 302}}, 11)}
	for d, want := range map[*robotstxt.Dialect]string{
		robotstxt.RFC9309:   "allowed: robots.txt is unavailable (more than 5 redirects)",
		robotstxt.Draft1996: "disallowed: robots.txt is unreachable (more than 10 redirects)",
	} {
		late := redirected
		late.Err = errors.New("timeout")
		for _, r := range []fetch.Result{redirected, late} {
			c := &cache.Cache{Fetcher: fixedResult(r), Dialect: d}
			if a, err := c.Check(context.Background(), agents, "https://a.example/x"); err != nil || a.String() != want {
				t.Errorf("%s: %q, %v, want %q", d, a, err, want)
			}
			c.Close()
		}
	}
}
