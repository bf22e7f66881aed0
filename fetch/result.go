package fetch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"
	"unsafe"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/redirect"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Result contains the facts of a retrieval. Result.Outcome returns what they mean in a dialect. The zero Result means
// unreachable.
type Result struct {
	Origin origin.Origin `json:"-"`
	Hops   []Hop         `json:"hops"` // the requests with their responses, in order
	// Status is the status of the last response, or the code of the last FTP reply; 0 if there was none.
	Status int   `json:"status"`
	Err    error `json:"-"` // a *Failure that says why the retrieval failed; nil if it did not fail

	// Body is the body of the last response, translated to UTF-8. It must not be changed, because File shares its memory.
	Body      []byte `json:"-"`
	Truncated bool   `json:"truncated,omitempty"` // the body was longer than the limit and was cut at the end of a line
	Encoding  string `json:"encoding,omitempty"`  // the original encoding of the body, such as "utf-16le"; "" if the body was not translated

	// Page says what the body is if it is not a robots.txt, such as an HTML page. See Statuses.Pages.
	Page Page `json:"page,omitempty"`
	// SaysNotFound means that the status is 5xx, but the page says "not found" (G-6). See Statuses.NotFoundPages.
	SaysNotFound bool `json:"says_not_found,omitempty"`

	// Header has the headers of the last response about its type and freshness, with at most 1 KiB of each.
	Header http.Header `json:"header,omitempty"`
	Start  time.Time   `json:"start"`
	End    time.Time   `json:"end"`

	Conditional bool `json:"-"` // the last request had a condition such as If-None-Match, from Validators
}

// A Page says what a body is if it is not a robots.txt. The rules in such a body still apply.
type Page string

// The kinds of pages.
const (
	NoPage Page = ""     // the body is neither HTML nor JSON
	HTML   Page = "html" // the body is an HTML page
	JSON   Page = "json" // the body is one JSON value
)

// String returns the kind as words, such as "an HTML page", or "" for NoPage.
func (p Page) String() string {
	switch p {
	case HTML:
		return "an HTML page"
	case JSON:
		return "a JSON value"
	}
	return ""
}

// A Hop is a request and its response.
type Hop struct {
	URL      string `json:"url"`
	Status   int    `json:"status"`             // status of the response; 0 if there was no response
	Location string `json:"location,omitempty"` // the Location header of the response, cut after 2 KiB
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

// NotModified reports whether the status is 304: the file has not changed since the response that the Validators come from.
func (r *Result) NotModified() bool {
	return r.Conditional && r.Err == nil && r.Status == http.StatusNotModified
}

// An Outcome says what a Result means for a crawler. The zero Outcome is Unreachable.
type Outcome uint8

const (
	// Unreachable: a robots.txt may exist; everything is disallowed for now.
	Unreachable Outcome = iota
	// Rules: there is a robots.txt, and its rules apply.
	Rules
	// Unavailable: there is no robots.txt; everything is allowed.
	Unavailable
	// Restricted: the server refuses to send the robots.txt; everything is disallowed (S96-1).
	Restricted
)

var outcomeNames = [...]string{"unreachable", "rules", "unavailable", "restricted"}

// String returns the outcome as one word.
func (o Outcome) String() string { return printable.Name(outcomeNames[:], o, "unknown") }

// MarshalText returns what String returns.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Outcome returns what the result means in the dialect d; a nil d means RFC 9309.
func (r *Result) Outcome(d *robotstxt.Dialect) Outcome {
	return r.OutcomeBy(StatusesOf(d))
}

// OutcomeBy does the same as Outcome, but the parameter s defines the meanings of the HTTP statuses.
func (r *Result) OutcomeBy(s Statuses) Outcome {
	kind, _ := errors.AsType[FailureKind](r.Err)
	switch {
	case kind.Ours():
		return Unreachable // a failure on our side means this even after too many redirects
	case r.Redirects() > s.MaxRedirects:
		return s.ManyRedirects
	case r.Err != nil:
		return Unreachable // after a failure, nothing is allowed (R-15, G-7)
	case r.Page != NoPage:
		return s.Pages
	case r.Origin.Scheme() == "ftp":
		return s.ftpOutcome(r.Status)
	case s.NotFoundPages && r.SaysNotFound:
		return s.NotFound // the page says that the file is missing (G-6)
	}
	return s.httpOutcome(r.Status)
}

// File returns the rules of the result in the dialect d; nil means RFC 9309. If the Outcome is not Rules, all URLs have the
// same decision.
func (r *Result) File(d *robotstxt.Dialect) *robotstxt.File {
	return r.FileBy(StatusesOf(d), d)
}

// FileBy does the same as File, but the parameter s defines the meanings of the HTTP statuses.
func (r *Result) FileBy(s Statuses, d *robotstxt.Dialect) *robotstxt.File {
	switch r.OutcomeBy(s) {
	case Rules:
		if len(r.Body) > defaultMaxBytes {
			d = d.WithLimit(len(r.Body)) // the limit of the dialect must not cut a body that Fetcher.MaxBytes allowed
		}
		return robotstxt.ParseString(r.text(), d)
	case Unavailable:
		return robotstxt.AllowAll(robotstxt.Unavailable, d)
	case Restricted:
		return robotstxt.DisallowAll(robotstxt.Restricted, d)
	}
	return robotstxt.DisallowAll(robotstxt.Unreachable, d)
}

// SHA256 returns the SHA-256 of Body, in hexadecimal.
func (r *Result) SHA256() string { return fmt.Sprintf("%x", sha256.Sum256(r.Body)) }

func (r *Result) text() string { return unsafe.String(unsafe.SliceData(r.Body), len(r.Body)) }
