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
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/redis"
)

// soon is enough time for a busy machine, and far less than the time after which a lease
// expires.
const soon = 10 * time.Second

// takeLease takes a lease.
func takeLease(t *testing.T, s *redis.Store, o origin.Origin) (release func()) {
	t.Helper()
	eventually(t, maxRecover, "a lease", func() bool {
		var err error
		release, err = s.Lease(ctx, o)
		return err == nil && release != nil
	})
	return release
}

// TestLeasesAreGivenBackAfterAStall: the server does not reply when a lease is given back, or
// it sets the key of a lease when Lease has already failed. Both leases are given back later.
func TestLeasesAreGivenBackAfterAStall(t *testing.T) {
	t.Parallel()
	for name, stall := range map[string]func(t *testing.T, s *redis.Store, o origin.Origin, srv *server){
		"given back at once": func(t *testing.T, s *redis.Store, o origin.Origin, srv *server) {
			release := takeLease(t, s, o)
			srv.hang()
			release()
		},
		"given back while calls fail at once": func(t *testing.T, s *redis.Store, o origin.Origin, srv *server) {
			release := takeLease(t, s, o)
			srv.hang()
			waitUntilDown(t, s)
			release()
		},
		"taken after the timeout": func(t *testing.T, s *redis.Store, o origin.Origin, srv *server) {
			takeLease(t, s, storetest.Origin(2))()
			srv.hang()
			if release, err := s.Lease(ctx, o); err == nil {
				t.Errorf("Lease succeeded (lease %v) without a server", release != nil)
			}
		},
		"taken after the context ended": func(t *testing.T, s *redis.Store, o origin.Origin, srv *server) {
			takeLease(t, s, storetest.Origin(2))()
			srv.hang()
			short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
			defer cancel()
			if release, err := s.Lease(short, o); err == nil {
				t.Errorf("Lease succeeded (lease %v) without a server", release != nil)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := startServer(t)
			s, other := open(t, srv.URL(), redis.Options{}), open(t, srv.URL(), redis.Options{})
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

// TestLeasesAreGivenBackAfterARestart: if the server kept the leases on its disk, they are given
// back after it was started again.
func TestLeasesAreGivenBackAfterARestart(t *testing.T) {
	t.Parallel()
	srv := startServer(t, "--appendonly", "yes", "--appendfsync", "always")
	s, other := open(t, srv.URL(), redis.Options{}), open(t, srv.URL(), redis.Options{})
	release := takeLease(t, s, site)
	runCommand(t, srv.raw(), "SET", "another", "key")
	srv.Kill()
	release()
	srv.Start()
	raw := srv.raw()
	eventually(t, maxRecover, "the server has loaded its keys", func() bool {
		n, err := raw.Do(ctx, raw.B().Exists().Key("another").Build()).AsInt64()
		return err == nil && n == 1
	})
	begin := time.Now()
	takeLease(t, other, site)()
	t.Logf("after %v", time.Since(begin))
}

// TestLaterCrawlersDoNotWaitForAStall: the server did not reply for half a second, so leases were
// not given back. Crawlers that come afterwards do not wait until those leases expire.
func TestLaterCrawlersDoNotWaitForAStall(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	const sites = 100
	srv, w := startServer(t), newWeb(t)
	store := open(t, srv.URL(), redis.Options{})
	one, later := crawler(t, w.address, store), crawler(t, w.address, open(t, srv.URL(), redis.Options{}))
	w.delay.Store(int64(300 * time.Millisecond)) // most leases are held when the stall begins, and given back before it ends
	all := func(c *cache.Cache) {
		var wg sync.WaitGroup
		for n := range sites {
			wg.Go(func() { check(t, c, fmt.Sprintf("site-%d.example", n), "/closed") })
		}
		wg.Wait()
	}
	done := make(chan struct{})
	go func() { defer close(done); all(one) }()
	eventually(t, maxRecover, "retrievals are under way", func() bool { return w.retrievals("site-7.example") > 0 })
	srv.hang()
	waitUntilDown(t, store)
	time.Sleep(500 * time.Millisecond)
	srv.resume()
	<-done
	begin := time.Now()
	all(later)
	took, twice := time.Since(begin), 0
	for n := range sites {
		if w.retrievals(fmt.Sprintf("site-%d.example", n)) > 1 {
			twice++
		}
	}
	t.Logf("%v for %d sites; %d of them had two retrievals", took, sites, twice)
	if took > soon {
		t.Errorf("crawlers waited %v", took)
	}
}

// TestCloseGivesLeasesBack: Close gives a lease back for which release failed.
func TestCloseGivesLeasesBack(t *testing.T) {
	srv := startServer(t)
	s, raw := open(t, srv.URL(), redis.Options{}), srv.raw()
	release := takeLease(t, s, site)
	runCommand(t, raw, "CLIENT", "PAUSE", "150")
	release() // the server does not reply
	runCommand(t, raw, "PING")
	s.Close()
	if runCommand(t, raw, "EXISTS", key+":lease") != "0" {
		t.Error("the lease outlives the store")
	}
}

// TestSlowReplyIsNoOutage: after one call has timed out, other calls are still sent.
func TestSlowReplyIsNoOutage(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	srv := startServer(t)
	s, raw := open(t, srv.URL(), redis.Options{Timeout: time.Second}), srv.raw()
	put(t, s, 0, "one")
	runCommand(t, raw, "CLIENT", "PAUSE", "1500")
	if _, err := s.Get(ctx, site); err == nil || !strings.Contains(err.Error(), "deadline exceeded") {
		t.Fatalf("error %v, want a timeout", err)
	}
	if _, err := s.Get(ctx, site); err != nil { // waits for the second half of the pause
		t.Error(err)
	}
}

// TestCloseWhileTheServerHangs: Close returns soon, even if the server does not reply.
func TestCloseWhileTheServerHangs(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	srv := startServer(t)
	s := open(t, srv.URL(), redis.Options{})
	release := takeLease(t, s, site)
	srv.hang()
	release()
	begin := time.Now()
	s.Close()
	if took := time.Since(begin); took > soon {
		t.Errorf("Close took %v", took)
	}
	srv.resume()
}

// TestStoreWorksAfterAStall: the store works again as soon as the server replies.
func TestStoreWorksAfterAStall(t *testing.T) {
	srv := startServer(t)
	s, raw := open(t, srv.URL(), redis.Options{}), srv.raw()
	put(t, s, 0, "one")
	runCommand(t, raw, "CLIENT", "PAUSE", "700")
	fails := func() bool { _, err := s.Get(ctx, site); return err != nil }
	eventually(t, maxRecover, "a call fails", fails)
	runCommand(t, raw, "PING") // the reply comes when the pause is over
	begin := time.Now()
	eventually(t, maxRecover, "the store works", func() bool { return !fails() })
	t.Logf("after %v", time.Since(begin))
}
