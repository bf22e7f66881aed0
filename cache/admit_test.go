package cache_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// countingFetcher counts its retrievals, each of which finds a robots.txt.
type countingFetcher struct{ calls atomic.Int32 }

func (f *countingFetcher) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	f.calls.Add(1)
	return fetch.Result{Origin: o, Status: 200, Body: []byte("User-agent: *\nDisallow: /x\n")}, nil
}

type askerKey struct{}

func asker(name string) context.Context {
	return context.WithValue(context.Background(), askerKey{}, name)
}

var errNotAdmitted = errors.New("not admitted")

// Without Admit's leave there is no retrieval, and nothing is cached. What is cached needs no
// leave.
func TestAdmit(t *testing.T) {
	f, ended := &countingFetcher{}, 0
	store := cache.NewMemory(0, 0)
	c := &cache.Cache{Fetcher: f, Store: store, Admit: func(ctx context.Context, o origin.Origin) (func(), error) {
		if ctx.Value(askerKey{}) != "good" {
			return nil, errNotAdmitted
		}
		return func() { ended++ }, nil
	}}
	defer c.Close()
	o := storetest.Origin(1)
	for range 3 {
		a, err := c.Check(asker("bad"), agents, o.String())
		if !errors.Is(err, errNotAdmitted) || a.Allowed {
			t.Errorf("%v, %v", a.Allowed, err)
		}
	}
	if err := c.Refresh(asker("bad"), o); !errors.Is(err, errNotAdmitted) {
		t.Errorf("Refresh: %v", err)
	}
	if a, err := peek(context.Background(), c, o.String()); err != nil || !errors.Is(a.Err, cache.ErrNotCached) || f.calls.Load() != 0 || ended != 0 {
		t.Errorf("after refusals: %v, %v, %d retrievals, %d ended", a.Err, err, f.calls.Load(), ended)
	}
	for _, who := range []string{"good", "bad"} {
		if a, err := c.Check(asker(who), agents, o.String()); err != nil || !a.Allowed || f.calls.Load() != 1 || ended != 1 {
			t.Errorf("%s: %v, %v, %d retrievals, %d ended", who, a.Allowed, err, f.calls.Load(), ended)
		}
	}
}

// A question that waits for a retrieval that is refused to another one asks for leave itself.
func TestAdmitOfEachQuestion(t *testing.T) {
	f := &countingFetcher{}
	waiting, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	c := &cache.Cache{Fetcher: f, Admit: func(ctx context.Context, o origin.Origin) (func(), error) {
		if ctx.Value(askerKey{}) == "good" {
			return func() {}, nil
		}
		once.Do(func() { close(waiting) })
		<-goOn
		return nil, errNotAdmitted
	}}
	defer c.Close()
	o := storetest.Origin(1)
	bad, good := make(chan error, 1), make(chan error, 20)
	go func() {
		_, err := c.Check(asker("bad"), agents, o.String())
		bad <- err
	}()
	<-waiting
	for i := range 20 {
		go func() {
			var err error
			if i%2 == 0 {
				err = c.Refresh(asker("good"), o)
			} else {
				_, err = c.Check(asker("good"), agents, o.String())
			}
			good <- err
		}()
	}
	time.Sleep(50 * time.Millisecond) // so that they join the first one
	close(goOn)
	if err := <-bad; !errors.Is(err, errNotAdmitted) {
		t.Errorf("the first question: %v", err)
	}
	for range 20 {
		if err := <-good; err != nil {
			t.Errorf("another question: %v", err)
		}
	}
}
