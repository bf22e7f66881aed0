package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// liveSites is the flags for live sites, and the cache that retrieves their robots.txt files.
type liveSites struct {
	*app
	store            string
	offline, refresh bool
	fetcher          fetch.Fetcher
	pages            bool // --pages-unreachable
	command          *cobra.Command

	opening     sync.Mutex
	opened      cache.Store // nil: there is none
	closeStore  func() error
	caches      map[*robotstxt.Dialect]*cache.Cache
	cache       *cache.Cache // the one of open
	refreshed   sync.Map     // a cache and an origin to a func() error that refreshes it once
	sitemaps    *http.Client // retrieves sitemaps; nil: none yet
	storeNotice sync.Once    // reports that the store does not work

	retrieved, failing atomic.Int64 // retrievals of this run, and those that found the site unreachable
	latest             atomic.Pointer[fetch.Result]
	waits              waits // only counted if progress is shown
}

func (l *liveSites) flags(c *cobra.Command) {
	storeFlag(c, &l.store)
	c.Flags().BoolVar(&l.offline, "offline", false, "use only the cache, even if it is stale, and retrieve nothing")
	c.Flags().BoolVar(&l.refresh, "refresh", false, "retrieve each robots.txt again, even if the cached one is fresh")
	l.retrievalFlags(c)
	l.command = c
}

const pagesFlag = "pages-unreachable"

// retrievalFlags adds the flags that set how a retrieval is made, and what it means.
func (l *liveSites) retrievalFlags(c *cobra.Command) {
	c.Flags().StringVar(&l.fetcher.UserAgent, "user-agent", "", "User-Agent header to send; must contain the crawler's product token (default: Heed's own)")
	c.Flags().DurationVar(&l.fetcher.Timeout, "timeout", 30*time.Second, "time limit for one retrieval, with its redirects; time spent in a queue is not counted")
	c.Flags().BoolVar(&l.fetcher.AllowPrivate, "allow-private", false, "also connect to loopback, private and other addresses that are not public")
	c.Flags().BoolVar(&l.pages, pagesFlag, false, "treat a site as unreachable if its robots.txt is an HTML page or a JSON value, such as a login form")
}

// statuses returns what the responses of a site mean in a dialect.
func (l *liveSites) statuses(d *robotstxt.Dialect) fetch.Statuses {
	s := fetch.StatusesOf(d)
	if l.pages {
		s.Pages = fetch.Unreachable
	}
	return s
}

// changedFlag returns a flag for live sites that is given; "": none is.
func (l *liveSites) changedFlag() string {
	for _, flag := range []string{"store", "offline", "refresh", "user-agent", "timeout", "allow-private", pagesFlag, "jobs", "unordered"} {
		if l.command.Flags().Changed(flag) {
			return flag
		}
	}
	return ""
}

// checkFor checks the flags, and that the User-Agent header fits the crawlers.
func (l *liveSites) checkFor(crawlers [][]string) error {
	if err := l.check(); err != nil || l.fetcher.UserAgent == "" {
		return err
	}
	return checkUserAgent(l.fetcher.UserAgent, crawlers...)
}

// check checks the flags.
func (l *liveSites) check() error {
	if l.offline && l.refresh {
		return errors.New("--offline retrieves nothing, and --refresh retrieves everything: leave one of them out")
	}
	if l.fetcher.Timeout <= 0 {
		return fmt.Errorf("--timeout %s: expected a time, such as 30s", l.fetcher.Timeout)
	}
	if sent := l.fetcher.UserAgent; sent != "" {
		if _, ok := robotstxt.ProductToken(sent); !ok {
			return fmt.Errorf("--user-agent %q has no product token in it; expected a header such as 'ExampleBot/1.0 (+https://example.com/bot)'", sent)
		}
	}
	return nil
}

// visit checks the flags, opens the cache, and calls do with the origin that an argument means.
// Meanwhile, progress is shown.
func (l *liveSites) visit(given string, d *robotstxt.Dialect, do func(context.Context, origin.Origin) error) error {
	o, err := l.originOf(given)
	if err != nil {
		return err
	}
	if err := l.check(); err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	defer l.close()
	if err := l.open(d); err != nil {
		return err
	}
	defer l.showRetrieving(o)()
	if err = do(ctx, o); ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// site returns the site of an origin, in the dialect of open.
func (l *liveSites) site(ctx context.Context, o origin.Origin) (*cache.Site, error) {
	return l.siteIn(ctx, l.cache, o)
}

// siteIn returns the site of an origin, as a cache has it. With --refresh, it is refreshed once in a run.
func (l *liveSites) siteIn(ctx context.Context, c *cache.Cache, o origin.Origin) (*cache.Site, error) {
	if l.errTTY {
		defer l.waits.begin(o)()
	}
	if l.offline {
		return c.PeekSite(ctx, o)
	}
	if l.refresh {
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

// fetched counts a retrieval, and keeps the latest one.
func (l *liveSites) fetched(r *fetch.Result, by fetch.Statuses) {
	l.latest.Store(r)
	l.retrieved.Add(1)
	if r.OutcomeBy(by) == fetch.Unreachable {
		l.failing.Add(1)
	}
}

// waits counts the checks that wait for a site.
type waits struct {
	mu    sync.Mutex
	sites map[string]int // how many checks wait for each origin
}

// begin counts a check of an origin until end is called.
func (w *waits) begin(o origin.Origin) (end func()) {
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

// now returns the number of sites that checks wait for, and one of them.
func (w *waits) now() (site string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for site = range w.sites {
	}
	return site, len(w.sites)
}

// progress returns a text such as "retrieving from https://a.example, 3 s" if all checks wait
// for one site, or else "7 sites retrieved, 2 failing, 3 s".
func (l *liveSites) progress(elapsed time.Duration) string {
	if site, n := l.waits.now(); n == 1 {
		return fmt.Sprintf("retrieving from %s, %s", site, seconds(elapsed))
	}
	s := seconds(elapsed)
	if n := l.failing.Load(); n > 0 {
		s = fmt.Sprintf("%d failing, %s", n, s)
	}
	if n := l.retrieved.Load(); n > 0 {
		s = fmt.Sprintf("%s retrieved, %s", printable.Counted(int(n), "site"), s)
	}
	return s
}

// needsRemark reports whether output shows the retrieval of an answer. It does not if the
// answer comes from a fresh robots.txt, or if the site has none.
func needsRemark(a *cache.Answer) bool {
	return a.Outcome == fetch.Unreachable || a.Stale || a.Page != fetch.NoPage || !a.FailingSince.IsZero()
}

// retrievalText describes the retrieval that an answer comes from.
func retrievalText(a *cache.Answer) string {
	return printable.Text(live.RetrievalText(a, hint(a.Err)))
}

// hint returns a text that names the flag which would allow a refused retrieval, such as
// "see --allow-private"; "": no flag would.
func hint(err error) string {
	if errors.Is(err, fetch.AddressRefused) {
		return "see --allow-private"
	}
	return ""
}
