package cache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
)

// stuck is a Store whose Put waits until free is closed, or until its context ends.
type stuck struct {
	cache.Store
	putting chan origin.Origin // receives the origin of each Put
	free    chan struct{}
}

func newStuck() *stuck {
	return &stuck{cache.NewMemory(0, 0), make(chan origin.Origin, 10_000), make(chan struct{})}
}

func (s *stuck) Put(ctx context.Context, r *cache.Record) error {
	s.putting <- r.Origin
	select {
	case <-s.free:
		return s.Store.Put(ctx, r)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// losses are the events StoreFailed of a Cache.
type losses struct {
	mu     sync.Mutex
	events []string
}

func (l *losses) add(what string, o origin.Origin, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, fmt.Sprintf("%s %s: %v", what, o, err))
}

func (l *losses) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.events, "\n")
}

// changingFile is a Fetcher that returns another file each time.
type changingFile struct{ n atomic.Int64 }

func (f *changingFile) Fetch(ctx context.Context, o origin.Origin, v fetch.Validators) (fetch.Result, error) {
	return sameFile{fmt.Appendf(nil, "User-agent: *\nDisallow: /%d\n", f.n.Add(1)), ""}.Fetch(ctx, o, v)
}

// check calls Check, and expects an answer by rules within ten seconds.
func check(t *testing.T, c *cache.Cache, o origin.Origin) {
	t.Helper()
	short, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if a, err := c.Check(short, agents, o.String()+"/x"); err != nil || a.Outcome != fetch.Rules {
		t.Errorf("%s: %+v, %v", o, a, err)
	}
}

// refresh calls Refresh, and expects that it ends within ten seconds.
func refresh(t *testing.T, c *cache.Cache, o origin.Origin) {
	t.Helper()
	short, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := c.Refresh(short, o); err != nil {
		t.Error(err)
	}
}

// Neither an answer nor a refresh waits until its record is written. Close waits for a limited
// time, and reports each lost record.
func TestAnswerDoesNotWaitForItsWrite(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	var lost losses
	c := &cache.Cache{Store: newStuck(), Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.add}}
	for n := range 50 {
		check(t, c, storetest.Origin(n))
	}
	refresh(t, c, storetest.Origin(1))
	begin := time.Now()
	c.Close()
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("Close took %s", took)
	}
	for n := range 50 {
		want := 1
		if n == 1 {
			want = 2
		}
		if got := strings.Count(lost.all(), fmt.Sprintf("put %s: the Cache was closed before", storetest.Origin(n))); got != want {
			t.Errorf("%d events for lost records of site %d, want %d", got, n, want)
		}
	}
}

// the waiting records are written when the store works again, those of an origin in order.
func TestWritesOfAnOriginAreInOrder(t *testing.T) {
	store, o := newStuck(), storetest.Origin(1)
	c := &cache.Cache{Store: store, Fetcher: &changingFile{}}
	for range 5 {
		refresh(t, c, o)
	}
	close(store.free)
	c.Close()
	history, err := store.History(context.Background(), o)
	if err != nil || len(history) != 5 {
		t.Fatalf("%v, %v, want five versions", history, err)
	}
	for i, v := range history { // the newest first
		if want := fmt.Sprintf("Disallow: /%d\n", 5-i); !strings.HasSuffix(string(v.Body), want) {
			t.Errorf("version %d is %q, want %q", i, v.Body, want)
		}
	}
}

// stuckNotifier is a stuck Store that is a Notifier.
type stuckNotifier struct {
	*stuck
	changed func(origin.Origin)
}

func (s *stuckNotifier) Notify(changed func(origin.Origin)) func() {
	s.changed = changed
	return func() {}
}

// a waiting record is newer than that in the store. It is used even if the origin is no
// longer in memory.
func TestWaitingRecordIsUsed(t *testing.T) {
	store, o := &stuckNotifier{stuck: newStuck()}, storetest.Origin(1)
	if err := store.Store.Put(context.Background(), storetest.Record(o, time.Now().Add(-time.Minute), "User-agent: *\nAllow: /\n")); err != nil {
		t.Fatal(err)
	}
	c := &cache.Cache{Store: store, Fetcher: sameFile{[]byte("User-agent: *\nDisallow: /\n"), ""}}
	defer c.Close()
	refresh(t, c, o)
	for range 10 {
		store.changed(o) // removes the origin from memory
		if a, err := peek(context.Background(), c, o.String()+"/x"); err != nil || a.Allowed || a.Outcome != fetch.Rules {
			t.Fatalf("%+v, %v, want the result of the last retrieval", a, err)
		}
	}
	close(store.free)
}

