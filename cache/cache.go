package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/defaults"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"golang.org/x/sync/singleflight"
)

// A Cache answers whether crawlers may fetch URLs now. It fetches and caches robots.txt files. The zero Cache is ready to
// use. A Cache is safe for concurrent use. Its fields must not change after the first use.
type Cache struct {
	// Fetcher fetches the robots.txt files, and sets the User-Agent header of its requests. Nil means the zero fetch.Fetcher,
	// whose User-Agent is Heed's.
	Fetcher Fetcher

	// Store keeps what was fetched, for other and for later processes; nil means no Store. If the Store fails, the Cache
	// still answers, with more retrievals. Close the Cache before you close the Store.
	Store Store

	// Dialect is the dialect in which files and HTTP statuses are read; nil means RFC 9309.
	Dialect *robotstxt.Dialect

	// Statuses defines what each HTTP status of a robots.txt means; nil means fetch.StatusesOf(Dialect).
	Statuses *fetch.Statuses

	// MemoryBytes is about how much memory the cached origins take; 0 means 64 MiB. The last large robots.txt is kept
	// even if it alone exceeds this limit. The records that wait to be written to the Store may take another quarter of
	// MemoryBytes.
	MemoryBytes int64

	// MinFresh is the shortest time for which an answer is fresh; 0 means 5 minutes. But no answer is fresh for longer
	// than the limit of the dialect.
	MinFresh time.Duration

	// LastGood decides when the cached robots.txt of an unreachable origin is used; zero is LastGoodAfterLong.
	LastGood LastGood

	// RelaxAfter is how long an origin must fail before a Cache stops disallowing everything (R-16, G-5). Then LastGood
	// applies; without a cached robots.txt, everything is allowed. The package documentation says which failures count
	//
	//
	// 0 means 30 days, or never in Draft1996 (S96-1). Less than 0 means never.
	RelaxAfter time.Duration

	// CopyIfGone has an effect in Draft2019 only (D-2). If it is true, a status 4xx does not end the use of a cached
	// robots.txt. The robots.txt is then used for 24 hours after its last retrieval.
	CopyIfGone bool

	// If Admit is not nil, the Cache calls Admit before each retrieval, and calls the returned function after the retrieval.
	// If Admit returns an error, nothing is fetched or cached, and the call of Check or Site returns this error. ctx has
	// the values of that call's context. For a retrieval in the background, ctx has no values.
	Admit func(ctx context.Context, o origin.Origin) (end func(), err error)

	// Events has functions that the Cache calls, for example after each retrieval.
	Events Events

	// Now returns the current time; nil means time.Now.
	Now func() time.Time

	once        sync.Once
	closeOnce   sync.Once
	fetcher     Fetcher
	now         func() time.Time
	settings    settings
	memory      *boundedMap[*entry]
	flights     singleflight.Group
	waited      atomic.Uint64
	shared      atomic.Uint64
	running     context.Context // Close ends it, with the cause ErrClosed
	stop        context.CancelCauseFunc
	background  chan struct{} // limits the retrievals in the background
	closedLock  sync.RWMutex  // held by Close while it sets closed, and by begin
	closed      atomic.Bool
	working     sync.WaitGroup
	writes      *writer // nil if there is no Store
	stopNotify  func()
	otherFormat sync.Once // only the first record of another format is reported
	// emptyFile is the policy of an empty robots.txt. It shows whether the dialect always allows /robots.txt itself
	//
	emptyFile *robotstxt.Policy
}

// A Fetcher fetches the robots.txt of an origin. The usual Fetcher is a *fetch.Fetcher. It must be safe for concurrent use,
// and return when its context ends.
//
// Fetch returns an error if it cannot send a request at all; then nothing is cached. Any other failure is in Result.Err.
// The Cache keeps a Result with such a failure, except if the failure says nothing about the origin (see
// fetch.FailureKind.Ours). A panic of Fetch is treated as an error.
//
// A Result must have a Status or an Err. Its other fields may be empty:
//
//   - Body is the robots.txt as UTF-8, decompressed. Nil is an empty file. It must not change later.
//   - Header has canonical names. Cache-Control, Expires, Age, Date and Retry-After decide when the next retrieval is. Etag
//     and Last-Modified become Validators.
//   - Hops are the requests, with redirects. Without Hops, the next request has no Validators.
//   - Conditional is true if the last request had the Validators. If it is false, status 304 is a failure.
//   - Start and End are the times of the retrieval. If one is zero, the retrieval took no time.
//   - Origin may be zero. It is an error if it is not the requested origin.
type Fetcher interface {
	// Fetch fetches the robots.txt of an origin. The Validators of the cached file can make the request conditional. They
	// are zero if no file is cached.
	Fetch(context.Context, origin.Origin, fetch.Validators) (fetch.Result, error)
}

