package redis_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/redis"
)

const (
	maxCall    = 200 * time.Millisecond // a call may take this long: its timeout of 50 ms, and delays of the machine
	maxRecover = 5 * time.Second        // after an outage the store must work again in this time
)

var (
	ctx   = context.Background()
	start = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
)

// TestKilled: while the server is down, calls fail at once. When it is up, they work again.
func TestKilled(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	store, other := open(t, srv.URL(), redis.Options{}), open(t, srv.URL(), redis.Options{})
	notices, stop := listen(store)
	defer stop()
	w := work(t, store)
	w.during("up", 200*time.Millisecond, 0)
	srv.Kill()
	w.during("down", 1500*time.Millisecond, 1)
	w.end()

	srv.Start()
	waitForStores(t, store, other)
	receivesAgain(t, other, notices)
}

// TestHanging: if the server does not reply, calls fail as if it were down.
func TestHanging(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	srv := startServer(t)
	store, other := open(t, srv.URL(), redis.Options{}), open(t, srv.URL(), redis.Options{})
	notices, stop := listen(store)
	defer stop()
	w := work(t, store)
	w.during("up", 200*time.Millisecond, 0)
	srv.hang()
	time.Sleep(maxCall) // earlier replies may still come
	w.during("hanging", 3*time.Second, 1)
	srv.resume()
	w.end()

	waitForStores(t, store, other)
	receivesAgain(t, other, notices)
}

// TestHangingCrowd: the server does not reply, and there are more callers than the buffers of
// the connection have room for. All calls still fail in time.
func TestHangingCrowd(t *testing.T) {
	srv := startServer(t)
	store := open(t, srv.URL(), redis.Options{})
	waitForStores(t, store)
	w := work(t, store) // if a connection has many users, rueidis uses it in another way
	w.during("up", 100*time.Millisecond, 0)
	w.end()
	srv.hang()
	defer srv.resume()
	var crowd sync.WaitGroup
	var late atomic.Int64
	for range 5000 {
		crowd.Go(func() {
			begin := time.Now()
			if _, err := store.Get(ctx, storetest.Origin(1)); err == nil || errors.Is(err, cache.ErrNotFound) {
				t.Errorf("error %v", err)
			}
			if time.Since(begin) > 2*maxCall {
				late.Add(1)
			}
		})
	}
	crowd.Wait()
	if n := late.Load(); n > 0 {
		t.Errorf("%d calls took longer than %v", n, 2*maxCall)
	}
	waitUntilDown(t, store)
	fails(t, store)
}

// waitUntilDown waits until calls fail at once, since the store has seen that the server is
// down.
func waitUntilDown(t *testing.T, store *redis.Store) {
	t.Helper()
	eventually(t, maxRecover, "calls fail at once", func() bool {
		begin := time.Now()
		_, err := store.Get(ctx, site)
		return err != nil && time.Since(begin) < 10*time.Millisecond
	})
}

// TestOpenWhileDown: a store can be opened while the server is down, and works when it is up.
func TestOpenWhileDown(t *testing.T) {
	srv := newServer(t)
	begin := time.Now()
	store := open(t, srv.URL(), redis.Options{})
	notices, stop := listen(store)
	defer stop()
	if took := time.Since(begin); took > maxCall {
		t.Errorf("Open and Notify took %v", took)
	}
	fails(t, store)
	srv.Start()
	waitForStores(t, store)
	receivesAgain(t, open(t, srv.URL(), redis.Options{}), notices)
}

