package sites

import (
	"io"
	"os"
	"strings"
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
	t.Run("a server", func(t *testing.T) {
		url := redistest.Start(t).URL()
		test("redis", url, true)
		test("capital letters", strings.Replace(url, "redis", "REDIS", 1), true)
	})
}

// A mistyped URL of Redis is an error. It must not become a folder.
func TestMistypedServerIsNoFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for where, want := range map[string]string{
		"redis:/127.0.0.1:6399": "malformed URL",
		"rediss:cache:6379":     "malformed URL",
		"redis:6379":            "malformed URL",
		"127.0.0.1:6399":        "such as redis://127.0.0.1:6399",
		"Redis:foo":             "malformed URL",
		"Unix:foo":              "malformed URL",
		"user:secret@127.0.0.1": "--store: expected a folder, or a URL of Redis, such as redis://user:password@127.0.0.1:6379",
		"[::1]:6399":            "such as redis://[::1]:6399",
		"cache:6379":            "such as redis://cache:6379",
	} {
		live := Live{Term: &term.Terminal{Err: io.Discard}, Store: where}
		_, _, err := live.OpenStoreOrNone(nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", where, err, want)
		}
		if release, err := ClaimWatch(where); err == nil {
			release()
		}
		if _, err := os.Stat(where); err == nil {
			t.Errorf("%s is a folder now", where)
		}
	}
	if err := os.Mkdir("127.0.0.1:6399", 0o700); err != nil {
		t.Skip(err) // Windows has no such names
	}
	_, closeStore, err := OpenStore(&term.Terminal{Err: io.Discard}, "127.0.0.1:6399", true, nil)
	if err != nil {
		t.Fatal(err)
	}
	closeStore()
}
