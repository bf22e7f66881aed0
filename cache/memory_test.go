package cache_test

import (
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
)

func TestMemoryStore(t *testing.T) {
	storetest.Run(t, storetest.Setup{
		Open:     func(*testing.T, string) cache.Store { return cache.NewMemory(0, 5) },
		Versions: 5,
		Private:  true,
	})
}
