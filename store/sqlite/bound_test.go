package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/store/sqlite"
)

// length returns how long a file is, with what waits in the -wal file brought
// into it.
func length(t *testing.T, path string) (bytes int64) {
	t.Helper()
	if _, err := database(t, path).Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		bytes += info.Size()
	}
	return bytes
}

// putMany puts records of some origins, a minute apart.
func putMany(t *testing.T, s *sqlite.Store, from, to, size int) {
	t.Helper()
	const step = 50
	for ; from < to; from += step {
		var records []*cache.Record
		for n := from; n < from+step; n++ {
			records = append(records, storetest.Answer(storetest.Site(n), noon.Add(time.Duration(n)*time.Minute), noise(n, size)))
		}
		if err := s.PutAll(ctx, records); err != nil {
			t.Fatal(err)
		}
	}
}

// A file stays within its bound, however much is put; those leave that were asked
// the longest ago, with their history and their bodies.
func TestBound(t *testing.T) {
	const bound = 4 << 20
	path := filepath.Join(t.TempDir(), "heed.db")
	s, err := sqlite.Open(path, sqlite.Options{MaxBytes: bound})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const last = 6000
	var most int64
	for n := 0; n < last; n += 500 {
		putMany(t, s, n, n+500, 2000)
		often := storetest.Answer(storetest.Site(7), noon.Add(time.Duration(n+500)*time.Minute), "often asked")
		put(t, s, often)
		most = max(most, length(t, path))
	}
	kept := number(t, path, "SELECT count(*) FROM origins")
	t.Logf("%d of %d origins in %d bytes at most, bound %d", kept, last, most, bound)
	if most > bound+bound/16 || most < bound/2 {
		t.Errorf("%d bytes, bound %d", most, bound)
	}
	if kept < 500 {
		t.Errorf("%d origins are kept", kept)
	}
	for n := last - 1; n > last-kept+1; n-- { // one is site 7
		if _, err := s.Get(ctx, storetest.Site(n)); err != nil {
			t.Fatalf("%d of %d are kept, and not this: %v", kept, last, err)
		}
	}
	if r, err := s.Get(ctx, storetest.Site(7)); err != nil || string(r.Body()) != "often asked" {
		t.Errorf("one that is asked often: %v", err)
	}
	if _, err := s.Get(ctx, storetest.Site(8)); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("one that was not asked since: %v, want ErrNotFound", err)
	}
	if history, err := s.History(ctx, storetest.Site(8)); err != nil || len(history) > 0 {
		t.Errorf("its history: %v, %v", history, err)
	}
	sound(t, path)
}

// A file that is longer than its bound, made without one, shrinks.
func TestBoundOfALongFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	s := open(t, path)
	putMany(t, s, 0, 2000, 2000)
	before := length(t, path)
	s.Close()
	const bound = 1 << 20
	s, err := sqlite.Open(path, sqlite.Options{MaxBytes: bound})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 100 {
		put(t, s, storetest.Answer(storetest.Site(2000+n), noon.Add(time.Duration(2000+n)*time.Minute), noise(n, 2000)))
	}
	after := length(t, path)
	t.Logf("%d bytes, then %d, bound %d", before, after, bound)
	if after > bound+bound/16 {
		t.Errorf("%d bytes, bound %d", after, bound)
	}
	for n := range 100 {
		if _, err := s.Get(ctx, storetest.Site(2000+n)); err != nil {
			t.Error(err)
		}
	}
	sound(t, path)
}

// One record that is larger than the bound is kept, and only that.
func TestBoundOfOneRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	s, err := sqlite.Open(path, sqlite.Options{MaxBytes: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 5 {
		put(t, s, storetest.Answer(storetest.Site(n), noon.Add(time.Duration(n)*time.Minute), noise(n, 300_000)))
	}
	if n := number(t, path, "SELECT count(*) FROM origins"); n != 1 {
		t.Errorf("%d origins are kept, want 1", n)
	}
	if r, err := s.Get(ctx, storetest.Site(4)); err != nil || string(r.Body()) != noise(4, 300_000) {
		t.Error(err)
	}
	if after := length(t, path); after > 1_000_000 {
		t.Errorf("%d bytes", after)
	}
}
