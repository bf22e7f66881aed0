package cache

import (
	"cmp"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// A state is what a record means for some time. A robots.txt from 12:00, fresh until 13:40, has this state:
//
//	start 12:00    refresh 13:30    due 13:40    end 13:40
type state struct {
	result  *fetch.Result // the retrieval that the answers come from; nil if there was none
	outcome fetch.Outcome // what the result means now
	copied  bool          // the rules come from the field Copy of the record
	stale   bool          // the answers come from result, although result is no longer fresh
	refresh time.Time     // after this time, a question starts a retrieval in the background
	due     time.Time     // after this time, a question waits for a new retrieval
	start   time.Time     // when the last retrieval ended; if the time is now earlier, a clock was set back
	end     time.Time     // after this time, the state must be computed again

	answer Answer // what all answers in this state have in common
}

// skew is how far the clocks of processes may differ. A result from further in the future would be fresh for too long.
const skew = 5 * time.Minute

type settings struct {
	view
	span
	minFresh   time.Duration
	lastGood   LastGood
	relaxAfter time.Duration
	copyIfGone bool

	fixed       *fixedFiles
	policyBytes int
}

// The documentation of package cache has a table of all cases.
func (set *settings) state(r *Record, now time.Time) state {
	if r.Answered != nil {
		until := r.Answered.End.Add(set.lifetime(r.Answered, set.minFresh))
		if now.Before(until) && !now.Before(r.Answered.End.Add(-skew)) {
			return set.freshState(r, now, until)
		}
	}
	if r.Failed != nil {
		return set.failingState(r, now)
	}
	if r.Answered == nil {
		return state{outcome: fetch.Unreachable, due: now, refresh: now, end: now}
	}
	s := set.answeredState(r, now)
	s.stale = true
	s.due, s.refresh, s.end = now, now, now
	return s
}

func (set *settings) freshState(r *Record, now, until time.Time) state {
	s := set.answeredState(r, now)
	s.due = until
	s.refresh = until.Add(-until.Sub(r.Answered.End) / refreshShare)
	if r.Failed != nil {
		s.refresh = later(s.refresh, set.retryAt(r))
	}
	s.end = earlier(cmp.Or(s.end, until), until)
	return s
}

// refreshShare is 10: a question in the last tenth of the fresh time starts a retrieval in the background.
const refreshShare = 10

// The caller must set the times of the state.
func (set *settings) answeredState(r *Record, now time.Time) state {
	outcome := set.outcome(r.Answered)
	if outcome == fetch.Unavailable && set.copyIfGone && r.Copy != nil {
		if until := r.Copy.End.Add(day); now.Before(until) { // D-2: the cached robots.txt is used for one day
			return state{result: r.Copy, outcome: fetch.Rules, copied: true, stale: true, end: until}
		}
	}
	return state{result: r.Answered, outcome: outcome, copied: outcome == fetch.Rules}
}

func (set *settings) failingState(r *Record, now time.Time) state {
	at := set.retryAt(r)
	if r.Failed.End.After(now.Add(skew)) {
		at = now // a clock was set back, so the back-off is over
	}
	s := state{result: r.Failed, outcome: fetch.Unreachable, due: at, refresh: at, end: at}
	relaxAt := r.FailingSince.Add(set.relaxAfter)
	relaxed := set.relaxAfter >= 0 && !now.Before(relaxAt) && r.Counted >= minFailures && !set.isBreak(r, now)
	copied := r.lastGood(relaxed)
	switch {
	case copied != nil && (set.lastGood == LastGoodAtOnce || set.lastGood == LastGoodAfterLong && relaxed):
		s.result, s.outcome, s.copied, s.stale = copied, fetch.Rules, true, true
	case relaxed:
		s.outcome, s.stale = fetch.Unavailable, true
	}
	switch { // relaxed may become true before the next retrieval
	case relaxed:
		s.end = earlier(s.end, r.Failed.End.Add(set.relaxAfter/4))
	case set.relaxAfter >= 0 && now.Before(relaxAt):
		s.end = earlier(s.end, relaxAt)
	}
	return s
}

// An origin counts as failing for a long time only after at least minFailures failures.
const minFailures = 5

// After a failure on our side, the next try is soon. But if Heed refused an address or a port, the site may have
// redirected to it. Then each try sends a request to the site, so Heed waits longer after each failure.
func (e *entry) ownFailureDelay() time.Duration {
	if e.refusals > 0 {
		return retryAfter(e.ownFailure, e.refusals)
	}
	return 5 * time.Second
}

// The state s is what the record alone says, without the failure on our side.
func (set *settings) ownFailureState(s state, e *entry, now time.Time) state {
	failed := e.ownFailure
	until := failed.End.Add(e.ownFailureDelay())
	if failed.End.After(now.Add(skew)) {
		until = now
	}
	if now.Before(s.due) { // the state s is still valid: its answer is fresh, or its back-off is not over
		s.refresh = later(s.refresh, until)
		return s
	}
	s = state{result: failed, outcome: fetch.Unreachable, due: until, refresh: until, end: until}
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

// Lifetime returns for how long a new Cache with default settings uses a result. After a failure, this is the time
// until the next try. The parameter s has the meanings of HTTP statuses. A nil dialect is RFC 9309.
func Lifetime(r *fetch.Result, s fetch.Statuses, d *robotstxt.Dialect) time.Duration {
	if r.OutcomeBy(s) == fetch.Unreachable {
		return retryAfter(r, 1)
	}
	return spanOf(d).lifetime(r, defaultMinFresh)
}
