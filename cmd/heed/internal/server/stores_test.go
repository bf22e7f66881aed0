package server

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/redistest"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/store/redis"
	"github.com/heed-robots/heed/store/sqlite"
)

// eachStore calls test with a server for each kind of store.
func eachStore(t *testing.T, test func(t *testing.T, s *Server)) {
	for name, open := range map[string]func(*testing.T) cache.Store{"memory": openMemory, "sqlite": openSQLite, "redis": openRedis} {
		t.Run(name, func(t *testing.T) { test(t, withStore(t, open(t))) })
	}
}

// withStore returns a server with a store.
func withStore(t *testing.T, store cache.Store) *Server {
	fetcher := &fetch.Fetcher{AllowPrivate: true}
	caches := NewCaches(func(d *robotstxt.Dialect) *cache.Cache {
		return &cache.Cache{Fetcher: fetcher, Store: store, Dialect: d}
	})
	t.Cleanup(func() { caches.Close() })
	return &Server{Caches: caches}
}

func openMemory(*testing.T) cache.Store { return cache.NewMemory(0, 0) }

func openSQLite(t *testing.T) cache.Store {
	s, err := sqlite.Open(filepath.Join(t.TempDir(), "robots.sqlite"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// openRedis starts a Redis.
func openRedis(t *testing.T) cache.Store {
	s, err := redis.Open(redistest.Start(t).URL(), redis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// waitFor waits until a condition is true.
func waitFor(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it takes too long")
		}
	}
}

const adminToken = "an-admin-token-of-the-tests"

// remove sends a DELETE with a token.
func remove(t *testing.T, url string) (status int, answer map[string]any) {
	t.Helper()
	r, err := http.NewRequest(http.MethodDelete, url, strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+adminToken)
	return do(t, r)
}
