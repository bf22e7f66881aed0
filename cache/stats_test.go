package cache

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// lateFetcher answers after a second.
type lateFetcher struct{}

func (lateFetcher) Fetch(context.Context, origin.Origin, fetch.Validators) (fetch.Result, error) {
	start := time.Now()
	time.Sleep(time.Second)
	return fetch.Result{Status: 200, Start: start, End: time.Now()}, nil
}

// Of three questions at the same time, the first begins a retrieval and two share it; a later one
// is answered from memory.
func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Cache{Fetcher: lateFetcher{}}
		defer c.Close()
		check := func() { c.Check(context.Background(), []string{"ExampleBot"}, "https://a.example/") }
		var asking sync.WaitGroup
		for range 3 {
			asking.Go(check)
		}
		asking.Wait()
		check()
		if got, want := c.Stats(), (Stats{Waited: 3, Shared: 2, Origins: 1}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// An origin that memory has no room for is counted as evicted.
func TestStatsOfEvictions(t *testing.T) {
	c := &Cache{Fetcher: promptFetcher{}, MemoryBytes: 64 << 10}
	defer c.Close()
	for i := range 2000 {
		c.Check(context.Background(), []string{"ExampleBot"}, fmt.Sprintf("https://a%d.example/", i))
	}
	c.memory.values.CleanUp()
	if s := c.Stats(); s.Origins == 0 || s.Origins > 1000 || s.Evicted+uint64(s.Origins) < 2000 {
		t.Errorf("%+v: expected some of 2000 origins in memory, and the others evicted", s)
	}
}

// promptFetcher answers at once, with an empty robots.txt.
type promptFetcher struct{}

func (promptFetcher) Fetch(context.Context, origin.Origin, fetch.Validators) (fetch.Result, error) {
	return fetch.Result{Status: 200, Start: time.Now(), End: time.Now()}, nil
}
