package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/defaults"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"golang.org/x/sync/singleflight"
)

// A Cache answers whether crawlers may fetch URLs now. For this, it fetches and caches robots.txt files. The zero Cache is
// ready to use: its dialect is RFC 9309, and it caches in memory only. Several goroutines may use a Cache at the same time.
// Its fields must not change after the first use.
type Cache struct {
	// Fetcher fetches the robots.txt files, and sets the User-Agent header of its requests. Nil means the zero fetch.Fetcher,
	// whose User-Agent is Heed's.
	Fetcher Fetcher

	// Store keeps what was fetched, for other and for later processes; nil means no Store. If the Store fails, the Cache still
	// answers every question, but makes more retrievals. The caller must close the Store after calling Close.
	Store Store

	// Dialect is the dialect in which files and HTTP statuses are read; nil means RFC 9309.
	Dialect *robotstxt.Dialect

	// Statuses defines what each HTTP status of a robots.txt means; nil means fetch.StatusesOf(Dialect).
	Statuses *fetch.Statuses

	// MemoryBytes limits the memory for the cached origins, approximately; 0 means 64 MiB. There are two exceptions. The last
	// large robots.txt stays in memory even beyond the limit: a file of 500 KiB takes about 2 MiB. Records that wait to be
	// written to the Store take up to a quarter of MemoryBytes in addition.
	MemoryBytes int64

	// MinFresh is the shortest time for which an answer is fresh, even if the server sends a shorter time; 0 means 5 minutes.
	// The longest time is the limit of the dialect, even if MinFresh is longer.
	MinFresh time.Duration

	// LastGood decides when the cached robots.txt of an unreachable origin is used; zero is LastGoodAfterLong.
	LastGood LastGood

	// RelaxAfter is how long an origin must be unreachable before a Cache stops disallowing everything (R-16, G-5). Then the
	// cached robots.txt is used, see LastGood; without one, everything is allowed. Enough retrievals must have failed in that
	// time, see "Failures for a long time" in the package documentation.
	//
	// 0 means 30 days, less than 0 means never. In Draft1996, 0 also means never, since that draft defers visits until the
	// file can be fetched (S96-1).
	RelaxAfter time.Duration

	// CopyIfGone has an effect in the 2019 draft only (D-2). If CopyIfGone is true and the origin now answers that there is
	// no robots.txt (status 4xx), the cached robots.txt is still used. This ends 24 hours after the cached robots.txt was
	// last fetched.
	CopyIfGone bool

	// Admit, if not nil, is called before each retrieval. If it returns an error, nothing is requested or cached, and the
	// question that needed the retrieval returns this error. For other questions that wait for this retrieval, Admit is called
	// again. After the retrieval, the Cache calls the function end. ctx has the values of the question's context, and no
	// values for a retrieval in the background.
	Admit func(ctx context.Context, o origin.Origin) (end func(), err error)

	Events Events

	// Now returns the current time; nil means time.Now.
	Now func() time.Time

	once       sync.Once
	closeOnce  sync.Once
	fetcher    Fetcher          // the field Fetcher, or the zero fetch.Fetcher if that field is nil
	now        func() time.Time // the field Now, or time.Now if that field is nil
	settings   settings         // the exported fields, with their default values filled in
	memory     *boundedMap[*entry]
	flights    singleflight.Group
	counts     counts
	running    context.Context // this context ends when Close is called
	stop       context.CancelFunc
	background chan struct{} // contains one element for each retrieval that runs in the background
	// closedLock guards closed.
	closedLock  sync.RWMutex
	closed      bool
	working     sync.WaitGroup // counts the work in progress: retrievals in the background, flights, and calls that read the Store
	writes      *writer        // writes records to the Store; nil if there is no Store
	stopNotify  func()
	otherFormat sync.Once // makes sure that only the first record of another format is reported
	// emptyFile is the policy of an empty robots.txt. It shows whether the dialect always allows /robots.txt itself.
	emptyFile *robotstxt.Policy
}

