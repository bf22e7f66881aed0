package cache

import (
	"cmp"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// standing is how an origin stands for some time: what answers rest on.
type standing struct {
	rests   *fetch.Result // what answers rest on; nil: nothing is known
	outcome fetch.Outcome // what that means now
	copied  bool          // the rules are those of the record's Copy
	stale   bool          // it rests on what is past its time
	refresh time.Time     // from when on it is asked for in the background
	ask     time.Time     // from when on it is asked for before there is an answer
	end     time.Time     // until when all this holds, unless it is asked for

	start  time.Time // when the last retrieval ended: earlier than that nothing of this is known
	answer Answer    // what every answer has in common
}

// skew is how far the clocks of those who share a store may be apart. What is
// further in the future is not believed: it would never expire.
const skew = 5 * time.Minute

// rules are what a standing is read by, see Cache.
type rules struct {
	reading
	span
	minFresh   time.Duration
	lastGood   LastGood
	relaxAfter time.Duration
	copyIfGone bool

	fixed       *fixedFiles
	policyBytes int // what the policies of one file may take
}

// stand returns how an origin stands: the table in the package documentation.
func (c *rules) stand(r *Record, now time.Time) standing {
	if r.Known != nil {
		until := r.Known.End.Add(c.lifetime(r.Known, c.minFresh))
		if now.Before(until) && !now.Before(r.Known.End.Add(-skew)) {
			return c.fresh(r, now, until)
		}
	}
	if r.Failed != nil {
		return c.failing(r, now)
	}
	if r.Known == nil {
		return standing{outcome: fetch.Unreachable, ask: now, refresh: now, end: now}
	}
	s := c.known(r, now)
	s.stale = true
	s.ask, s.refresh, s.end = now, now, now
	return s
}

// fresh: the last answer holds.
func (c *rules) fresh(r *Record, now, until time.Time) standing {
	s := c.known(r, now)
	s.ask = until
	s.refresh = until.Add(-until.Sub(r.Known.End) / refreshShare)
	if r.Failed != nil {
		s.refresh = later(s.refresh, c.retryAt(r))
	}
	s.end = earlier(cmp.Or(s.end, until), until)
	return s
}

// refreshShare: what is asked about in the last tenth of its time is refreshed.
const refreshShare = 10

// known: what the last answer means.
func (c *rules) known(r *Record, now time.Time) standing {
	outcome := c.outcome(r.Known)
	if outcome == fetch.Unavailable && c.copyIfGone && r.Copy != nil {
		if until := r.Copy.End.Add(day); now.Before(until) { // D-2
			return standing{rests: r.Copy, outcome: fetch.Rules, copied: true, stale: true, end: until}
		}
	}
	return standing{rests: r.Known, outcome: outcome, copied: outcome == fetch.Rules}
}

// failing: the last retrieval failed, and no answer holds any more.
func (c *rules) failing(r *Record, now time.Time) standing {
	at := c.retryAt(r)
	if r.Failed.End.After(now.Add(skew)) {
		at = now
	}
	s := standing{rests: r.Failed, outcome: fetch.Unreachable, ask: at, refresh: at, end: at}
	relaxes := r.FailingSince.Add(c.relaxAfter)
	relaxed := c.relaxAfter >= 0 && !now.Before(relaxes) && r.Counted >= leastCounted && !c.isBreak(r, now)
	copied := r.lastGood(relaxed)
	switch {
	case copied != nil && (c.lastGood == LastGoodAtOnce || c.lastGood == LastGoodAfterLong && relaxed):
		s.rests, s.outcome, s.copied, s.stale = copied, fetch.Rules, true, true
	case relaxed:
		s.outcome, s.stale = fetch.Unavailable, true
	}
	switch {
	case relaxed:
		s.end = earlier(s.end, r.Failed.End.Add(c.relaxAfter/4))
	case c.relaxAfter >= 0 && now.Before(relaxes):
		s.end = earlier(s.end, relaxes)
	}
	return s
}

// leastCounted: fewer failures are not "for a long time", however much time lies
// between them.
const leastCounted = 5

// holdBack is how long an origin is not asked after a failure of our own. A refused address
// or port has the back-off of a failure, since it will be refused again: where a redirect
// leads to it, each try costs the site a request.
func (e *entry) holdBack() time.Duration {
	if e.refusals > 0 {
		return retryAfter(e.ours, e.refusals)
	}
	return 5 * time.Second
}

// heldBack returns how an origin stands after a failure of our own; s is how it
// would stand without that failure.
func (c *rules) heldBack(s standing, e *entry, now time.Time) standing {
	ours := e.ours
	until := ours.End.Add(e.holdBack())
	if ours.End.After(now.Add(skew)) {
		until = now
	}
	if now.Before(s.ask) { // what is known holds
		s.refresh = later(s.refresh, until)
		return s
	}
	s = standing{rests: ours, outcome: fetch.Unreachable, ask: until, refresh: until, end: until}
	if copied := e.seen.lastGood(false); copied != nil && c.lastGood == LastGoodAtOnce {
		s.rests, s.outcome, s.copied, s.stale = copied, fetch.Rules, true, true
	}
	return s
}

func (c *rules) retryAt(r *Record) time.Time {
	return r.Failed.End.Add(retryAfter(r.Failed, r.Failures))
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Lifetime returns how long a result is used in a dialect, with what statuses mean in it,
// before the origin is asked again, by a Cache without other settings that knew nothing
// of the origin. A nil dialect is RFC 9309.
func Lifetime(r *fetch.Result, s fetch.Statuses, d *robotstxt.Dialect) time.Duration {
	if r.OutcomeBy(s) == fetch.Unreachable {
		return retryAfter(r, 1)
	}
	return spanOf(d).lifetime(r, defaultMinFresh)
}
