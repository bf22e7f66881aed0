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
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// moodyServer is a server that does anything, and remembers what it did.
type moodyServer struct {
	*rand.Rand
	now  time.Time
	mood int // what it does; less than 0: something else each time
	did  []fetch.Result
	ours bool // the last retrieval failed by itself
}

func (m *moodyServer) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	r := fetch.Result{Origin: o, Start: m.now, End: m.now, Header: http.Header{}}
	for range []int{0, 0, 0, 3, 7, 12}[m.IntN(6)] {
		r.Hops = append(r.Hops, fetch.Hop{URL: o.RobotsURL(), Status: 302})
	}
	mood := m.mood
	if mood < 0 {
		mood = m.IntN(9)
	}
	switch mood {
	case 0:
		r.Status, r.Body = 200, []byte("User-agent: *\nAllow: /\n")
	case 1:
		r.Status, r.Body = 200, []byte("User-agent: *\nDisallow: /\n")
	case 2, 3, 4, 5:
		r.Status = []int{403, 404, 429, 500}[mood-2]
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
	m.did = append(m.did, r)
	return r, nil
}

// S96-1, G-5: whatever servers do, whoever shares a store
// however long nobody asks and whatever the clock does, a site is allowed only where
// its last answer allows it, or where the table of the package documentation says so.
func TestNothingElseAllows(t *testing.T) {
	for seed := range uint64(3000) {
		if why := play(seed); why != "" {
			t.Errorf("seed %d: %s", seed, why)
		}
	}
}

// play lets one or two caches ask a moodyServer server for a while, and returns what is
// wrong.
func play(seed uint64) string {
	m := &moodyServer{Rand: rand.New(rand.NewPCG(seed, 0)), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), mood: -1}
	relax := []time.Duration{30 * 24 * time.Hour, 48 * time.Hour, -1}[m.IntN(3)]
	steady := relax > 0 && m.IntN(3) == 0 // asked about so that few failures last for long, or just do not
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
			m.mood = -1
		case 2, 3:
			m.mood = 4 + m.IntN(2) // it fails for some time
		case 4:
			m.mood = 8
		case 5:
			if len(caches) == 1 { // of several, one would hold on to what it knows of the future
				m.now = m.now.Add(time.Duration(m.Int64N(int64(60*24*time.Hour))) - 50*24*time.Hour) // somebody sets the clock
			}
		}
		c := caches[m.IntN(len(caches))]
		a, err := c.Check(context.Background(), []string{"bot"}, storetest.Site(1).String()+"/x")
		for _, each := range caches {
			each.Settle()
		}
		if err != nil || a.Allowed && !m.mayAllow(c, relax, lastGood, len(caches) > 1) {
			return fmt.Sprintf("at %s %s allows: %+v, %v, relax after %s, last good %d", m.now, c.Dialect, a, err, relax, lastGood)
		}
	}
	return ""
}

// mayAllow reports whether anything that the server did lets a cache allow the
// site now.
func (m *moodyServer) mayAllow(c *cache.Cache, relax time.Duration, lastGood cache.LastGood, shared bool) bool {
	var answer *fetch.Result  // the last
	var since, last time.Time // of failures
	var failures int          // that count
	fresh := false            // an answer that allows holds
	broken := func(at time.Time) bool {
		return relax >= 0 && at.Sub(last) > relax/4 || at.Before(last.Add(-5*time.Minute)) || at.Before(since)
	}
	for i := range m.did {
		r := &m.did[i]
		switch {
		case r.Outcome(c.Dialect) != fetch.Unreachable:
			answer, failures = r, 0
			fresh = fresh || allows(r, c.Dialect) && (m.now.Equal(r.End) || m.now.Before(r.End.Add(cache.Lifetime(r, fetch.StatusesOf(c.Dialect), c.Dialect))))
		case failures == 0 || broken(r.End):
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
		return true // another cache asked, and this one is not due: it goes by what it knew
	case failures >= 5 && relax >= 0 && m.now.Sub(since) >= relax && !broken(m.now):
		return !isFile || lastGood == cache.LastGoodNever || allows(answer, c.Dialect)
	}
	return (failing || m.ours) && isFile && lastGood == cache.LastGoodAtOnce && allows(answer, c.Dialect)
}

func allows(r *fetch.Result, d *robotstxt.Dialect) bool {
	return r.File(d).Agent("bot").Check("/x").Allowed
}
