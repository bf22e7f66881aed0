package cache

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/heed-robots/heed/fetch"
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
	// one of 500 KiB takes about 1.5 MiB. Records that wait to be written to the Store
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
		span:       spanOf(c.Dialect),
		minFresh:   cmp.Or(c.MinFresh, defaultMinFresh),
		lastGood:   c.LastGood,
		relaxAfter: cmp.Or(c.RelaxAfter, defaultRelaxAfter),
		copyIfGone: c.CopyIfGone && c.Dialect.String() == robotstxt.Draft2019.String(),
	}
	bytes := positive(c.MemoryBytes, defaultMemoryBytes)
	c.rules.policyBytes = int(bytes / 16) // or one file, asked about for many crawlers, takes all
	c.memory = newBounded(bytes, func(e *entry) int { return int(e.size.Load()) })
	c.open, c.close = context.WithCancel(context.Background())
	c.background = make(chan struct{}, maxBackground)
	c.itself = robotstxt.Parse(nil, c.Dialect).Agent()
	if c.Store != nil {
		c.writes = newWriter(c.Store, int(bytes/4), func(o origin.Origin, err error) { c.storeFailed("put", o, err) })
	}
	if shared, ok := c.Store.(Notifier); ok {
		c.stopNotify = shared.Notify(func(o origin.Origin) { c.memory.remove(o) })
	}
	if c.Fetcher == nil {
		c.Fetcher = &fetch.Fetcher{}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}

// ErrClosed is the error of a call that would have to ask an origin or the Store after
// Close.
var ErrClosed = errors.New("cache: closed")

// Close ends the retrievals that are under way, and waits until they have ended, but for
// ten seconds at most where the Fetcher or the Store does not return when its context
// ends. Then it waits until the Store has written the records that wait, for at most ten
// seconds, and gives up earlier where the Store has written none for a second. Records
// that are left are lost, each of which Events.StoreFailed is told. After Close neither
// an origin nor the Store is asked: an answer that is not in memory is an ErrClosed. To
// close a Cache again does no harm.
func (c *Cache) Close() {
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
	if c.writes != nil {
		c.writes.close()
	}
	if c.stopNotify != nil && !again {
		c.stopNotify()
	}
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
// specific first (see robotstxt.File.Agent), may fetch a URL. Where nothing that
// holds is remembered of the URL's origin, it is asked, once for everybody who
// waits. An origin that is unreachable is an answer.
//
// The error is that of a URL that has no origin, a context that ended or a
// Fetcher that cannot ask at all; the Answer then denies.
func (c *Cache) Check(ctx context.Context, agents []string, url string) (Answer, error) {
	o, err := origin.Parse(url)
	if err != nil {
		return Answer{Decision: robotstxt.Decision{Reason: robotstxt.InvalidTarget}}, err
	}
	e, now, err := c.current(ctx, o)
	if err != nil {
		return Answer{Origin: o}, err
	}
	return c.answer(e, now, agents, url), nil
}

// Peek answers as Check does, from what is remembered alone: it asks no origin,
// however old what is remembered is. The Outcome is Unreachable, with an Err,
// where nothing is.
func (c *Cache) Peek(ctx context.Context, agents []string, url string) (Answer, error) {
	o, err := origin.Parse(url)
	if err != nil {
		return Answer{Decision: robotstxt.Decision{Reason: robotstxt.InvalidTarget}}, err
	}
	e, err := c.known(ctx, o)
	if err != nil {
		return Answer{Origin: o}, err
	}
	a := c.answer(e, c.Now(), agents, url)
	if e.record.Last() == nil && e.ours == nil {
		a.Err = errNothing
	}
	return a, nil
}

var errNothing = errors.New("nothing is remembered of it")

// current returns the entry of an origin and the time, after asking the origin
// where that is due.
func (c *Cache) current(ctx context.Context, o origin.Origin) (*entry, time.Time, error) {
	c.once.Do(c.init)
	now := c.Now()
	if e := c.memory.get(o); e != nil {
		s := c.rules.standOf(e, now)
		if now.Before(s.ask) {
			if !now.Before(s.refresh) {
				c.refreshLater(o, e)
			}
			return e, now, nil
		}
	}
	e, err := c.renew(ctx, o, c.isDue)
	return e, c.Now(), err
}

// answer decides about a URL.
func (c *Cache) answer(e *entry, now time.Time, agents []string, url string) Answer {
	s := c.rules.standOf(e, now)
	p, grown := c.rules.policy(e, s, agents)
	if grown != 0 {
		c.grow(e, grown)
	}
	a := Answer{
		Decision:     p.Check(url),
		Origin:       e.record.Origin,
		Outcome:      s.outcome,
		Stale:        s.stale,
		FailingSince: e.seen.FailingSince,
		AskAgain:     s.ask,
		CrawlDelay:   p.delay,
	}
	if s.rests != nil {
		a.Status, a.HTML, a.Err, a.Fetched, a.Age = s.rests.Status, s.rests.HTML, s.rests.Err, s.rests.End, now.Sub(s.rests.End)
	}
	if !a.Allowed && a.Outcome != fetch.Rules && c.itself.Check(url).Reason == robotstxt.RobotsTxtItself {
		a.Decision = robotstxt.Decision{Allowed: true, Reason: robotstxt.RobotsTxtItself}
	}
	return a
}

// grow accounts for what an entry takes more than before.
func (c *Cache) grow(e *entry, bytes int) {
	e.size.Add(int64(bytes))
	c.memory.weigh(e.record.Origin, e)
}

// Refresh asks an origin, whatever is remembered of it, or waits for whoever
// asks it already. It does not wait until the Store has what came of that: Close
// does.
func (c *Cache) Refresh(ctx context.Context, o origin.Origin) error {
	c.once.Do(c.init)
	for {
		done, err := c.fly(ctx, o, func() (landed, error) {
			return c.ask(c.open, o, func(*entry) bool { return true })
		})
		if err != nil || done.asked { // else it waited for somebody who found that nothing was due
			return err
		}
	}
}

// Forget forgets an origin and its history, also what waits to be written of it.
// When it returns, the Store has forgotten it too, or the error says why not.
func (c *Cache) Forget(ctx context.Context, o origin.Origin) error {
	c.once.Do(c.init)
	for {
		done, err := c.fly(ctx, o, func() (landed, error) {
			defer c.memory.remove(o) // at last: somebody may read the store meanwhile
			if c.Store == nil {
				return landed{}, nil
			}
			if err := c.writes.forget(ctx, o); err != nil {
				return landed{}, err
			}
			return landed{}, recoveredError(func() error { return c.Store.Delete(ctx, o) })
		})
		if err != nil || done.entry == nil { // else it waited for a retrieval
			return err
		}
	}
}

// RestsOn returns the retrieval that answers about an origin rest on, from what
// is remembered alone; nil: nothing is.
func (c *Cache) RestsOn(ctx context.Context, o origin.Origin) (*fetch.Result, error) {
	e, err := c.known(ctx, o)
	if err != nil {
		return nil, err
	}
	return c.rules.standOf(e, c.Now()).rests, nil
}
