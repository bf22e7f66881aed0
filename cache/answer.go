package cache

import (
	"fmt"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// An Answer is the decision about a URL, with facts about the retrieval that it comes from. The zero Answer disallows
// the URL.
type Answer struct {
	robotstxt.Decision

	Origin origin.Origin
	// Outcome is what the retrieval means now. After a long time of failures it may be fetch.Unavailable.
	Outcome      fetch.Outcome
	Status       int        // HTTP status of the last response; 0 if there was no response
	RedirectedTo string     // the URL of the last request, if the site redirected to it
	Page         fetch.Page // what the body is if it is not a robots.txt, for example an HTML page
	Err          error      // why there is no complete response: a *fetch.Failure, or an error about too many redirects; nil if there is one

	Fetched time.Time     // when the retrieval ended; zero if there was no retrieval
	Age     time.Duration // the time from Fetched to now
	Stale   bool          // the answer comes from this retrieval, although the retrieval is no longer fresh

	// FailingSince is the time at which the first failed retrieval ended, of those that count for RelaxAfter. It is
	// zero if none counts.
	FailingSince time.Time
	// LastFailure is the last retrieval, if it failed, or nil. It must not be changed.
	LastFailure *fetch.Result
	// NextRetrieval is when a question about this origin needs a new retrieval. A retrieval in the background may come
	// earlier.
	NextRetrieval time.Time

	// CrawlDelay is how long the robots.txt asks the crawler to wait between two requests, or 0 if it does not say.
	CrawlDelay time.Duration
}

// String returns the Decision in words, as in "disallowed: robots.txt is unreachable (status 503)". It is safe on a
// terminal.
func (a Answer) String() string {
	if a.Reason == robotstxt.InvalidTarget {
		return "disallowed: " + notAbsolute
	}
	return a.Decision.String() + a.whyNoFile()
}

// Because returns the reason for the Decision, as in "robots.txt is unreachable (status 503)". It is safe on a terminal.
func (a Answer) Because() string {
	if a.Reason == robotstxt.InvalidTarget {
		return notAbsolute
	}
	return a.Decision.Because() + a.whyNoFile()
}

const notAbsolute = "not an absolute URL"

func (a Answer) whyNoFile() string {
	switch a.Reason {
	case robotstxt.Unreachable, robotstxt.Unavailable, robotstxt.Restricted:
	default:
		return ""
	}
	why := fmt.Sprintf("status %d", a.Status)
	switch {
	case a.Err != nil:
		why = printable.Short(a.Err.Error())
	case a.Page != fetch.NoPage:
		why += ", " + a.Page.String()
	}
	return " (" + why + ")"
}
