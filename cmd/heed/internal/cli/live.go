package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// live asks sites, or what is remembered of them.
type live struct {
	*app
	store            string
	offline, refresh bool
	fetcher          fetch.Fetcher
	pages            htmlPages
	command          *cobra.Command

	cache     *cache.Cache
	refreshed sync.Map // an origin to a func() error that asks it once
	complains sync.Once
}

func (l *live) flags(c *cobra.Command) {
	storeFlag(c, &l.store)
	c.Flags().BoolVar(&l.offline, "offline", false, "answer from what is remembered, however old, and ask no site")
	c.Flags().BoolVar(&l.refresh, "refresh", false, "ask every site again, whatever is remembered")
	fetcherFlags(c, &l.fetcher)
	l.pages.flag(c)
	l.command = c
}

// meaningless returns an error where a flag is given that says how sites are
// asked, and none is.
func (l *live) meaningless() error {
	for _, flag := range []string{"store", "offline", "refresh", "user-agent", "timeout", "allow-private", htmlFlag} {
		if l.command.Flags().Changed(flag) {
			return fmt.Errorf("--%s says how sites are asked, and with --robots FILE none is: leave one of them out", flag)
		}
	}
	return nil
}

// fetcherFlags adds the flags of retrievals.
func fetcherFlags(c *cobra.Command, f *fetch.Fetcher) {
	c.Flags().StringVar(&f.UserAgent, "user-agent", "", "User-Agent header to send; must hold the crawler's product token (default Heed's own)")
	c.Flags().DurationVar(&f.Timeout, "timeout", 30*time.Second, "how long a retrieval may take, redirects included; waiting for other retrievals is not counted")
	c.Flags().BoolVar(&f.AllowPrivate, "allow-private", false, "connect to loopback, private and other addresses that are not public")
}

// checkFetcher checks the flags of retrievals.
func checkFetcher(f *fetch.Fetcher) error {
	if f.Timeout <= 0 {
		return fmt.Errorf("--timeout %s: expected a time, such as 30s", f.Timeout)
	}
	if _, ok := robotstxt.ProductToken(f.UserAgent); !ok && f.UserAgent != "" {
		return fmt.Errorf("--user-agent %q holds no product token; expected one such as 'ExampleBot/1.0 (+https://example.com/bot)'", f.UserAgent)
	}
	return nil
}

// open makes the cache, and returns what closes it. Where nothing can be
// remembered, sites are asked all the same.
func (l *live) open(d *robotstxt.Dialect) (closeAll func(), err error) {
	statuses := l.pages.statuses(d)
	l.cache = &cache.Cache{Fetcher: &l.fetcher, Dialect: d, Statuses: &statuses, Events: cache.Events{
		StoreFailed: func(_ string, _ origin.Origin, err error) { l.forgetful(err) },
		WrongRecord: func(o origin.Origin, err error) {
			l.notice(fmt.Sprintf("what is remembered of %s is not used: %v", o, err))
		},
	}}
	store, closeStore, err := l.openStore(l.store, true)
	switch {
	case err != nil && isURL(l.store):
		return nil, err // a server that is down is no error yet: the flag is wrong
	case err != nil:
		l.forgetful(err)
		return l.cache.Close, nil
	}
	l.cache.Store = store
	return func() {
		l.cache.Close()
		if err := closeStore(); err != nil {
			l.forgetful(err)
		}
	}, nil
}

// forgetful says, once, that the store does not work.
func (l *live) forgetful(err error) {
	l.complains.Do(func() { l.notice(fmt.Sprintf("nothing is remembered: %v", err)) })
}

// ask answers about a URL.
func (l *live) ask(ctx context.Context, agents []string, url string) (cache.Answer, error) {
	if l.offline {
		return l.cache.Peek(ctx, agents, url)
	}
	if l.refresh {
		if err := l.ensureRefreshed(ctx, url); err != nil {
			return cache.Answer{}, err
		}
	}
	return l.cache.Check(ctx, agents, url)
}

// ensureRefreshed asks the site of a URL again, once in a run.
func (l *live) ensureRefreshed(ctx context.Context, url string) error {
	o, err := origin.Parse(url)
	if err != nil {
		return nil // the question about the URL says so
	}
	once, _ := l.refreshed.LoadOrStore(o, sync.OnceValue(func() error { return l.cache.Refresh(ctx, o) }))
	return once.(func() error)()
}

// needsURL says why a path cannot be asked about.
func needsURL(url string) error {
	if strings.HasPrefix(url, "/") {
		return fmt.Errorf("URL %q: which site? Expected an absolute URL, such as https://example.com%s, or --robots FILE", url, url)
	}
	return errors.New(targetHelp(url))
}

// maxLive is how many questions wait for sites at the same time.
const maxLive = 64

