package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
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

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/sqlite"
)

func init() {
	children["notes"] = func(arguments []string) error { return putNotes(arguments[0], arguments[1]) }
}

// told is the name of the notes in these tests.
const told = "told"

func putNote(t testing.TB, s *sqlite.Store, n int, note string) {
	t.Helper()
	if err := s.PutNote(ctx, storetest.Origin(n), told, []byte(note)); err != nil {
		t.Fatal(err)
	}
}

// hasNote tests which note an origin has; "" means none.
func hasNote(t testing.TB, s *sqlite.Store, n int, want string) {
	t.Helper()
	if note, err := s.Note(ctx, storetest.Origin(n), told); err != nil || string(note) != want {
		t.Errorf("the note %d: %.100q, %v; want %.100q", n, note, err, want)
	}
}

// ofNote is the row of a note.
const ofNote = ` WHERE origin = ? AND name = ?`

// noteCorruptions are SQL statements that corrupt the note of an origin with a name.
var noteCorruptions = map[string]string{
	"Data":         `UPDATE notes SET data = CAST(substr(data, 1, 9) || x'56' || substr(data, 11) AS BLOB)` + ofNote,
	"DataCut":      `UPDATE notes SET data = substr(data, 1, 9)` + ofNote,
	"DataNone":     `UPDATE notes SET data = x''` + ofNote,
	"DataNumber":   `UPDATE notes SET data = 7` + ofNote,
	"Sum":          `UPDATE notes SET sum = CAST(x'00' || substr(sum, 2) AS BLOB)` + ofNote,
	"SumNone":      `UPDATE notes SET sum = x''` + ofNote,
	"Size":         `UPDATE notes SET size = size - 1` + ofNote,
	"SizeMore":     `UPDATE notes SET size = size + 1` + ofNote,
	"SizeNegative": `UPDATE notes SET size = -1` + ofNote,
	"SizeHuge":     `UPDATE notes SET size = 1 << 60` + ofNote,
	"SizeText":     `UPDATE notes SET size = 'x'` + ofNote,
	"OtherOrigin": `UPDATE notes SET (sum, size, data) = (SELECT sum, size, data FROM notes
		WHERE name = 'told' AND origin = 'https://site-2.example')` + ofNote,
	"OtherName": `UPDATE notes SET (sum, size, data) = (SELECT sum, size, data FROM notes
		WHERE name = 'other' AND origin = 'https://site-1.example')` + ofNote,
}

func TestNoter(t *testing.T) {
	for name, query := range noteCorruptions {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := func(name string) string { return filepath.Join(folder, name+".db") }
			setup := storetest.Setup{
				Versions: 5,
				Open:     func(t *testing.T, name string) cache.Store { return open(t, path(name)) },
				CorruptNote: func(t *testing.T, name string, o origin.Origin, note string) {
					change(t, path(name), query, o.String(), note)
				},
			}
			if name == "Data" {
				storetest.RunNoter(t, setup)
				return
			}
			testCorruptNote(t, setup)
		})
	}
}

// testCorruptNote checks that a corrupt note is an error for its origin only, and that PutNote
// replaces it. storetest checks more, once.
func testCorruptNote(t *testing.T, setup storetest.Setup) {
	s := setup.Open(t, "corrupt").(*sqlite.Store)
	putNote(t, s, 1, "note 1")
	putNote(t, s, 2, "note 2")
	if err := s.PutNote(ctx, storetest.Origin(1), "other", []byte("other")); err != nil {
		t.Fatal(err)
	}
	setup.CorruptNote(t, "corrupt", storetest.Origin(1), told)
	if note, err := s.Note(ctx, storetest.Origin(1), told); note != nil || !errors.Is(err, cache.ErrWrongRecord) {
		t.Errorf("got %q, error %v, want ErrWrongRecord", note, err)
	}
	hasNote(t, s, 2, "note 2")
	putNote(t, s, 1, "again")
	hasNote(t, s, 1, "again")
}

// listNotes returns how many origins Notes returns, and how many are corrupt.
func listNotes(t *testing.T, s *sqlite.Store) (origins, wrong int) {
	t.Helper()
	for _, err := range s.Notes(ctx, told) {
		switch {
		case errors.Is(err, cache.ErrWrongRecord):
			wrong++
		case err != nil:
			t.Fatal(err)
		default:
			origins++
		}
		if origins+wrong > 10_000 {
			t.Fatal("the list has no end")
		}
	}
	return origins, wrong
}

