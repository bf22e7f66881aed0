package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/sqlite"
)

var ctx = context.Background()

// noon is the time of the first record in these tests.
var noon = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)

// children are functions that tests run in processes of their own, by name: see child.
var children = map[string]func(arguments []string) error{}

func TestMain(m *testing.M) {
	if name := os.Getenv("HEED_SQLITE_CHILD"); name != "" {
		if err := children[name](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(path, sqlite.Options{Versions: 5})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func put(t testing.TB, s *sqlite.Store, records ...*cache.Record) {
	t.Helper()
	for _, r := range records {
		if err := s.Put(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
}

// database opens the file without a Store.
func database(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file://"+(&url.URL{Path: path}).EscapedPath()+"?_busy_timeout=10000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// change changes the file without the Store.
func change(t testing.TB, path, query string, arguments ...any) {
	t.Helper()
	result, err := database(t, path).Exec(query, arguments...)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); n == 0 || err != nil {
		t.Fatalf("%s: %d rows, %v", query, n, err)
	}
}

func number(t testing.TB, path, query string) (n int) {
	t.Helper()
	if err := database(t, path).QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// corruptions are SQL statements that corrupt the record of an origin.
var corruptions = map[string]string{
	"Head":         `UPDATE origins SET head = replace(head, '200', '404') WHERE origin = ?`,
	"HeadFormat":   `UPDATE origins SET head = '0' || substr(head, 2) WHERE origin = ?`,
	"HeadGone":     `UPDATE origins SET head = x'' WHERE origin = ?`,
	"HeadNumber":   `UPDATE origins SET head = 7 WHERE origin = ?`,
	"HeadOther":    `UPDATE origins SET origin = 'https://site-2.example', head = replace(head, 'x', 'x') WHERE origin = ?`,
	"Data":         `UPDATE bodies SET data = CAST(substr(data, 1, 9) || x'56' || substr(data, 11) AS BLOB)` + ofOrigin,
	"DataCut":      `UPDATE bodies SET data = substr(data, 1, 12)` + ofOrigin,
	"DataNone":     `UPDATE bodies SET data = x''` + ofOrigin,
	"DataNumber":   `UPDATE bodies SET data = 7` + ofOrigin,
	"DataOther":    `UPDATE bodies SET data = x'28b52ffd2003190000616263'` + ofOrigin,
	"Hash":         `UPDATE bodies SET hash = CAST(x'00' || substr(hash, 2) AS BLOB)` + ofOrigin,
	"Size":         `UPDATE bodies SET size = size - 1` + ofOrigin,
	"SizeMore":     `UPDATE bodies SET size = size + 1` + ofOrigin,
	"SizeNegative": `UPDATE bodies SET size = -1` + ofOrigin,
	"SizeHuge":     `UPDATE bodies SET size = 1 << 60` + ofOrigin,
	"SizeText":     `UPDATE bodies SET size = 'x'` + ofOrigin,
	"BodyGone":     `DELETE FROM bodies` + ofOrigin,
	"BodyOther":    `UPDATE origins SET body = 99 WHERE origin = ?`,
	"BodyText":     `UPDATE origins SET body = 'x' WHERE origin = ?`,
	"BodyNone":     `UPDATE origins SET body = NULL WHERE origin = ?`,
}

const ofOrigin = ` WHERE id = (SELECT body FROM origins WHERE origin = ?)`

func TestStore(t *testing.T) {
	for name, query := range corruptions {
		t.Run(name, func(t *testing.T) {
			if name != "Data" && name != "Head" {
				testCorruptRecord(t, query)
				return
			}
			folder := t.TempDir()
			path := func(name string) string { return filepath.Join(folder, name+".db") }
			storetest.Run(t, storetest.Setup{
				Versions: 5,
				Open:     func(t *testing.T, name string) cache.Store { return open(t, path(name)) },
				Corrupt: func(t *testing.T, name string, o origin.Origin) {
					change(t, path(name), query, o.String())
				},
			})
		})
	}
}

// testCorruptRecord checks that a corrupt record is an error, and that a Put replaces it.
func testCorruptRecord(t *testing.T, query string) {
	path := filepath.Join(t.TempDir(), "heed.db")
	s, o := open(t, path), storetest.Origin(1)
	const body = "User-agent: *\nDisallow: /\n"
	put(t, s, storetest.Record(o, noon, body))
	change(t, path, query, o.String())
	corrupt := o
	if strings.Contains(query, "SET origin") {
		corrupt = storetest.Origin(2)
	}
	if r, err := s.Get(ctx, corrupt); !errors.Is(err, cache.ErrWrongRecord) || r != nil {
		t.Errorf("got %v, error %v, want ErrWrongRecord", r, err)
	}
	put(t, s, storetest.Record(corrupt, noon.Add(time.Hour), body))
	if r, err := s.Get(ctx, corrupt); err != nil || string(r.Body()) != body {
		t.Errorf("after another Put: %v, %v", r, err)
	}
}

// If a version is corrupt, History returns the others and an error.
func TestCorruptHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	s, o := open(t, path), storetest.Origin(1)
	for n, body := range []string{"one", "two", "three"} {
		put(t, s, storetest.Record(o, noon.AddDate(0, 0, n), body))
	}
	change(t, path, `UPDATE bodies SET data = (SELECT data FROM bodies WHERE id = 3) WHERE id = 2`)
	history, err := s.History(ctx, o)
	if !errors.Is(err, cache.ErrWrongRecord) || len(history) != 2 ||
		string(history[0].Body) != "three" || string(history[1].Body) != "one" {
		t.Errorf("%v, %v; want three and one, and ErrWrongRecord", history, err)
	}
}

// Each body is in the file once, and is deleted when no record and no version uses it.
func TestBodies(t *testing.T) {
	t.Parallel()
	portion.Skip(t, 3)
	path := filepath.Join(t.TempDir(), "heed.db")
	s := open(t, path)
	const many = 1000
	for n := range many {
		put(t, s, storetest.Record(storetest.Origin(n), noon, "User-agent: *\n"))
	}
	expect := func(why string, want int) {
		t.Helper()
		if n := number(t, path, "SELECT count(*) FROM bodies"); n != want {
			t.Errorf("%s: %d bodies, want %d", why, n, want)
		}
	}
	expect("one for all", 1)
	for n := range 20 {
		put(t, s, storetest.Record(storetest.Origin(0), noon.AddDate(0, 0, n+1), fmt.Sprint("Disallow: /", n)))
	}
	expect("5 versions of one origin are kept", 1+5)
	for o, err := range s.Origins(ctx) {
		if err == nil {
			err = s.Delete(ctx, o)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	expect("all origins are deleted", 0)
	if n := number(t, path, "SELECT (SELECT count(*) FROM origins) + (SELECT count(*) FROM versions)"); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// The last robots.txt of an origin may be older than its history. It is kept as long as the
// record contains it.
func TestOldCopy(t *testing.T) {
	s, o := open(t, filepath.Join(t.TempDir(), "heed.db")), storetest.Origin(1)
	first := storetest.Record(o, noon, "old")
	put(t, s, first)
	for n := range 10 {
		known := *first.Answered
		known.Status, known.Body, known.End = 404+n%2, nil, noon.AddDate(0, 0, n)
		put(t, s, &cache.Record{Origin: o, Answered: &known, Copy: first.Copy})
	}
	r, err := s.Get(ctx, o)
	if err != nil || string(r.Body()) != "old" || r.Answered == r.Copy {
		t.Errorf("%v, %v; want the old body", r, err)
	}
	history, err := s.History(ctx, o)
	if err != nil || len(history) != 5 {
		t.Fatalf("%v, %v; want 5 versions", history, err)
	}
	for _, v := range history {
		if v.Body != nil || v.Status < 404 {
			t.Errorf("a version %v, want one without a file", v)
		}
	}
}

// A Put with an earlier time does not change the time of a version.
func TestEarlierPutKeepsLast(t *testing.T) {
	s, o := open(t, filepath.Join(t.TempDir(), "heed.db")), storetest.Origin(1)
	for _, hours := range []int{0, 2, 1} {
		put(t, s, storetest.Record(o, noon.Add(time.Duration(hours)*time.Hour+1), "one"))
	}
	history, err := s.History(ctx, o)
	if err != nil || len(history) != 1 || !history[0].First.Equal(noon.Add(1)) || !history[0].Last.Equal(noon.Add(2*time.Hour+1)) {
		t.Errorf("%v, %v; want one version over two hours", history, err)
	}
}

// A body of more than 64 MiB is refused.
func TestHugeBody(t *testing.T) {
	t.Parallel()
	portion.Skip(t, 3)
	s := open(t, filepath.Join(t.TempDir(), "heed.db"))
	r := storetest.Record(storetest.Origin(1), noon, "")
	r.Copy.Body = make([]byte, 64<<20+1)
	if err := s.Put(ctx, r); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("error %v", err)
	}
	r.Copy.Body = r.Copy.Body[1:]
	put(t, s, r)
	if got, err := s.Get(ctx, r.Origin); err != nil || !bytes.Equal(got.Body(), r.Body()) {
		t.Errorf("a body of 64 MiB: %v", err)
	}
}

// While Origins is used, other calls do not wait, even if there are more lists than
// connections.
func TestOriginsBlocksNoOtherCall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	s := open(t, path)
	for n := range 20 {
		put(t, s, storetest.Record(storetest.Origin(n), noon, ""))
	}
	change(t, path, `WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 2600)
		INSERT INTO origins (origin, asked, head) SELECT 'https://site-' || i || '.example', 0, '' FROM n`)
	for range 10 {
		next, stop := iter.Pull2(s.Origins(ctx))
		defer stop()
		if _, err, ok := next(); err != nil || !ok {
			t.Fatal(err, ok)
		}
	}
	short, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := s.Put(short, storetest.Record(storetest.Origin(5), noon.Add(1), "new")); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(short, storetest.Origin(5)); err != nil {
		t.Error(err)
	}
	seen := map[origin.Origin]bool{}
	for o, err := range s.Origins(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		seen[o] = true
	}
	if len(seen) != 20+2501 {
		t.Errorf("%d origins, want %d", len(seen), 20+2501)
	}
}

// For a name that is no origin, Origins yields an error, and goes on with the others.
func TestCorruptOrigin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	s := open(t, path)
	for n := range 3 {
		put(t, s, storetest.Record(storetest.Origin(n), noon, ""))
	}
	change(t, path, `UPDATE origins SET origin = 'httpz://' WHERE origin = 'https://site-1.example'`)
	var origins, wrong int
	for _, err := range s.Origins(ctx) {
		if errors.Is(err, cache.ErrWrongRecord) {
			wrong++
		} else if err == nil {
			origins++
		}
	}
	if origins != 2 || wrong != 1 {
		t.Errorf("%d origins and %d wrong, want 2 and 1", origins, wrong)
	}
}

// If a context ends while a call waits for another process, the call returns.
func TestContextEndsWait(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "heed.db")
	s, o := open(t, path), storetest.Origin(1)
	other, err := database(t, path).Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := s.Put(short, storetest.Record(o, noon, "")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Put: %v, want DeadlineExceeded", err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("Put took %s", took)
	}
	go func() {
		time.Sleep(500 * time.Millisecond)
		other.ExecContext(ctx, "COMMIT")
	}()
	put(t, s, storetest.Record(o, noon, "")) // waits
}

// Calls after Close are errors.
func TestClosed(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "heed.db"))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	o := storetest.Origin(1)
	if _, err := s.Get(ctx, o); err == nil || errors.Is(err, cache.ErrNotFound) {
		t.Errorf("Get: %v", err)
	}
	if err := s.Put(ctx, storetest.Record(o, noon, "")); err == nil {
		t.Error("Put: no error")
	}
	if _, err := s.History(ctx, o); err == nil {
		t.Error("History: no error")
	}
	for _, err := range s.Origins(ctx) {
		if err == nil {
			t.Error("Origins: no error")
		}
	}
}

// The query in the documentation of the package finds the robots.txt of a day.
func TestHistoryView(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	s, o := open(t, path), storetest.Origin(1)
	for n, body := range []string{"on the 3rd", "on the 4th"} {
		put(t, s, storetest.Record(o, noon.AddDate(0, 0, n), body))
	}
	if n := number(t, path, `SELECT number FROM history WHERE origin = 'https://site-1.example'
		AND first < '2026-05-04' ORDER BY number DESC LIMIT 1`); n != 1 {
		t.Errorf("version %d, want 1", n)
	}
	var asked string
	if err := database(t, path).QueryRow("SELECT asked FROM robots").Scan(&asked); err != nil || asked != "2026-05-04 12:00:00" {
		t.Errorf("asked %q, %v", asked, err)
	}
}
