package sqlite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/store/sqlite"
)

func init() {
	children["read"] = func(arguments []string) error { return readAll(arguments[0], arguments[1:]) }
	children["first"] = func(arguments []string) error { return readFirst(arguments[0], arguments[1:]) }
}

// fileOf returns the n-th robots.txt, of 2.3 KB: about the usual size.
func fileOf(n int) string {
	random := rand.New(rand.NewPCG(uint64(n), 0))
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for b.Len() < 2300 {
		fmt.Fprintf(&b, "Disallow: /%x/%s\n", random.IntN(1<<20), []string{"", "search", "cart?", "*.pdf$", "private/"}[random.IntN(5)])
	}
	return b.String()
}

func BenchmarkGet(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "heed.db"))
	const many = 1000
	for n := range many {
		put(b, s, storetest.Record(storetest.Origin(n), noon, fileOf(n)))
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if _, err := s.Get(ctx, storetest.Origin(n%many)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPut(b *testing.B) {
	for name, record := range map[string]func(n int) *cache.Record{
		"New": func(n int) *cache.Record { return storetest.Record(storetest.Origin(n), noon, fileOf(n)) },
		"Same": func(n int) *cache.Record {
			return storetest.Record(storetest.Origin(1), noon.Add(time.Duration(n)), fileOf(1))
		},
	} {
		b.Run(name, func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "heed.db"))
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				put(b, s, record(n))
			}
		})
	}
}

// maxPerOrigin is how much of the database an origin may take, in bytes, if five origins have one
// file: a fifth of its compressed body, and the record with its indexes.
const maxPerOrigin = 1100

// The space of many origins, of which five have one file, is limited: a body is compressed, and stored
// once. Each record that is read in another process has its body. If HEED_MILLION=1 is set, these are a
// million origins, and the times are printed; that needs 3 GB in the temporary folder and some minutes.
func TestMillion(t *testing.T) {
	portion.Skip(t, 3)
	many := 3_000
	if os.Getenv("HEED_MILLION") != "" {
		many = 1_000_000
	}
	path := filepath.Join(t.TempDir(), "heed.db")
	begin := time.Now()
	fill(t, path, many)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("filled in %s; the file has %d MB", time.Since(begin).Round(time.Second), info.Size()/1e6)
	if each := info.Size() / int64(many); each > maxPerOrigin {
		t.Errorf("an origin takes %d bytes, expected at most %d", each, maxPerOrigin)
	}
	t.Log("new process, gets one after the other:   ", read(t, "read", path, many))
	t.Log("new process, each get with its own Open: ", read(t, "first", path, many))
	if os.Getenv("HEED_MILLION") == "" {
		return
	}
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0); err != nil {
		t.Logf("the file cache of the system cannot be dropped: %v", err)
		return
	}
	t.Log("the same as the first, from the disk:    ", read(t, "read", path, many))
}

func fill(t *testing.T, path string, many int) {
	t.Helper()
	s := open(t, path)
	const step = 1000
	for from := 0; from < many; from += step {
		var records []*cache.Record
		for n := from; n < from+step; n++ {
			records = append(records, storetest.Record(storetest.Origin(n), noon, fileOf(n/5)))
		}
		if err := s.PutAll(ctx, records); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// read gets random origins in a new process, and returns the times.
func read(t *testing.T, how, path string, many int) string {
	t.Helper()
	arguments := []string{path}
	for range min(1000, many/10) {
		arguments = append(arguments, strconv.Itoa(rand.IntN(many)))
	}
	out, err := child(t, how, arguments...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// readAll opens a file once, and gets some origins.
func readAll(path string, sites []string) error {
	begin := time.Now()
	s, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	opened := time.Since(begin)
	var gets []time.Duration
	for _, site := range sites {
		if gets, err = timedGet(gets, s, site); err != nil {
			return err
		}
	}
	fmt.Println("Open", opened, "Get", summary(gets))
	return nil
}

// readFirst opens a file again for each of some origins.
func readFirst(path string, sites []string) error {
	var opens, gets []time.Duration
	for _, site := range sites {
		begin := time.Now()
		s, err := sqlite.Open(path, sqlite.Options{})
		if err != nil {
			return err
		}
		opens = append(opens, time.Since(begin))
		gets, err = timedGet(gets, s, site)
		if err := errors.Join(err, s.Close()); err != nil {
			return err
		}
	}
	fmt.Println("Open", summary(opens), "Get", summary(gets))
	return nil
}

func timedGet(times []time.Duration, s *sqlite.Store, site string) ([]time.Duration, error) {
	n, err := strconv.Atoi(site)
	if err != nil {
		return nil, err
	}
	o := storetest.Origin(n)
	begin := time.Now()
	r, err := s.Get(ctx, o)
	took := time.Since(begin)
	if err == nil && string(r.Body()) != fileOf(n/5) {
		err = fmt.Errorf("%s has another body", o)
	}
	return append(times, took), err
}

func summary(times []time.Duration) string {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	var sum time.Duration
	for _, d := range sorted {
		sum += d
	}
	return fmt.Sprintf("(the first %s, median %s, mean %s, 99 %% within %s)", times[0], sorted[n/2], sum/time.Duration(n), sorted[n*99/100])
}
