package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/store/sqlite"
)

// TestFullFile does the same as TestFullDisk, with a limit of the file instead of a full disk.
// So it runs on every system.
func TestFullFile(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "heed.db"))
	if err := s.Limit(200); err != nil {
		t.Fatal(err)
	}
	testFull(t, s, func() {
		if err := s.Limit(10_000); err != nil {
			t.Fatal(err)
		}
	})
}

// testFull checks that Put returns an error on a full disk, that all other records can be
// read, and that Put works again after free.
func testFull(t *testing.T, s *sqlite.Store, free func()) {
	t.Helper()
	record := func(n int) *cache.Record { return storetest.Record(storetest.Origin(n), noon, noise(n, 20_000)) }
	n := 0
	var err error
	for ; n < 1000 && err == nil; n++ {
		err = s.Put(ctx, record(n))
	}
	if err == nil || !strings.Contains(err.Error(), "disk is full") || !strings.Contains(err.Error(), "free some space") {
		t.Fatalf("error %v, want that the disk is full", err)
	}
	t.Logf("after %d records: %v", n, err)
	last := n - 1 // the record that could not be written
	check := func(n int) {
		t.Helper()
		r, err := s.Get(ctx, storetest.Origin(n))
		if err != nil || string(r.Body()) != noise(n, 20_000) {
			t.Errorf("record %d: %v", n, err)
		}
	}
	for n := range last {
		check(n)
	}
	if r, err := s.Get(ctx, storetest.Origin(last)); err == nil {
		t.Errorf("a record was written although Put failed: %v", r)
	}
	free()
	put(t, s, record(last))
	for n := range last + 1 {
		check(n)
	}
}
