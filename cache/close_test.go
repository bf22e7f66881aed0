package cache_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// slowToEnd is a Fetcher that returns some time after its context has ended.
type slowToEnd struct {
	began    chan bool
	under    atomic.Int32
	inResult bool // its error is in the Result
}

func (l *slowToEnd) Fetch(ctx context.Context, _ origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	l.under.Add(1)
	defer l.under.Add(-1)
	l.began <- true
	<-ctx.Done()
	time.Sleep(50 * time.Millisecond)
	if l.inResult {
		return fetch.Result{Err: ctx.Err()}, nil
	}
	return fetch.Result{}, ctx.Err()
}

// Close waits for all retrievals that are under way, also those for which no caller waits any
// more. Their failure says nothing about the origins. After Close no retrieval begins.
func TestCloseWaitsForRetrievals(t *testing.T) {
	for _, inResult := range []bool{false, true} {
		testCloseWaitsForRetrievals(t, inResult)
	}
}

func testCloseWaitsForRetrievals(t *testing.T, inResult bool) {
	f := &slowToEnd{began: make(chan bool, 100), inResult: inResult}
	store := cache.NewMemory(0, 0)
	c := &cache.Cache{Fetcher: f, Store: store}
	ctx, cancel := context.WithCancel(context.Background())
	errs := make(chan error, 100)
	for i := range 8 {
		go func() {
			a, err := c.Check(context.Background(), agents, storetest.Origin(i).String()) // waits until Close
			if !errors.Is(err, cache.ErrClosed) || a.Allowed || a.Err != nil {
				t.Errorf("Check during Close: %+v, %v", a, err)
			}
			errs <- err
		}()
		go func() { errs <- c.Refresh(ctx, storetest.Origin(i+8)) }() // its context ends before Close
	}
	for range 16 {
		<-f.began
	}
	cancel()
	c.Close()
	if n := f.under.Load(); n != 0 {
		t.Errorf("after Close %d retrievals are under way", n)
	}
	for range 16 {
		if err := <-errs; err == nil {
			t.Error("a retrieval that Close ended has no error")
		}
	}
	for o, err := range store.Origins(context.Background()) {
		t.Errorf("Close stored a record of %s, %v", o, err)
	}
	if a, err := c.Check(context.Background(), agents, storetest.Origin(99).String()); !errors.Is(err, cache.ErrClosed) || a.Allowed {
		t.Errorf("Check after Close: %+v, %v", a, err)
	}
	if err := c.Refresh(context.Background(), storetest.Origin(99)); !errors.Is(err, cache.ErrClosed) {
		t.Errorf("Refresh after Close: %v", err)
	}
	if err := c.Forget(context.Background(), storetest.Origin(99)); !errors.Is(err, cache.ErrClosed) {
		t.Errorf("Forget after Close: %v", err)
	}
	if len(f.began) != 0 {
		t.Error("a retrieval began after Close")
	}
	c.Close() // again has no effect
}

// After Close a question fails, also about an origin in memory.
func TestNoAnswerAfterClose(t *testing.T) {
	c := &cache.Cache{Fetcher: sameFile{[]byte("User-agent: *\n"), ""}}
	known := storetest.Origin(1)
	check(t, c, known)
	c.Close()
	if a, err := c.Check(context.Background(), agents, known.String()); !errors.Is(err, cache.ErrClosed) || a.Allowed {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := c.PeekSite(context.Background(), known); !errors.Is(err, cache.ErrClosed) {
		t.Error(err)
	}
}

// Questions during Close are answered, or return an error.
func TestCloseDuringQuestions(t *testing.T) {
	for range 20 {
		c := &cache.Cache{Fetcher: sameFile{[]byte("User-agent: *\nDisallow: /\n"), ""}, Store: cache.NewMemory(0, 0)}
		done := make(chan bool)
		for i := range 50 {
			go func() {
				a, err := c.Check(context.Background(), agents, storetest.Origin(i%10).String())
				if a.Allowed || err != nil && !errors.Is(err, cache.ErrClosed) {
					t.Errorf("%+v, %v", a, err)
				}
				done <- true
			}()
		}
		c.Close()
		for range 50 {
			<-done
		}
	}
}
