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

// A Record is what is cached of an origin: facts about retrievals. Each cache reads them in
// its own dialect and with its own meaning of statuses, so that one store serves all (G-8).
// A Record is not changed once it is made. The zero Record knows nothing.
//
// A retrieval is an answer unless it means that the origin is unreachable; then it is a
// failure. Only Copy has a body.
type Record struct {
	Origin   origin.Origin
	Answered *fetch.Result // the last retrieval that was an answer; nil: none was
	Copy     *fetch.Result // the last retrieval that brought a robots.txt, often the same as Answered; nil: none did
	Failed   *fetch.Result // the last retrieval, if it was a failure; nil: it was Answered

	Failures     int           // in a row since the last answer; the back-off grows with them
	FailingSince time.Time     // when the first failure ended that counts for R-22; zero: the last retrieval was no failure
	Counted      int           // failures that count for R-22
	LongestGap   time.Duration // the longest time from one of these to the next

	// Statuses names the meaning of statuses by which the last writer of the record told
	// answers from failures.
	Statuses string
	// MixedStatuses: writers with another meaning of statuses took part since Answered, so
	// what they took for an answer may be missing.
	MixedStatuses bool
}

// Last returns the last retrieval; nil: there was none.
func (r *Record) Last() *fetch.Result {
	if r.Failed != nil {
		return r.Failed
	}
	return r.Answered
}

// lastGood returns the robots.txt that may be used while the origin is unreachable, which
// has lasted for a long time or not; nil: there is none, or there was another answer
// after it.
func (r *Record) lastGood(forLong bool) *fetch.Result {
	if r.Answered != nil && r.Answered != r.Copy || r.MixedStatuses && !forLong {
		return nil
	}
	return r.Copy
}

// lastEnd is when the last retrieval ended.
func (r *Record) lastEnd() time.Time {
	if last := r.Last(); last != nil {
		return last.End
	}
	return time.Time{}
}

// Body returns the cached robots.txt; nil: there is none.
func (r *Record) Body() []byte {
	if r.Copy == nil {
		return nil
	}
	return r.Copy.Body
}

// A Version is what an origin answered over some time: a robots.txt, or that there is none.
type Version struct {
	Status      int       // of the answer
	Body        []byte    // the robots.txt; nil: the answer had none
	First, Last time.Time // when the first and the last retrieval with this answer ended
}

// Version returns the version to which the record's last answer belongs; false: there was
// no answer yet.
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

// Same reports whether two versions have the same status and the same robots.txt.
func (v Version) Same(w Version) bool {
	return v.Status == w.Status && (v.Body == nil) == (w.Body == nil) && bytes.Equal(v.Body, w.Body)
}

// A view is how a cache reads results: its dialect, and what statuses mean in it.
type view struct {
	dialect  *robotstxt.Dialect
	statuses fetch.Statuses
	name     string // of the statuses: two views with one name tell answers from failures alike
}

func newView(d *robotstxt.Dialect, s fetch.Statuses) view {
	if d == nil {
		d = robotstxt.RFC9309
	}
	return view{d, s, fmt.Sprint(s)}
}

func (v *view) outcome(r *fetch.Result) fetch.Outcome { return r.OutcomeBy(v.statuses) }

// next returns the record after one more retrieval. The view decides whether that is an
// answer or a failure. What another view needs is kept: Copy stays until there is another
// robots.txt.
func (s *settings) next(r *Record, result *fetch.Result) *Record {
	if result.NotModified() && r.Copy != nil {
		result = revalidated(r.Copy, result)
	}
	outcome := s.outcome(result)
	if outcome == fetch.Unreachable || !s.hasFile(result) {
		result = withoutBody(result)
	}
	next := *r
	next.Origin, next.Statuses = result.Origin, s.name
	if outcome != fetch.Unreachable {
		next.Answered, next.MixedStatuses = result, false
		next.endFailures()
		if s.hasFile(result) {
			next.Copy = result
		}
		return &next
	}
	next.Failed, next.MixedStatuses = result, s.seen(r).MixedStatuses
	next.Failures++
	if r.Failed == nil || r.Statuses != s.name || s.isBreak(r, result.End) {
		next.beginCount()
		return &next
	}
	next.Counted++
	next.LongestGap = max(r.LongestGap, result.End.Sub(r.Failed.End))
	return &next
}