// A Fetcher fetches the robots.txt of an origin. The usual Fetcher is a *fetch.Fetcher. A Cache calls it from many goroutines
// at the same time. A Fetcher must return when its context ends.
//
// Fetch returns an error if it cannot send a request at all; then nothing is cached. For any other failure, Fetch returns a
// Result with an Err. The Cache keeps this Result, except for failures that say nothing about the origin (see
// fetch.FailureKind.Ours). A panic of Fetch is treated as an error.
//
// A Result must have a Status or an Err. Its other fields may be empty:
//   - Body is the robots.txt as UTF-8, decompressed; nil is an empty file. It must not be changed after Fetch has returned;
//   - Header has Cache-Control, Expires, Age, Date and Retry-After, which decide when the next retrieval is. It also has Etag
//     and Last-Modified, for Validators. The header names are canonical. If Header is empty, the times of the dialect are
//     used;
//   - Hops are the requests, redirects included. Without Hops, no redirects are counted, and the next request has no
//     Validators;
//   - Conditional reports that the last request was sent with the Validators. If it is false, status 304 is a failure. A
//     Fetcher may ignore the Validators;
//   - Start and End are the times of the retrieval, by any clock. If one of them is zero, the retrieval took no time;
//   - Origin may be zero. If it is not the requested origin, the Cache returns an error.
type Fetcher interface {
	// Fetch fetches the robots.txt of an origin. The Validators come from the cached file, and can be used to make the request
	// conditional. They are zero if no file is cached.
	Fetch(context.Context, origin.Origin, fetch.Validators) (fetch.Result, error)
}

// LastGood decides when the cached robots.txt of an unreachable origin is used.
type LastGood uint8

const (
	// LastGoodAfterLong uses the cached robots.txt after Cache.RelaxAfter. Until then everything is disallowed (R-15, R-16,
	// G-5).
	LastGoodAfterLong LastGood = iota
	// LastGoodAtOnce uses the cached robots.txt as soon as the origin is unreachable (R-18, G-8).
	LastGoodAtOnce
	// LastGoodNever never uses the cached robots.txt of an unreachable origin: everything is disallowed until
	// Cache.RelaxAfter, and allowed afterwards.
	LastGoodNever
)

// Events are functions that a Cache calls when something happens; several goroutines may call them at the same time. A nil
// function is not called.
type Events struct {
	// Fetched is called after each retrieval. The function must not change the result.
	Fetched func(*fetch.Result)
	// StoreFailed is called after a failure of the Store. The argument what is one of:
	//   - "get": a record could not be read;
	//   - "put": a record is lost. The write failed, too many records waited to be written,
	//     or Close gave up before the write;
	//   - "lease": a lease could not be taken, or another process held it for too long.
	StoreFailed func(what string, o origin.Origin, err error)
	// WrongRecord is called for a record in the Store that is corrupt, or that another version of Heed wrote. Then the Cache
	// fetches the file again. Of records that another version wrote, only the first is reported.
	WrongRecord func(o origin.Origin, err error)
}

// An Answer is the decision about a URL, with facts about the retrieval behind this decision. The zero Answer disallows the
// URL.
type Answer struct {
	robotstxt.Decision

	Origin origin.Origin // the origin of the URL
	// Outcome is what the retrieval means now. It is fetch.Unavailable if the origin has failed for a long time and no cached
	// robots.txt is used.
	Outcome      fetch.Outcome
	Status       int        // HTTP status of the last response; 0 if there was no response
	RedirectedTo string     // the URL of the last request, if the site redirected to it
	Page         fetch.Page // what the body is if it is not a robots.txt, for example an HTML page
	Err          error      // why there is no complete response, for example a timeout; nil if there is one

	Fetched time.Time     // when the retrieval ended; zero if there was no retrieval
	Age     time.Duration // the time from Fetched to now
	Stale   bool          // the answer comes from this retrieval, although the retrieval is no longer fresh

	// FailingSince is when the origin began to fail: the end of the first failure that counts for RelaxAfter. It is
	// zero if there is no such failure.
	FailingSince time.Time
	// After NextRetrieval, this answer is no longer used: the next question waits for a new retrieval. A retrieval in the
	// background may come earlier.
	NextRetrieval time.Time

	// CrawlDelay is how long the robots.txt asks the crawler to wait between two requests, or 0 if it does not say.
	CrawlDelay time.Duration
}

// String returns the Decision in words. Without a robots.txt, it adds the reason, as in "disallowed: robots.txt is unreachable
// (status 503)". The text is safe to print on a terminal.
func (a Answer) String() string {
	if a.Reason == robotstxt.InvalidTarget {
		return "disallowed: " + notAbsolute
	}
	return a.Decision.String() + a.whyNoFile()
}

// Because returns only the reason for the Decision, as in "robots.txt is unreachable (status 503)". The text is safe to print
// on a terminal.
func (a Answer) Because() string {
	if a.Reason == robotstxt.InvalidTarget {
		return notAbsolute
	}
	return a.Decision.Because() + a.whyNoFile()
}

