package cache

import (
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

const (
	day = 24 * time.Hour

	// defaultMinFresh is more than 0 because many servers send max-age=0 without a reason.
	defaultMinFresh = 5 * time.Minute
)

type span struct {
	limit         time.Duration // an answer is never fresh for longer, whatever the server sends
	byDefault     time.Duration // how long an answer is fresh if the server sends no time
	unconditional bool          // requests are sent without conditions such as If-None-Match (G-1)
}

// spanOf returns how long an answer is fresh in a dialect. Without headers, this is 24 hours. With headers, it is at
// most 24 hours. In Google's dialect, headers can extend this to seven days (G-8). In the draft of 1996, both
// times are seven days (S96-7).
func spanOf(d *robotstxt.Dialect) span {
	switch d.String() {
	case robotstxt.Draft1996.String():
		return span{limit: 7 * day, byDefault: 7 * day}
	case robotstxt.Google.String():
		return span{limit: 7 * day, byDefault: day, unconditional: true}
	}
	return span{limit: day, byDefault: day}
}

func (s span) lifetime(r *fetch.Result, minFresh time.Duration) time.Duration {
	whole, ok := ServerLifetime(r)
	if !ok {
		whole = s.byDefault
	}
	return min(max(whole-age(r), minFresh), s.limit)
}

// ServerLifetime returns how long an answer is fresh, as its headers say (RFC 9111, 4.2.1). The duration begins when
// the server made the answer. If no header has a duration, ServerLifetime returns 0 and false.
func ServerLifetime(r *fetch.Result) (time.Duration, bool) {
	directives := cacheControl(r.Header)
	for _, name := range []string{"no-store", "no-cache"} {
		if _, is := directives[name]; is {
			return 0, true
		}
	}
	for _, name := range []string{"s-maxage", "max-age"} {
		if value, is := directives[name]; is {
			return seconds(value), true
		}
	}
	if r.Header.Get("Expires") == "" {
		return 0, false
	}
	expires, err := http.ParseTime(r.Header.Get("Expires"))
	if err != nil {
		return 0, true // for an invalid date, such as "0", the answer has expired
	}
	made, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil {
		made = r.End
	}
	return max(0, expires.Sub(made)), true // the difference is negative for dates such as the year 1
}

func cacheControl(h http.Header) map[string]string {
	directives := map[string]string{}
	for _, line := range h.Values("Cache-Control") {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(part, "=")
			name = strings.ToLower(strings.TrimSpace(name))
			if _, twice := directives[name]; !twice {
				directives[name] = strings.Trim(strings.TrimSpace(value), `"`)
			}
		}
	}
	return directives
}

func age(r *fetch.Result) time.Duration {
	return seconds(r.Header.Get("Age")) + max(0, r.End.Sub(r.Start))
}

// maxSeconds is longer than every limit in this file, and short enough for a time.Duration.
const maxSeconds = 1 << 31

func seconds(s string) time.Duration {
	n, _ := strconv.ParseUint(s, 10, 64) // after an error, n is 0 or the largest uint64
	return time.Duration(min(n, maxSeconds)) * time.Second
}

// Limits of the back-off: the time from a failure to the next retrieval.
const (
	firstRetry = time.Minute
	maxRetry   = time.Hour

	// After status 503 the back-off is shorter, because the server should be back soon (G-5).
	firstRetryOf503 = 30 * time.Second
	maxRetryOf503   = 15 * time.Minute

	minRetryAfter = 30 * time.Second
	maxRetryAfter = day
)

// The random part of the back-off spreads the retrievals of origins that failed at the same time.
func retryAfter(failed *fetch.Result, failures int) time.Duration {
	if wait, ok := serverRetryAfter(failed); ok {
		return min(max(wait, minRetryAfter), maxRetryAfter)
	}
	first, limit := firstRetry, maxRetry
	if failed.Status == http.StatusServiceUnavailable {
		first, limit = firstRetryOf503, maxRetryOf503
	}
	wait := min(first<<min(max(failures-1, 0), 16), limit)
	return wait - time.Duration(chance(failed, failures)*float64(wait)/4)
}

func serverRetryAfter(r *fetch.Result) (time.Duration, bool) {
	value := strings.TrimSpace(r.Header.Get("Retry-After"))
	if value != "" && strings.Trim(value, "0123456789") == "" {
		return seconds(value), true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return date.Sub(r.End), true
}

// The function chance returns a number that looks random. But this number is equal in all processes that know the same
// retrieval, so they agree when to try again.
func chance(r *fetch.Result, failures int) float64 {
	h := fnv.New64a()
	h.Write([]byte(r.Origin.String()))
	h.Write(strconv.AppendInt(nil, r.End.UnixNano(), 10))
	h.Write([]byte{byte(failures)})
	return float64(h.Sum64()%4096) / 4096
}