// isBreak reports whether a failure at a time begins the count of failures again:
// too much time lies between it and the last one, or it lies before that, since a clock was
// set back.
func (s *settings) isBreak(r *Record, at time.Time) bool {
	gap := at.Sub(r.Failed.End)
	return gap < -skew || at.Before(r.FailingSince) || s.relaxAfter >= 0 && max(gap, r.LongestGap) > s.relaxAfter/4
}

// beginCount begins the count of failures again, with the last one.
func (r *Record) beginCount() {
	r.FailingSince, r.Counted, r.LongestGap = r.Failed.End, 1, 0
}

func (r *Record) endFailures() {
	r.Failed, r.Failures, r.FailingSince, r.Counted, r.LongestGap = nil, 0, time.Time{}, 0, 0
}

// hasFile reports whether a result brought a robots.txt to this reading or, by
// fewer redirects than some dialect follows, to another.
func (v *view) hasFile(r *fetch.Result) bool {
	return v.outcome(r) == fetch.Rules || r.Outcome(robotstxt.Draft1996) == fetch.Rules
}

// revalidated returns a copy after an answer which says that it is still the robots.txt.
// The headers of the answer replace those of the copy (RFC 9111, 4.3.4).
func revalidated(copied, answer *fetch.Result) *fetch.Result {
	r := *copied
	r.Hops, r.Start, r.End = answer.Hops, answer.Start, answer.End
	r.Header = http.Header{}
	for _, from := range []http.Header{copied.Header, answer.Header} {
		for name, values := range from {
			r.Header[name] = slices.Clone(values)
		}
	}
	if answer.Header.Get("Age") == "" {
		r.Header.Del("Age") // it was that of the earlier answer
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

// seen returns a record as this view sees it. A view with other statuses may have written
// it: what was an answer for that view may be a failure for this one, and the reverse. A
// robots.txt is fine for all; take the last retrieval, with status 403, of an origin that
// had a robots.txt before:
//
//	                    written where 403 is  Answered  Failed  seen where 403 is  Answered  Failed
//	the same statuses   unavailable           403               unavailable        403
//	answer to failure   unavailable           403               unreachable                  403, the first failure
//	failure to answer   unreachable           file      403     unavailable        403
//
// MixedStatuses is set in the second row, since the answer before the 403 is not in the
// record. It is also set wherever a view with other statuses counted failures, since there
// may have been answers between them for this view; its count begins again.
func (v *view) seen(r *Record) *Record {
	seen := *r
	others := r.Failed != nil && r.Statuses != v.name // failures that another view counted
	seen.MixedStatuses = r.MixedStatuses || others
	if r.Failed != nil && v.outcome(r.Failed) != fetch.Unreachable {
		seen.Answered = r.Failed
		seen.endFailures()
	}
	if seen.Copy != nil && v.outcome(seen.Copy) != fetch.Rules {
		seen.Copy = nil
	}
	if seen.Answered != nil {
		switch outcome := v.outcome(seen.Answered); {
		case outcome == fetch.Rules && seen.Answered != seen.Copy:
			seen.Answered = nil // its body was not kept: it must be retrieved again
		case outcome == fetch.Unreachable:
			if seen.Failed == nil {
				seen.Failed, seen.Failures = seen.Answered, 1
			}
			seen.Answered, seen.MixedStatuses = nil, true
		}
	}
	if seen.Failed != nil && (others || r.Failed == nil) {
		seen.beginCount()
	}
	return &seen
}
