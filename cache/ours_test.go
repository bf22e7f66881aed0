package cache_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// ourFailures say nothing about a site.
var ourFailures = []error{
	&fetch.Failure{Kind: fetch.HostBusy, Text: "parking.example is busy"},
	&fetch.Failure{Kind: fetch.AddressRefused, Text: "10.0.0.1 is not public"},
	&fetch.Failure{Kind: fetch.PortRefused, Text: "port 25 belongs to another service"},
	&fetch.Failure{Kind: fetch.LocalFailure, Text: "no resolver"},
}

// what says nothing about the site is neither stored nor allowed, however long
// that lasts.
func TestOurFailuresAreNotTheSites(t *testing.T) {
	for _, why := range ourFailures {
		store, now := cache.NewMemory(0, 0), start
		c := &cache.Cache{Store: store, Fetcher: failingFetcher{why}, Now: func() time.Time { return now }}
		o := storetest.Site(1)
		for range 200 {
			a, err := c.Check(context.Background(), agents, o.String())
			if err != nil || a.Allowed || a.Outcome != fetch.Unreachable || a.Err == nil || !a.FailingSince.IsZero() {
				t.Fatalf("%v: %+v, %v", why, a, err)
			}
			now = now.Add(6 * time.Hour)
		}
		if _, err := store.Get(context.Background(), o); !errors.Is(err, cache.ErrNotFound) {
			t.Errorf("%v: the store: %v", why, err)
		}
		c.Close()
	}
}

// faltering is a Fetcher that sometimes fails by itself.
type faltering struct {
	cache.Fetcher
	fails atomic.Bool
	tried atomic.Int32
}

func (f *faltering) Fetch(ctx context.Context, o origin.Origin, v fetch.Validators) (fetch.Result, error) {
	f.tried.Add(1)
	if f.fails.Load() {
		return fetch.Result{Origin: o, Err: &fetch.Failure{Kind: fetch.LocalFailure, Text: "no file handles"}}, nil
	}
	return f.Fetcher.Fetch(ctx, o, v)
}

// after a failure of our own an answer holds for its time, and nothing is asked
// for 5 seconds; then all goes on from where it was.
func TestOurFailuresHoldBack(t *testing.T) {
	type step struct {
		at     time.Duration
		server string
		ours   bool   // our machine fails
		want   string // what the answer rests on
		again  time.Duration
		tried  int32
	}
	for _, c := range []struct {
		name string
		good cache.LastGood
		path string // denied by the robots.txt
		run  []step
	}{
		{"nothing is known", 0, "/private", []step{
			{0, "200; Cache-Control: max-age=3600", true, "unreachable error", 5 * time.Second, 1},
			{time.Second, "", true, "unreachable error", 4 * time.Second, 1},
			{4 * time.Second, "", false, "unreachable error", time.Second, 1},
			{5 * time.Second, "", true, "unreachable error", 5 * time.Second, 2},
			{10 * time.Second, "", false, "rules 200", time.Hour, 3},
		}},
		{"an answer goes on for its time, and is not kept from a refresh by a back-off", 0, "/private", []step{
			{0, "200; Cache-Control: max-age=6000", false, "rules 200", 100 * time.Minute, 1},
			{95 * time.Minute, "", true, "rules 200", 5 * time.Minute, 2},
			{95*time.Minute + 4*time.Second, "", true, "rules 200", 5*time.Minute - 4*time.Second, 2},
			{95*time.Minute + 5*time.Second, "", true, "rules 200", 5*time.Minute - 5*time.Second, 3},
			{100 * time.Minute, "", true, "unreachable error", 5 * time.Second, 4},
			{100*time.Minute + 5*time.Second, "", false, "rules 200", 100 * time.Minute, 5},
		}},
		{"that there was no file does not go on", 0, "/private", []step{
			{0, "404; Cache-Control: max-age=3600", false, "unavailable 404", time.Hour, 1},
			{time.Hour, "", true, "unreachable error", 5 * time.Second, 2},
			{time.Hour + time.Second, "", true, "unreachable error", 4 * time.Second, 2},
		}},
		{"LastGoodAtOnce goes on with the copy", cache.LastGoodAtOnce, "/private", []step{
			{0, "200; Cache-Control: max-age=3600", false, "rules 200", time.Hour, 1},
			{time.Hour, "", true, "rules 200 stale", 5 * time.Second, 2},
			{time.Hour + time.Second, "", true, "rules 200 stale", 4 * time.Second, 2},
			{time.Hour + 5*time.Second, "", false, "rules 200", time.Hour, 3},
		}},
		{"a site that has failed for long is not allowed by it", cache.LastGoodNever, "/private", []step{
			{0, "500; Retry-After: 600", false, "unreachable 500, failing 0s", 10 * time.Minute, 1},
			{7 * 24 * time.Hour, "", false, "unreachable 500, failing 7d0s", 10 * time.Minute, 2},
			{14 * 24 * time.Hour, "", false, "unreachable 500, failing 14d0s", 10 * time.Minute, 3},
			{21 * 24 * time.Hour, "", false, "unreachable 500, failing 21d0s", 10 * time.Minute, 4},
			{28 * 24 * time.Hour, "", false, "unreachable 500, failing 28d0s", 10 * time.Minute, 5},
			{31 * 24 * time.Hour, "", true, "unreachable error, failing 31d0s", 5 * time.Second, 6},
			{31*24*time.Hour + 5*time.Second, "", true, "unreachable error, failing 31d5s", 5 * time.Second, 7},
			{31*24*time.Hour + time.Hour, "", false, "unavailable 500 stale, failing 31d1h0m0s", 10 * time.Minute, 8},
		}},
		{"it is no failure of the site: neither for long nor for the back-off", 0, "/private", []step{
			{0, "500; Retry-After: 60", false, "unreachable 500, failing 0s", time.Minute, 1},
			{8 * 24 * time.Hour, "", true, "unreachable error, failing 8d0s", 5 * time.Second, 2},
			{9 * 24 * time.Hour, "", false, "unreachable 500, failing 0s", time.Minute, 3},
		}},
		{"a clock that is set back does not hold it back", 0, "/private", []step{
			{time.Hour, "200", true, "unreachable error", 5 * time.Second, 1},
			{0, "200; Cache-Control: max-age=3600", false, "rules 200", time.Hour, 2},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, store := &faltering{Fetcher: anyone}, cache.NewMemory(0, 0)
			w := newWorld(t, nil, func(h *cache.Cache) { h.Fetcher, h.LastGood, h.Store = f, c.good, store })
			for _, s := range c.run {
				w.clock.set(start.Add(s.at))
				w.site.do(t, s.server)
				f.fails.Store(s.ours)
				a, err := w.cache.Check(context.Background(), agents, w.site.origin.String()+c.path)
				w.cache.Settle()
				got, again := retrievalText(a, w.clock.Now()), a.NextRetrieval.Sub(w.clock.Now())
				if err != nil || got != s.want || again > s.again || again < s.again-slack && !s.ours || again != s.again && s.want == "unreachable error" || f.tried.Load() != s.tried {
					t.Errorf("after %s: %s, again in %s, tried %d times, %v, want %s, %s, %d", s.at, got, again, f.tried.Load(), err, s.want, s.again, s.tried)
				}
				if a.Allowed != (a.Outcome == fetch.Unavailable) {
					t.Errorf("after %s: %s", s.at, decision(a.Decision))
				}
				if r, err := store.Get(context.Background(), w.site.origin); err == nil && r.Failed != nil && r.Failed.Status == 0 {
					t.Errorf("after %s the store holds our failure: %v", s.at, r.Failed.Err)
				}
			}
			w.cache.Close()
		})
	}
}

