// Package soak contains long tests. In the first, crawlers with all kinds of stores check URLs of
// sites that hang, fail and send wrong bodies. Meanwhile the stores are stopped, killed, filled and
// locked. The test runs for the time in HEED_SOAK, such as 10m, and is skipped without it. The others
// ask "heed serve" about sites that fail, each for the time in HEED_SOAK_SERVE, and check every
// answer; in the last one, stores are damaged too and daemons are killed.
package soak

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/store/redis"
	"github.com/heed-robots/heed/store/sqlite"
)

// speed is how many times faster the clock of the caches runs. Ten minutes of the test are
// eight days there: less than the 30 days after which an unreachable site counts as
// unavailable.
const speed = 1200

const (
	memoryBytes = 8 << 20
	timeout     = time.Second // of a retrieval
	checkers    = 6           // goroutines of each crawler
)

// A crawler is the cache of one process, with its measurements.
type crawler struct {
	name   string
	cache  *cache.Cache
	close  func() error
	failed atomic.Int64 // failed calls of the store

	mu    sync.Mutex
	waits []time.Duration // of each check
}

func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("HEED_SOAK"))
	if err != nil {
		t.Skip("HEED_SOAK is not set to a time such as 10m")
	}
	goroutines := runtime.NumGoroutine()
	began := time.Now()
	now := func() time.Time { return began.Add(speed * time.Since(began)) }
	sites := newSites(t)
	server := startRedis(t)
	database := filepath.Join(t.TempDir(), "heed.db")
	crawlers := newCrawlers(t, now, server.url(), database)

	ctx, stop := context.WithTimeout(context.Background(), length)
	defer stop()
	var work sync.WaitGroup
	work.Go(func() { server.disturb(ctx, func() string { return sites[rand.IntN(len(sites))].origin }) })
	work.Go(func() { lock(ctx, t, database) })
	for _, c := range crawlers {
		for range checkers {
			work.Go(func() { c.check(ctx, t, sites) })
		}
	}
	var heap uint64
	for ctx.Err() == nil {
		time.Sleep(5 * time.Second)
		heap = max(heap, heapInUse())
	}
	work.Wait()
	for _, c := range crawlers {
		start := time.Now()
		c.cache.Close()
		if err := c.close(); err != nil {
			t.Logf("%s: close: %v", c.name, err)
		}
		t.Logf("%s: closed in %s", c.name, time.Since(start).Round(time.Millisecond))
		c.report(t)
	}
	// The shortest back-off (status 503) doubles from half a minute to a quarter of an hour.
	// So each crawler makes up to ten requests at first, and then about five in each hour. A
	// retrieval that fails while an answer is fresh adds one.
	hours := int64((speed * length).Hours()) + 1
	sites.report(t, int64(len(crawlers))*(10+8*hours))
	sites.close()
	server.stop()
	t.Logf("heap in use: at most %d MiB", heap>>20)
	if limit := uint64(len(crawlers)*memoryBytes + 96<<20); heap > limit {
		t.Errorf("the heap took %d MiB, expected at most %d", heap>>20, limit>>20)
	}
	for range 100 {
		if runtime.NumGoroutine() <= goroutines+10 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%d goroutines after the test, %d before", runtime.NumGoroutine(), goroutines)
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// newCrawlers returns a crawler without a store, two that share a Redis, and two that share a
// database. Two that share a store have dialects that read statuses differently.
func newCrawlers(t *testing.T, now func() time.Time, url, database string) []*crawler {
	var all []*crawler
	add := func(name string, d *robotstxt.Dialect, s cache.Store, closeStore func() error) {
		c := &crawler{name: name, close: closeStore}
		c.cache = &cache.Cache{
			Fetcher:     &fetch.Fetcher{Timeout: timeout, AllowPrivate: true},
			Store:       s,
			Dialect:     d,
			MemoryBytes: memoryBytes,
			Now:         now,
			Events:      cache.Events{StoreFailed: func(string, origin.Origin, error) { c.failed.Add(1) }},
		}
		all = append(all, c)
	}
	add("memory", robotstxt.RFC9309, nil, func() error { return nil })
	for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google} {
		s, err := redis.Open(url, redis.Options{LeaseTime: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		add("redis, "+d.String(), d, s, func() error { s.Close(); return nil })
	}
	for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Standard1994} {
		s, err := sqlite.Open(database, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		add("sqlite, "+d.String(), d, s, s.Close)
	}
	return all
}

// check checks random URLs, one of ten with a timeout below 50 ms.
func (c *crawler) check(ctx context.Context, t *testing.T, sites sites) {
	for ctx.Err() == nil {
		s := sites[rand.IntN(len(sites))]
		path := []string{"/public", "/secret"}[rand.IntN(2)]
		limit := time.Minute
		if rand.IntN(10) == 0 {
			limit = time.Duration(rand.IntN(50)) * time.Millisecond
		}
		bounded, cancel := context.WithTimeout(ctx, limit)
		start := time.Now()
		a, err := c.cache.Check(bounded, []string{"ExampleBot"}, s.origin+path)
		took := time.Since(start)
		switch {
		case err != nil && bounded.Err() == nil:
			t.Errorf("%s: %s: %v", c.name, s.name, err)
		case err == nil && a.Allowed && !s.mayAllow(path):
			t.Errorf("%s: %s%s is allowed: %+v", c.name, s.name, path, a)
		case err == nil && !a.Allowed && a.Outcome != fetch.Unreachable && s.mayAllow(path):
			t.Errorf("%s: %s%s is disallowed: %+v", c.name, s.name, path, a)
		}
		cancel()
		c.mu.Lock()
		c.waits = append(c.waits, took)
		c.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
}

// maxWait limits the time of a check: it may wait for the retrieval of another process, and
// then for its own.
const maxWait = 35 * time.Second

func (c *crawler) report(t *testing.T) {
	slices.Sort(c.waits)
	n := len(c.waits)
	at := func(share float64) time.Duration {
		return c.waits[min(n-1, int(share*float64(n)))].Round(10 * time.Microsecond)
	}
	t.Logf("%s: %d checks, waits p50 %s, p99 %s, p99.9 %s, maximum %s; the store failed %d times",
		c.name, n, at(0.5), at(0.99), at(0.999), at(1), c.failed.Load())
	if c.waits[n-1] > maxWait {
		t.Errorf("%s: a check took %s", c.name, c.waits[n-1])
	}
}
