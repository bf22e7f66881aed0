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

	// defaultMinFresh: many servers send max-age=0 with everything, and mean
	// nothing by it.
	defaultMinFresh = 5 * time.Minute
)

// span is how long an answer may be used in a dialect.
type span struct {
	most          time.Duration // whatever the server says
	undirected    time.Duration // where it says nothing
	unconditional bool          // the file is asked for whatever (G-1)
}

// spanOf returns the span of a dialect: 24 hours, in 1996 seven days,
// which are also as long as a server can ask for there and in Google (S96-7, G-8).
func spanOf(d *robotstxt.Dialect) span {
	switch d.String() {
	case robotstxt.Draft1996.String():
		return span{most: 7 * day, undirected: 7 * day}
	case robotstxt.Google.String():
		return span{most: 7 * day, undirected: day, unconditional: true}
	}
	return span{most: day, undirected: day}
}

// lifetime returns how long an answer may be used, from when it came. least is
// how long it is used whatever the server says.
func (s span) lifetime(r *fetch.Result, least time.Duration) time.Duration {
	whole, ok := saidLifetime(r)
	if !ok {
		whole = s.undirected
	}
	return min(max(whole-age(r), least), s.most)
}

// saidLifetime returns how long the server says that its answer is fresh, from
// when it was made; false: it does not say (RFC 9111, 4.2.1). A cache that many
// crawlers share is a shared one, so s-maxage goes before max-age.
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
		return 0, true // such as "0": it has expired already
	}
	made, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil {
		made = r.End
	}
	return max(0, expires.Sub(made)), true // some are of the year 1
}

// cacheControl returns the directives of a response; of one that comes twice,
// the first.
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

// age returns how old an answer was when it came: what the server says, and
// the time that it took.
func age(r *fetch.Result) time.Duration {
	return seconds(r.Header.Get("Age")) + max(0, r.End.Sub(r.Start))
}

// maxSeconds is beyond every bound, and within what a Duration holds.
const maxSeconds = 1 << 31

// seconds reads a number of seconds: what is none is 0, what is too large is
// large.
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

// How long after a failure an origin is asked again.
const (
	firstRetry = time.Minute
	lastRetry  = time.Hour

	// 503 says that the server will be back soon (G-5).
	firstRetryOf503 = 30 * time.Second
	lastRetryOf503  = 15 * time.Minute

	// A server that says when to come back is believed within these bounds.
	leastRetryAfter = 30 * time.Second
	mostRetryAfter  = day
)

// retryAfter returns how long after a failure the origin is asked again: what
// the server says, or a time that doubles with every failure. Up to a quarter
// of that time is left out, by chance, so that origins which failed together are
// not asked together.
func retryAfter(failed *fetch.Result, failures int) time.Duration {
	if wait, ok := saidRetryAfter(failed); ok {
		return min(max(wait, leastRetryAfter), mostRetryAfter)
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

// chance returns a number from 0 up to 1 that is the same for everybody who
// shares a record.
func chance(r *fetch.Result, failures int) float64 {
	h := fnv.New64a()
	h.Write([]byte(r.Origin.String()))
	h.Write(strconv.AppendInt(nil, r.End.UnixNano(), 10))
	h.Write([]byte{byte(failures)})
	return float64(h.Sum64()%4096) / 4096
}
