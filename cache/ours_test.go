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

// ourFailures are failures of our own: they say nothing about a site.
var ourFailures = []error{
	&fetch.Failure{Kind: fetch.HostBusy, Text: "parking.example is busy"},
	&fetch.Failure{Kind: fetch.AddressRefused, Text: "10.0.0.1 is not public"},
	&fetch.Failure{Kind: fetch.PortRefused, Text: "port 25 belongs to another service"},
	&fetch.Failure{Kind: fetch.HostRefused, Text: "the host evil.example is not allowed"},
	&fetch.Failure{Kind: fetch.LocalFailure, Text: "no resolver"},
}

// failures of our own are not stored, and never allow a site, even after a long time.
func TestOurFailuresNeverAllow(t *testing.T) {
	for _, why := range ourFailures {
		store, now := cache.NewMemory(0, 0), start
		c := &cache.Cache{Store: store, Fetcher: failingFetcher{why}, Now: func() time.Time { return now }}
		o := storetest.Origin(1)
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

// a failure of our own uses no copy after which another writer may have seen an answer, also with
// LastGoodAtOnce.
func TestOurFailureWithMixedStatuses(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		store, o := cache.NewMemory(0, 0), storetest.Origin(1)
		file := &fetch.Result{Origin: o, Status: 200, Body: []byte("User-agent: *\nDisallow: /private\n"), Start: start, End: start}
		if err := store.Put(context.Background(), &cache.Record{Origin: o, Answered: file, Copy: file, MixedStatuses: mixed}); err != nil {
			t.Fatal(err)
		}
		c := &cache.Cache{Store: store, Fetcher: failingFetcher{ourFailures[0]}, LastGood: cache.LastGoodAtOnce, Now: func() time.Time { return start.Add(48 * time.Hour) }}
		if a, err := c.Check(context.Background(), agents, o.String()+"/public"); err != nil || a.Allowed == mixed {
			t.Errorf("mixed is %v: %+v, %v", mixed, a, err)
		}
		c.Close()
	}
}

// ourFailing is a Fetcher with a failure of our own while ours is set. It counts its calls.
type ourFailing struct {
	cache.Fetcher
	ours  atomic.Bool
	calls atomic.Int32
}

func (f *ourFailing) Fetch(ctx context.Context, o origin.Origin, v fetch.Validators) (fetch.Result, error) {
	f.calls.Add(1)
	if f.ours.Load() {
		return fetch.Result{Origin: o, Err: &fetch.Failure{Kind: fetch.LocalFailure, Text: "no file handles"}}, nil
	}
	return f.Fetcher.Fetch(ctx, o, v)
}

// after a failure of our own an answer stays fresh, and there is no retrieval for 5 seconds.
// The record of the site does not change.
func TestOurFailuresDelayRetrieval(t *testing.T) {
	type step struct {
		at     time.Duration
		server string
		ours   bool          // a retrieval is a failure of our own
		want   string        // the retrieval that the answer comes from
		next   time.Duration // until the next retrieval
		calls  int32         // of the Fetcher, until now
	}
	for _, c := range []struct {
		name string
		good cache.LastGood
		path string // denied by the robots.txt
		run  []step
	}{
		{"nothing is cached", 0, "/private", []step{
			{0, "200; Cache-Control: max-age=3600", true, "unreachable error", 5 * time.Second, 1},
			{time.Second, "", true, "unreachable error", 4 * time.Second, 1},
			{4 * time.Second, "", false, "unreachable error", time.Second, 1},
			{5 * time.Second, "", true, "unreachable error", 5 * time.Second, 2},
			{10 * time.Second, "", false, "rules 200", time.Hour, 3},
		}},
		{"an answer stays fresh, and the next refresh waits only 5 seconds", 0, "/private", []step{
			{0, "200; Cache-Control: max-age=6000", false, "rules 200", 100 * time.Minute, 1},
			{95 * time.Minute, "", true, "rules 200", 5 * time.Minute, 2},
			{95*time.Minute + 4*time.Second, "", true, "rules 200", 5*time.Minute - 4*time.Second, 2},
			{95*time.Minute + 5*time.Second, "", true, "rules 200", 5*time.Minute - 5*time.Second, 3},
			{100 * time.Minute, "", true, "unreachable error", 5 * time.Second, 4},
			{100*time.Minute + 5*time.Second, "", false, "rules 200", 100 * time.Minute, 5},
		}},
		{"a stale answer unavailable is not used", 0, "/private", []step{
			{0, "404; Cache-Control: max-age=3600", false, "unavailable 404", time.Hour, 1},
			{time.Hour, "", true, "unreachable error", 5 * time.Second, 2},
			{time.Hour + time.Second, "", true, "unreachable error", 4 * time.Second, 2},
		}},
		{"LastGoodAtOnce uses the stale copy", cache.LastGoodAtOnce, "/private", []step{
			{0, "200; Cache-Control: max-age=3600", false, "rules 200", time.Hour, 1},
			{time.Hour, "", true, "rules 200 stale", 5 * time.Second, 2},
			{time.Hour + time.Second, "", true, "rules 200 stale", 4 * time.Second, 2},
			{time.Hour + 5*time.Second, "", false, "rules 200", time.Hour, 3},
		}},
		{"a site that has failed for a long time is denied after it", cache.LastGoodNever, "/private", []step{
			{0, "500; Retry-After: 600", false, "unreachable 500, failing 0s", 10 * time.Minute, 1},
			{7 * 24 * time.Hour, "", false, "unreachable 500, failing 7d0s", 10 * time.Minute, 2},
			{14 * 24 * time.Hour, "", false, "unreachable 500, failing 14d0s", 10 * time.Minute, 3},
			{21 * 24 * time.Hour, "", false, "unreachable 500, failing 21d0s", 10 * time.Minute, 4},
			{28 * 24 * time.Hour, "", false, "unreachable 500, failing 28d0s", 10 * time.Minute, 5},
			{31 * 24 * time.Hour, "", true, "unreachable error, failing 31d0s", 5 * time.Second, 6},
			{31*24*time.Hour + 5*time.Second, "", true, "unreachable error, failing 31d5s", 5 * time.Second, 7},
			{31*24*time.Hour + time.Hour, "", false, "unavailable 500 stale, failing 31d1h0m0s", 10 * time.Minute, 8},
		}},
		{"it counts neither for a long time nor for the back-off", 0, "/private", []step{
			{0, "500; Retry-After: 60", false, "unreachable 500, failing 0s", time.Minute, 1},
			{8 * 24 * time.Hour, "", true, "unreachable error, failing 8d0s", 5 * time.Second, 2},
			{9 * 24 * time.Hour, "", false, "unreachable 500, failing 0s", time.Minute, 3},
		}},
		{"after a clock was set back there is no delay", 0, "/private", []step{
			{time.Hour, "200", true, "unreachable error", 5 * time.Second, 1},
			{0, "200; Cache-Control: max-age=3600", false, "rules 200", time.Hour, 2},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, store := &ourFailing{Fetcher: anyone}, cache.NewMemory(0, 0)
			w := newWorld(t, nil, func(h *cache.Cache) { h.Fetcher, h.LastGood, h.Store = f, c.good, store })
			for _, s := range c.run {
				w.clock.set(start.Add(s.at))
				w.site.do(t, s.server)
				f.ours.Store(s.ours)
				a, err := w.cache.Check(context.Background(), agents, w.site.origin.String()+c.path)
				w.cache.Settle()
				got, next := retrievalText(a, w.clock.Now()), a.NextRetrieval.Sub(w.clock.Now())
				if err != nil || got != s.want || next > s.next || next < s.next-slack && !s.ours || next != s.next && s.want == "unreachable error" || f.calls.Load() != s.calls {
					t.Errorf("after %s: %s, next in %s, %d calls, %v, want %s, %s, %d", s.at, got, next, f.calls.Load(), err, s.want, s.next, s.calls)
				}
				if a.Allowed != (a.Outcome == fetch.Unavailable) {
					t.Errorf("after %s: %s", s.at, decision(a.Decision))
				}
				if r, err := store.Get(context.Background(), w.site.origin); err == nil && r.Failed != nil && r.Failed.Status == 0 {
					t.Errorf("after %s our failure is in the store: %v", s.at, r.Failed.Err)
				}
			}
			w.cache.Close()
		})
	}
}

// after a failure of our own, many questions about the same origin make no retrieval, and
// one about another origin makes one.
func TestOurFailureDelaysOneOrigin(t *testing.T) {
	f := &ourFailing{Fetcher: sameFile{[]byte("User-agent: *\nDisallow: /\n"), "x"}}
	c := &cache.Cache{Fetcher: f}
	defer c.Close()
	f.ours.Store(true)
	for range 100 {
		if a, err := c.Check(context.Background(), agents, storetest.Origin(1).String()); err != nil || a.Allowed {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	if n := f.calls.Load(); n > 10 { // more than 1, since the test may take longer than 5 seconds
		t.Errorf("%d retrievals", n)
	}
	f.ours.Store(false)
	if a, err := c.Check(context.Background(), agents, storetest.Origin(2).String()); err != nil || a.Outcome != fetch.Rules {
		t.Errorf("another origin: %+v, %v", a, err)
	}
}

// two processes share a store, and the first has a failure of its own. The second fetches
// at once, and the first then uses that result.
func TestOurFailureIsNotShared(t *testing.T) {
	store, f := &sharedMemory{Store: cache.NewMemory(0, 0)}, &ourFailing{Fetcher: anyone}
	s := newTwoCaches(t, nil, nil, store)
	s.first.Fetcher = f
	s.site.do(t, "200; Cache-Control: max-age=3600")
	f.ours.Store(true)
	s.check(t, s.first, "denied unreachable; unreachable error", 0)
	if store.held {
		t.Error("the lease was not given back")
	}
	s.check(t, s.second, "denied rule; rules 200", 1)
	s.check(t, s.first, "denied unreachable; unreachable error", 1)
	s.clock.set(start.Add(5 * time.Second))
	s.check(t, s.first, "denied rule; rules 200", 1)
}

// after a refused address the back-off is that of a failing site, since a redirect to such an
// address costs the site a request each time. The site is never allowed.
func TestRefusedAddressHasBackOff(t *testing.T) {
	now := start
	f := &refusedAddress{}
	c := &cache.Cache{Fetcher: f, Now: func() time.Time { return now }}
	defer c.Close()
	o := storetest.Origin(1)
	const days = 40
	for now.Before(start.Add(days * 24 * time.Hour)) {
		if a, err := c.Check(context.Background(), agents, o.String()+"/"); err != nil || a.Allowed {
			t.Fatalf("after %s: %+v, %v", now.Sub(start), a, err)
		}
		if n := f.calls.Load(); now.Sub(start) <= 30*time.Second && n != 1 {
			t.Errorf("%d retrievals within the back-off of the first one", n)
		} else if now.Sub(start) == time.Minute && n != 2 {
			t.Errorf("%d retrievals in the first minute", n)
		}
		now = now.Add(30 * time.Second)
	}
	if n := f.calls.Load(); n < days*24 || n > days*24*3/2 {
		t.Errorf("%d retrievals in %d days", n, days)
	}
}

// refusedAddress is a Fetcher for which each address is refused.
type refusedAddress struct{ calls atomic.Int32 }

func (f *refusedAddress) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	f.calls.Add(1)
	return fetch.Result{Origin: o, Err: &fetch.Failure{Kind: fetch.AddressRefused, Text: "10.0.0.1 is not public"}}, nil
}
