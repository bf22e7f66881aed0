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

// A Record is what is remembered of an origin: facts about retrievals, which
// every dialect reads in its own way, so that one store serves them all (G-8).
// Records are not changed once they are made. The zero Record knows nothing.
//
// Only Copy has a body: what other answers said beside their status does not
// matter.
type Record struct {
	Origin origin.Origin
	Known  *fetch.Result // the last retrieval that had an answer; nil: there was none
	Copy   *fetch.Result // the last that had a file, often the same as Known; nil: there was none
	Failed *fetch.Result // the last retrieval, where it had no answer; nil: it is Known

	Failures     int           // retrievals that failed since the last answer; the back-off grows with them
	FailingSince time.Time     // when the first of those failed that count for R-22; zero: the last retrieval did not fail
	Counted      int           // how many count for R-22
	LongestGap   time.Duration // the longest time between one of these and the next

	Reading string // of statuses, by which Known and Failed were told apart
	Doubt   bool   // another reading was at work: the last answer to this one may not be here
}

// Last returns the last retrieval; nil: there was none.
func (r *Record) Last() *fetch.Result {
	if r.Failed != nil {
		return r.Failed
	}
	return r.Known
}

// lastGood returns the copy that may be used while an origin is unreachable, for
// long or only now: none where the origin has answered otherwise since.
func (r *Record) lastGood(forLong bool) *fetch.Result {
	if r.Known != nil && r.Known != r.Copy || r.Doubt && !forLong {
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

// Body returns the robots.txt that is remembered; nil: none is.
func (r *Record) Body() []byte {
	if r.Copy == nil {
		return nil
	}
	return r.Copy.Body
}

// A Version is what an origin said over some time: a robots.txt, or that there
// is none.
type Version struct {
	Status      int       // of the answer
	Body        []byte    // the robots.txt; nil: the answer was none
	First, Last time.Time // when a retrieval saw it
}

// Version returns the version that the record's last answer is one of; false:
// there was no answer yet.
func (r *Record) Version() (Version, bool) {
	if r.Known == nil {
		return Version{}, false
	}
	v := Version{Status: r.Known.Status, First: r.Known.End, Last: r.Known.End}
	if r.Known == r.Copy {
		v.Body = r.Copy.Body
	}
	return v, true
}

// Same reports whether two versions say the same.
func (v Version) Same(w Version) bool {
	return v.Status == w.Status && (v.Body == nil) == (w.Body == nil) && bytes.Equal(v.Body, w.Body)
}

// reading is how results are read: a dialect, and what statuses mean in it.
type reading struct {
	dialect  *robotstxt.Dialect
	statuses fetch.Statuses
	name     string // which others that tell answers and failures apart alike have too
}

func newReading(d *robotstxt.Dialect, s fetch.Statuses) reading {
	if d == nil {
		d = robotstxt.RFC9309
	}
	return reading{d, s, fmt.Sprint(s)}
}

func (d *reading) outcome(r *fetch.Result) fetch.Outcome { return r.OutcomeBy(d.statuses) }

// next returns the record after one more retrieval. Whether that is an answer is
// up to the reading, but nothing is lost that another reading needs: a Copy is
// the last robots.txt, and stays until there is another.
func (d *rules) next(r *Record, result *fetch.Result) *Record {
	if result.NotModified() && r.Copy != nil {
		result = revalidated(r.Copy, result)
	}
	outcome := d.outcome(result)
	if outcome == fetch.Unreachable || !d.hasFile(result) {
		result = withoutBody(result)
	}
	next := *r
	next.Origin, next.Reading = result.Origin, d.name
	if outcome != fetch.Unreachable {
		next.Known, next.Doubt = result, false
		next.endFailures()
		if d.hasFile(result) {
			next.Copy = result
		}
		return &next
	}
	next.Failed, next.Doubt = result, d.read(r).Doubt
	next.Failures++
	if r.Failed == nil || r.Reading != d.name || d.isBreak(r, result.End) {
		next.beginCount()
		return &next
	}
	next.Counted++
	next.LongestGap = max(r.LongestGap, result.End.Sub(r.Failed.End))
	return &next
}

// isBreak reports whether a failure at a time begins the count of failures again
// it is too long after the last one, or before it by a clock that was set back.
func (d *rules) isBreak(r *Record, at time.Time) bool {
	gap := at.Sub(r.Failed.End)
	return gap < -skew || at.Before(r.FailingSince) || d.relaxAfter >= 0 && max(gap, r.LongestGap) > d.relaxAfter/4
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
func (d *reading) hasFile(r *fetch.Result) bool {
	return d.outcome(r) == fetch.Rules || r.Outcome(robotstxt.Draft1996) == fetch.Rules
}

// revalidated returns a copy that the server says is still the file: its
// headers are those of the later answer, where that has any (RFC 9111, 4.3.4).
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

// read returns a record, which another reading may have made, as this one sees
// it: what was an answer there may be a failure here, and the reverse. Failures
// that another reading counted may have had answers between them.
func (d *reading) read(r *Record) *Record {
	seen := *r
	foreign := r.Failed != nil && r.Reading != d.name
	seen.Doubt = r.Doubt || foreign
	if r.Failed != nil && d.outcome(r.Failed) != fetch.Unreachable {
		seen.Known = r.Failed
		seen.endFailures()
	}
	if seen.Copy != nil && d.outcome(seen.Copy) != fetch.Rules {
		seen.Copy = nil
	}
	if seen.Known != nil {
		switch outcome := d.outcome(seen.Known); {
		case outcome == fetch.Rules && seen.Known != seen.Copy:
			seen.Known = nil // its body was not kept: it must be asked for
		case outcome == fetch.Unreachable:
			if seen.Failed == nil {
				seen.Failed, seen.Failures = seen.Known, 1
			}
			seen.Known, seen.Doubt = nil, true
		}
	}
	if seen.Failed != nil && (foreign || r.Failed == nil) {
		seen.beginCount()
	}
	return &seen
}
