package live

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/guard"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// The text is for example "status 503, tried 2 minutes ago, next try in 50 seconds".
func RetrievalText(a *cache.Answer) string {
	var words []string
	switch {
	case a.Fetched.IsZero() && a.Err != nil:
		return Failure(a.Err)
	case a.Err != nil:
		words = append(words, Failure(a.Err))
		if Refused(a.Err) && a.Outcome == fetch.Unreachable {
			return strings.Join(words, ", ")
		}
	case a.Outcome != fetch.Rules:
		words = append(words, fmt.Sprintf("status %d", a.Status))
	}
	if a.Page != fetch.NoPage {
		words = append(words, a.Page.String())
	}
	if a.RedirectedTo != "" {
		words = append(words, "redirected to "+a.RedirectedTo)
	}
	switch {
	case a.Stale && !a.FailingSince.IsZero():
		words = append(words, "unreachable since "+When(a.FailingSince))
	case a.Stale:
		words = append(words, "stale")
	}
	if a.LastFailure != nil && !a.Stale && a.Outcome != fetch.Unreachable {
		words = append(words, "copy fetched "+About(a.Age)+" ago")
		return strings.Join(words, ", ") + "; the last try failed: " + ResponseText(a.LastFailure)
	}
	verb := "fetched "
	if a.Outcome == fetch.Unreachable {
		verb = "tried "
	}
	words = append(words, verb+ago(a.Age))
	if a.Outcome == fetch.Unreachable || a.Stale {
		now := a.Fetched.Add(a.Age)
		next := "next try when you ask"
		if left := a.NextRetrieval.Sub(now); left >= time.Second/2 {
			next = "next try in " + About(left)
		}
		words = append(words, next)
	}
	return strings.Join(words, ", ")
}

// The text is for example "status 404".
func ResponseText(r *fetch.Result) string {
	switch {
	case r.Err != nil:
		return Failure(r.Err)
	case r.Page != fetch.NoPage:
		return fmt.Sprintf("status %d, %s", r.Status, r.Page)
	}
	return fmt.Sprintf("status %d", r.Status)
}

// Failure returns why a retrieval failed. It names the flag that would prevent the failure, if there is one.
func Failure(err error) string {
	return strings.Replace(err.Error(), guard.Setting, ": to allow it, use --allow-private", 1)
}

// Refused reports whether the settings refused the address, port or host. Then a later retrieval would fail too.
func Refused(err error) bool {
	kind, ok := errors.AsType[fetch.FailureKind](err)
	return ok && kind.Refused()
}

// The size is for example "61 bytes, an HTML page".
func Size(r *fetch.Result) string {
	s := printable.Counted(len(r.Body), "byte")
	if r.Page != fetch.NoPage {
		s += ", " + r.Page.String()
	}
	if r.Truncated {
		s += ", and more that is not used"
	}
	if r.Encoding != "" {
		s += ", translated from " + r.Encoding
	}
	return s
}

// Contrast returns a function that says why two dialects decide differently. If they read the response differently,
// the text begins with the response, such as "status 403".
func Contrast(s *cache.Site) func(a, b robotstxt.Trace) string {
	return func(a, b robotstxt.Trace) string {
		why := robotstxt.Contrast(a, b)
		if why == "" || byRules(a) && byRules(b) {
			return why
		}
		return responseOf(s.Result()) + ": " + why
	}
}

func byRules(t robotstxt.Trace) bool {
	switch t.Decision.Reason {
	case robotstxt.Unavailable, robotstxt.Unreachable, robotstxt.Restricted:
		return false
	}
	return true
}

func responseOf(r *fetch.Result) string {
	if r == nil {
		return cache.ErrNotCached.Error()
	}
	switch n := r.Redirects(); {
	case n > fetch.StatusesOf(nil).MaxRedirects:
		return printable.Counted(n, "redirect")
	case r.Err != nil:
		return Failure(r.Err)
	case r.SaysNotFound:
		return fmt.Sprintf(`status %d with a page that says "not found"`, r.Status)
	}
	return fmt.Sprintf("status %d", r.Status)
}

func When(t time.Time) string { return t.UTC().Format(time.DateTime) + " UTC" }

func ago(d time.Duration) string {
	if d < 2*time.Second {
		return "just now"
	}
	return About(d) + " ago"
}

// About rounds: 120 seconds are "2 minutes", and 119 seconds are "119 seconds".
func About(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= 2*unit.size {
			return printable.Counted(int(d.Round(unit.size)/unit.size), unit.name)
		}
	}
	return printable.Counted(int(d.Round(time.Second)/time.Second), "second")
}
