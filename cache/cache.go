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
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Cache answers whether crawlers may fetch URLs now. The zero Cache works: it
// reads in RFC 9309 and remembers in memory. It is safe for concurrent use; its
// fields must not change once it is used.
type Cache struct {
	// Fetcher retrieves what is not remembered, under its own User-Agent; nil means
	// the zero fetch.Fetcher, which asks as Heed.
	Fetcher Fetcher

	// Store remembers beyond this process; nil means nothing does. A store that
	// fails costs retrievals, never an answer; no answer waits until it is written.
	// Whoever opened it closes it, after Close.
	Store Store

	// Dialect is what files and statuses are read in; nil means RFC 9309.
	Dialect *robotstxt.Dialect

	// Statuses are what statuses mean; nil means fetch.StatusesOf(Dialect).
	Statuses *fetch.Statuses

	// MemoryBytes bounds what is in memory, approximately; 0 means 64 MiB. However
	// little it is, the last large robots.txt that was asked about stays in memory:
	// one of 500 KiB takes about 2 MiB. Records that wait to be written to the Store
	// take up to a quarter of MemoryBytes more.
	MemoryBytes int64

	// MinFresh is how long an answer is used at least, whatever the server says, if
	// the dialect allows it; 0 means 5 minutes.
	MinFresh time.Duration

	// LastGood is when the last robots.txt is used that a site had before it
	// became unreachable; the zero value means after RelaxAfter.
	LastGood LastGood

	// RelaxAfter is how long a site must have been unreachable for its last
	// robots.txt to be used again, or, where there is none, for the site to be
	// allowed (R-16, G-5); 0 means 30 days, less than 0 never. How often it must have
	// been asked in that time is in the package documentation.
	RelaxAfter time.Duration

	// CopyIfGone goes on with the last robots.txt for 24 hours where a site has
	// none any more. It matters in the 2019 draft only (D-2).
	CopyIfGone bool

	// Events are told what happens; the zero Events are not.
	Events Events

	// Now is the clock; nil means time.Now.
	Now func() time.Time

	once        sync.Once
	fetcher     Fetcher          // Fetcher, or the zero fetch.Fetcher
	now         func() time.Time // Now, or time.Now
	rules       rules
	memory      *bounded[*entry]
	flights     singleflight.Group
	open        context.Context // ends with Close
	close       context.CancelFunc
	background  chan struct{} // holds a token for each refresh that goes on
	beginning   sync.RWMutex  // guards closed, so that nothing begins after Close
	closed      bool
	working     sync.WaitGroup // refreshes, flights, and calls that read the Store
	writes      *writer        // nil: there is no Store
	stopNotify  func()
	otherFormat sync.Once         // tells of the first record of another format
	itself      *robotstxt.Policy // of an empty file: tells /robots.txt from other URLs
}

// A Fetcher retrieves the robots.txt of an origin. *fetch.Fetcher is one. It is used
// by many goroutines at the same time, and must end when its context does.
//
// It returns an error where it cannot ask at all; nothing is remembered then. Every
// other failure is a Result with an Err, of which the text and the fetch.FailureKind
// are kept; a kind that is Ours says nothing about the origin. A Result must have a
// Status or an Err. Its other fields may be empty:
//   - Body is the robots.txt as UTF-8, decompressed; nil is an empty one. It must not be
//     changed any more;
//   - Header has Cache-Control, Expires, Age, Date and Retry-After, by which it is
//     decided when the origin is asked again, and Etag and Last-Modified, under
//     canonical names. Where it is empty, the times of the dialect hold;
//   - Hops are the requests. Without them there are no Validators and no redirects;
//   - Conditional says that the last request was conditional by the Validators given.
//     Only then status 304 means that the file is still the same; otherwise, and where
//     no Validators were given, it is a failure. A Fetcher may ignore Validators;
//   - the time from Start to End is how long the retrieval took, by any clock; where one
//     of them is zero, that counts as no time;
//   - Origin may be zero. That of another origin makes the Result an error.
//
// A panic of a Fetcher is an error, too.
type Fetcher interface {
	Fetch(context.Context, origin.Origin, fetch.Validators) (fetch.Result, error)
}

// LastGood says when the last robots.txt of a site that is unreachable is used.
type LastGood uint8

const (
	// LastGoodAfterLong: after Cache.RelaxAfter; until then the site is
	// disallowed (R-15, R-16, G-5).
	LastGoodAfterLong LastGood = iota
	// LastGoodAtOnce: from when the site becomes unreachable (R-18, G-8).
	LastGoodAtOnce
	// LastGoodNever: the site is disallowed, and after Cache.RelaxAfter allowed
	// as if it had no robots.txt.
	LastGoodNever
)

// Events are told what happens in a Cache, at once and by many goroutines at
// the same time. Those that are nil are not.
type Events struct {
	// Fetched: a retrieval ended. Its result must not be changed.
	Fetched func(*fetch.Result)
	// StoreFailed: the Store could not do what it was asked to; what says what
	// that was: "get", "put" or "lease". Each record that is lost is a "put": it
	// could not be written, had no room among those that wait, or was not written
	// yet when Close gave up. A "lease" could not be taken, or another process held
	// it for too long.
	StoreFailed func(what string, o origin.Origin, err error)
	// WrongRecord: the Store held a record that cannot be trusted. The file is
	// fetched again. Of records that another version of Heed wrote, only the
	// first is told of.
	WrongRecord func(o origin.Origin, err error)
}

