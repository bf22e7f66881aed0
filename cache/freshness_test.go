package cache

import (
	"net/http"
	"testing"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

var end = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)

// headers returns a header of names and values.
func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// R-18, S96-7, G-8: how long an answer is fresh by its headers.
func TestServerLifetime(t *testing.T) {
	const (
		noon   = "Sun, 03 May 2026 12:00:00 GMT"
		one    = "Sun, 03 May 2026 13:00:00 GMT"
		eleven = "Sun, 03 May 2026 11:00:00 GMT"
		large  = maxSeconds * time.Second
	)
	for _, c := range []struct {
		header http.Header
		want   time.Duration
		found  bool
	}{
		{nil, 0, false},
		{headers(), 0, false},
		{headers("Cache-Control", ""), 0, false},
		{headers("Cache-Control", " \t "), 0, false},
		{headers("Cache-Control", ",,"), 0, false},
		{headers("Cache-Control", "public"), 0, false},
		{headers("Cache-Control", "private, must-revalidate"), 0, false},
		{headers("Cache-Control", "x-max-age=600"), 0, false},
		{headers("Cache-Control", "max-age=600"), 600 * time.Second, true},
		{headers("Cache-Control", "MAX-AGE=600"), 600 * time.Second, true},
		{headers("Cache-Control", "\tmax-age = 600 "), 600 * time.Second, true},
		{headers("Cache-Control", `max-age="600"`), 600 * time.Second, true},
		{headers("Cache-Control", "public,max-age=600"), 600 * time.Second, true},
		{headers("Cache-Control", "public", "Cache-Control", "max-age=600"), 600 * time.Second, true},
		{headers("Cache-Control", "max-age=600, max-age=60"), 600 * time.Second, true},
		{headers("Cache-Control", "max-age=600", "Cache-Control", "max-age=60"), 600 * time.Second, true},
		{headers("Cache-Control", "max-age=0"), 0, true},
		{headers("Cache-Control", "max-age=-1"), 0, true},
		{headers("Cache-Control", "max-age=+5"), 0, true},
		{headers("Cache-Control", "max-age=1e3"), 0, true},
		{headers("Cache-Control", "max-age=60.5"), 0, true},
		{headers("Cache-Control", "max-age="), 0, true},
		{headers("Cache-Control", "max-age"), 0, true},
		{headers("Cache-Control", "max-age=99999999999999999999"), large, true},
		{headers("Cache-Control", "max-age=9223372036854775807"), large, true},
		{headers("Cache-Control", "max-age=18446744073709551615"), large, true},
		{headers("Cache-Control", "max-age=-99999999999999999999"), 0, true},
		{headers("Cache-Control", "s-maxage=60, max-age=600"), time.Minute, true},
		{headers("Cache-Control", "max-age=600, S-MaxAge=60"), time.Minute, true},
		{headers("Cache-Control", "max-age=600, No-Store"), 0, true},
		{headers("Cache-Control", `max-age=600, no-cache="Set-Cookie"`), 0, true},
		{headers("Expires", one), time.Hour, true},
		{headers("Expires", one, "Date", noon), time.Hour, true},
		{headers("Expires", one, "Date", eleven), 2 * time.Hour, true}, // the clock of the server is slow
		{headers("Expires", one, "Date", "now"), time.Hour, true},
		{headers("Expires", eleven), 0, true},
		{headers("Expires", "Mon, 01 Jan 0001 00:00:00 GMT"), 0, true},
		{headers("Expires", "Sunday, 03-May-26 13:00:00 GMT"), time.Hour, true},
		{headers("Expires", "Sun May  3 13:00:00 2026"), time.Hour, true},
		{headers("Expires", "0"), 0, true},
		{headers("Expires", "-1"), 0, true},
		{headers("Expires", " "), 0, true},
		{headers("Expires", one, "Cache-Control", "max-age=60"), time.Minute, true},
		{headers("Expires", one, "Cache-Control", "public"), time.Hour, true},
	} {
		got, found := ServerLifetime(&fetch.Result{Header: c.header, End: end})
		if got != c.want || found != c.found {
			t.Errorf("%v: %s, %t, want %s, %t", c.header, got, found, c.want, c.found)
		}
	}
}

