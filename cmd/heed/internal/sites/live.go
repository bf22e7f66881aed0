// Package sites reads the things that arguments and flags name. These are crawlers, live sites, files, folders, and
// files in Git.
package sites

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/build"
	"github.com/heed-robots/heed/internal/pages"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// Live has the flags for live sites, and the cache that fetches robots.txt files.
type Live struct {
	Term             *term.Terminal
	Store            string
	Offline, Refresh bool
	Fetcher          fetch.Fetcher
	Pages            bool     // the value of --pages-unreachable
	Approved         []string // the values of --approve, for cache.Site.CheckApproved
	Command          *cobra.Command

	opening     sync.Mutex
	openStore   cache.Store // nil means that there is no store
	closeStore  func() error
	caches      map[*robotstxt.Dialect]*cache.Cache
	Cache       *cache.Cache // set by Open
	refreshed   sync.Map     // the key is a cache and an origin; the value is the func() error that refreshes this origin once
	sitemaps    *http.Client // nil until a sitemap is needed
	tdmreps     tdmReps
	storeNotice sync.Once

	FetchCount, FailCount atomic.Int64 // the retrievals of this run: all, and those that found the site unreachable
	Latest                atomic.Pointer[fetch.Result]
	Waits                 waits // counts only if a progress line is shown
}

func (l *Live) Flags(c *cobra.Command) {
	StoreFlag(c, &l.Store)
	c.Flags().BoolVar(&l.Offline, "offline", false, "use only the cache, even if it is stale, and fetch nothing")
	l.RefreshFlag(c)
	l.RetrievalFlags(c)
	l.Command = c
}

func (l *Live) RefreshFlag(c *cobra.Command) {
	c.Flags().BoolVar(&l.Refresh, "refresh", false, "fetch each robots.txt again, even if the cached one is fresh")
}

func (l *Live) RetrievalFlags(c *cobra.Command) {
	c.Flags().StringVar(&l.Fetcher.UserAgent, "user-agent", "", "User-Agent header to send; must contain the crawler's product token (default: Heed's own)")
	c.Flags().DurationVar(&l.Fetcher.Timeout, "timeout", 30*time.Second, "time limit for one retrieval, with its redirects; time spent in a queue is not counted")
	c.Flags().BoolVar(&l.Fetcher.AllowPrivate, "allow-private", false, "also connect to loopback, private and other addresses that are not public")
	c.Flags().BoolVar(&l.Pages, flags.PagesFlag, false, "treat a site as unreachable if its robots.txt is an HTML page or a JSON value, such as a login form")
}

// Statuses returns the meanings of HTTP statuses in a dialect.
func (l *Live) Statuses(d *robotstxt.Dialect) fetch.Statuses {
	s := fetch.StatusesOf(d)
	if l.Pages {
		s.Pages = fetch.Unreachable
	}
	return s
}

// ChangedFlag returns the first flag for live sites that the user has given, or "".
func (l *Live) ChangedFlag() string {
	for _, flag := range []string{"store", "offline", "refresh", "user-agent", "timeout", "allow-private", flags.PagesFlag, tdmRepFlag, approveFlag, "jobs", "unordered"} {
		if l.Command.Flags().Changed(flag) {
			return flag
		}
	}
	return ""
}

func (l *Live) CheckFor(crawlers [][]string) error {
	if err := l.Check(); err != nil || l.Fetcher.UserAgent == "" {
		return err
	}
	return CheckUserAgent(l.Fetcher.UserAgent, crawlers...)
}

func (l *Live) Check() error {
	if l.Offline && l.Refresh {
		return errors.New("--offline fetches nothing, and --refresh fetches everything: leave one of them out")
	}
	if l.Fetcher.Timeout <= 0 {
		return fmt.Errorf("--timeout %s: expected a time, such as 30s", l.Fetcher.Timeout)
	}
	if sent := l.Fetcher.UserAgent; sent != "" {
		if _, ok := robotstxt.ProductToken(sent); !ok {
			return fmt.Errorf("--user-agent %q has no product token in it; expected a header that begins with the name of the crawler, such as 'ExampleBot/1.0 (+https://example.com/bot)'", sent)
		}
	}
	return nil
}

// Visit checks the flags, opens the cache, and calls the function visit with the origin of the argument. It shows progress
// until visit returns.
func (l *Live) Visit(given string, d *robotstxt.Dialect, visit func(context.Context, origin.Origin) error) error {
	o, err := OriginOf(l.Term, given)
	if err != nil {
		return err
	}
	if err := l.Check(); err != nil {
		return err
	}
	ctx, stop := term.Interruptible()
	defer stop()
	defer l.Close()
	if err := l.Open(d); err != nil {
		return err
	}
	defer ShowFetching(l.Term, o)()
	if err = visit(ctx, o); ctx.Err() != nil {
		return term.ErrInterrupted
	}
	return err
}

