package cache_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// randomServer is a Fetcher with random results, and with the list of them.
type randomServer struct {
	*rand.Rand
	now     time.Time
	mode    int            // which result, see Fetch; less than 0: a random one each time
	results []fetch.Result // all until now, without failures of our own
	ours    bool           // the last result was a failure of our own
}

func (m *randomServer) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	r := fetch.Result{Origin: o, Start: m.now, End: m.now, Header: http.Header{}}
	for range []int{0, 0, 0, 3, 7, 12}[m.IntN(6)] {
		r.Hops = append(r.Hops, fetch.Hop{URL: o.RobotsURL(), Status: 302})
	}
	mode := m.mode
	if mode < 0 {
		mode = m.IntN(9)
	}
	switch mode {
	case 0:
		r.Status, r.Body = 200, []byte("User-agent: *\nAllow: /\n")
	case 1:
		r.Status, r.Body = 200, []byte("User-agent: *\nDisallow: /\n")
	case 2, 3, 4, 5:
		r.Status = []int{403, 404, 429, 500}[mode-2]
	case 6:
		r.Status, r.SaysNotFound = 500, true
	case 7:
		r.Status = 503
		r.Header.Set("Retry-After", fmt.Sprint(m.IntN(200_000)))
	case 8:
		r.Err = errors.New("reset")
	}
	if m.ours = m.IntN(10) == 0; m.ours {
		return fetch.Result{Err: &fetch.Failure{Kind: fetch.LocalFailure}}, nil
	}
	if m.IntN(3) == 0 {
		r.Header.Set("Cache-Control", fmt.Sprint("max-age=", m.IntN(900_000)))
	}
	r.Hops = append(r.Hops, fetch.Hop{URL: o.RobotsURL(), Status: r.Status})
	m.results = append(m.results, r)
	return r, nil
}

// S96-1, G-5: a site is allowed only if its last answer allows it, or
// if the table of the package documentation does. This holds for random servers, times and
// clocks, and for one Cache or two that share a Store. mayAllow is a small model of the table.
// HEED_WHOLE plays more.
func TestOnlyAnswersAndTheTableAllow(t *testing.T) {
	plays := 600
	if portion.Whole() {
		plays = 10_000
	}
	for range plays {
		seed := rand.Uint64()
		if why := play(seed); why != "" {
			t.Errorf("seed %d: %s", seed, why)
		}
	}
}

// play makes 60 questions to one or two Caches with a randomServer, and returns which answer is
// wrong; "": none is.
func play(seed uint64) string {
	m := &randomServer{Rand: rand.New(rand.NewPCG(seed, 0)), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), mode: -1}
	relax := []time.Duration{30 * 24 * time.Hour, 48 * time.Hour, -1}[m.IntN(3)]
	steady := relax > 0 && m.IntN(3) == 0 // gaps of about a quarter of relax: few failures make a long time, or just fail to
	store, lastGood := cache.NewMemory(0, 0), cache.LastGood(m.IntN(3))
	caches := make([]*cache.Cache, 1+m.IntN(2))
	for i := range caches {
		caches[i] = &cache.Cache{
			Dialect: robotstxt.Dialects()[m.IntN(5)], Store: store, Fetcher: m, Now: func() time.Time { return m.now },
			RelaxAfter: relax, LastGood: lastGood,
		}
		defer caches[i].Close()
	}
	for range 60 {
		if steady {
			m.now = m.now.Add(relax/5 + time.Duration(m.Int64N(int64(relax/18))))
		} else {
			m.now = m.now.Add(time.Duration(m.Int64N(int64([]time.Duration{time.Minute, time.Hour, 30 * time.Hour, 400 * time.Hour}[m.IntN(4)]))))
		}
		switch m.IntN(16) {
		case 0, 1:
			m.mode = -1
		case 2, 3:
			m.mode = 4 + m.IntN(2) // 429 or 500 until the mode changes
		case 4:
			m.mode = 8
		case 5:
			if len(caches) == 1 { // with two, one could keep in memory a record from the future
				m.now = m.now.Add(time.Duration(m.Int64N(int64(60*24*time.Hour))) - 50*24*time.Hour) // the clock is set back or forward
			}
		}
		c := caches[m.IntN(len(caches))]
		a, err := c.Check(context.Background(), []string{"bot"}, storetest.Origin(1).String()+"/x")
		for _, each := range caches {
			each.Settle()
		}
		if err != nil || a.Allowed && !m.mayAllow(c, relax, lastGood, len(caches) > 1) {
			return fmt.Sprintf("at %s %s allows: %+v, %v, relax after %s, last good %d", m.now, c.Dialect, a, err, relax, lastGood)
		}
	}
	return ""
}

// mayAllow reports whether a Cache may allow the site now, by the results of the server.
func (m *randomServer) mayAllow(c *cache.Cache, relax time.Duration, lastGood cache.LastGood, shared bool) bool {
	var answer *fetch.Result  // the last answer
	var since, last time.Time // the first and the last counted failure
	var failures int          // that count
	fresh := false            // an answer that allows is fresh
	isBreak := func(at time.Time) bool {
		return relax >= 0 && at.Sub(last) > relax/4 || at.Before(last.Add(-5*time.Minute)) || at.Before(since)
	}
	for i := range m.results {
		r := &m.results[i]
		switch {
		case r.Outcome(c.Dialect) != fetch.Unreachable:
			answer, failures = r, 0
			fresh = fresh || allows(r, c.Dialect) && (m.now.Equal(r.End) || m.now.Before(r.End.Add(cache.Lifetime(r, fetch.StatusesOf(c.Dialect), c.Dialect))))
		case failures == 0 || isBreak(r.End):
			since, last, failures = r.End, r.End, 1
		default:
			last, failures = r.End, failures+1
		}
	}
	failing := failures > 0
	isFile := answer != nil && answer.Outcome(c.Dialect) == fetch.Rules
	switch {
	case fresh:
		return true
	case shared && answer != nil && m.now.Sub(answer.End) < 24*time.Hour:
		return true // the other Cache made the last retrieval; this one may still use the fresh answer before
	case failures >= 5 && relax >= 0 && m.now.Sub(since) >= relax && !isBreak(m.now):
		return !isFile || lastGood == cache.LastGoodNever || allows(answer, c.Dialect)
	}
	return (failing || m.ours) && isFile && lastGood == cache.LastGoodAtOnce && allows(answer, c.Dialect)
}

// allows reports whether a result alone allows the site.
func allows(r *fetch.Result, d *robotstxt.Dialect) bool {
	return r.File(d).Agent("bot").Check("/x").Allowed
}
