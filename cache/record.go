package cache

import (
	"bytes"
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

	FailingSince time.Time // when retrievals began to fail; zero: the last did not
	Failures     int       // since then
}

// Last returns the last retrieval; nil: there was none.
func (r *Record) Last() *fetch.Result {
	if r.Failed != nil {
		return r.Failed
	}
	return r.Known
}

// lastGood returns the copy that may be used while an origin is unreachable: none
// where the origin has answered since that there is no file.
func (r *Record) lastGood() *fetch.Result {
	if r.Known != nil && r.Known != r.Copy {
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
}

func (d *reading) outcome(r *fetch.Result) fetch.Outcome { return r.OutcomeBy(d.statuses, d.dialect) }

// next returns the record after one more retrieval.
func (d *reading) next(r *Record, result *fetch.Result) *Record {
	if result.NotModified() && r.Copy != nil {
		result = revalidated(r.Copy, result)
	}
	outcome := d.outcome(result)
	if outcome != fetch.Rules {
		result = withoutBody(result)
	}
	next := *r
	next.Origin = result.Origin
	if outcome == fetch.Unreachable {
		next.Failed = result
		next.Failures++
		if r.Failed == nil || result.End.Before(r.FailingSince) { // by a clock that was ahead
			next.FailingSince = result.End
		}
		return &next
	}
	next.Known, next.Failed, next.FailingSince, next.Failures = result, nil, time.Time{}, 0
	if outcome == fetch.Rules {
		next.Copy = result
	}
	return &next
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

// read returns a record that another reading may have made, as this one sees
// it: what was an answer there may be a failure here, and the reverse.
func (d *reading) read(r *Record) *Record {
	seen := *r
	if r.Failed != nil && d.outcome(r.Failed) != fetch.Unreachable {
		seen.Known, seen.Failed, seen.FailingSince, seen.Failures = r.Failed, nil, time.Time{}, 0
	}
	if seen.Known == nil {
		return &seen
	}
	switch outcome := d.outcome(seen.Known); {
	case outcome == fetch.Rules && seen.Known != seen.Copy:
		seen.Known = nil // its body was not kept: it must be asked for
	case outcome == fetch.Unreachable:
		if seen.Failed == nil {
			seen.Failed = seen.Known
		}
		seen.FailingSince = seen.Known.End
		seen.Failures++
		seen.Known = nil
		if seen.Copy != nil && d.outcome(seen.Copy) == fetch.Rules {
			seen.Known = seen.Copy // the last answer that is left
		}
	}
	if seen.Copy != nil && d.outcome(seen.Copy) != fetch.Rules {
		seen.Copy = nil
	}
	return &seen
}