// a question about one origin does not hold back those about others, and many
// about one try it once.
func TestOurFailureOfOneOrigin(t *testing.T) {
	f := &faltering{Fetcher: sameFile{[]byte("User-agent: *\nDisallow: /\n"), "x"}}
	c := &cache.Cache{Fetcher: f}
	defer c.Close()
	f.fails.Store(true)
	for range 100 {
		if a, err := c.Check(context.Background(), agents, storetest.Site(1).String()); err != nil || a.Allowed {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	if n := f.tried.Load(); n > 10 { // the test may take more than 5 seconds
		t.Errorf("tried %d times", n)
	}
	f.fails.Store(false)
	if a, err := c.Check(context.Background(), agents, storetest.Site(2).String()); err != nil || a.Outcome != fetch.Rules {
		t.Errorf("another: %+v, %v", a, err)
	}
}

// of two processes that share a store, the failures of one are not the other's:
// it asks at once, and the first goes on from what that one learnt.
func TestOurFailureIsNotShared(t *testing.T) {
	store, f := &leasing{Memory: cache.NewMemory(0, 0)}, &faltering{Fetcher: anyone}
	s := newShared(t, nil, nil, store)
	s.first.Fetcher = f
	s.site.do(t, "200; Cache-Control: max-age=3600")
	f.fails.Store(true)
	s.check(t, s.first, "denied unreachable; unreachable error", 0)
	if store.held {
		t.Error("the lease was not given back")
	}
	s.check(t, s.second, "denied rule; rules 200", 1)
	s.check(t, s.first, "denied unreachable; unreachable error", 1)
	s.clock.set(start.Add(5 * time.Second))
	s.check(t, s.first, "denied rule; rules 200", 1)
}

// an address that is refused is tried as seldom as a site that fails, since a
// redirect to one costs the site a request each time; it never relaxes.
func TestRefusedAddressIsTriedSeldom(t *testing.T) {
	now := start
	f := &refusing{}
	c := &cache.Cache{Fetcher: f, Now: func() time.Time { return now }}
	defer c.Close()
	o := storetest.Site(1)
	const days = 40
	for now.Before(start.Add(days * 24 * time.Hour)) {
		if a, err := c.Check(context.Background(), agents, o.String()+"/"); err != nil || a.Allowed {
			t.Fatalf("after %s: %+v, %v", now.Sub(start), a, err)
		}
		now = now.Add(30 * time.Second)
	}
	if n := f.tried.Load(); n < days*24 || n > days*24*3/2 {
		t.Errorf("tried %d times in %d days", n, days)
	}
}

type refusing struct{ tried atomic.Int32 }

func (f *refusing) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	f.tried.Add(1)
	return fetch.Result{Origin: o, Err: &fetch.Failure{Kind: fetch.AddressRefused, Text: "10.0.0.1 is not public"}}, nil
}