// R-18, S96-7, G-8: how long an answer is fresh in each dialect.
func TestLifetimeInDialects(t *testing.T) {
	for _, c := range []struct {
		dialect *robotstxt.Dialect
		header  http.Header
		want    time.Duration
	}{
		{nil, nil, day - time.Second},
		{robotstxt.Standard1994, nil, day - time.Second},
		{robotstxt.Draft1996, nil, 7*day - time.Second},
		{robotstxt.Draft2019, nil, day - time.Second},
		{robotstxt.RFC9309, nil, day - time.Second},
		{robotstxt.Google, nil, day - time.Second},
		{nil, headers("Cache-Control", "max-age=2592000"), day},
		{robotstxt.Standard1994, headers("Cache-Control", "max-age=2592000"), day},
		{robotstxt.Draft1996, headers("Cache-Control", "max-age=2592000"), 7 * day},
		{robotstxt.Draft2019, headers("Cache-Control", "max-age=2592000"), day},
		{robotstxt.RFC9309, headers("Cache-Control", "max-age=2592000"), day},
		{robotstxt.Google, headers("Cache-Control", "max-age=2592000"), 7 * day},
		{robotstxt.Draft1996, headers("Cache-Control", "max-age=0"), time.Minute},
		{robotstxt.Google, headers("Cache-Control", "max-age=600", "Age", "300"), 299 * time.Second},
		{robotstxt.Google, headers("Cache-Control", "max-age=600", "Age", " 300"), 599 * time.Second},
		{robotstxt.Google, headers("Cache-Control", "max-age=600", "Age", "-300"), 599 * time.Second},
		{robotstxt.Google, headers("Cache-Control", "max-age=600", "Age", "99999999999999999999"), time.Minute},
		{robotstxt.Google, headers("Cache-Control", "max-age=99999999999999999999", "Age", "99999999999999999999"), time.Minute},
		{robotstxt.Google, headers("Age", "300"), day - 301*time.Second},
		{robotstxt.Google, headers("Expires", "Fri, 31 Dec 9999 23:59:59 GMT"), 7 * day},
		{robotstxt.Google, headers("Expires", "Thu, 01 Jan 1970 00:00:00 GMT"), time.Minute},
		{robotstxt.Google, headers("Expires", "Mon, 01 Jan 0001 00:00:00 GMT"), time.Minute},
	} {
		// The retrieval took a second, which counts as age.
		r := &fetch.Result{Header: c.header, Start: end.Add(-time.Second), End: end}
		if got := spanOf(c.dialect).lifetime(r, time.Minute); got != c.want {
			t.Errorf("%s, %v: %s, want %s", c.dialect, c.header, got, c.want)
		}
	}
	backwards := &fetch.Result{Header: headers("Cache-Control", "max-age=600"), Start: end.Add(time.Hour), End: end}
	if got := spanOf(nil).lifetime(backwards, time.Minute); got != 10*time.Minute {
		t.Errorf("a retrieval that ended before it began: %s, want 10m", got)
	}
}

