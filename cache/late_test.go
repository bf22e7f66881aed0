package cache_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// lateStore is a Store with a slow Get: if hold is set, the next Get reads the record, sends on that
// channel, and waits until it receives a value.
type lateStore struct {
	cache.Store
	hold atomic.Pointer[chan struct{}]
}

func (s *lateStore) Get(ctx context.Context, o origin.Origin) (*cache.Record, error) {
	r, err := s.Store.Get(ctx, o)
	if hold := s.hold.Swap(nil); hold != nil {
		*hold <- struct{}{}
		<-*hold
	}
	return r, err
}

// the old record of a slow store does not replace the result of a later retrieval.
func TestSlowStoreDoesNotReplaceLaterResult(t *testing.T) {
	ctx, o := context.Background(), storetest.Origin(1)
	store := &lateStore{Store: cache.NewMemory(0, 0)}
	now := time.Now()
	if err := store.Put(ctx, storetest.Record(o, now, "User-agent: *\nAllow: /\n")); err != nil {
		t.Fatal(err)
	}
	c := &cache.Cache{Store: store, Fetcher: sameFile{[]byte("User-agent: *\nDisallow: /\n"), "x"}}
	defer c.Close()
	hold := make(chan struct{})
	store.hold.Store(&hold)
	peeked := make(chan error)
	go func() {
		_, err := peek(ctx, c, o.String()+"/x")
		peeked <- err
	}()
	<-hold
	if err := c.Refresh(ctx, o); err != nil {
		t.Fatal(err)
	}
	hold <- struct{}{}
	if err := <-peeked; err != nil {
		t.Fatal(err)
	}
	if a, err := c.Check(ctx, agents, o.String()+"/x"); err != nil || a.Allowed {
		t.Errorf("the answer is from before the refresh: %+v, %v", a, err)
	}
}

// Refresh joins a flight in which no retrieval was due, since the store had a fresh record. Then
// Refresh makes a retrieval of its own.
func TestRefreshAfterFlightWithoutRetrieval(t *testing.T) {
	ctx, o := context.Background(), storetest.Origin(1)
	store := &lateStore{Store: cache.NewMemory(0, 0)}
	if err := store.Put(ctx, storetest.Record(o, time.Now(), "User-agent: *\nAllow: /\n")); err != nil {
		t.Fatal(err)
	}
	var retrievals atomic.Int32
	c := &cache.Cache{
		Store: store, Fetcher: sameFile{[]byte("User-agent: *\nDisallow: /\n"), "x"},
		Events: cache.Events{Fetched: func(*fetch.Result) { retrievals.Add(1) }},
	}
	defer c.Close()
	hold := make(chan struct{})
	store.hold.Store(&hold)
	checked, refreshed := make(chan error), make(chan error)
	go func() {
		_, err := c.Check(ctx, agents, o.String()+"/x")
		checked <- err
	}()
	<-hold // the flight of Check has read the record
	joins := &waiting{Context: ctx, begun: make(chan struct{})}
	go func() { refreshed <- c.Refresh(joins, o) }()
	<-joins.begun
	hold <- struct{}{}
	if err := errors.Join(<-checked, <-refreshed); err != nil {
		t.Fatal(err)
	}
	if n := retrievals.Load(); n != 1 {
		t.Errorf("%d retrievals, want 1", n)
	}
}

// slowFetcher is a Fetcher that waits until the channel end is closed, or until its context ends.
type slowFetcher struct {
	sameFile
	began, end chan struct{}
}

func (f *slowFetcher) Fetch(ctx context.Context, o origin.Origin, v fetch.Validators) (fetch.Result, error) {
	f.began <- struct{}{}
	select {
	case <-f.end:
		return f.sameFile.Fetch(ctx, o, v)
	case <-ctx.Done():
		return fetch.Result{}, ctx.Err()
	}
}

func newSlowFetcher() *slowFetcher {
	return &slowFetcher{sameFile{[]byte("User-agent: *\nDisallow: /\n"), "x"}, make(chan struct{}), make(chan struct{})}
}

// Forget during a retrieval also deletes the result of that retrieval.
func TestForgetDuringRetrieval(t *testing.T) {
	ctx, o := context.Background(), storetest.Origin(1)
	store, f := cache.NewMemory(0, 0), newSlowFetcher()
	c := &cache.Cache{Store: store, Fetcher: f}
	defer c.Close()
	checked, forgot := make(chan error), make(chan error)
	go func() {
		_, err := c.Check(ctx, agents, o.String()+"/x")
		checked <- err
	}()
	<-f.began
	go func() { forgot <- c.Forget(ctx, o) }()
	time.Sleep(20 * time.Millisecond) // so that Forget usually waits; another order is no failure
	close(f.end)
	if err := errors.Join(<-checked, <-forgot); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Get(ctx, o); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("the store: %v, want ErrNotFound", err)
	}
	if versions, err := store.History(ctx, o); err != nil || len(versions) > 0 {
		t.Errorf("the history: %v, %v", versions, err)
	}
	if a, err := peek(ctx, c, o.String()+"/x"); err != nil || a.Outcome != fetch.Unreachable || a.Err == nil {
		t.Errorf("memory: %+v, %v", a, err)
	}
}

// Close ends a retrieval for which no caller waits any more, and its result is not stored.
func TestCloseDuringRetrieval(t *testing.T) {
	o := storetest.Origin(1)
	store, f := cache.NewMemory(0, 0), newSlowFetcher()
	c := &cache.Cache{Store: store, Fetcher: f}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-f.began
		cancel()
	}()
	if a, err := c.Check(ctx, agents, o.String()+"/x"); !errors.Is(err, context.Canceled) || a.Allowed {
		t.Fatalf("%+v, %v", a, err)
	}
	c.Close()
	close(f.end)
	time.Sleep(10 * time.Millisecond)
	if _, err := store.Get(context.Background(), o); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("after Close the store has %v", err)
	}
}

// failingFetcher is a Fetcher whose retrievals fail.
type failingFetcher struct{ err error }

func (f failingFetcher) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{Origin: o, Err: f.err, Header: http.Header{}, End: time.Now()}, nil
}

// afterAnother is a Store that gives a lease after another process has put the record before.
type afterAnother struct {
	cache.Store
	before *cache.Record
}

func (s afterAnother) Lease(ctx context.Context, _ origin.Origin) (func(), error) {
	return func() {}, s.Put(ctx, s.before)
}

// a retrieval that waited for a lease continues from the record that the process before it
// has put, not from the one before the wait.
func TestRecordIsReadAgainAfterLease(t *testing.T) {
	o, store := storetest.Origin(1), cache.NewMemory(0, 0)
	at := time.Now().Add(-time.Minute)
	before := &cache.Record{
		Origin: o, Failed: &fetch.Result{Origin: o, Status: 500, Start: at, End: at}, FailingSince: at, Failures: 3,
	}
	c := &cache.Cache{Store: afterAnother{store, before}, Fetcher: failingFetcher{errors.New("reset")}}
	defer c.Close()
	if err := c.Refresh(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	c.Settle()
	if r, err := store.Get(context.Background(), o); err != nil || r.Failures != 4 {
		t.Errorf("%+v, %v, want the fourth failure", r, err)
	}
}
