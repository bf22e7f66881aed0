package fetch

import (
	"errors"
	"net/http"
	"time"
	"unsafe"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/redirect"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Result contains the facts of a retrieval. What they mean depends on the dialect:
// Outcome returns it. The zero Result is unreachable.
type Result struct {
	Origin origin.Origin `json:"-"`
	Hops   []Hop         `json:"hops"`   // the requests and their responses, in order
	Status int           `json:"status"` // status of the last response, or code of the last FTP reply; 0: none arrived
	Err    error         `json:"-"`      // why the retrieval failed: a *Failure; nil: it did not

	Body      []byte `json:"-"`                   // body of the last response, as UTF-8; must not be changed, because File shares it
	Truncated bool   `json:"truncated,omitempty"` // the body was longer than the limit; Body ends with a whole line
	Encoding  string `json:"encoding,omitempty"`  // the original encoding of the body, such as "utf-16le"; "": not translated

	Page         Page `json:"page,omitempty"`           // what the body is instead of a robots.txt; see Statuses.Pages
	SaysNotFound bool `json:"says_not_found,omitempty"` // status 5xx, but the page says "not found"; see Statuses.NotFoundPages (G-6)

	Header http.Header `json:"header,omitempty"` // headers of the last response: only those about type and freshness, at most 1 KiB of each
	Start  time.Time   `json:"start"`
	End    time.Time   `json:"end"`

	Conditional bool `json:"-"` // the last request was made conditional by Validators
}

// A Hop is a request and its response.
type Hop struct {
	URL      string `json:"url"`
	Status   int    `json:"status"`             // status of the response; 0: none
	Location string `json:"location,omitempty"` // Location header of the response, cut after 2 KiB
}

// Redirects returns the number of responses that were redirects.
func (r *Result) Redirects() (n int) {
	for _, hop := range r.Hops {
		if redirect.Is(hop.Status) {
			n++
		}
	}
	return n
}

// Validators returns the Validators for the next retrieval, from the last response.
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
// file has not changed since the response that had the Validators.
func (r *Result) NotModified() bool {
	return r.Conditional && r.Err == nil && r.Status == http.StatusNotModified
}

// Outcome is what a Result means for a crawler. The zero Outcome is
// Unreachable.
type Outcome uint8

const (
	// Unreachable: a robots.txt may exist; everything is disallowed for now.
	Unreachable Outcome = iota
	// Rules: there is a robots.txt, and its rules apply.
	Rules
	// Unavailable: there is no robots.txt; everything is allowed.
	Unavailable
	// Restricted: the robots.txt may not be read; everything is disallowed (S96-1).
	Restricted
)

var outcomeNames = [...]string{"unreachable", "rules", "unavailable", "restricted"}

// String returns the outcome as one word.
func (o Outcome) String() string { return printable.Name(outcomeNames[:], o, "unknown") }

// MarshalText returns what String returns.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Outcome returns what the result means in a dialect; nil means RFC 9309.
func (r *Result) Outcome(d *robotstxt.Dialect) Outcome {
	return r.OutcomeBy(StatusesOf(d))
}

// OutcomeBy is Outcome with the Statuses of the caller.
func (r *Result) OutcomeBy(s Statuses) Outcome {
	var failure *Failure
	switch {
	case errors.As(r.Err, &failure) && failure.Kind.Ours():
		return Unreachable // even after too many redirects
	case r.Redirects() > s.MaxRedirects:
		return s.ManyRedirects
	case r.Err != nil:
		return Unreachable // no failure is a permission (R-15, G-7)
	case r.Page != NoPage:
		return s.Pages
	case r.Origin.Scheme() == "ftp":
		return s.ofFTP(r.Status)
	case s.NotFoundPages && r.SaysNotFound:
		return s.NotFound // G-6
	}
	return s.of(r.Status)
}

// File returns the rules of the result in a dialect; nil means RFC 9309. If the Outcome
// is not Rules, the file allows or disallows everything.
func (r *Result) File(d *robotstxt.Dialect) *robotstxt.File {
	return r.FileBy(StatusesOf(d), d)
}

// FileBy is File with the Statuses of the caller.
func (r *Result) FileBy(s Statuses, d *robotstxt.Dialect) *robotstxt.File {
	switch r.OutcomeBy(s) {
	case Rules:
		if len(r.Body) > defaultMaxBytes {
			d = d.WithLimit(len(r.Body)) // Fetcher.MaxBytes was more
		}
		return robotstxt.ParseString(r.text(), d)
	case Unavailable:
		return robotstxt.AllowAll(robotstxt.Unavailable, d)
	case Restricted:
		return robotstxt.DisallowAll(robotstxt.Restricted, d)
	}
	return robotstxt.DisallowAll(robotstxt.Unreachable, d)
}

// text returns Body as a string without a copy. That is safe because Body must not be
// changed.
func (r *Result) text() string { return unsafe.String(unsafe.SliceData(r.Body), len(r.Body)) }
