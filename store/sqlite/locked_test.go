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
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/sqlite"
)

// closed is a Fetcher of sites that disallow all.
type closed struct{}

func (closed) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{
		Origin: o, Hops: []fetch.Hop{{URL: o.RobotsURL(), Status: 200}}, Status: 200,
		Body: []byte("User-agent: *\nDisallow: /\n"), Header: http.Header{}, End: time.Now(),
	}, nil
}

// hold takes the lock that a writer needs, until release is called.
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

// made returns the path of a database that has its tables.
func made(t *testing.T) string {
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

// To open a database needs no lock where the tables are there, and waits two
// seconds where they must be made.
func TestOpenWhileSomebodyWrites(t *testing.T) {
	path := made(t)
	hold(t, path)
	begin := time.Now()
	s := open(t, path)
	if _, err := s.Get(ctx, storetest.Site(1)); !errors.Is(err, cache.ErrNotFound) {
		t.Error(err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("Open took %s", took)
	}
	empty := filepath.Join(t.TempDir(), "heed.db")
	change := database(t, empty)
	if _, err := change.Exec("PRAGMA journal_mode = WAL"); err != nil {
		t.Fatal(err)
	}
	hold(t, empty)
	begin = time.Now()
	refused(t, empty, "another process has been writing for more than 2s")
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("Open of a database without tables took %s", took)
	}
}

// Answers do not wait for a lock that somebody else holds for good, and Close
// tells of what could not be written.
func TestAnswersWhileSomebodyWrites(t *testing.T) {
	path := made(t)
	s := open(t, path)
	hold(t, path)
	var mu sync.Mutex
	lost := map[origin.Origin]error{}
	c := &cache.Cache{Store: s, Fetcher: closed{}, Events: cache.Events{StoreFailed: func(_ string, o origin.Origin, err error) {
		mu.Lock()
		defer mu.Unlock()
		lost[o] = err
	}}}
	begin := time.Now()
	for n := range 50 {
		short, cancel := context.WithTimeout(ctx, time.Second)
		if a, err := c.Check(short, []string{"*"}, storetest.Site(n).String()+"/x"); err != nil || a.Allowed || a.Outcome != fetch.Rules {
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
		t.Errorf("told of %d records that are lost, want 50", len(lost))
	}
	for o, err := range lost {
		if !strings.Contains(err.Error(), "another process") && !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: %v", o, err)
		}
	}
}

// What waited is written when the lock is free again.
func TestWritesWaitForTheLock(t *testing.T) {
	path := made(t)
	s := open(t, path)
	release := hold(t, path)
	c := &cache.Cache{Store: s, Fetcher: closed{}}
	for n := range 20 {
		if _, err := c.Check(ctx, []string{"*"}, storetest.Site(n).String()+"/x"); err != nil {
			t.Fatal(err)
		}
	}
	release()
	c.Close()
	for n := range 20 {
		if _, err := s.Get(ctx, storetest.Site(n)); err != nil {
			t.Error(err)
		}
	}
}
