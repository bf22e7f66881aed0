package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/defaults"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Cache answers whether crawlers may fetch URLs now. The zero Cache works: its dialect is
// RFC 9309, and it caches in memory only. It is safe for concurrent use; its fields must not
// change after the first use.
type Cache struct {
	// Fetcher retrieves the robots.txt files, under its own User-Agent; nil means the zero
	// fetch.Fetcher, whose User-Agent is Heed's.
	Fetcher Fetcher

	// Store keeps records for other and for later processes; nil means that nothing does.
	// If it fails, there are more retrievals, but no answer is missing; no answer waits for
	// a write. Whoever opened the Store closes it, after Close.
	Store Store

	// Dialect is that of files and statuses; nil means RFC 9309.
	Dialect *robotstxt.Dialect

	// Statuses are what statuses mean; nil means fetch.StatusesOf(Dialect).
	Statuses *fetch.Statuses

	// MemoryBytes is how much memory the cached origins take, approximately; 0 means
	// 64 MiB. Even if it is less, the last large robots.txt stays in memory: one of 500 KiB
	// takes about 2 MiB. Records that wait for their write to the Store take up to a
	// quarter of MemoryBytes more.
	MemoryBytes int64

	// MinFresh is how long an answer is fresh at least, even if the server says less, as
	// long as the dialect allows that; 0 means 5 minutes.
	MinFresh time.Duration

	// LastGood says when the last robots.txt of an origin that is now unreachable is used;
	// the zero value means after RelaxAfter.
	LastGood LastGood

	// RelaxAfter is the time after which the last robots.txt of an unreachable origin is
	// used again, or, if there is none, everything is allowed (R-16, G-5); 0 means 30 days,
	// less than 0 means never. How many retrievals must have failed in that time is in the
	// package documentation.
	RelaxAfter time.Duration

	// CopyIfGone uses the last robots.txt for 24 hours after it has become unavailable. It
	// has an effect in the 2019 draft only (D-2).
	CopyIfGone bool

	// Events are called when something happens; in the zero Events nothing is.
	Events Events

	// Now is the clock; nil means time.Now.
	Now func() time.Time

	once        sync.Once
	fetcher     Fetcher          // Fetcher, or the zero fetch.Fetcher
	now         func() time.Time // Now, or time.Now
	settings    settings         // the fields above, with their defaults
	memory      *bounded[*entry]
	flights     singleflight.Group
	open        context.Context // until Close
	close       context.CancelFunc
	background  chan struct{} // has an element for each refresh that is under way
	beginning   sync.RWMutex  // guards closed, so that nothing begins after Close
	closed      bool
	working     sync.WaitGroup // refreshes, flights, and calls that read the Store
	writes      *writer        // nil: there is no Store
	stopNotify  func()
	otherFormat sync.Once         // reports the first record of another format
	itself      *robotstxt.Policy // of an empty file: knows if /robots.txt itself is always allowed
}

// A Fetcher retrieves the robots.txt of an origin. *fetch.Fetcher is one. It is used by many
// goroutines at the same time, and must return when its context ends.
//
// It returns an error if it cannot send a request at all; then nothing is cached. Each other
// failure is a Result with an Err, of which the text and the fetch.FailureKind are cached; a
// kind that is Ours says nothing about the origin. A Result must have a Status or an Err. Its
// other fields may be empty:
//   - Body is the robots.txt as UTF-8, decompressed; nil is an empty one. It must not be
//     changed any more;
//   - Header has Cache-Control, Expires, Age, Date and Retry-After, which decide when the
//     next retrieval is, and Etag and Last-Modified, under canonical names. If it is empty,
//     the times of the dialect are used;
//   - Hops are the requests. Without them there are no Validators and no redirects;
//   - Conditional says that the last request was conditional, by the Validators given. Only
//     then does status 304 mean that the file has not changed; else it is a failure. A
//     Fetcher may ignore Validators;
//   - the time from Start to End is how long the retrieval took, by any clock; if one of
//     them is zero, it took no time;
//   - Origin may be zero. If it is another origin, the Result is an error.
//
// A panic of a Fetcher is an error.
type Fetcher interface {
	Fetch(context.Context, origin.Origin, fetch.Validators) (fetch.Result, error)
}

