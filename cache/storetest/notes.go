package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

// RunNoter tests what cache.Noter promises. If s.Private is false, notes must survive while no store is open.
func RunNoter(t *testing.T, s Setup) {
	for name, test := range map[string]func(*testing.T, Setup){
		"Notes":      notesKept,
		"Origins":    notesOfOrigins,
		"Names":      notesOfNames,
		"Many":       manyNotes,
		"Sizes":      notesOfSizes,
		"Records":    notesBesideRecords,
		"Context":    notesInContext,
		"Concurrent": notesAtOnce,
		"Shared":     notesShared,
		"Restart":    notesAfterRestart,
		"Corrupt":    notesCorrupt,
	} {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
}

type noteTest struct {
	t     *testing.T
	store cache.Store
	cache.Noter
	name string
}

func openNotes(t *testing.T, s Setup, name string) noteTest {
	t.Helper()
	store := s.Open(t, "notes-"+name) // a name that Run does not use
	n, ok := store.(cache.Noter)
	if !ok {
		t.Fatalf("%T is not a Noter", store)
	}
	return noteTest{t, store, n, "told"}
}

func (n noteTest) withName(name string) noteTest {
	n.name = name
	return n
}

func (n noteTest) put(o origin.Origin, note string) {
	n.t.Helper()
	if err := n.PutNote(context.Background(), o, n.name, []byte(note)); err != nil {
		n.t.Fatalf("PutNote of %s %q: %v", o, n.name, err)
	}
}

func (n noteTest) expect(o origin.Origin, want string) {
	n.t.Helper()
	got, err := n.Note(context.Background(), o, n.name)
	if err != nil || string(got) != want {
		n.t.Errorf("the note of %s with the name %q has %d bytes, %.100q, error %v; expected %d bytes, %.100q", o, n.name, len(got), got, err, len(want), want)
	}
	if want == "" && got != nil {
		n.t.Errorf("the origin %s has no note with the name %q: Note returned an empty slice, expected nil", o, n.name)
	}
}

func (n noteTest) expectOrigins(want ...origin.Origin) {
	n.t.Helper()
	got := map[string]bool{}
	for o, err := range n.Notes(context.Background(), n.name) {
		if err != nil {
			n.t.Errorf("Notes of %q: %v", n.name, err)
		}
		got[o.String()] = true
	}
	missing := 0
	for _, o := range want {
		if !got[o.String()] {
			missing++
		}
		delete(got, o.String())
	}
	if missing > 0 || len(got) > 0 {
		n.t.Errorf("Notes with the name %q: %d of %d expected origins are missing, and %d other origins are returned", n.name, missing, len(want), len(got))
	}
}

func noise(size int) string {
	bytes := make([]byte, size)
	rand.NewChaCha8([32]byte{byte(size)}).Read(bytes)
	return string(bytes)
}

func notesKept(t *testing.T, s Setup) {
	n := openNotes(t, s, "notes")
	n.expect(Origin(1), "")
	n.expectOrigins()
	var every []byte
	for i := range 256 {
		every = append(every, byte(i))
	}
	for _, note := range []string{"one", "\x00", "\n", " ", "\x00\xff\xfe\x1b[2J'\"\\\r\n$1 \u2028", string(every), "null", strings.Repeat("many ", 1000), "one"} {
		n.put(Origin(1), note)
		n.expect(Origin(1), note)
		n.expect(Origin(2), "")
		n.expectOrigins(Origin(1))
	}
	given := []byte("mine")
	if err := n.PutNote(context.Background(), Origin(2), n.name, given); err != nil {
		t.Fatal(err)
	}
	copy(given, "your") // the caller may reuse its bytes after the call
	n.expect(Origin(2), "mine")
	for range 2 { // the second deletion finds no note
		n.put(Origin(1), "")
		n.expect(Origin(1), "")
		n.expectOrigins(Origin(2))
	}
	n.put(Origin(1), "again")
	n.expect(Origin(1), "again")
}

func notesOfOrigins(t *testing.T, s Setup) {
	n := openNotes(t, s, "origins")
	long := strings.Repeat(strings.Repeat("a", 63)+".", 3) + strings.Repeat("b", 55) + ".test"
	var all []origin.Origin
	for _, url := range []string{
		"https://a.example/", "http://a.example/", "ftp://a.example/", "https://a.example:444/", "http://a.example:443/", "https://a.example:80/",
		"https://www.a.example/", "https://a.example.example/", "https://bücher.example/", "https://192.0.2.1/", "https://192.0.2.1:8443/",
		"https://[2001:db8::1]/", "http://[2001:db8::1]/", "https://[2001:db8::1]:8443/", "https://" + long + "/", "https://a_b.example/", "http://localhost/",
	} {
		o, err := origin.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	for _, o := range all {
		n.put(o, "about "+o.String())
	}
	for _, o := range all {
		n.expect(o, "about "+o.String())
	}
	n.expectOrigins(all...)
	for i, o := range all {
		n.put(o, "")
		n.expectOrigins(all[i+1:]...)
	}
}

func notesOfNames(t *testing.T, s Setup) {
	n, ctx := openNotes(t, s, "names"), context.Background()
	names := []string{"told", "tol", "toldme", "a", strings.Repeat("z", 32), "note", "versions", "lease"}
	for i, name := range names {
		n.withName(name).put(Origin(i), name)
		n.withName(name).put(Origin(9), "also "+name)
	}
	for i, name := range names {
		n.withName(name).expect(Origin(i), name)
		n.withName(name).expect(Origin(9), "also "+name)
		n.withName(name).expect(Origin(8), "")
		n.withName(name).expectOrigins(Origin(i), Origin(9))
	}
	n.withName("tol").put(Origin(9), "")
	n.withName("tol").expectOrigins(Origin(1))
	n.expectOrigins(Origin(0), Origin(9))
	n.withName("other").expectOrigins()
	for _, name := range []string{"", "*", "Told", "told ", "to:ld", "to}ld", "t*", "1", "té", "told\x00", strings.Repeat("z", 33)} {
		if err := n.PutNote(ctx, Origin(1), name, []byte("x")); err == nil || !strings.Contains(err.Error(), "letters") {
			t.Errorf("PutNote with the name %q: error %v", name, err)
		}
		if note, err := n.Note(ctx, Origin(1), name); note != nil || err == nil || !strings.Contains(err.Error(), "letters") {
			t.Errorf("Note with the name %q: %q, error %v", name, note, err)
		}
		var all []error
		for _, err := range n.Notes(ctx, name) {
			all = append(all, err)
		}
		if len(all) != 1 || all[0] == nil || !strings.Contains(all[0].Error(), "letters") {
			t.Errorf("Notes with the wrong name %q returned the errors %v, expected one error", name, all)
		}
	}
}

func manyNotes(t *testing.T, s Setup) {
	n := openNotes(t, s, "many")
	var all []origin.Origin
	for i := range 2500 { // some stores read notes in pages; 2500 notes are more than two pages
		all = append(all, Origin(i))
		n.put(Origin(i), fmt.Sprint("note ", i))
	}
	n.expectOrigins(all...)
	seen := 0
	for o, err := range n.Notes(context.Background(), n.name) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; seen%500 == 0 && o != Origin(7) { // Origin(7) must keep its note: the last line of this test reads it
			n.put(o, "changed")
			n.expect(o, "changed")
		}
	}
	if seen < len(all) {
		t.Errorf("%d origins, want %d", seen, len(all))
	}
	for range n.Notes(context.Background(), n.name) {
		break // the caller may stop early
	}
	n.expect(Origin(7), "note 7")
}

// A note may have up to MaxNote bytes, even if compression makes it larger.
func notesOfSizes(t *testing.T, s Setup) {
	n := openNotes(t, s, "sizes")
	for i, note := range []string{noise(1 << 20), strings.Repeat("a", 1<<20), noise(cache.MaxNote), strings.Repeat("a", cache.MaxNote)} {
		n.put(Origin(i), note)
		n.expect(Origin(i), note)
	}
	for _, note := range []string{noise(cache.MaxNote + 1), strings.Repeat("a", cache.MaxNote+1), strings.Repeat("a", 5*cache.MaxNote)} {
		n.put(Origin(9), "before")
		err := n.PutNote(context.Background(), Origin(9), n.name, []byte(note))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint(len(note))) || !strings.Contains(err.Error(), fmt.Sprint(cache.MaxNote)) {
			t.Errorf("PutNote of a note with %d bytes, which is too large, returned the error %v; expected an error with the size of the note and the limit", len(note), err)
		}
		n.expect(Origin(9), "before")
	}
}