// checkLive checks URLs against what their sites say now.
func (o *check) checkLive(urls []string) error {
	closeAll, err := o.live.open(o.dialect)
	if err != nil {
		return err
	}
	defer closeAll()
	l := list{w: o.out, array: o.format == "json"}
	defer l.close()
	ctx, stop := interruptible()
	defer stop()
	in := &urlReader{urls: urls, lines: lineReader{in: o.in, number: 1}}
	worker := func() func(given) answers {
		return func(g given) (a answers) {
			if g.url != "" {
				o.answerLive(ctx, &a, g.url)
			}
			o.leftOut(&a, g.tooLong)
			return a
		}
	}
	var broken error
	ordered.Map(maxLive, in.start(ctx), worker, func(a answers) {
		o.write(&l, a)
		if broken = o.out.Flush(); broken != nil {
			stop() // nobody hears the other answers
		}
	})
	switch {
	case broken != nil:
		return nil // which is reported at the end
	case ctx.Err() != nil:
		return errInterrupted
	}
	return in.lines.failure()
}

// given is a URL that is given, or the number of a line that is too long for one.
type given struct {
	url     string
	tooLong int
}

// urlReader reads the URLs of a command line and, where one of them is "-", those
// of its input.
type urlReader struct {
	urls  []string
	lines lineReader
}

// start returns what yields the next URL, until there are no more or ctx ends.
func (r *urlReader) start(ctx context.Context) (next func() (given, bool)) {
	all := make(chan given)
	go func() { // which may wait for input for ever
		defer close(all)
		r.each(func(g given) bool {
			select {
			case all <- g:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	return func() (g given, ok bool) {
		select {
		case g, ok = <-all:
		case <-ctx.Done():
		}
		return g, ok && ctx.Err() == nil
	}
}

func (r *urlReader) each(yield func(given) bool) {
	for _, url := range r.urls {
		if url != "-" {
			if !yield(given{url: url}) {
				return
			}
			continue
		}
		for c, ok := r.lines.next(); ok; c, ok = r.lines.next() {
			for line := range strings.Lines(c.lines) {
				if url := strings.TrimSpace(line); url != "" && !yield(given{url: url}) {
					return
				}
			}
			if c.tooLong > 0 && !yield(given{tooLong: c.tooLong}) {
				return
			}
		}
	}
}

// answerLive adds what there is to say about a URL of a live site.
func (o *check) answerLive(ctx context.Context, a *answers, url string) {
	answer, err := o.live.ask(ctx, o.agents, url)
	switch {
	case ctx.Err() != nil:
	case answer.Reason == robotstxt.InvalidTarget:
		o.refuse(a, url, needsURL(url))
	case err != nil:
		o.fail(a, url, answer.Decision, fmt.Errorf("%s: %w", url, err))
	default:
		o.answer(a, url, answer.Decision, &answer)
	}
}

// site is what an Answer rests on, as JSON.
type site struct {
	Origin       origin.Origin `json:"origin"`
	Outcome      fetch.Outcome `json:"outcome"`
	Status       int           `json:"status,omitempty"`
	HTML         bool          `json:"html,omitempty"` // it is an HTML page
	Error        string        `json:"error,omitempty"`
	Fetched      *time.Time    `json:"fetched,omitempty"`
	AgeSeconds   int64         `json:"age_seconds"`
	Stale        bool          `json:"stale"`
	FailingSince *time.Time    `json:"failing_since,omitempty"`
	AskAgain     *time.Time    `json:"ask_again,omitempty"`
	CrawlDelay   float64       `json:"crawl_delay_seconds,omitempty"`
}

func newSite(a *cache.Answer) *site {
	s := &site{
		Origin:       a.Origin,
		Outcome:      a.Outcome,
		Status:       a.Status,
		HTML:         a.HTML,
		Fetched:      timeOrNil(a.Fetched),
		AgeSeconds:   int64(a.Age / time.Second),
		Stale:        a.Stale,
		FailingSince: timeOrNil(a.FailingSince),
		AskAgain:     timeOrNil(a.AskAgain),
		CrawlDelay:   a.CrawlDelay.Seconds(),
	}
	if a.Err != nil {
		s.Error = a.Err.Error()
	}
	return s
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return &t
}

// restsOn says in words what an answer about a live site rests on.
func restsOn(a *cache.Answer) string {
	var words []string
	switch {
	case a.Fetched.IsZero() && a.Err != nil:
		return a.Err.Error()
	case a.Err != nil:
		words = append(words, a.Err.Error())
		if errors.Is(a.Err, fetch.AddressRefused) {
			words = append(words, "see --allow-private")
		}
	case a.Outcome != fetch.Rules:
		words = append(words, fmt.Sprintf("status %d", a.Status))
	}
	if a.HTML {
		words = append(words, "an HTML page")
	}
	switch {
	case a.Stale && !a.FailingSince.IsZero():
		words = append(words, "unreachable since "+a.FailingSince.UTC().Format(time.DateTime)+" UTC")
	case a.Stale:
		words = append(words, "stale")
	}
	words = append(words, "asked "+ago(a.Age))
	switch {
	case a.Outcome == fetch.Unreachable || a.Stale:
		words = append(words, "again in "+about(max(0, time.Until(a.AskAgain))))
	case !a.FailingSince.IsZero():
		words = append(words, "the last try failed")
	}
	return strings.Join(words, ", ")
}

// ago says how long ago something was.
func ago(d time.Duration) string {
	if d < 2*time.Second {
		return "just now"
	}
	return about(d) + " ago"
}

// about says how long a time is, in its largest unit.
func about(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= 2*unit.size {
			return counted(int(d/unit.size), unit.name)
		}
	}
	return counted(int(d/time.Second), "second")
}
