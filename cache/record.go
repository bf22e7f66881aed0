package cache

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Record is the entry of an origin in a Store. Each Cache reads it in its own dialect (G-8). A Record must not change.
// The zero Record has no retrieval.
//
// A retrieval is a failure if its result means that the origin is unreachable. Every other retrieval is an answer. Only
// Copy has a body.
type Record struct {
	Origin   origin.Origin `json:"origin"`
	Answered *fetch.Result `json:"-"` // the last retrieval that was an answer, not a failure; nil if there was none
	// Copy is the last retrieval that returned a robots.txt, or nil if none did. It is often the same retrieval as Answered.
	Copy   *fetch.Result `json:"-"`
	Failed *fetch.Result `json:"-"` // the last retrieval, if it was a failure; otherwise nil

	// Failures is the number of failures since the last answer. With each failure, the back-off (the time until the next
	// retrieval) becomes longer.
	Failures int `json:"failures,omitempty"`
	// FailingSince, Counted and LongestGap show how long the origin has failed. After an answer they are zero.
	// After a long gap, the count starts again.
	FailingSince time.Time     `json:"failing_since,omitzero"` // when the first counted failure ended
	Counted      int           `json:"counted,omitempty"`      // number of counted failures
	LongestGap   time.Duration `json:"longest_gap,omitempty"`  // longest time between two counted failures

	// Statuses identifies the fetch.Statuses of the Cache that wrote the record last. They decided whether a retrieval was an
	// answer or a failure.
	Statuses string `json:"statuses,omitempty"`
	// MixedStatuses is true if Caches with different Statuses wrote the record since the last answer. An answer may then
	// be missing. Therefore Copy is used only after Cache.RelaxAfter, even with LastGoodAtOnce.
	MixedStatuses bool `json:"mixed_statuses,omitempty"`
}

// Last returns the last retrieval, an answer or a failure, or nil if there was none.
func (r *Record) Last() *fetch.Result {
	if r.Failed != nil {
		return r.Failed
	}
	return r.Answered
}

// LastAnswer returns the last retrieval that is not a failure in the dialect d with the meanings s of HTTP statuses. It
// returns nil if there is none, or if the record does not contain its robots.txt. A nil d means RFC 9309. The result
// must not be changed.
func (r *Record) LastAnswer(s fetch.Statuses, d *robotstxt.Dialect) *fetch.Result {
	v := newView(d, s)
	return v.seenRecord(r).Answered
}

// lastGood returns the retrieval whose robots.txt is used while the origin is unreachable, or nil. If
// MixedStatuses is true, an answer may be missing, so the robots.txt is used only after failures for a long time.
func (r *Record) lastGood(hasFailedLong bool) *fetch.Result {
	if r.Answered != nil && r.Answered != r.Copy || r.MixedStatuses && !hasFailedLong {
		return nil
	}
	return r.Copy
}

func (r *Record) lastEnd() time.Time {
	if last := r.Last(); last != nil {
		return last.End
	}
	return time.Time{}
}

// Body returns the text of the cached robots.txt, or nil if there is none.
func (r *Record) Body() []byte {
	if r.Copy == nil {
		return nil
	}
	return r.Copy.Body
}

// A Version is an entry in the history of an origin: an answer, and when the origin gave it.
type Version struct {
	Status int    // HTTP status of the answer
	Body   []byte // text of the robots.txt, which may be empty; nil if there was no robots.txt
	// First and Last are when the first and the last retrieval with this answer ended.
	First, Last time.Time
}

// Version returns the last answer as an entry of the history. It returns false if there is no answer.
func (r *Record) Version() (Version, bool) {
	if r.Answered == nil {
		return Version{}, false
	}
	v := Version{Status: r.Answered.Status, First: r.Answered.End, Last: r.Answered.End}
	if r.Answered == r.Copy {
		v.Body = r.Copy.Body
	}
	return v, true
}

// Same reports whether two versions have the same status and the same robots.txt. It ignores the times.
func (v Version) Same(w Version) bool {
	return v.Status == w.Status && (v.Body == nil) == (w.Body == nil) && bytes.Equal(v.Body, w.Body)
}

// A view is how one Cache reads the results of retrievals: its dialect, and the meanings of the HTTP statuses.
type view struct {
	dialect  *robotstxt.Dialect
	statuses fetch.Statuses
	// Two Caches with the same statusesName agree which results are answers and which are failures.
	statusesName string
}

func newView(d *robotstxt.Dialect, s fetch.Statuses) view {
	if d == nil {
		d = robotstxt.RFC9309
	}
	return view{d, s, fmt.Sprint(s)}
}