func notesBesideRecords(t *testing.T, s Setup) {
	n, ctx := openNotes(t, s, "records"), context.Background()
	n.put(Origin(1), "first")
	expectNone(t, n.store, Origin(1), "of an origin with a note only")
	for o, err := range n.store.Origins(ctx) {
		t.Errorf("Origins returned the origin %s, which has only a note and no record; error %v", o, err)
	}
	sameHistory(t, n.store, Origin(1), nil)
	for i := range 2 * s.Versions {
		put(t, n.store, Record(Origin(1), start.Add(time.Duration(i)*time.Hour), fmt.Sprint("version ", i)))
	}
	want := Record(Origin(1), start.AddDate(0, 1, 0), "last")
	put(t, n.store, want)
	n.expect(Origin(1), "first")
	n.put(Origin(1), "second")
	expectRecord(t, n.store, want)
	n.put(Origin(1), "")
	expectRecord(t, n.store, want)
	if v, err := n.store.History(ctx, Origin(1)); err != nil || len(v) != s.Versions {
		t.Errorf("%d versions, %v; want %d", len(v), err, s.Versions)
	}
	put(t, n.store, Record(Origin(2), start, "without a note"))
	n.put(Origin(1), "third")
	n.expectOrigins(Origin(1))
	if err := n.store.Delete(ctx, Origin(1)); err != nil {
		t.Error(err)
	}
	expectNone(t, n.store, Origin(1), "after Delete")
	n.expect(Origin(1), "third")
	n.expectOrigins(Origin(1))
}