// LastGood says when the last robots.txt of an unreachable origin is used.
type LastGood uint8

const (
	// LastGoodAfterLong: after Cache.RelaxAfter; until then everything is disallowed
	// (R-15, R-16, G-5).
	LastGoodAfterLong LastGood = iota
	// LastGoodAtOnce: as soon as the origin is unreachable (R-18, G-8).
	LastGoodAtOnce
	// LastGoodNever: everything is disallowed, and after Cache.RelaxAfter allowed, as if
	// there were no robots.txt.
	LastGoodNever
)

// Events are functions that a Cache calls when something happens, also from many goroutines
// at the same time. A function that is nil is not called.
type Events struct {
	// Fetched: a retrieval has ended. Its result must not be changed.
	Fetched func(*fetch.Result)
	// StoreFailed: a call of the Store failed: "get", "put" or "lease". Each record that
	// is lost is a "put": it could not be written, there was no room for it to wait, or
	// it was not yet written when Close gave up. A "lease" could not be taken, or another
	// process held it for too long.
	StoreFailed func(what string, o origin.Origin, err error)
	// WrongRecord: a record in the Store is corrupt. The file is retrieved again. Of the
	// records that another version of Heed wrote, only the first is reported.
	WrongRecord func(o origin.Origin, err error)
}

// An Answer is a Decision, with the retrieval that it comes from. The zero Answer denies.
type Answer struct {
	robotstxt.Decision

	Origin  origin.Origin
	Outcome fetch.Outcome // of that retrieval, now
	Status  int           // of its last request; 0: there was none
	HTML    bool          // it brought an HTML page, see fetch.Result
	Err     error         // why it failed, such as a timeout; nil: it did not

	Fetched time.Time     // when it ended; zero: there was no retrieval
	Age     time.Duration // the time since then
	Stale   bool          // it is no longer fresh, but used all the same

	FailingSince  time.Time // when the first of the failures ended that count for R-22; zero: the last retrieval did not fail
	NextRetrieval time.Time // when the next retrieval is

	CrawlDelay time.Duration // the time between requests that the robots.txt asks for; 0: it asks for none
}

// String returns the Decision in words. If there is no robots.txt, it says why, as in
// "disallowed: robots.txt is unreachable (status 503)". It is safe on a terminal.
func (a Answer) String() string { return a.Decision.String() + a.whyNoFile() }

// Because returns the reason of the Decision in words. If there is no robots.txt, it says why,
// as in "robots.txt is unreachable (status 503)". It is safe on a terminal.
func (a Answer) Because() string { return a.Decision.Because() + a.whyNoFile() }

// whyNoFile returns in brackets why there is no robots.txt; "": there is one.
func (a Answer) whyNoFile() string {
	switch a.Reason {
	case robotstxt.Unreachable, robotstxt.Unavailable, robotstxt.Restricted:
	default:
		return ""
	}
	why := fmt.Sprintf("status %d", a.Status)
	switch {
	case a.Err != nil:
		why = printable.Short(a.Err.Error())
	case a.HTML:
		why += ", an HTML page"
	}
	return " (" + why + ")"
}

