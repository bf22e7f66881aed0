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
	"github.com/heed-robots/heed/origin"
)

// stuck is a Store whose Puts wait until they are let go or their context ends.
type stuck struct {
	cache.Store
	putting chan origin.Origin // is told of each Put
	free    chan struct{}      // closed: they go on
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

// losses are what a Cache reports that its Store could not do.
type losses struct {
	mu   sync.Mutex
	told []string
}

func (l *losses) tell(what string, o origin.Origin, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, fmt.Sprintf("%s %s: %v", what, o, err))
}

func (l *losses) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.told, "\n")
}

// changingFile is a Fetcher of a file that is another each time.
type changingFile struct{ n atomic.Int64 }

func (f *changingFile) Fetch(ctx context.Context, o origin.Origin, v fetch.Validators) (fetch.Result, error) {
	return sameFile{fmt.Appendf(nil, "User-agent: *\nDisallow: /%d\n", f.n.Add(1)), ""}.Fetch(ctx, o, v)
}

func check(t *testing.T, c *cache.Cache, o origin.Origin) {
	t.Helper()
	short, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if a, err := c.Check(short, agents, o.String()+"/x"); err != nil || a.Outcome != fetch.Rules {
		t.Errorf("%s: %+v, %v", o, a, err)
	}
}

func refresh(t *testing.T, c *cache.Cache, o origin.Origin) {
	t.Helper()
	short, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := c.Refresh(short, o); err != nil {
		t.Error(err)
	}
}

// An answer never waits for its own write, nor does a refresh; Close waits for a
// moment, and tells of each record that is lost.
func TestAnswerDoesNotWaitForItsWrite(t *testing.T) {
	var lost losses
	c := &cache.Cache{Store: newStuck(), Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.tell}}
	for n := range 50 {
		check(t, c, storetest.Site(n))
	}
	refresh(t, c, storetest.Site(1))
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
		if got := strings.Count(lost.all(), fmt.Sprintf("put %s: cache: closed before", storetest.Site(n))); got != want {
			t.Errorf("told %d times that a record of site %d is lost, want %d", got, n, want)
		}
	}
}

