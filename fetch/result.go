package fetch

import (
	"errors"
	"net/http"
	"time"
	"unsafe"

	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Result is what came of a retrieval: facts, which each dialect reads in its
// own way. The zero Result is unreachable.
type Result struct {
	Origin origin.Origin
	Hops   []Hop // the requests, in order
	Status int   // of the last response, or the last reply of an FTP server; 0: there was none
	Err    error // why there is no answer: a *Failure; nil: there is one

	Body      []byte // of the last response, as UTF-8; its files hold it, so it must not be changed
	Truncated bool   // the body is longer; what is here ends with a whole line
	Encoding  string // that the body was translated from; "": it was not

	HTML         bool // the robots.txt is an HTML page, such as a login form; see Statuses.HTMLPages
	SaysNotFound bool // a server error whose page says that there is no such file (G-6)

	Header     http.Header // of the last response: those about its type and its freshness, at most 1 KiB of each
	Start, End time.Time

	Conditional bool // the last request was conditional, by the Validators that were given
}

// A Hop is a request and its response.
type Hop struct {
	URL      string `json:"url"`
	Status   int    `json:"status"`             // 0: there was no response
	Location string `json:"location,omitempty"` // as the server sent it, at most 2 KiB of it
}

// Redirects returns how many of the responses were redirects.
func (r *Result) Redirects() (n int) {
	for _, hop := range r.Hops {
		if isRedirect(hop.Status) {
			n++
		}
	}
	return n
}

// Validators returns what makes the next request conditional.
func (r *Result) Validators() Validators {
	if len(r.Hops) == 0 {
		return Validators{}
	}
	return Validators{
		URL:          r.Hops[len(r.Hops)-1].URL,
		ETag:         r.Header.Get("Etag"),
		LastModified: r.Header.Get("Last-Modified"),
	}
}

// NotModified reports whether the server answered a conditional request with 304: the
// file is still the one that the Validators came with.
func (r *Result) NotModified() bool {
	return r.Conditional && r.Err == nil && r.Status == http.StatusNotModified
}

// Outcome is what a Result means for a crawler. The zero Outcome is
// Unreachable.
type Outcome uint8

const (
	// Unreachable: the site may not be visited for now.
	Unreachable Outcome = iota
	// Rules: there is a robots.txt.
	Rules
	// Unavailable: there is none; the site may be visited.
	Unavailable
	// Restricted: the site may not be visited (S96-1).
	Restricted
)

var outcomeNames = [...]string{"unreachable", "rules", "unavailable", "restricted"}

// String returns the outcome in a word.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "unknown"
}

// MarshalText returns what String returns.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Outcome returns what the result means in a dialect, nil being RFC 9309.
func (r *Result) Outcome(d *robotstxt.Dialect) Outcome {
	return r.OutcomeBy(StatusesOf(d))
}

// OutcomeBy is Outcome with other statuses than those of the dialect.
func (r *Result) OutcomeBy(s Statuses) Outcome {
	var failure *Failure
	switch {
	case errors.As(r.Err, &failure) && failure.Kind.Ours():
		return Unreachable // also behind many redirects
	case r.Redirects() > s.MaxRedirects:
		return s.ManyRedirects
	case r.Err != nil:
		return Unreachable // whatever failed, it is no permission (R-15, G-7)
	case r.HTML:
		return s.HTMLPages
	case r.Origin.Scheme() == "ftp":
		return s.ofFTP(r.Status)
	case s.NotFoundPages && r.SaysNotFound:
		return s.NotFound // G-6
	}
	return s.of(r.Status)
}

// File returns the file that the result stands for in a dialect, nil being
// RFC 9309.
func (r *Result) File(d *robotstxt.Dialect) *robotstxt.File {
	return r.FileBy(StatusesOf(d), d)
}

// FileBy is File with other statuses than those of the dialect.
func (r *Result) FileBy(s Statuses, d *robotstxt.Dialect) *robotstxt.File {
	switch r.OutcomeBy(s) {
	case Rules:
		if len(r.Body) > defaultMaxBytes {
			d = d.WithLimit(len(r.Body)) // somebody asked for more
		}
		return robotstxt.ParseString(r.text(), d)
	case Unavailable:
		return robotstxt.AllowAll(robotstxt.Unavailable, d)
	case Restricted:
		return robotstxt.DisallowAll(robotstxt.Restricted, d)
	}
	return robotstxt.DisallowAll(robotstxt.Unreachable, d)
}

// text returns Body as a string that shares its octets, which nobody changes once the
// Result is given out.
func (r *Result) text() string { return unsafe.String(unsafe.SliceData(r.Body), len(r.Body)) }