const (
	defaultRelaxAfter = 30 * day
	maxBackground     = 64
)

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
		relaxAfter: cmp.Or(c.RelaxAfter, defaultRelaxAfter),
		copyIfGone: c.CopyIfGone && c.Dialect.String() == robotstxt.Draft2019.String(),
	}
	bytes := defaults.Positive(c.MemoryBytes, defaultMemoryBytes)
	c.settings.policyBytes = int(bytes / policyShare)
	c.memory = newBounded(bytes, func(e *entry) int { return int(e.size.Load()) })
	c.open, c.close = context.WithCancel(context.Background())
	c.background = make(chan struct{}, maxBackground)
	c.itself = robotstxt.Parse(nil, c.Dialect).Agent()
	if c.Store != nil {
		c.writes = newWriter(c.Store, int(bytes/waitingShare), func(o origin.Origin, err error) { c.storeFailed("put", o, err) })
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

// ErrClosed is the error of a call after Close that needs a retrieval or the Store.
var ErrClosed = errors.New("cache: closed")

// ErrNoAgent is the error of a question that does not say which crawler asks.
var ErrNoAgent = errors.New(`cache: no crawler is named: give its product tokens, the most specific first, or "*" for one that no group names`)

// ErrNotCached is the Err of an Answer of Peek about an origin for which nothing is cached.
var ErrNotCached = errors.New("nothing is cached for it")

// Close ends the retrievals that are under way, and waits for their end; for ten seconds at
// most, if the Fetcher or the Store does not return when its context ends. Then it waits until
// the waiting records are written, for at most ten seconds, and gives up earlier if the Store
// has written none for a second. The records that are left are lost: the error says how many,
// and wraps the reason of the last one. Events.StoreFailed is called for each. Records that
// were lost before are not counted. After Close there is no retrieval and no call of the
// Store: a question that needs one is an ErrClosed. Closing a Cache again does nothing.
func (c *Cache) Close() error {
	c.once.Do(c.init)
	c.beginning.Lock()
	again := c.closed
	c.closed = true
	c.beginning.Unlock()
	c.close()
	idle := make(chan struct{})
	go func() {
		c.working.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(closingMost):
	}
	var lost error
	if c.writes != nil {
		lost = c.writes.close()
	}
	if c.stopNotify != nil && !again {
		c.stopNotify()
	}
	return lost
}

// begin reports whether some work may begin, for which Close then waits until working.Done;
// false: the Cache is closed.
func (c *Cache) begin() bool {
	c.beginning.RLock()
	defer c.beginning.RUnlock()
	if !c.closed {
		c.working.Add(1)
	}
	return !c.closed
}

// Check answers whether the crawler with the given product tokens, the most specific first
// (see robotstxt.File.Agent), may fetch a URL; "*" is a crawler that no group names. If the
// cache has no usable answer about the URL's origin, its robots.txt is retrieved, once for
// all callers that wait for it. That an origin is unreachable is an answer, and no error.
//
// The error is ErrNoAgent, that of a URL without an origin, of a context that ended or of a
// Fetcher that cannot send a request at all; the Answer then denies.
func (c *Cache) Check(ctx context.Context, agents []string, url string) (Answer, error) {
	return c.check(ctx, agents, url, (*Cache).current)
}

// Peek answers as Check does, but only from what is cached, however old that is: it retrieves
// nothing. If the origin is not cached, the Outcome is Unreachable and Err is ErrNotCached.
func (c *Cache) Peek(ctx context.Context, agents []string, url string) (Answer, error) {
	return c.check(ctx, agents, url, (*Cache).known)
}

func (c *Cache) check(ctx context.Context, agents []string, url string, find finder) (a Answer, err error) {
	if len(agents) == 0 {
		return Answer{}, ErrNoAgent
	}
	o, err := origin.Parse(url)
	if err != nil {
		return invalidTarget(), err
	}
	c.once.Do(c.init)
	s, err := find(c, ctx, o)
	if err != nil {
		return Answer{Origin: o}, err
	}
	s.answer(&a, agents, url)
	return a, nil
}

// Site returns the origin of a URL in its present state. If the cache has no usable answer
// about it, its robots.txt is retrieved, as for Check.
//
// The error is that of a URL without an origin, of a context that ended or of a Fetcher that
// cannot send a request at all. An origin that is unreachable is a Site, and no error.
func (c *Cache) Site(ctx context.Context, url string) (*Site, error) {
	return c.siteOf(ctx, url, (*Cache).current)
}

// PeekSite is Site from what is cached, however old that is: it retrieves nothing. If the
// origin is not cached, Result is nil.
func (c *Cache) PeekSite(ctx context.Context, url string) (*Site, error) {
	return c.siteOf(ctx, url, (*Cache).known)
}

func (c *Cache) siteOf(ctx context.Context, url string, find finder) (*Site, error) {
	o, err := origin.Parse(url)
	if err != nil {
		return nil, err
	}
	c.once.Do(c.init)
	s, err := find(c, ctx, o)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// finder finds the state of an origin. Its Cache must be initialized.
type finder func(*Cache, context.Context, origin.Origin) (Site, error)

// siteAt returns the Site of an entry at a time.
func (c *Cache) siteAt(e *entry, now time.Time) Site {
	return Site{cache: c, entry: e, state: c.settings.stateOf(e, now), now: now}
}
