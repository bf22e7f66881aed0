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
	"github.com/heed-robots/heed/origin"
)

// Who gives up leaves nothing behind, while the retrieval goes on for others.
func TestGivingUpLeavesNoGoroutine(t *testing.T) {
	f := &slowToEnd{began: make(chan bool, 10)}
	c := &cache.Cache{Fetcher: f}
	go c.Check(context.Background(), agents, storetest.Site(1).String())
	<-f.began
	before := runtime.NumGoroutine()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for range 1000 {
		if _, err := c.Check(ended, agents, storetest.Site(1).String()); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if now := runtime.NumGoroutine(); now > before+100 {
		t.Errorf("%d goroutines, %d before", now, before)
	}
	c.Close()
}

// readings is a Store that counts what is read.
type readings struct {
	cache.Store
	n atomic.Int64
}

func (r *readings) Get(ctx context.Context, o origin.Origin) (*cache.Record, error) {
	r.n.Add(1)
	return r.Store.Get(ctx, o)
}

// After Close nobody asks the Store, which may be closed: what is in memory is known, and
// anything else is an ErrClosed.
func TestStoreIsNotReadAfterClose(t *testing.T) {
	store := &readings{Store: cache.NewMemory(0, 0)}
	c := &cache.Cache{Store: store, Fetcher: &changingFile{}}
	known, unknown := storetest.Site(1), storetest.Site(2)
	check(t, c, known)
	c.Close()
	before := store.n.Load()
	if a, err := c.Peek(context.Background(), agents, known.String()+"/x"); err != nil || a.Outcome != fetch.Rules {
		t.Errorf("%+v, %v", a, err)
	}
	if s, err := c.PeekSite(context.Background(), known.String()); err != nil || s.Result() == nil {
		t.Errorf("%v, %v", s, err)
	}
	if a, err := c.Peek(context.Background(), agents, unknown.String()+"/x"); !errors.Is(err, cache.ErrClosed) || a.Allowed {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := c.PeekSite(context.Background(), unknown.String()); !errors.Is(err, cache.ErrClosed) {
		t.Error(err)
	}
	if n := store.n.Load() - before; n != 0 {
		t.Errorf("the store was read %d times after Close", n)
	}
}

// growing is a Fetcher of files that are small at first.
type growing struct{ large atomic.Bool }

func (g *growing) Fetch(ctx context.Context, o origin.Origin, v fetch.Validators) (fetch.Result, error) {
	size := 1
	if g.large.Load() {
		size = 100 << 10
	}
	return sameFile{fmt.Appendf(nil, "User-agent: *\nDisallow: /%s\n", strings.Repeat("x", size)), ""}.Fetch(ctx, o, v)
}

// What waits is bounded also where large records would take the place of small ones.
func TestWaitingRecordsDoNotGrow(t *testing.T) {
	var lost losses
	f := &growing{}
	c := &cache.Cache{Store: newStuck(), Fetcher: f, MemoryBytes: 1 << 20, Events: cache.Events{StoreFailed: lost.tell}} // of which a quarter may wait
	n := 0
	for ; lost.all() == "" && n < 5000; n++ {
		check(t, c, storetest.Site(n))
	}
	f.large.Store(true)
	for i := range n {
		refresh(t, c, storetest.Site(i))
	}
	if waiting := c.Waiting(); waiting > 1<<18 {
		t.Errorf("%d bytes wait for %d origins", waiting, n)
	}
	c.Close()
}

// unreadable is a Store whose Gets do not end with their context.
type unreadable struct {
	cache.Store
	free chan struct{} // closed: they end
}

func (u unreadable) Get(context.Context, origin.Origin) (*cache.Record, error) {
	<-u.free
	return nil, cache.ErrNotFound
}

// Close ends where the Store hangs at reading too.
func TestCloseWithStoreThatHangsAtReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := unreadable{cache.NewMemory(0, 0), make(chan struct{})}
		c := &cache.Cache{Store: store, Fetcher: &changingFile{}}
		short, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := c.Check(short, agents, storetest.Site(1).String()); !errors.Is(err, context.DeadlineExceeded) {
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

// panicking is a Store that panics whatever it is asked for.
type panicking struct{ cache.Store }

func (panicking) Get(context.Context, origin.Origin) (*cache.Record, error) { panic("Get") }
func (panicking) Put(context.Context, *cache.Record) error                  { panic("Put") }
func (panicking) Delete(context.Context, origin.Origin) error               { panic("Delete") }
func (panicking) Lease(context.Context, origin.Origin) (func(), error)      { panic("Lease") }

// A Store that panics costs retrievals, as one that fails does, and not the process.
func TestStoreThatPanics(t *testing.T) {
	var lost losses
	c := &cache.Cache{Store: panicking{}, Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.tell}}
	check(t, c, storetest.Site(1))
	if err := c.Forget(context.Background(), storetest.Site(2)); err == nil || !strings.Contains(err.Error(), "panic of the Store: Delete") {
		t.Error(err)
	}
	c.Close()
	for _, what := range []string{"get", "put", "lease"} {
		if !strings.Contains(lost.all(), fmt.Sprintf("%s %s: panic", what, storetest.Site(1))) {
			t.Errorf("nobody is told of %q: %s", what, lost.all())
		}
	}
}
