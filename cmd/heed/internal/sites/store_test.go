package sites

import (
	"io"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/testing/redistest"
)

// Each store of --store keeps notes, also the empty one that stands for a cache that is not there.
func TestEachStoreKeepsNotes(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	test := func(name, where string, create bool) {
		t.Run(name, func(t *testing.T) {
			store, closeStore, err := OpenStore(&term.Terminal{Err: io.Discard}, where, create, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer closeStore()
			if _, ok := store.(cache.Noter); !ok {
				t.Errorf("%T is no Noter", store)
			}
		})
	}
	test("none yet", "", false)
	test("default folder", "", true)
	test("folder", t.TempDir(), true)
	t.Run("a server", func(t *testing.T) { test("redis", redistest.Start(t).URL(), true) })
}
