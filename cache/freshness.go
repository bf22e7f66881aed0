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

	// defaultMinFresh is more than 0 since many servers send max-age=0 with every answer,
	// without a reason.
	defaultMinFresh = 5 * time.Minute
)

// span is how long an answer is fresh in a dialect.
type span struct {
	most          time.Duration // even if the server says more
	byDefault     time.Duration // if the server says nothing
	unconditional bool          // requests have no conditions (G-1)
}

// spanOf returns the span of a dialect: 24 hours, in 1996 seven days. In 1996 and for
// Google a server can ask for up to seven days (S96-7, G-8).
func spanOf(d *robotstxt.Dialect) span {
	switch d.String() {
	case robotstxt.Draft1996.String():
		return span{most: 7 * day, byDefault: 7 * day}
	case robotstxt.Google.String():
		return span{most: 7 * day, byDefault: day, unconditional: true}
	}
	return span{most: day, byDefault: day}
}

// lifetime returns how long an answer is fresh, from when the retrieval ended; at least so
// long, if the dialect allows it.
func (s span) lifetime(r *fetch.Result, least time.Duration) time.Duration {
	whole, ok := saidLifetime(r)
	if !ok {
		whole = s.byDefault
	}
	return min(max(whole-age(r), least), s.most)
}

// saidLifetime returns how long the server says that its answer is fresh, from when it was
// made; false: the server does not say (RFC 9111, 4.2.1). This is a shared cache, so s-maxage
// is used before max-age.
func saidLifetime(r *fetch.Result) (time.Duration, bool) {
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
		return 0, true // such as "0", which means that it has expired
	}
	made, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil {
		made = r.End
	}
	return max(0, expires.Sub(made)), true // some dates are of the year 1
}

// cacheControl returns the directives of a response. Of a directive that comes twice, the
// first counts.
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

// age returns how old an answer was when the retrieval ended: the Age that the server says,
// and the time that the retrieval took.
func age(r *fetch.Result) time.Duration {
	return seconds(r.Header.Get("Age")) + max(0, r.End.Sub(r.Start))
}

// maxSeconds is more than each limit here, and less than a Duration can hold.
const maxSeconds = 1 << 31

// seconds reads a number of seconds. Other text is 0; a number that is too large is
// maxSeconds.
func seconds(s string) time.Duration {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil && !isNumber(s) {
		return 0
	}
	return time.Duration(min(n, maxSeconds)) * time.Second
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// The time from a failure to the next retrieval.
const (
	firstRetry = time.Minute
	lastRetry  = time.Hour

	// 503 says that the server will be back soon (G-5).
	firstRetryOf503 = 30 * time.Second
	lastRetryOf503  = 15 * time.Minute

	// The limits of a Retry-After header.
	minRetryAfter = 30 * time.Second
	maxRetryAfter = day
)

// retryAfter returns the time from a failure to the next retrieval: what the server says, or
// a time that doubles with each failure. A random part of that time, up to a quarter, is left
// out, so that origins which failed at the same time are not retrieved at the same time.
func retryAfter(failed *fetch.Result, failures int) time.Duration {
	if wait, ok := saidRetryAfter(failed); ok {
		return min(max(wait, minRetryAfter), maxRetryAfter)
	}
	first, last := firstRetry, lastRetry
	if failed.Status == http.StatusServiceUnavailable {
		first, last = firstRetryOf503, lastRetryOf503
	}
	wait := min(first<<min(max(failures-1, 0), 16), last)
	return wait - time.Duration(chance(failed, failures)*float64(wait)/4)
}

// saidRetryAfter reads Retry-After: seconds, or a date.
func saidRetryAfter(r *fetch.Result) (time.Duration, bool) {
	value := strings.TrimSpace(r.Header.Get("Retry-After"))
	if isNumber(value) {
		return seconds(value), true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return at.Sub(r.End), true
}

// chance returns a number from 0 up to 1 that looks random, but is the same for all who share
// a record.
func chance(r *fetch.Result, failures int) float64 {
	h := fnv.New64a()
	h.Write([]byte(r.Origin.String()))
	h.Write(strconv.AppendInt(nil, r.End.UnixNano(), 10))
	h.Write([]byte{byte(failures)})
	return float64(h.Sum64()%4096) / 4096
}
