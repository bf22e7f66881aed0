package sqlite_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/store/sqlite"
)

// checkRefused checks that Open returns an error whose text contains each of some words.
func checkRefused(t *testing.T, path string, words ...string) {
	t.Helper()
	s, err := sqlite.Open(path, sqlite.Options{})
	if err == nil {
		s.Close()
		t.Errorf("%s: no error", path)
		return
	}
	t.Log(err)
	for _, word := range append(words, "sqlite: "+path+": ") {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not contain %q", err, word)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	checkRefused(t, "", "empty")
	checkRefused(t, folder, "is that of a folder", "expected the name of a file")
	checkRefused(t, filepath.Join(file("file", ""), "heed.db"), "not a directory")
	checkRefused(t, file("short", "no database"), "not a database", "name another file")
	checkRefused(t, file("long", strings.Repeat("no database\n", 10_000)), "not a database", "name another file")
	checkRefused(t, filepath.Join(folder, "nul\x00.db"), "invalid argument")
}

// Open does not change the database of another program or of a newer version.
func TestOthersDatabases(t *testing.T) {
	folder := t.TempDir()
	for name, c := range map[string]struct{ schema, word string }{
		"other":  {"CREATE TABLE t(x); INSERT INTO t VALUES (1)", "another program"},
		"id":     {"PRAGMA application_id = 7", "another program"},
		"newer":  {fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 2", 0x48656564), "a newer version of Heed"},
		"author": {"PRAGMA user_version = 1", "another program"},
	} {
		path := filepath.Join(folder, name)
		db := database(t, path)
		if _, err := db.Exec(c.schema); err != nil {
			t.Fatal(err)
		}
		db.Close()
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkRefused(t, path, c.word)
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s was changed (%v)", name, err)
		}
	}
}

// A path is the name of a file, even if its characters have a meaning in a URI.
func TestPaths(t *testing.T) {
	names := []string{
		"a b.db", "100%.db", "50%41.db", "what?.db", "a?mode=memory&x=#y", "a#b.db", "a&b=c+d.db", ":memory:", "file:x.db",
		"ü☃.db", "new\nline.db", `back\slash.db`, "a;b'c\"d.db", "-x.db", "sub folder?/%2e.db",
	}
	if runtime.GOOS == "windows" {
		names = []string{"a b.db", "100%.db", "50%41.db", "a#b.db", "a&b=c+d.db", "ü☃.db", "-x.db"}
	}
	for _, name := range names {
		folder := t.TempDir()
		t.Chdir(folder)
		for n, path := range []string{name, folder + "/" + name} { // one file, by two paths
			s, err := sqlite.Open(path, sqlite.Options{})
			if err != nil {
				t.Errorf("%q: %v", path, err)
				continue
			}
			put(t, s, storetest.Record(storetest.Origin(n), noon, name))
			r, err := s.Get(ctx, storetest.Origin(0))
			if err != nil || string(r.Body()) != name {
				t.Errorf("%q: %v, %v", path, r, err)
			}
			s.Close()
		}
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%q: no file of this name: %v", name, err)
		}
		if files, err := os.ReadDir(filepath.Dir(name)); err != nil || len(files) != 1 {
			t.Errorf("%q: files %v, %v", name, files, err)
		}
	}
}

// Only the user who made the files can read them.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files on Windows have no modes")
	}
	folder := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(folder, "heed.db")
	put(t, open(t, path), storetest.Record(storetest.Origin(1), noon, ""))
	for file, want := range map[string]os.FileMode{
		filepath.Dir(folder): 0o700, folder: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600,
	} {
		info, err := os.Stat(file)
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != want {
			t.Errorf("%s: mode %o, want %o", file, info.Mode().Perm(), want)
		}
	}
}

// tryCount returns how many random cases of a test are tried: a quarter of all without HEED_WHOLE.
func tryCount(all int) int {
	if !portion.Whole() {
		return all / 4
	}
	return all
}

// If a file is corrupt, Get returns an error or the record that was written, never another
// one. HEED_WHOLE tries more files.
func TestCorruptFile(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "heed.db")
	s := open(t, path)
	for n := range 100 {
		put(t, s, storetest.Record(storetest.Origin(n), noon, fmt.Sprintf("Disallow: /%d\n", n)+noise(n, 500)))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var counts struct{ opened, right, wrong int }
	for seed := range tryCount(100) {
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		path := filepath.Join(t.TempDir(), "heed.db")
		if err := os.WriteFile(path, corrupted(whole, random), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := sqlite.Open(path, sqlite.Options{})
		if err != nil {
			continue
		}
		counts.opened++
		for n := range 100 {
			r, err := s.Get(ctx, storetest.Origin(n))
			if err != nil {
				counts.wrong++
			} else if counts.right++; string(r.Body()) != fmt.Sprintf("Disallow: /%d\n", n)+noise(n, 500) {
				t.Errorf("seed %d: record %d is not the one that was written", seed, n)
			}
			s.History(ctx, storetest.Origin(n))
		}
		for range s.Origins(ctx) {
		}
		for n := range 10 {
			s.Put(ctx, storetest.Record(storetest.Origin(n*20), noon, "again"))
			s.Delete(ctx, storetest.Origin(n*7))
		}
		s.Close()
	}
	t.Logf("%+v", counts)
	if counts.opened == 0 || counts.opened == tryCount(100) || counts.right == 0 || counts.wrong == 0 {
		t.Errorf("the files are corrupted too much or too little: %+v", counts)
	}
}

// corrupted returns a copy of a file in which some bytes are changed or missing.
func corrupted(whole []byte, random *rand.Rand) []byte {
	file := bytes.Clone(whole)
	switch random.IntN(4) {
	case 0: // the end is missing
		return file[:random.IntN(len(file))]
	case 1: // bits
		for range 1 + random.IntN(200) {
			file[random.IntN(len(file))] ^= 1 << random.IntN(8)
		}
	case 2: // a page of zeros
		from := random.IntN(len(file)/4096) * 4096
		clear(file[from : from+4096])
	case 3: // a page replaces another one
		from, to := random.IntN(len(file)/4096)*4096, random.IntN(len(file)/4096)*4096
		copy(file[to:to+4096], file[from:from+4096])
	}
	return file
}
