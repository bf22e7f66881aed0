// Package soak holds one long test: crawlers with all kinds of stores ask sites
// that lie, stall and fail, while the stores are stopped, killed, full and
// locked. It runs where HEED_SOAK says for how long, such as 10m.
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

// speed is how many times faster the clock of the caches goes: ten minutes are
// more than eight days, in which nothing relaxes.
const speed = 1200

const (
	memoryBytes = 8 << 20
	timeout     = time.Second // of a retrieval
	askers      = 6           // for each crawler
)

// A crawler is a cache as a process has it, and what was seen of it.
type crawler struct {
	name   string
	cache  *cache.Cache
	close  func() error
	failed atomic.Int64 // calls of the store

	mu    sync.Mutex
	waits []time.Duration
}

func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("HEED_SOAK"))
	if err != nil {
		t.Skip("HEED_SOAK is no time such as 10m: no soak")
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
	work.Go(func() { server.disturb(ctx, sites) })
	work.Go(func() { lock(ctx, t, database) })
	for _, c := range crawlers {
		for range askers {
			work.Go(func() { c.ask(ctx, t, sites) })
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
	// The shortest back-off is about half a minute, once doubled soon a quarter of
	// an hour, and a retrieval that fails within an answer's time is one more.
	hours := int64((speed * length).Hours()) + 1
	sites.report(t, int64(len(crawlers))*(10+8*hours))
	sites.close()
	server.stop()
	t.Logf("heap in use: at most %d MiB", heap>>20)
	if most := uint64(len(crawlers)*memoryBytes + 96<<20); heap > most {
		t.Errorf("the heap took %d MiB, expected at most %d", heap>>20, most>>20)
	}
	for range 100 {
		if runtime.NumGoroutine() <= goroutines+10 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left, %d were there before", runtime.NumGoroutine(), goroutines)
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// newCrawlers returns crawlers without a store, with one Redis and with one
// database, in dialects that differ about statuses.
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

// ask asks about random URLs, now and then with little time.
func (c *crawler) ask(ctx context.Context, t *testing.T, sites sites) {
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

// longest is how long an answer may take: somebody else's retrieval is waited
// for, then our own.
const longest = 35 * time.Second

func (c *crawler) report(t *testing.T) {
	slices.Sort(c.waits)
	n := len(c.waits)
	at := func(share float64) time.Duration {
		return c.waits[min(n-1, int(share*float64(n)))].Round(10 * time.Microsecond)
	}
	t.Logf("%s: %d questions, waits p50 %s, p99 %s, p99.9 %s, most %s; the store failed %d times",
		c.name, n, at(0.5), at(0.99), at(0.999), at(1), c.failed.Load())
	if c.waits[n-1] > longest {
		t.Errorf("%s: an answer took %s", c.name, c.waits[n-1])
	}
}
