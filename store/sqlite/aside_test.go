package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/store/sqlite"
)

func init() {
	children["openAside"] = func(arguments []string) error {
		if _, err := os.Stdin.Read(make([]byte, 1)); err == nil { // wait until all processes have started
			return errors.New("unexpected input")
		}
		defer sqlite.WaitLonger()()
		s, err := sqlite.Open(arguments[0], sqlite.Options{SetAside: func(name string, why error) { fmt.Println(name, why) }})
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(arguments[1])
		if err != nil {
			return err
		}
		return errors.Join(s.Put(ctx, storetest.Record(storetest.Origin(n), noon, "")), s.Close())
	}
}

// openAside opens a file with SetAside, and returns the names of the files that were set
// aside.
func openAside(t *testing.T, path string) (s *sqlite.Store, names []string) {
	t.Helper()
	s, err := sqlite.Open(path, sqlite.Options{SetAside: func(name string, why error) {
		t.Logf("%s: %v", filepath.Base(name), why)
		names = append(names, name)
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, names
}

// otherFiles returns the names of the other files in the folder of a database.
func otherFiles(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			names = append(names, e.Name())
		}
	}
	return names
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// filled returns the bytes of a database with 200 records.
func filled(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "heed.db")
	s := open(t, path)
	putMany(t, s, 0, 200, 1000)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// A file that is no database, or a broken one, is set aside, and a new one is made. Only the
// last file that was set aside is kept.
func TestRubbishIsSetAside(t *testing.T) {
	whole := filled(t)
	noTables := bytes.Clone(whole)
	clear(noTables[100:4096]) // the rest of the first page: the tables' names
	path := filepath.Join(t.TempDir(), "heed.db")
	for name, rubbish := range map[string][]byte{
		"text":      []byte(strings.Repeat("no database\n", 1000)),
		"short":     []byte("no database"),
		"zeros":     make([]byte, 100_000),
		"cut":       whole[:len(whole)/2+77],
		"no tables": noTables,
	} {
		write(t, path, rubbish)
		write(t, path+"-wal", []byte("rubbish, too"))
		s, names := openAside(t, path)
		if len(names) != 1 {
			t.Fatalf("%s: set aside: %v", name, names)
		}
		if kept, err := os.ReadFile(names[0]); err != nil || !bytes.Equal(kept, rubbish) {
			t.Errorf("%s: the file that was set aside has other bytes: %d of them, %v", name, len(kept), err)
		}
		put(t, s, storetest.Record(storetest.Origin(1), noon, ""))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		s, again := openAside(t, path)
		if _, err := s.Get(ctx, storetest.Origin(1)); err != nil || len(again) > 0 {
			t.Errorf("%s: opened again: %v, set aside %v", name, err, again)
		}
		s.Close()
		for _, other := range otherFiles(t, path) {
			if !strings.HasPrefix(other, filepath.Base(names[0])) && other != "heed.db-lock" {
				t.Errorf("%s: %s is left", name, other)
			}
		}
		os.Remove(path)
	}
}

// The database of another program or of a newer version is never set aside, even if it is
// corrupt.
func TestOthersAreNotSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	for name, schema := range map[string]string{
		"another program's": "PRAGMA application_id = 7; CREATE TABLE t(x)",
		"an unknown one":    "CREATE TABLE t(x)",
		"a newer version's": "PRAGMA application_id = 0x48656564; PRAGMA user_version = 99; CREATE TABLE t(x)",
	} {
		for _, corrupt := range []bool{false, true} {
			db := database(t, path)
			if _, err := db.Exec(schema); err != nil {
				t.Fatal(err)
			}
			db.Close()
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if corrupt {
				for i := 105; i < 4096; i++ {
					whole[i] ^= 0x55
				}
				write(t, path, whole)
			}
			s, err := sqlite.Open(path, sqlite.Options{SetAside: func(string, error) { t.Errorf("%s: set aside", name) }})
			if err == nil {
				s.Close()
				t.Errorf("%s, corrupt %v: no error", name, corrupt)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(whole, after) || len(otherFiles(t, path)) > 1 {
				t.Errorf("%s, corrupt %v: the file was changed; other files: %v", name, corrupt, otherFiles(t, path))
			}
			os.Remove(path)
			os.Remove(path + "-lock")
		}
	}
}

// If many processes open a corrupt file at the same time, one sets it aside, and all use the
// new one.
func TestManyProcessesSetAside(t *testing.T) {
	portion.Skip(t, 4)
	const many = 20
	path := filepath.Join(t.TempDir(), "heed.db")
	write(t, path, []byte(strings.Repeat("no database\n", 1000)))
	wait, start, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer wait.Close()
	var wg sync.WaitGroup
	var output [many]bytes.Buffer
	for n := range many {
		c := child(t, "openAside", path, strconv.Itoa(n))
		c.Stdin, c.Stdout, c.Stderr = wait, &output[n], &output[n]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := c.Wait(); err != nil {
				t.Errorf("process %d: %v: %s", n, err, output[n].String())
			}
		})
	}
	start.Close()
	wg.Wait()
	moved := 0
	for n := range many {
		if text := output[n].String(); text != "" {
			t.Log(text)
			moved++
		}
	}
	if moved != 1 {
		t.Errorf("the file was set aside %d times", moved)
	}
	if n := number(t, path, "SELECT count(*) FROM origins"); n != many {
		t.Errorf("%d origins, want %d", n, many)
	}
	sound(t, path)
}