const notAbsolute = "not an absolute URL"

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
	case a.Page != fetch.NoPage:
		why += ", " + a.Page.String()
	}
	return " (" + why + ")"
}

const (
	defaultRelaxAfter = 30 * day
	maxBackground     = 64
)

// relaxAfterOf returns the default of Cache.RelaxAfter. For the draft of 1996 it is -1 (never): that draft asks crawlers to
// defer visits until the file can be fetched (S96-1).
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
	c.running, c.stop = context.WithCancel(context.Background())
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

// ErrClosed is the error of a call after Close that needs a retrieval or the Store.
var ErrClosed = errors.New("cache: closed")

// ErrNoAgent is the error of a question with an empty list of product tokens.
var ErrNoAgent = errors.New(`cache: the list of product tokens is empty: give the tokens of the crawler, the most specific first, or "*" for a crawler that no group names`)

// ErrNotCached is the Err of an Answer from PeekSite if nothing is cached for the origin.
var ErrNotCached = errors.New("nothing is cached for this site")

// Close ends the work of a Cache. It cancels the retrievals that are under way, and waits for their end, for at most ten
// seconds. Then it waits until the waiting records are written to the Store, for about ten seconds, or less if the Store has
// written no record for a second.
//
// Records that are not written by then are lost: Events.StoreFailed is called for each of them, and Close returns an error
// with their number. The error wraps the reason why the last record was lost. Records that were lost before Close are not
// counted.
//
// After Close, a Cache makes no retrieval and does not call the Store. A question that needs a retrieval or the Store returns
// ErrClosed. A second Close only waits for the first.
func (c *Cache) Close() error {
	c.once.Do(c.init)
	var lost error
	c.closeOnce.Do(func() { lost = c.close() })
	return lost
}

func (c *Cache) close() error {
	c.closedLock.Lock()
	c.closed = true
	c.closedLock.Unlock()
	c.stop()
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

// begin reports whether work may begin: it returns false if the Cache is closed. If it returns true, the caller must call
// working.Done at the end of the work, because Close waits for that call.
func (c *Cache) begin() bool {
	c.closedLock.RLock()
	defer c.closedLock.RUnlock()
	if !c.closed {
		c.working.Add(1)
	}
	return !c.closed
}

// Check answers whether a crawler may fetch a URL. agents are the product tokens of the crawler, the most specific first (see
// robotstxt.File.Agent); "*" is a crawler that no group names. If no usable answer is cached, Check fetches the robots.txt,
// once for all callers that wait for it. An unreachable origin is not an error: the Answer says that the origin is
// unreachable.
//
// The error is ErrNoAgent, ErrClosed, or context.Cause(ctx) if ctx has ended. Check also returns an error if the URL has no
// origin, or if the Fetcher cannot send a request at all. With an error, the Answer disallows the URL.
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

// Site returns the present state of an origin, for many questions about it. If no usable answer is cached, Site fetches the
// robots.txt. It returns the same errors as Check. An unreachable origin has a Site too, and is not an error.
func (c *Cache) Site(ctx context.Context, o origin.Origin) (*Site, error) {
	c.once.Do(c.init)
	s, err := c.currentSite(ctx, o)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// PeekSite makes no retrieval. It returns a Site from the record in memory or in the Store, even if this record is stale. If
// nothing is cached, Site.Result returns nil, and the Site disallows everything with ErrNotCached.
func (c *Cache) PeekSite(ctx context.Context, o origin.Origin) (*Site, error) {
	c.once.Do(c.init)
	e, err := c.knownEntry(ctx, o)
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
	Shared  uint64 // the Waited questions that joined the work of an earlier question
	Evicted uint64 // origins that were removed from memory because of the limit MemoryBytes
	Origins int    // origins that are in memory now, approximately
}

func (c *Cache) Stats() Stats {
	c.once.Do(c.init)
	return Stats{
		Waited:  c.counts.waited.Load(),
		Shared:  c.counts.shared.Load(),
		Evicted: c.memory.evicted.Load(),
		Origins: c.memory.values.EstimatedSize(),
	}
}

type counts struct{ waited, shared atomic.Uint64 }

// Held returns the origins that are in memory, and the origins with a record that waits to be written to the Store, in no
// particular order. An origin may be in the result twice. For the origins in the Store, see Store.Origins.
func (c *Cache) Held() []origin.Origin {
	c.once.Do(c.init)
	held := c.memory.origins()
	if c.writes != nil {
		held = append(held, c.writes.origins()...)
	}
	return held
}

func (w *writer) origins() []origin.Origin {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.queues))
}
