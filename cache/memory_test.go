package cache_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A store in memory passes the tests of a Store, with a limit and with its defaults.
func TestMemoryStore(t *testing.T) {
	for name, c := range map[string]struct {
		limit, versions int
	}{
		"new":      {5, 5},
		"defaults": {0, 16},
	} {
		t.Run(name, func(t *testing.T) {
			setup := storetest.Setup{
				Open:     func(*testing.T, string) cache.Store { return cache.NewMemory(0, c.limit) },
				Versions: c.versions,
				Private:  true,
			}
			storetest.Run(t, setup)
			t.Run("Noter", func(t *testing.T) { storetest.RunNoter(t, setup) })
		})
	}
}

func ExampleNewMemory() {
	store := cache.NewMemory(0, 0) // shared by two caches with different dialects
	rfc9309 := &cache.Cache{Store: store}
	google := &cache.Cache{Store: store, Dialect: robotstxt.Google}
	defer rfc9309.Close()
	defer google.Close()
	o, err := origin.Parse("https://www.example.com/")
	if err != nil {
		panic(err)
	}
	_, err = store.Get(context.Background(), o)
	fmt.Println(err)
	// Output: https://www.example.com: the store has no record of this site: fetch its robots.txt first
}