// For an origin that is corrupt, Notes and Origins yield an error, and go on with the others. A name
// that is no text comes after all texts, so a list that goes on behind it would not end.
func TestCorruptOriginOfANote(t *testing.T) {
	for name, corrupt := range map[string]string{"text": "'httpz://'", "blob": "x'7a7a7a'", "number": "7", "first blob": "x'00'", "empty blob": "x''"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "heed.db")
			s := open(t, path)
			for n := range 3 {
				putNote(t, s, n, "note")
				put(t, s, storetest.Record(storetest.Origin(n), noon, ""))
			}
			for _, table := range []string{"notes", "origins"} {
				change(t, path, `UPDATE `+table+` SET origin = `+corrupt+` WHERE origin = 'https://site-1.example'`)
			}
			if origins, wrong := listNotes(t, s); origins < 2 || wrong < 1 {
				t.Errorf("Notes: %d origins and %d wrong, want 2 and 1", origins, wrong)
			}
			found := map[origin.Origin]bool{}
			for o, err := range s.Origins(ctx) {
				if found[o] = true; err != nil && !errors.Is(err, cache.ErrWrongRecord) {
					t.Fatal(err)
				}
			}
			if len(found) != 3 {
				t.Errorf("Origins: %v, want two and an error", found)
			}
		})
	}
}

// oldDatabase returns a database that was made before there were notes, with some records.
func oldDatabase(t *testing.T) (path string, records int) {
	t.Helper()
	text, err := os.ReadFile("testdata/records-1.sqlite")
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "heed.db")
	write(t, path, text)
	if n := number(t, path, "SELECT count(*) FROM sqlite_schema WHERE name = 'notes'"); n != 0 {
		t.Fatal("the old database has notes")
	}
	return path, number(t, path, "SELECT count(*) FROM origins")
}

