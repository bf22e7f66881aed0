package sqlite_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/store/sqlite"
)

// troubles collects what a Store reports to Options.Trouble; "works" is nil.
type troubles struct {
	mu  sync.Mutex
	all []string
}

func (t *troubles) add(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.all = append(t.all, "works")
	} else {
		t.all = append(t.all, err.Error())
	}
}

// check compares what was reported with parts of what is wanted.
func (t *troubles) check(test *testing.T, want ...string) {
	test.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.EqualFunc(t.all, want, strings.Contains) {
		test.Errorf("reported: %q, want %q", t.all, want)
	}
}

const lookAgain = 1100 * time.Millisecond // a Store looks at its file once a second

// If the file of an open Store is lost, the Store begins anew in the same place, and reports this
// once.
func TestLostFile(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	other := filepath.Join(t.TempDir(), "other.db")
	s := open(t, other)
	put(t, s, storetest.Record(storetest.Origin(7), noon, "other"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	otherText, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		lose func(file string) error
		want []string
		kept bool // record 1
	}{
		"folder removed": {func(file string) error { return os.RemoveAll(filepath.Dir(file)) }, []string{"no such file", "works"}, false},
		"file removed":   {os.Remove, []string{"no such file", "works"}, false},
		"all replaced": {func(file string) error {
			os.Remove(file + "-wal")
			os.Remove(file + "-shm")
			return os.Rename(other, file)
		}, []string{"heed.db", "works"}, false},
		"only -wal removed": {func(file string) error { return os.Remove(file + "-wal") }, []string{"heed.db-wal", "works"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, other, otherText)
			file := filepath.Join(t.TempDir(), "folder", "heed.db")
			var said troubles
			s, err := sqlite.Open(file, sqlite.Options{Trouble: said.add})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			put(t, s, storetest.Record(storetest.Origin(1), noon, "first"))
			if err := c.lose(file); err != nil {
				t.Fatal(err)
			}
			time.Sleep(lookAgain)
			var putting sync.WaitGroup
			for n := 2; n < 6; n++ {
				putting.Go(func() {
					if err := s.Put(ctx, storetest.Record(storetest.Origin(n), noon, "later")); err != nil {
						t.Error(err)
					}
				})
			}
			putting.Wait()
			said.check(t, c.want...)
			if _, err := s.Get(ctx, storetest.Origin(1)); (err == nil) != c.kept {
				t.Errorf("the record from before: %v", err)
			}
			second := open(t, file)
			for n := 2; n < 6; n++ {
				if r, err := second.Get(ctx, storetest.Origin(n)); err != nil || string(r.Body()) != "later" {
					t.Errorf("record %d is not in the new file: %v", n, err)
				}
			}
			if _, err := second.Get(ctx, storetest.Origin(7)); (err == nil) != (name == "all replaced") {
				t.Errorf("the record of the other file: %v", err)
			}
		})
	}
}

// A database that becomes corrupt while it is open is set aside, without a new Open by the caller.
func TestDamagedWhileOpen(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	file := filepath.Join(t.TempDir(), "heed.db")
	write(t, file, filled(t))
	var said troubles
	var aside []string
	s, err := sqlite.Open(file, sqlite.Options{Trouble: said.add, SetAside: func(name string, _ error) { aside = append(aside, name) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	write(t, file, []byte(strings.Repeat("no database\n", 20_000))) // the same file with other bytes
	if err := s.Put(ctx, storetest.Record(storetest.Origin(1), noon, "lost")); err == nil {
		t.Error("a record was written into a corrupt file")
	}
	time.Sleep(lookAgain)
	put(t, s, storetest.Record(storetest.Origin(2), noon, "kept"))
	if len(aside) != 1 {
		t.Errorf("set aside: %q", aside)
	}
	said.check(t, "works")
	if _, err := open(t, file).Get(ctx, storetest.Origin(2)); err != nil {
		t.Error(err)
	}
}

// With Trouble, a database that cannot be opened is opened as soon as it can be; without it, Open
// returns the error.
func TestOpenedLater(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	inTheWay := filepath.Join(t.TempDir(), "folder")
	write(t, inTheWay, nil) // a file where the folder should be
	file := filepath.Join(inTheWay, "heed.db")
	if s, err := sqlite.Open(file, sqlite.Options{}); err == nil {
		s.Close()
		t.Fatal("opened below a file")
	}
	var said troubles
	s, err := sqlite.Open(file, sqlite.Options{Trouble: said.add})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := storetest.Record(storetest.Origin(1), noon, "later")
	for range 3 {
		if err := s.Put(ctx, r); err == nil || !strings.Contains(err.Error(), "open: ") {
			t.Errorf("Put before it can be opened: %v", err)
		}
		if _, err := s.Get(ctx, r.Origin); err == nil || strings.Contains(err.Error(), cache.ErrNotFound.Error()) {
			t.Errorf("Get before it can be opened: %v", err)
		}
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	time.Sleep(lookAgain)
	put(t, s, r)
	said.check(t, "open: ", "works")
}

// A full disk is no report of its own, since the calls fail; that it works again is one.
func TestFullFileWorksAgain(t *testing.T) {
	t.Parallel()
	var said troubles
	s, err := sqlite.Open(filepath.Join(t.TempDir(), "heed.db"), sqlite.Options{Trouble: said.add})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Limit(200); err != nil {
		t.Fatal(err)
	}
	testFull(t, s, func() {
		said.check(t)
		if err := s.Limit(10_000); err != nil {
			t.Fatal(err)
		}
	})
	said.check(t, "works")
}