// If a call finds that the file is corrupt, the next Open checks it, and sets it aside only
// if it is corrupt.
func TestCorruptFileFoundByCall(t *testing.T) {
	whole, path := filled(t), filepath.Join(t.TempDir(), "heed.db")
	broken := bytes.Clone(whole)
	for page := 12; page < len(whole)/4096; page += 3 {
		copy(broken[page*4096:], bytes.Repeat([]byte("rubbish "), 512))
	}
	write(t, path, broken)
	s, names := openAside(t, path)
	if len(names) > 0 {
		t.Fatal("Open already set the file aside")
	}
	wrong := 0
	for n := range 200 {
		if _, err := s.Get(ctx, storetest.Origin(n)); err != nil && !errors.Is(err, cache.ErrNotFound) && !errors.Is(err, cache.ErrWrongRecord) {
			wrong++
		}
	}
	if s.Close(); wrong == 0 {
		t.Fatal("no call found that the file is corrupt")
	}
	if s, names = openAside(t, path); len(names) != 1 {
		t.Errorf("set aside: %v", names)
	}
	put(t, s, storetest.Record(storetest.Origin(1), noon, ""))
	s.Close()

	write(t, path, whole) // a mark, but the file is not corrupt
	write(t, path+"-damaged", nil)
	if s, names = openAside(t, path); len(names) > 0 {
		t.Errorf("a file that is not corrupt was set aside: %v", names)
	}
	if _, err := s.Get(ctx, storetest.Origin(7)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + "-damaged"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the mark is still there: %v", err)
	}
}

// After a file has become corrupt in any way, all calls work again after Open was called a
// few times. HEED_WHOLE tries more of them.
func TestCorruptFileIsReplaced(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	whole := filled(t)
	moved := 0
	use := func(path string) error {
		s, names := openAside(t, path)
		defer s.Close()
		moved += len(names)
		for n := range 200 {
			if _, err := s.Get(ctx, storetest.Origin(n)); err != nil && !errors.Is(err, cache.ErrNotFound) && !errors.Is(err, cache.ErrWrongRecord) {
				return err
			}
		}
		var failed error
		for n := range 20 {
			failed = errors.Join(failed, s.Put(ctx, storetest.Record(storetest.Origin(n*11), noon.AddDate(1, 0, 0), "new")))
		}
		return failed
	}
	for seed := range tryCount(60) {
		path := filepath.Join(t.TempDir(), "heed.db")
		write(t, path, corrupted(whole, rand.New(rand.NewPCG(uint64(seed), 1))))
		err := use(path)
		for range 3 {
			if err != nil {
				err = use(path)
			}
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if moved == 0 {
		t.Error("no file was set aside")
	}
}

// If another process is setting a corrupt file aside, Open waits for its timeout once, not
// for each try.
func TestOpenWaitsOnceForSettingAside(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "heed.db")
	write(t, path, []byte(strings.Repeat("rubbish ", 1000)))
	other := flock.New(path + "-lock")
	if ok, err := other.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	defer other.Unlock()
	begin := time.Now()
	s, err := sqlite.Open(path, sqlite.Options{SetAside: func(name string, _ error) { t.Error(name) }})
	if err == nil {
		s.Close()
		t.Error("a corrupt file was opened")
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("Open took %s", took)
	}
}
