package sqlite_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/sqlite"
)

// disallowAll is a Fetcher of sites that disallow everything.
type disallowAll struct{}

func (disallowAll) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{
		Origin: o, Hops: []fetch.Hop{{URL: o.RobotsURL(), Status: 200}}, Status: 200,
		Body: []byte("User-agent: *\nDisallow: /\n"), Header: http.Header{}, End: time.Now(),
	}, nil
}

// hold takes the lock of a writer, until release is called.
func hold(t *testing.T, path string) (release func()) {
	t.Helper()
	other, err := database(t, path).Conn(ctx)
	if err == nil {
		_, err = other.ExecContext(ctx, "BEGIN EXCLUSIVE")
	}
	if err != nil {
		t.Fatal(err)
	}
	release = sync.OnceFunc(func() {
		other.ExecContext(ctx, "ROLLBACK")
		other.Close()
	})
	t.Cleanup(release)
	return release
}

// newDatabase returns the path of a database that has its tables.
func newDatabase(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "heed.db")
	s, err := sqlite.Open(path, sqlite.Options{})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Open needs no lock if the tables are there. If it must make them, it waits two seconds.
func TestOpenWhileFileIsLocked(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	path := newDatabase(t)
	hold(t, path)
	begin := time.Now()
	s := open(t, path)
	if _, err := s.Get(ctx, storetest.Origin(1)); !errors.Is(err, cache.ErrNotFound) {
		t.Error(err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("Open took %s", took)
	}
	empty := filepath.Join(t.TempDir(), "heed.db")
	if _, err := database(t, empty).Exec("PRAGMA journal_mode = WAL"); err != nil {
		t.Fatal(err)
	}
	hold(t, empty)
	begin = time.Now()
	checkRefused(t, empty, "another process has been writing to the database for more than 2s")
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("Open of a database without tables took %s", took)
	}
}

// Answers do not wait for a lock, even if another process never releases it. Each record that
// could not be written until Close is reported.
func TestAnswersWhileFileIsLocked(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	path := newDatabase(t)
	s := open(t, path)
	hold(t, path)
	var mu sync.Mutex
	lost := map[origin.Origin]error{}
	c := &cache.Cache{Store: s, Fetcher: disallowAll{}, Events: cache.Events{StoreFailed: func(_ string, o origin.Origin, err error) {
		mu.Lock()
		defer mu.Unlock()
		lost[o] = err
	}}}
	begin := time.Now()
	for n := range 50 {
		short, cancel := context.WithTimeout(ctx, time.Second)
		if a, err := c.Check(short, []string{"*"}, storetest.Origin(n).String()+"/x"); err != nil || a.Allowed || a.Outcome != fetch.Rules {
			t.Errorf("site %d: %+v, %v", n, a, err)
		}
		cancel()
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("50 new origins took %s", took)
	}
	begin = time.Now()
	c.Close()
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("Close took %s", took)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(lost) != 50 {
		t.Errorf("%d lost records are reported, want 50", len(lost))
	}
	for o, err := range lost {
		if !strings.Contains(err.Error(), "another process") && !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: %v", o, err)
		}
	}
}

// Records that wait for a lock are written when it is released.
func TestWritesWaitForTheLock(t *testing.T) {
	path := newDatabase(t)
	s := open(t, path)
	release := hold(t, path)
	c := &cache.Cache{Store: s, Fetcher: disallowAll{}}
	for n := range 20 {
		if _, err := c.Check(ctx, []string{"*"}, storetest.Origin(n).String()+"/x"); err != nil {
			t.Fatal(err)
		}
	}
	release()
	c.Close()
	for n := range 20 {
		if _, err := s.Get(ctx, storetest.Origin(n)); err != nil {
			t.Error(err)
		}
	}
}
