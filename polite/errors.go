package polite

import (
	"fmt"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// A DisallowedError says that a request was not sent since robots.txt disallows
// its URL, or the server does not let anybody read its robots.txt and the dialect
// takes that for the whole site (S96-1). An http.Client returns it within a
// *url.Error: errors.As finds it.
type DisallowedError struct {
	URL    string // a password in it is left out
	Answer cache.Answer
}

// Error names the line that decided.
func (e *DisallowedError) Error() string {
	why := ": " + e.Answer.Reason.String()
	if rule := e.Answer.Rule; e.Answer.Reason == robotstxt.ByRule {
		why = fmt.Sprintf(" by line %d: Disallow: %s", rule.Line, printable.Short(rule.Pattern))
	}
	return fmt.Sprintf("polite: %s: disallowed%s", printable.Short(e.URL), why)
}

// An UnreachableError says that a request was not sent since the robots.txt of
// its origin could not be fetched, so that everything is disallowed for now
// . An http.Client returns it within a *url.Error: errors.As finds it.
type UnreachableError struct {
	URL    string // a password in it is left out
	Answer cache.Answer
}

// Error says why, and from when on another try may have another answer.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("polite: %s: %s, ask again at %s",
		printable.Short(e.URL), e.Answer.Because(), e.Answer.NextRetrieval.Format(time.RFC3339))
}

// Unwrap returns why there was no answer; nil: the status was one.
func (e *UnreachableError) Unwrap() error { return e.Answer.Err }
