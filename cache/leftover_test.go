package cache_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
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

// A caller whose context ends leaves no goroutine, while the retrieval goes on for others.
func TestEndedCallerLeavesNoGoroutine(t *testing.T) {
	f := &slowToEnd{began: make(chan bool, 10)}
	c := &cache.Cache{Fetcher: f}
	go c.Check(context.Background(), agents, storetest.Origin(1).String())
	<-f.began
	before := runtime.NumGoroutine()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for range 1000 {
		if _, err := c.Check(ended, agents, storetest.Origin(1).String()); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if now := runtime.NumGoroutine(); now > before+100 {
		t.Errorf("%d goroutines, %d before", now, before)
	}
	c.Close()
}

// countingReads is a Store that counts the calls of Get.
type countingReads struct {
	cache.Store
	n atomic.Int64
}

func (r *countingReads) Get(ctx context.Context, o origin.Origin) (*cache.Record, error) {
	r.n.Add(1)
	return r.Store.Get(ctx, o)
}

// After Close the Store is not read, since it may be closed.
func TestStoreIsNotReadAfterClose(t *testing.T) {
	store := &countingReads{Store: cache.NewMemory(0, 0)}
	c := &cache.Cache{Store: store, Fetcher: &changingFile{}}
	known, unknown := storetest.Origin(1), storetest.Origin(2)
	check(t, c, known)
	c.Close()
	before := store.n.Load()
	for _, o := range []origin.Origin{known, unknown} {
		if a, err := peek(context.Background(), c, o.String()+"/x"); !errors.Is(err, cache.ErrClosed) || a.Allowed {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if n := store.n.Load() - before; n != 0 {
		t.Errorf("the store was read %d times after Close", n)
	}
}

// smallThenLarge is a Fetcher of small files or, if large is set, of large ones.
type smallThenLarge struct{ large atomic.Bool }

func (g *smallThenLarge) Fetch(ctx context.Context, o origin.Origin, v fetch.Validators) (fetch.Result, error) {
	size := 1
	if g.large.Load() {
		size = 100 << 10
	}
	return sameFile{fmt.Appendf(nil, "User-agent: *\nDisallow: /%s\n", strings.Repeat("x", size)), ""}.Fetch(ctx, o, v)
}

// The records that wait keep their limit if large records replace small ones.
func TestLargeWaitingRecordsKeepTheLimit(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	var lost losses
	f := &smallThenLarge{}
	c := &cache.Cache{Store: newStuck(), Fetcher: f, MemoryBytes: 1 << 20, Events: cache.Events{StoreFailed: lost.add}} // a quarter of this is for waiting records
	n := 0
	for ; lost.all() == "" && n < 5000; n++ {
		check(t, c, storetest.Origin(n))
	}
	f.large.Store(true)
	for i := range n {
		refresh(t, c, storetest.Origin(i))
	}
	if waiting := c.Waiting(); waiting > 1<<18 {
		t.Errorf("%d bytes wait for %d origins", waiting, n)
	}
	c.Close()
}

// hangingReads is a Store whose Get ignores its context.
type hangingReads struct {
	cache.Store
	free chan struct{} // Get waits until it is closed
}

func (u hangingReads) Get(context.Context, origin.Origin) (*cache.Record, error) {
	<-u.free
	return nil, cache.ErrNotFound
}

// Close returns even if the Store hangs in Get.
func TestCloseWithStoreThatHangsInGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hangingReads{cache.NewMemory(0, 0), make(chan struct{})}
		c := &cache.Cache{Store: store, Fetcher: &changingFile{}}
		short, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := c.Check(short, agents, storetest.Origin(1).String()); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		begin := time.Now()
		go func() {
			time.Sleep(time.Minute)
			close(store.free)
		}()
		c.Close()
		if took := time.Since(begin); took > 15*time.Second {
			t.Errorf("Close took %s", took)
		}
		<-store.free
	})
}

// panickingStore is a Store that panics at each call.
type panickingStore struct{ cache.Store }

func (panickingStore) Get(context.Context, origin.Origin) (*cache.Record, error) { panic("Get") }
func (panickingStore) Put(context.Context, *cache.Record) error                  { panic("Put") }
func (panickingStore) Delete(context.Context, origin.Origin) error               { panic("Delete") }
func (panickingStore) Lease(context.Context, origin.Origin) (func(), error)      { panic("Lease") }

// A panic of a Store has the same effect as an error: more retrievals, and an event.
func TestStoreThatPanics(t *testing.T) {
	var lost losses
	c := &cache.Cache{Store: panickingStore{}, Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.add}}
	check(t, c, storetest.Origin(1))
	if err := c.Forget(context.Background(), storetest.Origin(2)); err == nil || !strings.Contains(err.Error(), "a method of the Store panicked, which is a mistake in its code: Delete") {
		t.Error(err)
	}
	c.Close()
	for _, what := range []string{"get", "put", "lease"} {
		if !strings.Contains(lost.all(), fmt.Sprintf("%s %s: a method of the Store panicked", what, storetest.Origin(1))) {
			t.Errorf("no event for %q: %s", what, lost.all())
		}
	}
}