// LastGood decides when the cached robots.txt of an unreachable origin is used.
type LastGood uint8

const (
	// LastGoodAfterLong uses the cached robots.txt when the origin has failed for Cache.RelaxAfter. Until then everything
	// is disallowed (R-15, R-16, G-5).
	LastGoodAfterLong LastGood = iota
	// LastGoodAtOnce uses the cached robots.txt as soon as the origin is unreachable (R-18, G-8).
	LastGoodAtOnce
	// LastGoodNever never uses the cached robots.txt of an unreachable origin. Everything is disallowed until the origin
	// has failed for Cache.RelaxAfter, and everything is allowed afterwards.
	LastGoodNever
)

// Events are functions that a Cache, and a polite.Transport with this Cache, calls from many goroutines. A nil function is
// not called.
type Events struct {
	// Fetched is called after each retrieval. The function must not change the result.
	Fetched func(*fetch.Result)
	// StoreFailed is called after a failure of the Store. Its first argument is one of:
	//
	//   - "get": a record could not be read;
	//   - "put": a record is lost;
	//   - "lease": a lease could not be taken, or another process held it for too long;
	//   - "turn": a Pacer has failed for so long that a polite.Transport now keeps the crawl delay without the other
	//     processes. This is called once, and again only if the Pacer has worked since then.
	StoreFailed func(what string, o origin.Origin, err error)
	// WrongRecord is called for a stored record that is corrupt, or that another version of Heed wrote. The robots.txt of
	// this origin is then fetched again. Of the records that another version wrote, only the first is reported.
	WrongRecord func(o origin.Origin, err error)
}

const (
	defaultRelaxAfter = 30 * day
	maxBackground     = 64
)

// relaxAfterOf returns the default of Cache.RelaxAfter; -1 means never (S96-1).
func relaxAfterOf(d *robotstxt.Dialect) time.Duration {
	if d.String() == robotstxt.Draft1996.String() {
		return -1
	}
	return defaultRelaxAfter
}

func (c *Cache) init() {
	statuses := fetch.StatusesOf(c.Dialect)
	if c.Statuses != nil {
		statuses = *c.Statuses
	}
	c.settings = settings{
		view:       newView(c.Dialect, statuses),
		fixed:      newFixed(c.Dialect),
		span:       spanOf(c.Dialect),
		minFresh:   cmp.Or(c.MinFresh, defaultMinFresh),
		lastGood:   c.LastGood,
		relaxAfter: cmp.Or(c.RelaxAfter, relaxAfterOf(c.Dialect)),
		copyIfGone: c.CopyIfGone && c.Dialect.String() == robotstxt.Draft2019.String(),
	}
	bytes := defaults.Positive(c.MemoryBytes, defaultMemoryBytes)
	c.settings.policyBytes = int(bytes / policyShare)
	c.memory = newBounded(bytes, func(e *entry) int { return int(e.size.Load()) })
	c.running, c.stop = context.WithCancelCause(context.Background())
	c.background = make(chan struct{}, maxBackground)
	c.emptyFile = robotstxt.Parse(nil, c.Dialect).Agent()
	if c.Store != nil {
		c.writes = newWriter(c.Store, int(bytes/waitingShare), c.notWritten)
	}
	if shared, ok := c.Store.(Notifier); ok {
		c.stopNotify = shared.Notify(func(o origin.Origin) { c.memory.remove(o) })
	}
	if c.fetcher = c.Fetcher; c.fetcher == nil {
		c.fetcher = &fetch.Fetcher{}
	}
	if c.now = c.Now; c.now == nil {
		c.now = time.Now
	}
}

// ErrClosed is the error of a question, a Refresh or a Forget after Close. It is also the error of a question or a
// Refresh if Close has cancelled its retrieval.
var ErrClosed = errors.New("cache: the Cache is closed: call Close only after the last question")

// ErrNoAgent is the error of a question with an empty list of product tokens.
var ErrNoAgent = errors.New(`cache: the list of product tokens is empty: give the tokens of the crawler, the most specific first, or "*" for a crawler without a group`)

