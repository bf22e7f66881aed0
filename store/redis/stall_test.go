package redis_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/redis"
)

// soon is long for a machine, and far below the time after which a lease ends by
// itself.
const soon = 10 * time.Second

// leased takes a lease.
func leased(t *testing.T, s *redis.Store, o origin.Origin) (release func()) {
	t.Helper()
	eventually(t, renewed, "a lease", func() bool {
		var err error
		release, err = s.Lease(ctx, o)
		return err == nil && release != nil
	})
	return release
}

// TestLeasesAreGivenBackAfterAStall: those that were given back while the server
// did not answer, and those that it gave when nobody waited for them any more.
func TestLeasesAreGivenBackAfterAStall(t *testing.T) {
	for name, stall := range map[string]func(t *testing.T, s *redis.Store, o origin.Origin, srv *server){
		"given back at once": func(t *testing.T, s *redis.Store, o origin.Origin, srv *server) {
			release := leased(t, s, o)
			srv.hang()
			release()
		},
		"given back when the store knows": func(t *testing.T, s *redis.Store, o origin.Origin, srv *server) {
			release := leased(t, s, o)
			srv.hang()
			knows(t, s)
			release()
		},
		"taken in vain": func(t *testing.T, s *redis.Store, o origin.Origin, srv *server) {
			leased(t, s, storetest.Site(2))()
			srv.hang()
			if release, err := s.Lease(ctx, o); err == nil {
				t.Errorf("lease %v of nobody", release != nil)
			}
		},
		"taken for who has gone": func(t *testing.T, s *redis.Store, o origin.Origin, srv *server) {
			leased(t, s, storetest.Site(2))()
			srv.hang()
			short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
			defer cancel()
			if release, err := s.Lease(short, o); err == nil {
				t.Errorf("lease %v of nobody", release != nil)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			srv := startServer(t)
			s, other := open(t, srv.url(), redis.Options{}), open(t, srv.url(), redis.Options{})
			stall(t, s, site, srv)
			time.Sleep(500 * time.Millisecond)
			srv.resume()
			begin := time.Now()
			eventually(t, soon, "another gets the lease", func() bool {
				release, err := other.Lease(ctx, site)
				return err == nil && release != nil
			})
			t.Logf("after %v", time.Since(begin))
		})
	}
}

// TestLeasesAreGivenBackAfterARestart: of a server that does not forget them.
func TestLeasesAreGivenBackAfterARestart(t *testing.T) {
	srv := startServer(t, "--appendonly", "yes", "--appendfsync", "always")
	s, other := open(t, srv.url(), redis.Options{}), open(t, srv.url(), redis.Options{})
	release := leased(t, s, site)
	do(t, srv.raw(), "SET", "beside", "the lease")
	srv.kill()
	release()
	srv.start()
	raw := srv.raw()
	eventually(t, renewed, "the server has what it had", func() bool { // after a while in which it loads
		n, err := raw.Do(ctx, raw.B().Exists().Key("beside").Build()).AsInt64()
		return err == nil && n == 1
	})
	begin := time.Now()
	leased(t, other, site)()
	t.Logf("after %v", time.Since(begin))
}

// TestLaterCrawlersDoNotWaitForAStall: a server that did not answer for half a
// second costs crawlers that come afterwards no time.
func TestLaterCrawlersDoNotWaitForAStall(t *testing.T) {
	const sites = 100
	srv, w := startServer(t), newWeb(t)
	store := open(t, srv.url(), redis.Options{})
	one, later := crawler(t, w.address, store), crawler(t, w.address, open(t, srv.url(), redis.Options{}))
	w.delay.Store(int64(300 * time.Millisecond)) // most leases are held when the stall begins, and given back before it ends
	all := func(c *cache.Cache) {
		var wg sync.WaitGroup
		for n := range sites {
			wg.Go(func() { ask(t, c, fmt.Sprintf("site-%d.example", n), "/closed") })
		}
		wg.Wait()
	}
	asked := make(chan struct{})
	go func() { defer close(asked); all(one) }()
	eventually(t, renewed, "retrievals are under way", func() bool { return w.retrievals("site-7.example") > 0 })
	srv.hang()
	knows(t, store)
	time.Sleep(500 * time.Millisecond)
	srv.resume()
	<-asked
	begin := time.Now()
	all(later)
	took, twice := time.Since(begin), 0
	for n := range sites {
		if w.retrievals(fmt.Sprintf("site-%d.example", n)) > 1 {
			twice++
		}
	}
	t.Logf("%v for %d sites, of which %d were asked again", took, sites, twice)
	if took > soon {
		t.Errorf("crawlers waited %v", took)
	}
}

// TestCloseGivesLeasesBack: also those that could not be given back before.
func TestCloseGivesLeasesBack(t *testing.T) {
	srv := startServer(t)
	s, raw := open(t, srv.url(), redis.Options{}), srv.raw()
	release := leased(t, s, site)
	do(t, raw, "CLIENT", "PAUSE", "150")
	release() // not answered
	do(t, raw, "PING")
	s.Close()
	if do(t, raw, "EXISTS", key+":lease") != "0" {
		t.Error("the lease outlives the store")
	}
}

// TestSlowAnswerIsNoOutage: who waits too long for one answer does not silence
// the server for the others.
func TestSlowAnswerIsNoOutage(t *testing.T) {
	srv := startServer(t)
	s, raw := open(t, srv.url(), redis.Options{Timeout: time.Second}), srv.raw()
	put(t, s, 0, "one")
	do(t, raw, "CLIENT", "PAUSE", "1500")
	if _, err := s.Get(ctx, site); err == nil || !strings.Contains(err.Error(), "deadline exceeded") {
		t.Fatalf("error %v, want a time-out", err)
	}
	if _, err := s.Get(ctx, site); err != nil { // it waits for the other half second
		t.Error(err)
	}
}

// TestCloseWhileTheServerHangs: it ends all the same.
func TestCloseWhileTheServerHangs(t *testing.T) {
	srv := startServer(t)
	s := open(t, srv.url(), redis.Options{})
	release := leased(t, s, site)
	srv.hang()
	release()
	begin := time.Now()
	s.Close()
	if took := time.Since(begin); took > soon {
		t.Errorf("Close took %v", took)
	}
	srv.resume()
}

// TestStallEndsWithTheStall: the store works again as soon as the server does.
func TestStallEndsWithTheStall(t *testing.T) {
	srv := startServer(t)
	s, raw := open(t, srv.url(), redis.Options{}), srv.raw()
	put(t, s, 0, "one")
	do(t, raw, "CLIENT", "PAUSE", "700")
	fails := func() bool { _, err := s.Get(ctx, site); return err != nil }
	eventually(t, renewed, "the store sees the stall", fails)
	do(t, raw, "PING") // answered when the stall is over
	begin := time.Now()
	eventually(t, renewed, "the store works", func() bool { return !fails() })
	t.Logf("after %v", time.Since(begin))
}
