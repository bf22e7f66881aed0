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
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/redis"
)

const (
	longest = 200 * time.Millisecond // that a call may take, of which 50 ms are its timeout
	renewed = 5 * time.Second        // after which a store works again
)

var (
	ctx   = context.Background()
	start = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
)

// TestKilled: an outage is an error at once, and ends by itself.
func TestKilled(t *testing.T) {
	srv := startServer(t)
	store, other := open(t, srv.url(), redis.Options{}), open(t, srv.url(), redis.Options{})
	heard, stop := listen(store)
	defer stop()
	w := work(t, store)
	w.during("up", 200*time.Millisecond, 0)
	srv.kill()
	w.during("down", 1500*time.Millisecond, 1)
	w.end()

	srv.start()
	works(t, store, other)
	hearsAgain(t, other, heard)
}

// TestHanging: a server that does not answer is no other than one that is down.
func TestHanging(t *testing.T) {
	srv := startServer(t)
	store, other := open(t, srv.url(), redis.Options{}), open(t, srv.url(), redis.Options{})
	heard, stop := listen(store)
	defer stop()
	w := work(t, store)
	w.during("up", 200*time.Millisecond, 0)
	srv.hang()
	time.Sleep(longest) // what was answered before may still come
	w.during("hanging", 3*time.Second, 1)
	srv.resume()
	w.end()

	works(t, store, other)
	hearsAgain(t, other, heard)
}

// TestHangingCrowd: more callers than the connection has room for.
func TestHangingCrowd(t *testing.T) {
	srv := startServer(t)
	store := open(t, srv.url(), redis.Options{})
	works(t, store)
	w := work(t, store) // a connection with many users works in another way
	w.during("up", 100*time.Millisecond, 0)
	w.end()
	srv.hang()
	defer srv.resume()
	var crowd sync.WaitGroup
	var late atomic.Int64
	for range 5000 {
		crowd.Go(func() {
			begin := time.Now()
			if _, err := store.Get(ctx, storetest.Site(1)); err == nil || errors.Is(err, cache.ErrNotFound) {
				t.Errorf("error %v", err)
			}
			if time.Since(begin) > 2*longest {
				late.Add(1)
			}
		})
	}
	crowd.Wait()
	if n := late.Load(); n > 0 {
		t.Errorf("%d calls took longer than %v", n, 2*longest)
	}
	knows(t, store)
	fails(t, store) // at once from then on
}

// knows waits until a store knows that its server does not answer.
func knows(t *testing.T, store *redis.Store) {
	t.Helper()
	eventually(t, renewed, "the store knows", func() bool {
		begin := time.Now()
		_, err := store.Get(ctx, site)
		return err != nil && time.Since(begin) < 10*time.Millisecond
	})
}

// TestOpenWhileDown: a fleet starts without its Redis.
func TestOpenWhileDown(t *testing.T) {
	srv := newServer(t)
	begin := time.Now()
	store := open(t, srv.url(), redis.Options{})
	heard, stop := listen(store)
	defer stop()
	if took := time.Since(begin); took > longest {
		t.Errorf("Open and Notify took %v", took)
	}
	fails(t, store)
	srv.start()
	works(t, store)
	hearsAgain(t, open(t, srv.url(), redis.Options{}), heard)
}

// fails: every method has an error that names the server, at once.
func fails(t *testing.T, store *redis.Store) {
	t.Helper()
	o := storetest.Site(1)
	begin := time.Now()
	_, get := store.Get(ctx, o)
	_, history := store.History(ctx, o)
	release, lease := store.Lease(ctx, o)
	origins := errors.New("none came")
	for _, origins = range store.Origins(ctx) {
	}
	for name, err := range map[string]error{
		"Get": get, "History": history, "Lease": lease, "Origins": origins,
		"Put": store.Put(ctx, storetest.Answer(o, start, "")), "Delete": store.Delete(ctx, o),
	} {
		if err == nil || errors.Is(err, cache.ErrNotFound) || !strings.Contains(err.Error(), "not reachable") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if release != nil {
		t.Error("a lease was given")
	}
	if took := time.Since(begin); took > 100*time.Millisecond {
		t.Errorf("the calls took %v", took)
	}
}

// works: the stores work, or will in a while.
func works(t *testing.T, stores ...*redis.Store) {
	t.Helper()
	for i, s := range stores {
		r := storetest.Answer(storetest.Site(1000+i), start, "again")
		eventually(t, renewed, "Put", func() bool { return s.Put(ctx, r) == nil })
		eventually(t, renewed, "Get", func() bool {
			got, err := s.Get(ctx, r.Origin)
			return err == nil && string(got.Body()) == "again"
		})
	}
}

func listen(s *redis.Store) (heard chan origin.Origin, stop func()) {
	heard = make(chan origin.Origin, 1000)
	return heard, s.Notify(func(o origin.Origin) { heard <- o })
}

// hearsAgain: notices that others give are heard, in a while.
func hearsAgain(t *testing.T, other *redis.Store, heard chan origin.Origin) {
	t.Helper()
	o := storetest.Site(2000)
	eventually(t, renewed, "a notice", func() bool {
		if err := other.Delete(ctx, o); err != nil {
			return false
		}
		select {
		case got := <-heard:
			return got == o
		case <-time.After(50 * time.Millisecond):
			return false
		}
	})
}

// workers are many who use a store without a rest.
type workers struct {
	t       *testing.T
	phase   atomic.Int64 // 0: calls may work; 1: those that begin must fail
	done    chan struct{}
	running sync.WaitGroup
	calls   atomic.Int64
	slowest atomic.Int64 // call
	stalled atomic.Int64 // the longest that the machine, and not the store, made somebody wait
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
		r := storetest.Answer(storetest.Site(i), start, fmt.Sprint("file ", i))
		eventually(t, renewed, "Put", func() bool { return store.Put(ctx, r) == nil })
		w.repeat(func(n int) {
			w.call(store, r, n)
			time.Sleep(time.Millisecond)
		})
	}
	return w
}

// repeat does something until the end.
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

func raise(most *atomic.Int64, d time.Duration) {
	for old := most.Load(); int64(d) > old && !most.CompareAndSwap(old, int64(d)); old = most.Load() {
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
		w.t.Errorf("an outage that looks like an answer: %v", err)
	case phase == 1 && err == nil && w.phase.Load() == 1:
		w.t.Error("a call was answered by nobody")
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
	if slowest > longest+2*stalled { // who waits for a call waits for two goroutines
		w.t.Errorf("a call took %v, the machine stalled for %v", slowest, stalled)
	}
}