// A database without the table of the notes gets it, and keeps its format and its records. An older
// version that has the file open goes on.
func TestNotesInAnOlderDatabase(t *testing.T) {
	path, records := oldDatabase(t)
	older, err := database(t, path).Prepare(`UPDATE origins SET asked = asked + 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer older.Close()
	s := open(t, path)
	for n := range 2 {
		putNote(t, s, n, "note")
		result, err := older.Exec()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := result.RowsAffected(); records == 0 || n != int64(records) || err != nil {
			t.Errorf("there were %d records, now %d, %v", records, n, err)
		}
		hasNote(t, s, n, "note")
	}
	again := open(t, path)
	hasNote(t, again, 1, "note")
	if n := number(t, path, "PRAGMA user_version"); n != 1 {
		t.Errorf("the format is %d, want 1", n)
	}
	sound(t, path)
}

// Many processes may open such a database at once.
func TestManyStoresOpenAnOlderDatabase(t *testing.T) {
	path, _ := oldDatabase(t)
	t.Cleanup(sqlite.WaitLonger())
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			s, err := sqlite.Open(path, sqlite.Options{SetAside: func(name string, why error) { t.Errorf("set aside: %v", why) }})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			putNote(t, s, n, "note")
		})
	}
	wg.Wait()
	sound(t, path)
}

// While another process writes, the table cannot be made. Then the database cannot be opened, and
// it is not set aside: it is not corrupt. Afterwards it can be opened.
func TestOlderDatabaseIsLocked(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	path, records := oldDatabase(t)
	change(t, path, `UPDATE origins SET asked = asked`)
	if _, err := database(t, path).Exec("PRAGMA journal_mode = WAL"); err != nil {
		t.Fatal(err)
	}
	release := hold(t, path)
	var said troubles
	s, err := sqlite.Open(path, sqlite.Options{Trouble: said.add, SetAside: func(name string, why error) { t.Errorf("set aside: %v", why) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	said.check(t, "another process has been writing")
	if err := s.PutNote(ctx, storetest.Origin(1), told, []byte("note")); err == nil {
		t.Error("a note was put into a database that is not open")
	}
	release()
	time.Sleep(lookAgain)
	putNote(t, s, 1, "note")
	hasNote(t, s, 1, "note")
	if n := number(t, path, "SELECT count(*) FROM origins"); n != records {
		t.Errorf("%d records, want %d", n, records)
	}
}

// The limit of the file evicts records, and never notes; notes make room for themselves.
func TestMaxBytesKeepsNotes(t *testing.T) {
	portion.Skip(t, 3)
	t.Parallel()
	const maxBytes, notes = 4 << 20, 400
	path := filepath.Join(t.TempDir(), "heed.db")
	s, err := sqlite.Open(path, sqlite.Options{MaxBytes: maxBytes})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	check := func(when string, most int64) {
		t.Helper()
		for n := range notes {
			hasNote(t, s, n, noise(n, 3000))
		}
		if origins, wrong := listNotes(t, s); origins != notes || wrong > 0 {
			t.Errorf("%s: Notes returns %d origins and %d errors", when, origins, wrong)
		}
		if n := length(t, path); n > most {
			t.Errorf("%s: the file has %d bytes, want at most %d", when, n, most)
		}
	}
	putMany(t, s, 0, 2000, 2000)
	before := number(t, path, "SELECT count(*) FROM origins")
	for n := range notes {
		putNote(t, s, n, noise(n, 3000))
	}
	if after := number(t, path, "SELECT count(*) FROM origins"); after == 0 || after >= before {
		t.Errorf("%d records before the notes, %d afterwards", before, after)
	}
	check("after the notes", maxBytes+maxBytes/16)
	putMany(t, s, 2000, 5000, 2000)
	check("after many records", maxBytes+maxBytes/16)
	if n := number(t, path, "SELECT count(*) FROM origins"); n < 200 {
		t.Errorf("%d records are kept beside the notes", n)
	}
}

// If the notes alone take more than MaxBytes, they stay, and so does the record that was put last.
func TestNotesAboveMaxBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	s, err := sqlite.Open(path, sqlite.Options{MaxBytes: 200_000})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 5 {
		putNote(t, s, n, noise(n, 100_000))
		put(t, s, storetest.Record(storetest.Origin(n), noon.Add(time.Duration(n)*time.Minute), "body"))
	}
	for n := range 5 {
		hasNote(t, s, n, noise(n, 100_000))
	}
	if r, err := s.Get(ctx, storetest.Origin(4)); err != nil || string(r.Body()) != "body" {
		t.Errorf("the last record: %v", err)
	}
}

// On a full disk PutNote is an error, the notes can be read, and it works again afterwards.
func TestNotesOnAFullFile(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "heed.db"))
	putNote(t, s, 1, "before")
	if err := s.Limit(200); err != nil {
		t.Fatal(err)
	}
	err := s.PutNote(ctx, storetest.Origin(1), told, []byte(noise(1, 1<<20)))
	if err == nil || !strings.Contains(err.Error(), "disk is full") || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("error %v, want that the disk is full", err)
	}
	hasNote(t, s, 1, "before")
	if err := s.Limit(10_000); err != nil {
		t.Fatal(err)
	}
	putNote(t, s, 1, noise(1, 1<<20))
	hasNote(t, s, 1, noise(1, 1<<20))
}

// PutNote waits for another process that writes, until its context ends. Reading does not wait.
func TestNotesWhileFileIsLocked(t *testing.T) {
	path := newDatabase(t)
	s := open(t, path)
	putNote(t, s, 1, "before")
	release := hold(t, path)
	for wait := 401 * time.Millisecond; wait < 416*time.Millisecond; wait += 2 * time.Millisecond { // the context ends while PutNote tries, or between two tries
		short, cancel := context.WithTimeout(ctx, wait)
		begin := time.Now()
		err := s.PutNote(short, storetest.Origin(1), told, []byte("after"))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "another process") {
			t.Errorf("PutNote for %s: %v, want DeadlineExceeded because of another process", wait, err)
		}
		hasNote(t, s, 1, "before")
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("PutNote and Note took %s", took)
		}
	}
	time.AfterFunc(200*time.Millisecond, release)
	putNote(t, s, 1, "after") // waits
	hasNote(t, s, 1, "after")
}

// If the file of an open Store is removed, the Store begins anew, with notes too.
func TestNotesInALostFile(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	file := filepath.Join(t.TempDir(), "folder", "heed.db")
	var said troubles
	s, err := sqlite.Open(file, sqlite.Options{Trouble: said.add})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	putNote(t, s, 1, "lost")
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(lookAgain)
	putNote(t, s, 2, "new")
	hasNote(t, s, 1, "")
	said.check(t, "no such file", "works")
	hasNote(t, open(t, file), 2, "new")
}

// The notes of a database that is set aside are in the file with the new name.
func TestNotesAreSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	s := open(t, path)
	putNote(t, s, 1, "note")
	s.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := bytes.Clone(text)
	copy(broken[100:], strings.Repeat("x", 200))
	write(t, path, broken)
	again, names := openAside(t, path)
	if len(names) != 1 {
		t.Fatalf("set aside: %q", names)
	}
	hasNote(t, again, 1, "")
	putNote(t, again, 1, "new")
	hasNote(t, again, 1, "new")
	if aside, err := os.ReadFile(names[0]); err != nil || !bytes.Equal(aside[300:], text[300:]) {
		t.Errorf("the old file does not have the notes any more: %v", err)
	}
}

// Calls after Close are errors.
func TestNotesAfterClose(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "heed.db"))
	putNote(t, s, 1, "note")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if note, err := s.Note(ctx, storetest.Origin(1), told); err == nil {
		t.Errorf("Note: %q", note)
	}
	if err := s.PutNote(ctx, storetest.Origin(1), told, []byte("x")); err == nil {
		t.Error("PutNote: no error")
	}
	for _, err := range s.Notes(ctx, told) {
		if err == nil {
			t.Error("Notes: no error")
		}
	}
}

// noteOf returns the n-th note that a process writes.
func noteOf(process, n int) string {
	return fmt.Sprintf("%d %d %s", process, n, strings.Repeat(fmt.Sprint(n, " "), 500))
}

// putNotes puts notes until it is killed, of 5 origins. It prints the number of each after PutNote
// has returned.
func putNotes(path, process string) error {
	own, err := strconv.Atoi(process)
	if err != nil {
		return err
	}
	s, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		if err := s.PutNote(ctx, storetest.Origin(10*own+n%5), told, []byte(noteOf(own, n))); err != nil {
			return err
		}
		if err := s.PutNote(ctx, storetest.Origin(999), told, []byte(noteOf(own, n))); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// Two processes put notes of the same file at once, until they are killed. No note whose PutNote has
// returned is lost; of the note that both put, one is there, whole.
func TestNotesOfKilledProcesses(t *testing.T) {
	portion.Skip(t, 3)
	path := filepath.Join(t.TempDir(), "heed.db")
	rounds := 10
	if portion.Whole() {
		rounds = 50
	}
	total := 0
	for round := range rounds {
		var last [2]int
		var wg sync.WaitGroup
		for i := range last {
			wg.Go(func() { last[i] = notesUntilKilled(t, path, 2*round+i) })
		}
		wg.Wait()
		s := open(t, path)
		for i, n := range last {
			total += n
			checkNotes(t, s, 2*round+i, n)
		}
		note, err := s.Note(ctx, storetest.Origin(999), told)
		var process, n int
		if _, wrong := fmt.Sscan(string(note), &process, &n); err != nil || wrong != nil || string(note) != noteOf(process, n) || process/2 != round {
			t.Errorf("the note of both: %.40q, %v, %v", note, err, wrong)
		}
		s.Close()
	}
	t.Logf("%d kills, %d notes", 2*rounds, total)
	sound(t, path)
}

// notesUntilKilled returns the last number that a process printed before it was killed.
func notesUntilKilled(t *testing.T, path string, process int) (last int) {
	writer := child(t, "notes", path, strconv.Itoa(process))
	var wrong bytes.Buffer
	writer.Stderr = &wrong
	out, err := writer.StdoutPipe()
	if err == nil {
		err = writer.Start()
	}
	if err != nil {
		t.Error(err)
		return
	}
	last = -1
	lines := bufio.NewScanner(out)
	for lines.Scan() { // the last line may be unfinished, and then its number is smaller
		n, err := strconv.Atoi(lines.Text())
		if last = max(last, n); err == nil && n == 5 { // it has put a note of each origin
			time.AfterFunc(5*time.Millisecond+rand.N(55*time.Millisecond), func() { writer.Process.Kill() })
		}
	}
	if writer.Wait(); wrong.Len() > 0 {
		t.Errorf("process %d ended by itself: %s", process, wrong.String())
	}
	return last
}

// checkNotes checks the notes of a process that printed the numbers up to last: each origin has the
// newest of them, or the one after it.
func checkNotes(t *testing.T, s *sqlite.Store, process, last int) {
	t.Helper()
	for n := last - 4; n <= last; n++ {
		note, err := s.Note(ctx, storetest.Origin(10*process+n%5), told)
		if err != nil || string(note) != noteOf(process, n) && string(note) != noteOf(process, n+5) {
			t.Errorf("process %d has printed %d, and the note is %.20q, %v", process, n, note, err)
		}
	}
}

// text returns a note of 3 KB as a program may keep one.
func text(n int) []byte {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	var b bytes.Buffer
	b.WriteString(`{"told":[`)
	for b.Len() < 3000 {
		fmt.Fprintf(&b, `{"at":"2026-05-%02dT%02d:00:00Z","agent":"Bot%d","url":"/%x","allowed":%t},`,
			random.IntN(31)+1, random.IntN(24), random.IntN(9), random.IntN(1<<30), random.IntN(2) == 0)
	}
	b.Truncate(3000)
	return b.Bytes()
}

func BenchmarkPutNote(b *testing.B) {
	for name, sites := range map[string]int{"New": 1 << 30, "Same": 1} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "heed.db")
			s := open(b, path)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if err := s.PutNote(ctx, storetest.Origin(n%sites), told, text(n)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "notes/s")
			b.ReportMetric(float64(number(b, path, "SELECT sum(length(data)) / count(*) FROM notes")), "bytes/note")
		})
	}
}