func (l *Live) Site(ctx context.Context, o origin.Origin) (*cache.Site, error) {
	return l.SiteIn(ctx, l.Cache, o)
}

// SiteIn returns the site of an origin from a cache. With --refresh, each robots.txt is fetched once in a run.
func (l *Live) SiteIn(ctx context.Context, c *cache.Cache, o origin.Origin) (*cache.Site, error) {
	site, err := l.siteIn(ctx, c, o)
	if err == nil {
		err = site.CheckApproved(l.Approved)
	}
	return site, err
}

func (l *Live) siteIn(ctx context.Context, c *cache.Cache, o origin.Origin) (*cache.Site, error) {
	if l.Term.ErrTTY {
		defer l.Waits.Begin(o)()
	}
	if l.Offline {
		return c.PeekSite(ctx, o)
	}
	if l.Refresh {
		type siteIn struct {
			c *cache.Cache
			o origin.Origin
		}
		once, _ := l.refreshed.LoadOrStore(siteIn{c, o}, sync.OnceValue(func() error { return c.Refresh(ctx, o) }))
		if err := once.(func() error)(); err != nil {
			return nil, err
		}
	}
	return c.Site(ctx, o)
}

func (l *Live) fetched(r *fetch.Result, by fetch.Statuses) {
	l.Latest.Store(r)
	l.FetchCount.Add(1)
	if r.OutcomeBy(by) == fetch.Unreachable {
		l.FailCount.Add(1)
	}
}

type waits struct {
	mu    sync.Mutex
	sites map[string]int // by origin, the number of checks that wait
}

// Begin counts a check that waits for an origin. The caller must call end.
func (w *waits) Begin(o origin.Origin) (end func()) {
	site := o.String()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sites == nil {
		w.sites = map[string]int{}
	}
	w.sites[site]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.sites[site]--; w.sites[site] == 0 {
			delete(w.sites, site)
		}
	}
}

// OneSite returns any site for which checks wait, and the number of such sites.
func (w *waits) OneSite() (site string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for site = range w.sites {
	}
	return site, len(w.sites)
}

// Progress returns a text such as "fetching from https://a.example, 3 s" or "7 sites fetched, 2 failing, 3 s".
func (l *Live) Progress(elapsed time.Duration) string {
	if site, n := l.Waits.OneSite(); n == 1 {
		return fmt.Sprintf("fetching from %s, %s", site, term.Seconds(elapsed))
	}
	s := term.Seconds(elapsed)
	if n := l.FailCount.Load(); n > 0 {
		s = fmt.Sprintf("%d failing, %s", n, s)
	}
	if n := l.FetchCount.Load(); n > 0 {
		s = fmt.Sprintf("%s fetched, %s", printable.Counted(int(n), "site"), s)
	}
	return s
}

// NeedsRemark reports whether a retrieval is worth a remark, for example because it failed.
func NeedsRemark(a *cache.Answer) bool {
	return a.Outcome == fetch.Unreachable || a.Stale || a.Page != fetch.NoPage || a.LastFailure != nil
}

func RetrievalText(a *cache.Answer) string { return printable.Text(live.RetrievalText(a)) }

// DefaultJobs is how many URLs of live sites are checked at the same time. Each may need a connection.
const (
	DefaultJobs = 64
	MaxJobs     = 256
)

func (l *Live) OpenSitemap(ctx context.Context, address string) (io.ReadCloser, error) {
	response, err := l.FetchPage(ctx, address)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// FetchPage fetches a sitemap or a page with the settings of l. A status other than 200 is an error.
func (l *Live) FetchPage(ctx context.Context, address string) (*http.Response, error) {
	if l.Offline {
		return nil, errors.New("--offline fetches nothing, and sitemaps and pages are never cached: leave --offline out")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if request.URL.Scheme != "http" && request.URL.Scheme != "https" {
		return nil, fmt.Errorf("the URL has the scheme %q: expected http or https", request.URL.Scheme)
	}
	request.Header.Set("User-Agent", cmp.Or(l.Fetcher.UserAgent, build.UserAgent()))
	if l.sitemaps == nil {
		l.sitemaps = &http.Client{
			Transport: pages.New(http.ProxyFromEnvironment, l.Fetcher.AllowPrivate),
			Timeout:   l.Fetcher.Timeout,
		}
	}
	response, err := l.sitemaps.Do(request)
	var failed *url.Error
	switch {
	case errors.As(err, &failed):
		return nil, errors.New(live.Failure(fetch.NewFailure(failed.Err)))
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		response.Body.Close()
		return nil, fmt.Errorf("the server sent the status %d; expected 200", response.StatusCode)
	}
	return response, nil
}
