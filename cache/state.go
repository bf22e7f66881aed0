package cache

import (
	"cmp"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// state is what holds for an origin from one time to another, unless it is retrieved again.
type state struct {
	result  *fetch.Result // the retrieval that answers come from; nil: there was none
	outcome fetch.Outcome // what it means now
	copied  bool          // the rules are those of the record's Copy
	stale   bool          // the result is no longer fresh, but used all the same
	refresh time.Time     // from then on the origin is retrieved in the background
	due     time.Time     // from then on the origin is retrieved before there is an answer
	start   time.Time     // when the last retrieval ended: the state does not hold before
	end     time.Time     // the state does not hold from then on

	answer Answer // what all answers have in common
}

// skew is how far the clocks of those who share a store may be apart. What is
// further in the future is not believed: it would never expire.
const skew = 5 * time.Minute

// settings are those of a Cache, with their defaults.
type settings struct {
	view
	span
	minFresh   time.Duration
	lastGood   LastGood
	relaxAfter time.Duration
	copyIfGone bool

	fixed       *fixedFiles
	policyBytes int // what the policies of one file may take
}

// state returns the state of an origin, by its record as the view sees it: the table in the
// package documentation.
func (set *settings) state(r *Record, now time.Time) state {
	if r.Answered != nil {
		until := r.Answered.End.Add(set.lifetime(r.Answered, set.minFresh))
		if now.Before(until) && !now.Before(r.Answered.End.Add(-skew)) {
			return set.fresh(r, now, until)
		}
	}
	if r.Failed != nil {
		return set.failing(r, now)
	}
	if r.Answered == nil {
		return state{outcome: fetch.Unreachable, due: now, refresh: now, end: now}
	}
	s := set.answered(r, now)
	s.stale = true
	s.due, s.refresh, s.end = now, now, now
	return s
}

// fresh: the last answer may be used until a time.
func (set *settings) fresh(r *Record, now, until time.Time) state {
	s := set.answered(r, now)
	s.due = until
	s.refresh = until.Add(-until.Sub(r.Answered.End) / refreshShare)
	if r.Failed != nil {
		s.refresh = later(s.refresh, set.retryAt(r))
	}
	s.end = earlier(cmp.Or(s.end, until), until)
	return s
}

// refreshShare: what is asked about in the last tenth of its time is refreshed.
const refreshShare = 10

// answered: what the last answer means.
func (set *settings) answered(r *Record, now time.Time) state {
	outcome := set.outcome(r.Answered)
	if outcome == fetch.Unavailable && set.copyIfGone && r.Copy != nil {
		if until := r.Copy.End.Add(day); now.Before(until) { // D-2
			return state{result: r.Copy, outcome: fetch.Rules, copied: true, stale: true, end: until}
		}
	}
	return state{result: r.Answered, outcome: outcome, copied: outcome == fetch.Rules}
}

// failing: the last retrieval failed, and no answer is fresh.
func (set *settings) failing(r *Record, now time.Time) state {
	at := set.retryAt(r)
	if r.Failed.End.After(now.Add(skew)) {
		at = now
	}
	s := state{result: r.Failed, outcome: fetch.Unreachable, due: at, refresh: at, end: at}
	relaxes := r.FailingSince.Add(set.relaxAfter)
	relaxed := set.relaxAfter >= 0 && !now.Before(relaxes) && r.Counted >= leastCounted && !set.isBreak(r, now)
	copied := r.lastGood(relaxed)
	switch {
	case copied != nil && (set.lastGood == LastGoodAtOnce || set.lastGood == LastGoodAfterLong && relaxed):
		s.result, s.outcome, s.copied, s.stale = copied, fetch.Rules, true, true
	case relaxed:
		s.outcome, s.stale = fetch.Unavailable, true
	}
	switch {
	case relaxed:
		s.end = earlier(s.end, r.Failed.End.Add(set.relaxAfter/4))
	case set.relaxAfter >= 0 && now.Before(relaxes):
		s.end = earlier(s.end, relaxes)
	}
	return s
}

// leastCounted: fewer failures are not "for a long time", however much time lies
// between them.
const leastCounted = 5

// holdBack is how long an origin is not retrieved after a failure of our own. After a refused
// address or port it is the back-off of a failure, since they will be refused again: where a
// redirect leads there, each attempt costs the site a request.
func (e *entry) holdBack() time.Duration {
	if e.refusals > 0 {
		return retryAfter(e.ours, e.refusals)
	}
	return 5 * time.Second
}

// heldBack returns the state of an origin after a failure of our own; s is the state
// without that failure.
func (set *settings) heldBack(s state, e *entry, now time.Time) state {
	ours := e.ours
	until := ours.End.Add(e.holdBack())
	if ours.End.After(now.Add(skew)) {
		until = now
	}
	if now.Before(s.due) { // an answer is still fresh, or a back-off not over
		s.refresh = later(s.refresh, until)
		return s
	}
	s = state{result: ours, outcome: fetch.Unreachable, due: until, refresh: until, end: until}
	if copied := e.seen.lastGood(false); copied != nil && set.lastGood == LastGoodAtOnce {
		s.result, s.outcome, s.copied, s.stale = copied, fetch.Rules, true, true
	}
	return s
}

func (set *settings) retryAt(r *Record) time.Time {
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

// Lifetime returns how long a Cache with default settings, which knew nothing of the origin
// before, uses a result before it retrieves the robots.txt again. A nil dialect is RFC 9309;
// s says what statuses mean in it.
func Lifetime(r *fetch.Result, s fetch.Statuses, d *robotstxt.Dialect) time.Duration {
	if r.OutcomeBy(s) == fetch.Unreachable {
		return retryAfter(r, 1)
	}
	return spanOf(d).lifetime(r, defaultMinFresh)
}