// An Answer is a Decision with what it rests on. The zero Answer denies.
type Answer struct {
	robotstxt.Decision

	Origin  origin.Origin
	Outcome fetch.Outcome // what the origin's robots.txt is now
	Status  int           // of the retrieval that the answer rests on; 0: it got none
	HTML    bool          // that retrieval brought an HTML page, see fetch.Result
	Err     error         // why that retrieval had no answer, such as a time-out; nil: it had one

	Fetched time.Time     // when that retrieval ended; zero: there was none
	Age     time.Duration // since then
	Stale   bool          // the answer rests on something past its time

	FailingSince time.Time // since when the origin fails, without a long gap; zero: it does not, as far as is known
	AskAgain     time.Time // when the origin is asked again, and one may come back

	CrawlDelay time.Duration // between requests, as the file asks for; 0: it does not
}

// String says what that of the Decision does and, where no robots.txt was read, why
// not: "disallowed: robots.txt is unreachable (status 503)". It is as safe to show.
func (a Answer) String() string { return a.Decision.String() + a.whyNoFile() }

// Because says what that of the Decision does and, where no robots.txt was read, why
// not: "robots.txt is unreachable (status 503)". It is as safe to show.
func (a Answer) Because() string { return a.Decision.Because() + a.whyNoFile() }

// whyNoFile returns in brackets why no robots.txt was read; "": one was.
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
	c.rules = rules{
		reading:    newReading(c.Dialect, statuses),
		fixed:      newFixed(c.Dialect),
		span:       spanOf(c.Dialect),
		minFresh:   cmp.Or(c.MinFresh, defaultMinFresh),
		lastGood:   c.LastGood,
		relaxAfter: cmp.Or(c.RelaxAfter, defaultRelaxAfter),
		copyIfGone: c.CopyIfGone && c.Dialect.String() == robotstxt.Draft2019.String(),
	}
	bytes := positive(c.MemoryBytes, defaultMemoryBytes)
	c.rules.policyBytes = int(bytes / policyShare)
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

// ErrClosed is the error of a call that would have to ask an origin or the Store after
// Close.
var ErrClosed = errors.New("cache: closed")

// ErrNoAgent is the error of a question that does not say which crawler asks.
var ErrNoAgent = errors.New(`cache: no crawler is named: give its product tokens, the most specific first, or "*" for one that no group names`)

// ErrNothing is the Err of an Answer about an origin of which nothing is remembered,
// where no origin is asked: see Peek.
var ErrNothing = errors.New("nothing is cached for it")

// Close ends the retrievals that are under way, and waits until they have ended, but for
// ten seconds at most where the Fetcher or the Store does not return when its context
// ends. Then it waits until the Store has written the records that wait, for at most ten
// seconds, and gives up earlier where the Store has written none for a second. Records
// that are left are lost: the error says how many and wraps why the last one is, and
// Events.StoreFailed is told of each. Those that were lost before Close are not counted.
// After Close neither an origin nor the Store is asked: an answer that is not in memory is
// an ErrClosed. To close a Cache again does no harm.
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

// begin counts a piece of work that Close waits for, until working.Done. It reports
// false after Close: the work must not begin.
func (c *Cache) begin() bool {
	c.beginning.RLock()
	defer c.beginning.RUnlock()
	if !c.closed {
		c.working.Add(1)
	}
	return !c.closed
}

// Check answers whether the crawler of the given product tokens, the most
// specific first (see robotstxt.File.Agent), may fetch a URL; "*" is a crawler that no
// group names. Where nothing that holds is remembered of the URL's origin, it is asked,
// once for everybody who waits. An origin that is unreachable is an answer.
//
// The error is ErrNoAgent, that of a URL that has no origin, of a context that ended
// or of a Fetcher that cannot ask at all; the Answer then denies.
func (c *Cache) Check(ctx context.Context, agents []string, url string) (Answer, error) {
	return c.check(ctx, agents, url, (*Cache).current)
}

// Peek answers as Check does, from what is remembered alone: it asks no origin,
// however old what is remembered is. The Outcome is Unreachable, and Err is
// ErrNothing, where nothing is.
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

// Site returns the origin of a URL as it stands now. Where nothing that holds is
// remembered of it, it is asked, as for Check.
//
// The error is that of a URL that has no origin, of a context that ended or of a
// Fetcher that cannot ask at all. An origin that is unreachable is a Site.
func (c *Cache) Site(ctx context.Context, url string) (*Site, error) {
	return c.siteOf(ctx, url, (*Cache).current)
}

// PeekSite is Site from what is remembered alone: it asks no origin, however old what is
// remembered is. Where nothing is, Result is nil.
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

// finder finds how an origin stands. Its Cache must be ready.
type finder func(*Cache, context.Context, origin.Origin) (Site, error)

// siteAt returns how an entry stands.
func (c *Cache) siteAt(e *entry, now time.Time) Site {
	return Site{cache: c, entry: e, stand: c.rules.standOf(e, now), now: now}
}