func (v *view) outcome(r *fetch.Result) fetch.Outcome { return r.OutcomeBy(v.statuses) }

// Copy stays after an answer without a robots.txt, such as 404, because a Cache with other settings may still need it.
func (s *settings) next(r *Record, result *fetch.Result) *Record {
	if result.NotModified() && r.Copy != nil {
		result = revalidate(r.Copy, result)
	}
	outcome := s.outcome(result)
	if outcome == fetch.Unreachable || !s.hasFile(result) {
		result = withoutBody(result)
	}
	next := *r
	next.Origin, next.Statuses = result.Origin, s.statusesName
	if outcome != fetch.Unreachable {
		next.Answered, next.MixedStatuses = result, false
		next.endFailures()
		if s.hasFile(result) {
			next.Copy = result
		}
		return &next
	}
	next.Failed, next.MixedStatuses = result, s.seenRecord(r).MixedStatuses
	next.Failures++
	if r.Failed == nil || r.Statuses != s.statusesName || s.isBreak(r, result.End) {
		next.beginCount()
		return &next
	}
	next.Counted++
	next.LongestGap = max(r.LongestGap, result.End.Sub(r.Failed.End))
	return &next
}

// isBreak reports whether the count of failures starts again: the gap is too long, or a clock was set back.
func (s *settings) isBreak(r *Record, at time.Time) bool {
	gap := at.Sub(r.Failed.End)
	return gap < -skew || at.Before(r.FailingSince) || s.relaxAfter >= 0 && max(gap, r.LongestGap) > s.relaxAfter/4
}

// beginCount starts the count of failures again: the last failure is now the first one in the count.
func (r *Record) beginCount() {
	r.FailingSince, r.Counted, r.LongestGap = r.Failed.End, 1, 0
}

func (r *Record) endFailures() {
	r.Failed, r.Failures, r.FailingSince, r.Counted, r.LongestGap = nil, 0, time.Time{}, 0, 0
}

// hasFile also returns true for a robots.txt after more redirects than the dialect allows. A Cache with Draft1996 may
// use it.
func (v *view) hasFile(r *fetch.Result) bool {
	return v.outcome(r) == fetch.Rules || r.Outcome(robotstxt.Draft1996) == fetch.Rules
}

// revalidate returns the cached result with the times and headers of a 304 (RFC 9111, 4.3.4).
func revalidate(copied, answer *fetch.Result) *fetch.Result {
	r := *copied
	r.Hops, r.Start, r.End = answer.Hops, answer.Start, answer.End
	r.Header = http.Header{}
	for _, from := range []http.Header{copied.Header, answer.Header} {
		for name, values := range from {
			r.Header[name] = slices.Clone(values)
		}
	}
	if answer.Header.Get("Age") == "" {
		r.Header.Del("Age") // the Age of the cached response does not apply to the 304
	}
	return &r
}

func withoutBody(r *fetch.Result) *fetch.Result {
	if r.Body == nil {
		return r
	}
	bare := *r
	bare.Body, bare.Truncated, bare.Encoding = nil, false, ""
	return &bare
}

// seenRecord returns what a record means for this Cache. Another Cache may have written the record, with other meanings
// of HTTP statuses. For example, a 403 was an answer for that Cache, and is a failure for this one. If an answer may be
// missing, MixedStatuses becomes true, and the count of failures starts again.
func (v *view) seenRecord(r *Record) *Record {
	seen := *r
	otherStatuses := r.Failed != nil && r.Statuses != v.statusesName
	seen.MixedStatuses = r.MixedStatuses || otherStatuses

	// The Cache that wrote this record took the last retrieval as a failure, but this Cache takes it as an answer.
	if r.Failed != nil && v.outcome(r.Failed) != fetch.Unreachable {
		seen.Answered = r.Failed
		seen.endFailures()
	}
	// The copy is no robots.txt for this Cache, for example because of too many redirects.
	if seen.Copy != nil && v.outcome(seen.Copy) != fetch.Rules {
		seen.Copy = nil
	}
	if seen.Answered != nil {
		switch outcome := v.outcome(seen.Answered); {
		// The Cache that wrote this record did not keep this robots.txt, so it must be fetched again.
		case outcome == fetch.Rules && seen.Answered != seen.Copy:
			seen.Answered = nil
		// The Cache that wrote this record took this status as an answer, but this Cache takes it as a failure.
		case outcome == fetch.Unreachable:
			if seen.Failed == nil {
				seen.Failed, seen.Failures = seen.Answered, 1
			}
			seen.Answered, seen.MixedStatuses = nil, true
		}
	}
	if seen.Failed != nil && (otherStatuses || r.Failed == nil) {
		seen.beginCount()
	}
	return &seen
}