// Forget also removes the waiting records of an origin, and waits for a write that is under way.
func TestForgetWhileRecordsWait(t *testing.T) {
	store := newStuck()
	c := &cache.Cache{Store: store, Fetcher: &changingFile{}}
	const many = 20 // more than are written at the same time
	for n := range many {
		refresh(t, c, storetest.Origin(n))
		refresh(t, c, storetest.Origin(n))
	}
	forgot := make(chan error)
	for n := range many {
		go func() { forgot <- c.Forget(context.Background(), storetest.Origin(n)) }()
	}
	time.Sleep(50 * time.Millisecond) // so that Forget usually waits; another order is no failure
	close(store.free)
	for range many {
		if err := <-forgot; err != nil {
			t.Error(err)
		}
	}
	c.Close()
	for n := range many {
		if _, err := store.Get(context.Background(), storetest.Origin(n)); !errors.Is(err, cache.ErrNotFound) {
			t.Errorf("site %d: %v, want ErrNotFound", n, err)
		}
		if history, err := store.History(context.Background(), storetest.Origin(n)); err != nil || len(history) > 0 {
			t.Errorf("site %d: %v, %v", n, history, err)
		}
	}
}

// The waiting records have a limit. Beyond it, a record replaces an older one of its origin. If
// the origin has none, the record is lost and reported.
func TestWaitingRecordsAreLimited(t *testing.T) {
	var lost losses
	store, o := newStuck(), storetest.Origin(1)
	big := sameFile{[]byte("User-agent: *\nDisallow: /" + strings.Repeat("x", 100<<10)), ""}
	c := &cache.Cache{Store: store, Fetcher: big, MemoryBytes: 4 << 20, Events: cache.Events{StoreFailed: lost.add}} // a quarter of this is for waiting records
	refresh(t, c, o)
	<-store.putting
	for range 20 { // the first ones wait, each later one replaces the last
		refresh(t, c, o)
	}
	if events := lost.all(); events != "" {
		t.Errorf("events: %s", events)
	}
	for n := range 50 {
		check(t, c, storetest.Origin(100+n))
	}
	if n := strings.Count(lost.all(), "put https://site-1"); n != 50 || !strings.Contains(lost.all(), "the store is too slow") {
		t.Errorf("%d events: %s", n, lost.all())
	}
	waiting := c.Waiting()
	if waiting > 1<<20 || waiting < 1<<19 {
		t.Errorf("%d bytes wait", waiting)
	}
	close(store.free)
	c.Close()
	if waiting := c.Waiting(); waiting != 0 {
		t.Errorf("%d bytes wait after Close", waiting)
	}
	if r, err := store.Get(context.Background(), o); err != nil || len(r.Body()) != len(big.body) {
		t.Errorf("%v, %v", r, err)
	}
}

// stuckLeases is a stuck Store with one lease, which counts its holders.
type stuckLeases struct {
	*stuck
	held atomic.Int64
}

func (s *stuckLeases) Lease(context.Context, origin.Origin) (func(), error) {
	if !s.held.CompareAndSwap(0, 1) {
		return nil, nil
	}
	return func() { s.held.Add(-1) }, nil
}

// G-8: a lease is given back after the record is written, also by Close and Forget. Until then,
// the next retrieval of the same process uses that lease.
func TestLeaseIsGivenBackAfterItsWrite(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	for name, end := range map[string]func(*stuckLeases, *cache.Cache){
		"written": func(s *stuckLeases, c *cache.Cache) { close(s.free); c.Settle() },
		"closed":  func(_ *stuckLeases, c *cache.Cache) { c.Close() },
		"forgotten": func(s *stuckLeases, c *cache.Cache) {
			time.AfterFunc(20*time.Millisecond, func() { close(s.free) })
			if err := c.Forget(context.Background(), storetest.Origin(1)); err != nil {
				t.Error(err)
			}
		},
	} {
		store := &stuckLeases{stuck: newStuck()}
		c := &cache.Cache{Store: store, Fetcher: &changingFile{}}
		check(t, c, storetest.Origin(1))
		<-store.putting
		if store.held.Load() != 1 {
			t.Errorf("%s: the lease is not held while the record is written", name)
		}
		refresh(t, c, storetest.Origin(1))
		if store.held.Load() != 1 {
			t.Errorf("%s: the lease is not held while the second record waits", name)
		}
		end(store, c)
		if held := store.held.Load(); held != 0 {
			t.Errorf("%s: %d leases are not given back", name, held)
		}
		c.Close()
	}
}