// Lifetime returns the time that a Cache with default settings would use (R-18, G-5).
func TestLifetimeOfResults(t *testing.T) {
	for _, c := range []struct {
		result   fetch.Result
		dialect  *robotstxt.Dialect
		min, max time.Duration
	}{
		{fetch.Result{Status: 200}, nil, day, day},
		{fetch.Result{Status: 404}, robotstxt.Draft1996, 7 * day, 7 * day},
		{fetch.Result{Status: 200, Header: headers("Cache-Control", "max-age=0")}, nil, 5 * time.Minute, 5 * time.Minute},
		{fetch.Result{Status: 500, Header: headers("Cache-Control", "max-age=600")}, nil, 45 * time.Second, time.Minute},
		{fetch.Result{Status: 429, Header: headers("Retry-After", "600")}, nil, 10 * time.Minute, 10 * time.Minute},
		{fetch.Result{Status: 202, Err: fetch.NoRobotsTxt, Header: headers("Retry-After", "600")}, nil, 10 * time.Minute, 10 * time.Minute},
		{fetch.Result{Status: 500, SaysNotFound: true}, robotstxt.Google, day, day},
		{fetch.Result{Status: 500, SaysNotFound: true}, nil, 45 * time.Second, time.Minute},
	} {
		if got := Lifetime(&c.result, fetch.StatusesOf(c.dialect), c.dialect); got < c.min || got > c.max {
			t.Errorf("%s, %d: %s, want %s to %s", c.dialect, c.result.Status, got, c.min, c.max)
		}
	}
	failed := fetch.Result{Status: 500}
	if got, want := Lifetime(&failed, fetch.StatusesOf(nil), nil), retryAfter(&failed, 1); got != want {
		t.Errorf("a failure: %s, but the back-off of the first one is %s", got, want)
	}
}