// ErrNotCached is the Err of an Answer from PeekSite if nothing is cached for the origin.
var ErrNotCached = errors.New("nothing is cached for this site")

// Close cancels the retrievals in progress, and waits at most ten seconds for them. Questions that wait for a cancelled
// retrieval return ErrClosed, and nothing is stored about it. Then Close waits about ten seconds for the writes to the
// Store, or less if the Store makes no progress.
//
// Records that are not written by then are lost. The error has their number, and wraps the reason for the last one.
//
// A closed Cache makes no retrieval and does not call the Store. A question returns ErrClosed, even if the origin is in
// memory. A Site from before Close still answers.
func (c *Cache) Close() error {
	c.once.Do(c.init)
	var lost error
	c.closeOnce.Do(func() { lost = c.close() })
	return lost
}

func (c *Cache) close() error {
	c.closedLock.Lock()
	c.closed.Store(true)
	c.closedLock.Unlock()
	c.stop(ErrClosed)
	idle := make(chan struct{})
	go func() {
		c.working.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(closeTimeout):
	}
	if c.stopNotify != nil {
		defer c.stopNotify()
	}
	if c.writes == nil {
		return nil
	}
	return c.writes.close()
}

// begin returns false if the Cache is closed. Otherwise the caller must call working.Done, because Close waits for it.
func (c *Cache) begin() bool {
	c.closedLock.RLock()
	defer c.closedLock.RUnlock()
	closed := c.closed.Load()
	if !closed {
		c.working.Add(1)
	}
	return !closed
}

func closedError(o origin.Origin) error { return fmt.Errorf("%s: %w", o, ErrClosed) }

// Check answers whether a crawler may fetch a URL. agents are its product tokens, the most specific first; "*" is a crawler
// without a group. An unreachable origin is not an error.
//
// The error is ErrNoAgent, ErrClosed, the cause of an ended ctx, or about the URL or the Fetcher. With an error, the Answer
// disallows the URL.
func (c *Cache) Check(ctx context.Context, agents []string, url string) (a Answer, err error) {
	if len(agents) == 0 {
		return Answer{}, ErrNoAgent
	}
	o, err := origin.Parse(url)
	if err != nil {
		return invalidTarget(), err
	}
	c.once.Do(c.init)
	s, err := c.currentSite(ctx, o)
	if err != nil {
		return Answer{Origin: o}, err
	}
	s.answer(&a, agents, url)
	return a, nil
}

// Site returns the present state of an origin, for many questions. It fetches the robots.txt if no usable answer is cached.
// Its errors are those of Check: an unreachable origin is not an error.
func (c *Cache) Site(ctx context.Context, o origin.Origin) (*Site, error) {
	c.once.Do(c.init)
	s, err := c.currentSite(ctx, o)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// PeekSite makes no retrieval. Its Site comes from the cached record, even if it is stale. If nothing is cached,
// Site.Result returns nil, and the Site disallows everything with ErrNotCached.
func (c *Cache) PeekSite(ctx context.Context, o origin.Origin) (*Site, error) {
	c.once.Do(c.init)
	if !c.begin() {
		return nil, closedError(o)
	}
	defer c.working.Done()
	e, err := c.cachedEntry(ctx, o)
	if err != nil {
		return nil, err
	}
	s := c.siteAt(e, c.now())
	return &s, nil
}

func (c *Cache) siteAt(e *entry, now time.Time) Site {
	return Site{cache: c, entry: e, state: c.settings.stateOf(e, now), now: now}
}

// Stats are counts of what a Cache did since its first use.
type Stats struct {
	Waited  uint64 // questions that needed the Store or a retrieval, because memory had no answer
	Shared  uint64 // those of the Waited questions that shared the work of an earlier question
	Evicted uint64 // origins that were removed from memory because of the limit MemoryBytes
	Origins int    // origins that are in memory now, approximately
}

// Stats returns the counts of the Cache until now.
func (c *Cache) Stats() Stats {
	c.once.Do(c.init)
	return Stats{
		Waited:  c.waited.Load(),
		Shared:  c.shared.Load(),
		Evicted: c.memory.evicted.Load(),
		Origins: c.memory.values.EstimatedSize(),
	}
}

// Held returns the origins in memory, and those with a record not yet written. An origin may be in the result twice. For
// origins in the Store, see Store.Origins.
func (c *Cache) Held() []origin.Origin {
	c.once.Do(c.init)
	held := c.memory.origins()
	if c.writes != nil {
		held = append(held, c.writes.origins()...)
	}
	return held
}