// fails checks that every method fails at once.
func fails(t *testing.T, store *redis.Store) {
	t.Helper()
	o := storetest.Origin(1)
	begin := time.Now()
	_, get := store.Get(ctx, o)
	_, history := store.History(ctx, o)
	release, lease := store.Lease(ctx, o)
	_, reserve := store.Reserve(ctx, o, time.Time{}, time.Minute)
	origins := errors.New("Origins yielded nothing")
	for _, origins = range store.Origins(ctx) {
	}
	for name, err := range map[string]error{
		"Get": get, "History": history, "Lease": lease, "Reserve": reserve, "Origins": origins,
		"Put": store.Put(ctx, storetest.Record(o, start, "")), "Delete": store.Delete(ctx, o),
	} {
		if err == nil || errors.Is(err, cache.ErrNotFound) || !strings.Contains(err.Error(), "not reachable") && !strings.Contains(err.Error(), "no reply in time") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if release != nil {
		t.Error("Lease returned a lease")
	}
	if took := time.Since(begin); took > 100*time.Millisecond {
		t.Errorf("the calls took %v", took)
	}
}

// waitForStores waits until the stores work.
func waitForStores(t *testing.T, stores ...*redis.Store) {
	t.Helper()
	for i, s := range stores {
		r := storetest.Record(storetest.Origin(1000+i), start, "again")
		eventually(t, maxRecover, "Put", func() bool { return s.Put(ctx, r) == nil })
		eventually(t, maxRecover, "Get", func() bool {
			got, err := s.Get(ctx, r.Origin)
			return err == nil && string(got.Body()) == "again"
		})
	}
}

func listen(s *redis.Store) (notices chan origin.Origin, stop func()) {
	notices = make(chan origin.Origin, 1000)
	return notices, s.Notify(func(o origin.Origin) { notices <- o })
}

// receivesAgain waits until a notice of another store is received.
func receivesAgain(t *testing.T, other *redis.Store, notices chan origin.Origin) {
	t.Helper()
	o := storetest.Origin(2000)
	eventually(t, maxRecover, "a notice", func() bool {
		if err := other.Delete(ctx, o); err != nil {
			return false
		}
		select {
		case got := <-notices:
			return got == o
		case <-time.After(50 * time.Millisecond):
			return false
		}
	})
}

// workers are many goroutines that use a store all the time.
type workers struct {
	t       *testing.T
	phase   atomic.Int64 // 0: calls may succeed or fail; 1: calls that begin now must fail
	done    chan struct{}
	running sync.WaitGroup
	calls   atomic.Int64
	slowest atomic.Int64 // the duration of the slowest call
	stalled atomic.Int64 // the longest delay by the machine, not by the store
}

func work(t *testing.T, store *redis.Store) *workers {
	w := &workers{t: t, done: make(chan struct{})}
	w.repeat(func(int) {
		const nap = 5 * time.Millisecond
		begin := time.Now()
		time.Sleep(nap)
		raise(&w.stalled, time.Since(begin)-nap)
	})
	for i := range 50 {
		r := storetest.Record(storetest.Origin(i), start, fmt.Sprint("file ", i))
		eventually(t, maxRecover, "Put", func() bool { return store.Put(ctx, r) == nil })
		w.repeat(func(n int) {
			w.call(store, r, n)
			time.Sleep(time.Millisecond)
		})
	}
	return w
}

// repeat calls do in a goroutine, again and again, until end.
func (w *workers) repeat(do func(n int)) {
	w.running.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-w.done:
				return
			default:
				do(n)
			}
		}
	})
}

// raise sets a maximum to d, if d is larger.
func raise(maximum *atomic.Int64, d time.Duration) {
	for old := maximum.Load(); int64(d) > old && !maximum.CompareAndSwap(old, int64(d)); old = maximum.Load() {
	}
}

func (w *workers) call(store *redis.Store, r *cache.Record, n int) {
	phase, begin := w.phase.Load(), time.Now()
	var err error
	if n%2 == 0 {
		err = store.Put(ctx, r)
	} else {
		var got *cache.Record
		if got, err = store.Get(ctx, r.Origin); err == nil && string(got.Body()) != string(r.Body()) {
			w.t.Errorf("got %q, want %q", got.Body(), r.Body())
		}
	}
	w.calls.Add(1)
	raise(&w.slowest, time.Since(begin))
	switch {
	case errors.Is(err, cache.ErrNotFound) || errors.Is(err, cache.ErrWrongRecord):
		w.t.Errorf("an outage looks like a reply of the server: %v", err)
	case phase == 1 && err == nil && w.phase.Load() == 1:
		w.t.Error("a call succeeded without a server")
	}
}

func (w *workers) during(what string, d time.Duration, phase int64) {
	w.calls.Store(0)
	w.phase.Store(phase)
	time.Sleep(d)
	w.t.Logf("%s: %d calls, the slowest so far %v", what, w.calls.Load(), time.Duration(w.slowest.Load()))
	w.phase.Store(0)
}

func (w *workers) end() {
	close(w.done)
	w.running.Wait()
	slowest, stalled := time.Duration(w.slowest.Load()), time.Duration(w.stalled.Load())
	if slowest > maxCall+2*stalled { // a call uses two goroutines, and each may be delayed
		w.t.Errorf("a call took %v, the machine stalled for %v", slowest, stalled)
	}
}
