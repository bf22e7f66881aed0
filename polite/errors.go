package polite

import (
	"fmt"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// A DisallowedError is the error of a request that was not sent. Either the robots.txt disallows the URL of the
// request, or the site refuses to send its robots.txt (S96-1). An http.Client wraps the DisallowedError in a
// *url.Error; errors.As finds it.
type DisallowedError struct {
	URL    string // the URL of the request, without its password
	Answer cache.Answer
}

// Error returns the reason, or the line of the rule that decided. The text does not contain the URL, because an
// http.Client puts the URL before it.
func (e *DisallowedError) Error() string {
	why := ": " + e.Answer.Reason.String()
	if rule := e.Answer.Rule; e.Answer.Reason == robotstxt.ByRule {
		why = fmt.Sprintf(" by line %d: Disallow: %s", rule.Line, printable.Short(rule.Pattern))
	}
	return "polite: disallowed" + why
}

// An UnreachableError is the error of a request that was not sent. The robots.txt of its origin is unreachable.
// An http.Client wraps the UnreachableError in a *url.Error; errors.As finds it.
type UnreachableError struct {
	URL    string // the URL of the request, without its password
	Answer cache.Answer
}

// Error returns the reason and the time of the next retrieval, rounded up to a second. Before that time the request fails
// again.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("polite: %s, try again at %s", e.Answer.Because(), e.Answer.NextRetrieval.Add(time.Second-1).Truncate(time.Second).Format(time.RFC3339))
}

// Unwrap returns the error of the retrieval, a *fetch.Failure. So errors.Is(err, fetch.TimedOut) reports a timeout;
// os.IsTimeout does not. For a response that cannot be a robots.txt, such as an unrequested 206, the kind is
// fetch.NoRobotsTxt. Unwrap returns nil if the status alone means unreachable, as 503 does.
func (e *UnreachableError) Unwrap() error { return e.Answer.Err }