func notesInContext(t *testing.T, s Setup) {
	n := openNotes(t, s, "context")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	n.put(Origin(1), "before")
	for _, note := range []string{"after", ""} {
		if err := n.PutNote(ended, Origin(1), n.name, []byte(note)); !errors.Is(err, context.Canceled) {
			t.Errorf("PutNote of %q: error %v", note, err)
		}
	}
	if note, err := n.Note(ended, Origin(1), n.name); note != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Note: %q, error %v", note, err)
	}
	var all []error
	for _, err := range n.Notes(ended, n.name) {
		all = append(all, err)
	}
	if len(all) != 1 || !errors.Is(all[0], context.Canceled) {
		t.Errorf("Notes: %v, want one error", all)
	}
	time.Sleep(20 * time.Millisecond) // waits, because PutNote must have no effect later either
	n.expect(Origin(1), "before")
}

func notesAtOnce(t *testing.T, s Setup) {
	stores := []noteTest{openNotes(t, s, "concurrent")}
	if !s.Private {
		stores = append(stores, openNotes(t, s, "concurrent"))
	}
	text := func(worker int) string { return strings.Repeat(string(rune('a'+worker)), 1000+worker) }
	var all []string
	for worker := range 8 {
		all = append(all, text(worker))
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		n := stores[worker%len(stores)]
		wg.Go(func() {
			for i := range 20 {
				if err := n.PutNote(context.Background(), Origin(i%3), n.name, []byte(text(worker))); err != nil {
					t.Errorf("PutNote: %v", err)
				}
				got, err := n.Note(context.Background(), Origin(i%3), n.name)
				if err != nil || !slices.Contains(all, string(got)) {
					t.Errorf("Note: %.100q, %v", got, err)
				}
				for _, err := range n.Notes(context.Background(), n.name) {
					if err != nil {
						t.Errorf("Notes: %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	for _, n := range stores {
		n.expectOrigins(Origin(0), Origin(1), Origin(2))
	}
	stores[0].put(Origin(1), "the last one")
	stores[len(stores)-1].expect(Origin(1), "the last one")
}

func notesShared(t *testing.T, s Setup) {
	if s.Private {
		t.Skip("a private store")
	}
	one, other := openNotes(t, s, "shared"), openNotes(t, s, "shared")
	for i, from := range []noteTest{one, other, one, other} {
		from.put(Origin(1), fmt.Sprint("note ", i))
		one.expect(Origin(1), fmt.Sprint("note ", i))
		other.expect(Origin(1), fmt.Sprint("note ", i))
	}
	other.expectOrigins(Origin(1))
	one.put(Origin(1), "")
	other.expect(Origin(1), "")
	other.expectOrigins()
	one.put(Origin(1), "here")
	openNotes(t, s, "another").expect(Origin(1), "")
}

func notesAfterRestart(t *testing.T, s Setup) {
	if s.Private {
		t.Skip("a private store")
	}
	large := noise(1 << 20)
	during := func(do func(n noteTest)) { // opens a store, and closes it after do has returned
		t.Run("open", func(t *testing.T) { do(openNotes(t, s, "restart")) })
	}
	during(func(n noteTest) {
		n.put(Origin(1), "one")
		n.put(Origin(2), large)
		n.put(Origin(3), "three")
		n.put(Origin(3), "")
	})
	during(func(n noteTest) {
		n.expect(Origin(1), "one")
		n.expect(Origin(2), large)
		n.expect(Origin(3), "")
		n.expectOrigins(Origin(1), Origin(2))
		n.put(Origin(1), "two")
	})
	during(func(n noteTest) { n.expect(Origin(1), "two") })
}

func notesCorrupt(t *testing.T, s Setup) {
	if s.CorruptNote == nil {
		t.Skip("notes cannot be changed")
	}
	n, ctx := openNotes(t, s, "corrupt"), context.Background()
	for i := range 3 {
		n.put(Origin(i), fmt.Sprint("note ", i))
	}
	n.withName("other").put(Origin(1), "other")
	for _, next := range []string{"replaced", ""} {
		s.CorruptNote(t, "notes-corrupt", Origin(1), n.name)
		if note, err := n.Note(ctx, Origin(1), n.name); note != nil || !errors.Is(err, cache.ErrWrongRecord) || !strings.Contains(err.Error(), Origin(1).String()) {
			t.Errorf("Note of a corrupt note returned %q, error %v; expected ErrWrongRecord, with the origin in the text of the error", note, err)
		}
		n.expectOrigins(Origin(0), Origin(1), Origin(2))
		for _, i := range []int{0, 2} {
			n.expect(Origin(i), fmt.Sprint("note ", i))
		}
		n.withName("other").expect(Origin(1), "other")
		n.put(Origin(1), next)
		n.expect(Origin(1), next)
	}
}