// leasedOut is a Store whose leases another process never gives back.
type leasedOut struct{ cache.Store }

func (leasedOut) Lease(context.Context, origin.Origin) (func(), error) { return nil, nil }

// slowLeases is a Store that waits for a lease until the context ends.
type slowLeases struct {
	cache.Store
	asked chan struct{}
}

func (s slowLeases) Lease(ctx context.Context, _ origin.Origin) (func(), error) {
	close(s.asked)
	<-ctx.Done()
	return nil, ctx.Err()
}

// If Close ends the wait for a lease, the store has not failed.
func TestCloseEndsWaitForLease(t *testing.T) {
	var lost losses
	store := slowLeases{cache.NewMemory(0, 0), make(chan struct{})}
	c := &cache.Cache{Store: store, Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.add}}
	ended := make(chan struct{})
	go func() {
		c.Check(context.Background(), agents, storetest.Origin(1).String()+"/x")
		close(ended)
	}()
	<-store.asked
	c.Close()
	<-ended
	if events := lost.all(); events != "" {
		t.Errorf("events: %s", events)
	}
}

// A Cache waits for the lease of another process for about half a minute, then it fetches
// without a lease.
func TestWaitForLeaseIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lost losses
		c := &cache.Cache{Store: leasedOut{cache.NewMemory(0, 0)}, Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.add}}
		begin := time.Now()
		a, err := c.Check(context.Background(), agents, storetest.Origin(1).String()+"/x")
		took := time.Since(begin)
		if err != nil || a.Outcome != fetch.Rules || took < 30*time.Second || took > 35*time.Second {
			t.Errorf("%+v, %v after %s", a, err, took)
		}
		c.Close()
		if events := lost.all(); !strings.Contains(events, "lease https://site-1.example: another process") {
			t.Errorf("events: %s", events)
		}
	})
}

// slowPuts is a Store that needs half a second for each Put.
type slowPuts struct{ cache.Store }

func (s slowPuts) Put(ctx context.Context, r *cache.Record) error {
	time.Sleep(time.Second / 2)
	return s.Store.Put(ctx, r)
}

// Close waits until a slow store has written all records, as long as it makes progress.
func TestCloseWaitsForSlowStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lost losses
		store := cache.NewMemory(0, 0)
		c := &cache.Cache{Store: slowPuts{store}, Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.add}}
		for n := range 100 { // 8 are written in half a second
			check(t, c, storetest.Origin(n))
		}
		c.Close()
		for n := range 100 {
			if _, err := store.Get(context.Background(), storetest.Origin(n)); err != nil {
				t.Error(err)
			}
		}
		if events := lost.all(); events != "" {
			t.Errorf("events: %s", events)
		}
	})
}

// hung is a Store whose Put never returns, also not when its context ends.
type hung struct{ cache.Store }

func (hung) Put(context.Context, *cache.Record) error { select {} }

// Close returns even if a Put never does, and reports the lost records once.
func TestCloseWithHungStore(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	var lost losses
	c := &cache.Cache{Store: hung{cache.NewMemory(0, 0)}, Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.add}}
	for n := range 20 {
		check(t, c, storetest.Origin(n))
	}
	begin := time.Now()
	if err := c.Close(); !errors.Is(err, cache.ErrClosed) || !strings.Contains(err.Error(), "some records to the store (20), so it fetches these robots.txt again later: ") {
		t.Errorf("Close: %v", err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("Close took %s", took)
	}
	if err := c.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	if n := strings.Count(lost.all(), "the Cache was closed before"); n != 20 {
		t.Errorf("%d events: %s", n, lost.all())
	}
}