// what waits is written when the store works again, and every version of an
// origin in order.
func TestWritesOfAnOriginAreInOrder(t *testing.T) {
	store, o := newStuck(), storetest.Site(1)
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

// telling is a stuck Store that tells of changes.
type telling struct {
	*stuck
	changed func(origin.Origin)
}

func (s *telling) Notify(changed func(origin.Origin)) func() {
	s.changed = changed
	return func() {}
}

// what waits to be written is newer than what the store has, and is known
// also when memory does not have it any more.
func TestWaitingRecordIsKnown(t *testing.T) {
	store, o := &telling{stuck: newStuck()}, storetest.Site(1)
	if err := store.Store.Put(context.Background(), storetest.Answer(o, time.Now().Add(-time.Minute), "User-agent: *\nAllow: /\n")); err != nil {
		t.Fatal(err)
	}
	c := &cache.Cache{Store: store, Fetcher: sameFile{[]byte("User-agent: *\nDisallow: /\n"), ""}}
	defer c.Close()
	refresh(t, c, o)
	for range 10 {
		store.changed(o) // which takes it out of memory
		if a, err := c.Peek(context.Background(), agents, o.String()+"/x"); err != nil || a.Allowed || a.Outcome != fetch.Rules {
			t.Fatalf("%+v, %v, want what was fetched last", a, err)
		}
	}
	close(store.free)
}

// To forget an origin is not undone by what waits to be written of it, or is
// being written.
func TestForgetWhileWritesWait(t *testing.T) {
	store := newStuck()
	c := &cache.Cache{Store: store, Fetcher: &changingFile{}}
	const many = 20 // more than are written at once
	for n := range many {
		refresh(t, c, storetest.Site(n))
		refresh(t, c, storetest.Site(n))
	}
	forgot := make(chan error)
	for n := range many {
		go func() { forgot <- c.Forget(context.Background(), storetest.Site(n)) }()
	}
	time.Sleep(50 * time.Millisecond) // either order is right, this one is the harder
	close(store.free)
	for range many {
		if err := <-forgot; err != nil {
			t.Error(err)
		}
	}
	c.Close()
	for n := range many {
		if _, err := store.Get(context.Background(), storetest.Site(n)); !errors.Is(err, cache.ErrNotFound) {
			t.Errorf("site %d: %v, want ErrNotFound", n, err)
		}
		if history, err := store.History(context.Background(), storetest.Site(n)); err != nil || len(history) > 0 {
			t.Errorf("site %d: %v, %v", n, history, err)
		}
	}
}

// What waits is bounded. Beyond the bound a record takes the place of an older one of its
// origin, and one of another origin is lost, which is told.
func TestWaitingRecordsAreBounded(t *testing.T) {
	var lost losses
	store, o := newStuck(), storetest.Site(1)
	big := sameFile{[]byte("User-agent: *\nDisallow: /" + strings.Repeat("x", 100<<10)), ""}
	c := &cache.Cache{Store: store, Fetcher: big, MemoryBytes: 4 << 20, Events: cache.Events{StoreFailed: lost.tell}} // of which a quarter may wait
	refresh(t, c, o)
	<-store.putting
	for range 20 { // some that wait, the last takes the place of another
		refresh(t, c, o)
	}
	if told := lost.all(); told != "" {
		t.Errorf("told of %s", told)
	}
	for n := range 50 {
		check(t, c, storetest.Site(100+n))
	}
	if told := strings.Count(lost.all(), "put https://site-1"); told != 50 || !strings.Contains(lost.all(), "too many records wait") {
		t.Errorf("told of %d: %s", told, lost.all())
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

// stuckLeases is a stuck Store that counts who holds leases.
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

// G-8: a lease is given back after the write, also when the process ends; the
// process itself asks again with the lease that it has.
func TestLeaseIsGivenBackAfterItsWrite(t *testing.T) {
	for name, end := range map[string]func(*stuckLeases, *cache.Cache){
		"written": func(s *stuckLeases, c *cache.Cache) { close(s.free); c.Settle() },
		"closed":  func(_ *stuckLeases, c *cache.Cache) { c.Close() },
		"forgotten": func(s *stuckLeases, c *cache.Cache) {
			time.AfterFunc(20*time.Millisecond, func() { close(s.free) })
			if err := c.Forget(context.Background(), storetest.Site(1)); err != nil {
				t.Error(err)
			}
		},
	} {
		store := &stuckLeases{stuck: newStuck()}
		c := &cache.Cache{Store: store, Fetcher: &changingFile{}}
		check(t, c, storetest.Site(1))
		<-store.putting
		if store.held.Load() != 1 {
			t.Errorf("%s: the lease is not held while the record is written", name)
		}
		refresh(t, c, storetest.Site(1))
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

// leasedOut is a Store whose leases somebody else has for good.
type leasedOut struct{ cache.Store }

func (leasedOut) Lease(context.Context, origin.Origin) (func(), error) { return nil, nil }

// Somebody else's retrieval is waited for about as long as one may take, then the
// origin is asked regardless.
func TestWaitForLeaseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lost losses
		c := &cache.Cache{Store: leasedOut{cache.NewMemory(0, 0)}, Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.tell}}
		begin := time.Now()
		a, err := c.Check(context.Background(), agents, storetest.Site(1).String()+"/x")
		took := time.Since(begin)
		if err != nil || a.Outcome != fetch.Rules || took < 30*time.Second || took > 35*time.Second {
			t.Errorf("%+v, %v after %s", a, err, took)
		}
		c.Close()
		if told := lost.all(); !strings.Contains(told, "lease https://site-1.example: another process") {
			t.Errorf("told of %s", told)
		}
	})
}

// slowly is a Store that needs some time for each Put.
type slowly struct{ cache.Store }

func (s slowly) Put(ctx context.Context, r *cache.Record) error {
	time.Sleep(time.Second / 2)
	return s.Store.Put(ctx, r)
}

// Close lets a store that is at work finish.
func TestCloseLetsTheStoreFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lost losses
		store := cache.NewMemory(0, 0)
		c := &cache.Cache{Store: slowly{store}, Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.tell}}
		for n := range 100 { // of which 8 are written in half a second
			check(t, c, storetest.Site(n))
		}
		c.Close()
		for n := range 100 {
			if _, err := store.Get(context.Background(), storetest.Site(n)); err != nil {
				t.Error(err)
			}
		}
		if told := lost.all(); told != "" {
			t.Errorf("told of %s", told)
		}
	})
}

// hung is a Store whose Puts never end, whatever their context.
type hung struct{ cache.Store }

func (hung) Put(context.Context, *cache.Record) error { select {} }

// Close ends also where the store does not, and tells of what is lost.
func TestCloseWithHungStore(t *testing.T) {
	var lost losses
	c := &cache.Cache{Store: hung{cache.NewMemory(0, 0)}, Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.tell}}
	for n := range 20 {
		check(t, c, storetest.Site(n))
	}
	begin := time.Now()
	if err := c.Close(); !errors.Is(err, cache.ErrClosed) || !strings.Contains(err.Error(), "20 records were not written") {
		t.Errorf("Close: %v", err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("Close took %s", took)
	}
	if told := strings.Count(lost.all(), "cache: closed"); told != 20 {
		t.Errorf("told of %d records: %s", told, lost.all())
	}
}