func TestSeconds(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"":                     0,
		"0":                    0,
		"000":                  0,
		"1":                    time.Second,
		"0060":                 time.Minute,
		"2147483647":           (maxSeconds - 1) * time.Second,
		"2147483648":           maxSeconds * time.Second,
		"2147483649":           maxSeconds * time.Second,
		"18446744073709551616": maxSeconds * time.Second,
		"99999999999999999999": maxSeconds * time.Second,
		"-1":                   0,
		"+1":                   0,
		" 1":                   0,
		"1 ":                   0,
		"1,2":                  0,
		"1_000":                0,
		"0x10":                 0,
		"٣":                    0,
	} {
		if got := seconds(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

// G-5: the back-off is 1 minute to 1 hour, shorter after 503, or Retry-After within its limits.
func TestRetryAfterFailures(t *testing.T) {
	failure := func(status int, retryAfter string) *fetch.Result {
		r := &fetch.Result{Status: status, Header: http.Header{}, End: end}
		if retryAfter != "" {
			r.Header.Set("Retry-After", retryAfter)
		}
		return r
	}
	for _, c := range []struct {
		failed   *fetch.Result
		failures int
		want     time.Duration
		jitter   bool
	}{
		{failure(500, ""), 1, time.Minute, true},
		{failure(500, ""), 2, 2 * time.Minute, true},
		{failure(500, ""), 6, 32 * time.Minute, true},
		{failure(500, ""), 7, time.Hour, true},
		{failure(500, ""), 64, time.Hour, true},
		{failure(500, ""), 1 << 30, time.Hour, true},
		{failure(500, ""), 0, time.Minute, true},
		{failure(500, ""), -1, time.Minute, true},
		{failure(503, ""), 1, 30 * time.Second, true},
		{failure(503, ""), 5, 8 * time.Minute, true},
		{failure(503, ""), 6, 15 * time.Minute, true},
		{failure(503, ""), 1 << 30, 15 * time.Minute, true},
		{&fetch.Result{}, 1, time.Minute, true},
		{failure(503, "120"), 9, 2 * time.Minute, false},
		{failure(500, " 120\t"), 1, 2 * time.Minute, false},
		{failure(500, "0"), 1, 30 * time.Second, false},
		{failure(500, "99999999999999999999"), 1, day, false},
		{failure(500, "-120"), 1, time.Minute, true},
		{failure(500, `"120"`), 1, time.Minute, true},
		{failure(500, "120, 60"), 1, time.Minute, true},
		{failure(500, " "), 1, time.Minute, true},
		{failure(500, "Sun, 03 May 2026 12:10:00 GMT"), 1, 10 * time.Minute, false},
		{failure(500, "Sun, 03 May 2026 11:00:00 GMT"), 1, 30 * time.Second, false},
		{failure(500, "Mon, 01 Jan 0001 00:00:00 GMT"), 1, 30 * time.Second, false},
		{failure(500, "Fri, 31 Dec 9999 23:59:59 GMT"), 1, day, false},
	} {
		got, shortest := retryAfter(c.failed, c.failures), c.want
		if c.jitter {
			shortest = c.want * 3 / 4
		}
		if got < shortest || got > c.want {
			t.Errorf("%d, %v, failure %d: %s, want %s to %s", c.failed.Status, c.failed.Header, c.failures, got, shortest, c.want)
		}
	}
}

// G-5: the back-off has a random part: origins that failed at the same time are fetched at
// different times. For one record the back-off is always the same.
func TestJitter(t *testing.T) {
	shortest, longest := time.Minute, time.Duration(0)
	seen := map[time.Duration]bool{}
	for _, host := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"} {
		o, err := origin.Parse("https://" + host + ".example/")
		if err != nil {
			t.Fatal(err)
		}
		r := &fetch.Result{Origin: o, End: end}
		wait := retryAfter(r, 1)
		if again := retryAfter(&fetch.Result{Origin: o, End: end.In(time.FixedZone("elsewhere", 3600))}, 1); again != wait {
			t.Errorf("%s: %s, elsewhere %s", o, wait, again)
		}
		seen[wait], shortest, longest = true, min(shortest, wait), max(longest, wait)
	}
	if len(seen) < 12 || longest-shortest < 5*time.Second {
		t.Errorf("16 sites have %d back-offs, from %s to %s", len(seen), shortest, longest)
	}
	r, most := fetch.Result{End: end}, 0.0
	if chance(&r, 1) == chance(&r, 2) || chance(&r, 1) == chance(&fetch.Result{End: end.Add(1)}, 1) {
		t.Error("all failures of a site have the same random part")
	}
	for range 100 {
		r.End = r.End.Add(time.Second)
		most = max(most, 1-float64(retryAfter(&r, 1))/float64(time.Minute))
	}
	if most < 0.24 || most >= 0.25 {
		t.Errorf("%.3f of the back-off are subtracted, want up to a quarter", most)
	}
}

// A record with a time in the future, because a clock was wrong, is not used for longer than its
// normal time.
func TestStateOfRecordFromTheFuture(t *testing.T) {
	c := settings{span: spanOf(nil), minFresh: defaultMinFresh, relaxAfter: defaultRelaxAfter}
	c.statuses = fetch.StatusesOf(nil)
	for _, ahead := range []time.Duration{skew + time.Second, time.Hour, 400 * day} {
		file := &fetch.Result{Status: 200, Header: headers("Cache-Control", "max-age=600"), End: end.Add(ahead)}
		if s := c.state(&Record{Answered: file, Copy: file}, end); s.due.After(end) || !s.stale {
			t.Errorf("a file %s in the future: due in %s, stale %t", ahead, s.due.Sub(end), s.stale)
		}
		failed := &fetch.Result{Status: 500, Header: headers("Retry-After", "600"), End: end.Add(ahead)}
		if s := c.state(&Record{Failed: failed, FailingSince: failed.End, Failures: 1}, end); s.due.After(end) {
			t.Errorf("a failure %s in the future: due in %s", ahead, s.due.Sub(end))
		}
	}
	near := &fetch.Result{Status: 200, Header: headers("Cache-Control", "max-age=600"), Start: end.Add(5 * time.Minute), End: end.Add(5 * time.Minute)}
	if s := c.state(&Record{Answered: near, Copy: near}, end); !s.due.Equal(near.End.Add(10*time.Minute)) || !s.refresh.Equal(near.End.Add(9*time.Minute)) {
		t.Errorf("a file 5 minutes in the future: due in %s, refreshed in %s", s.due.Sub(end), s.refresh.Sub(end))
	}
	failed := &Record{Failed: &fetch.Result{End: end}, FailingSince: end.Add(-time.Hour)}
	if c.isBreak(failed, end.Add(-5*time.Minute)) || !c.isBreak(failed, end.Add(-5*time.Minute-1)) {
		t.Error("a clock that was set back by more than 5 minutes, and no other, begins the count again")
	}
}
