package cache_test

import (
	"context"
	"slices"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// okFetcher finds an empty robots.txt everywhere.
type okFetcher struct{}

func (okFetcher) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{Origin: o, Status: 200}, nil
}

// putWaits is a Store whose Put waits until the channel is closed.
type putWaits struct {
	cache.Store
	release chan struct{}
}

func (s putWaits) Put(ctx context.Context, r *cache.Record) error {
	<-s.release
	return s.Store.Put(ctx, r)
}

// An origin is held from its retrieval on, in memory or until it is written, and until it is
// forgotten.
func TestHeld(t *testing.T) {
	for _, store := range []cache.Store{nil, putWaits{cache.NewMemory(0, 0), make(chan struct{})}} {
		c := &cache.Cache{Fetcher: okFetcher{}, Store: store, MemoryBytes: 1 << 20}
		defer c.Close()
		if held := c.Held(); len(held) != 0 {
			t.Errorf("%T: %v", store, held)
		}
		if _, err := c.Check(t.Context(), []string{"*"}, "https://held.example/x"); err != nil {
			t.Fatal(err)
		}
		o, _ := origin.Parse("https://held.example")
		held := c.Held()
		if !slices.Contains(held, o) || store != nil && len(held) != 2 {
			t.Errorf("%T: %v", store, held)
		}
		if s, ok := store.(putWaits); ok {
			close(s.release)
		}
		if err := c.Forget(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if held := c.Held(); len(held) != 0 {
			t.Errorf("%T: %v", store, held)
		}
	}
}
