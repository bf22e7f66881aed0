package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/store/sqlite"
)

// length returns the length of a file and of its -wal file, after all of the -wal file was
// written to the database.
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
			records = append(records, storetest.Record(storetest.Origin(n), noon.Add(time.Duration(n)*time.Minute), noise(n, size)))
		}
		if err := s.PutAll(ctx, records); err != nil {
			t.Fatal(err)
		}
	}
}

// The file does not grow beyond MaxBytes. The origins whose last retrieval was the longest
// ago are evicted, with their history and their bodies.
func TestMaxBytes(t *testing.T) {
	t.Parallel()
	portion.Skip(t, 3)
	const maxBytes = 4 << 20
	path := filepath.Join(t.TempDir(), "heed.db")
	s, err := sqlite.Open(path, sqlite.Options{MaxBytes: maxBytes})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const last = 6000
	var longest int64
	for n := 0; n < last; n += 500 {
		putMany(t, s, n, n+500, 2000)
		often := storetest.Record(storetest.Origin(7), noon.Add(time.Duration(n+500)*time.Minute), "often fetched")
		put(t, s, often)
		longest = max(longest, length(t, path))
	}
	kept := number(t, path, "SELECT count(*) FROM origins")
	t.Logf("%d of %d origins in at most %d bytes, MaxBytes %d", kept, last, longest, maxBytes)
	if longest > maxBytes+maxBytes/16 || longest < maxBytes/2 {
		t.Errorf("%d bytes, MaxBytes %d", longest, maxBytes)
	}
	if kept < 500 {
		t.Errorf("%d origins are kept", kept)
	}
	for n := last - 1; n > last-kept+1; n-- { // one is site 7
		if _, err := s.Get(ctx, storetest.Origin(n)); err != nil {
			t.Fatalf("%d of %d are kept, but not site %d: %v", kept, last, n, err)
		}
	}
	if r, err := s.Get(ctx, storetest.Origin(7)); err != nil || string(r.Body()) != "often fetched" {
		t.Errorf("an origin that is fetched often: %v", err)
	}
	if _, err := s.Get(ctx, storetest.Origin(8)); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("an origin with an old retrieval: %v, want ErrNotFound", err)
	}
	if history, err := s.History(ctx, storetest.Origin(8)); err != nil || len(history) > 0 {
		t.Errorf("its history: %v, %v", history, err)
	}
	sound(t, path)
}

// A file that is longer than MaxBytes, since it was made without that limit, shrinks.
func TestMaxBytesOfALongFile(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "heed.db")
	s := open(t, path)
	putMany(t, s, 0, 2000, 2000)
	before := length(t, path)
	s.Close()
	const maxBytes = 1 << 20
	s, err := sqlite.Open(path, sqlite.Options{MaxBytes: maxBytes})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 100 {
		put(t, s, storetest.Record(storetest.Origin(2000+n), noon.Add(time.Duration(2000+n)*time.Minute), noise(n, 2000)))
	}
	after := length(t, path)
	t.Logf("%d bytes, then %d, MaxBytes %d", before, after, maxBytes)
	if after > maxBytes+maxBytes/16 {
		t.Errorf("%d bytes, MaxBytes %d", after, maxBytes)
	}
	for n := range 100 {
		if _, err := s.Get(ctx, storetest.Origin(2000+n)); err != nil {
			t.Error(err)
		}
	}
	sound(t, path)
}

// If each record is larger than MaxBytes, only the last one is kept.
func TestMaxBytesOfOneRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	s, err := sqlite.Open(path, sqlite.Options{MaxBytes: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 5 {
		put(t, s, storetest.Record(storetest.Origin(n), noon.Add(time.Duration(n)*time.Minute), noise(n, 300_000)))
	}
	if n := number(t, path, "SELECT count(*) FROM origins"); n != 1 {
		t.Errorf("%d origins are kept, want 1", n)
	}
	if r, err := s.Get(ctx, storetest.Origin(4)); err != nil || string(r.Body()) != noise(4, 300_000) {
		t.Error(err)
	}
	if after := length(t, path); after > 1_000_000 {
		t.Errorf("%d bytes", after)
	}
}
