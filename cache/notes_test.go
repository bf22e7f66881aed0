package cache_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
)

// Notes in memory are not evicted: neither by records, nor by other notes. When there is no room,
// PutNote is an error, and says so. A note may always become smaller.
func TestMemoryNotesHaveALimit(t *testing.T) {
	ctx, store := context.Background(), cache.NewMemory(1<<20, 0)
	notes := store.(cache.Noter)
	put := func(n, size int) error {
		return notes.PutNote(ctx, storetest.Origin(n), "told", []byte(strings.Repeat("a", size)))
	}
	has := func(n, size int) {
		t.Helper()
		if note, err := notes.Note(ctx, storetest.Origin(n), "told"); err != nil || len(note) != size {
			t.Errorf("the note %d has %d bytes, %v; want %d", n, len(note), err, size)
		}
	}
	kept := 0
	var full error
	for ; full == nil && kept < 2000; kept++ {
		full = put(kept, 1000)
	}
	if kept--; kept < 700 || kept > 1000 || full == nil || !strings.Contains(full.Error(), "no room for a note") || !strings.Contains(full.Error(), "1048576") {
		t.Fatalf("%d notes of 1000 bytes in 1 MiB, then: %v", kept, full)
	}
	for n := range 2000 {
		if err := store.Put(ctx, storetest.Record(storetest.Origin(n), start, strings.Repeat("b", 2000))); err != nil {
			t.Fatal(err)
		}
	}
	for n := range kept {
		has(n, 1000)
	}
	has(kept, 0)
	if put(1, 2000) == nil {
		t.Error("a note became larger, and there is no room")
	}
	has(1, 1000)
	for _, size := range []int{1000, 900, 0} {
		if err := put(1, size); err != nil {
			t.Errorf("a note of 1000 bytes gets %d: %v", size, err)
		}
		has(1, size)
	}
	for round := range 3 { // what was taken is given back
		for n := range kept {
			if err := put(n, 0); err != nil {
				t.Fatal(err)
			}
		}
		for n := range kept {
			if err := put(n, 1000); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
	}
}

// The size of a note in memory is not more than the one that is counted, and not much less.
func TestMemoryNotesAreCounted(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	const many, limit = 100_000, 64 << 20
	for _, size := range []int{10, 300} {
		notes := cache.NewMemory(limit, 0).(cache.Noter)
		before, n := heap(), 0
		for ; n < many; n++ {
			if notes.PutNote(context.Background(), storetest.Origin(n), "told", make([]byte, size)) != nil {
				break
			}
		}
		took := int(heap()-before) / n
		counted := cache.NoteBytes(storetest.Origin(n), "told", size)
		t.Logf("%d notes of %d bytes take %d bytes each, counted are %d", n, size, took, counted)
		if took > counted*11/10 || took < counted/2 {
			t.Errorf("a note of %d bytes takes %d bytes, counted are %d", size, took, counted)
		}
		runtime.KeepAlive(notes)
	}
}

// A checksum is that of one note of one origin only.
func TestNoteSum(t *testing.T) {
	seen := map[string]string{}
	for _, n := range []int{1, 2} {
		for _, name := range []string{"told", "tol"} {
			for _, note := range []string{"a", "", "d https"} {
				sum := fmt.Sprintf("%x", cache.NoteSum(storetest.Origin(n), name, []byte(note)))
				what := fmt.Sprint(n, name, note)
				if seen[sum] != "" {
					t.Errorf("%q has the sum of %q", what, seen[sum])
				}
				seen[sum] = what
			}
		}
	}
	const want = "ba6c239f7bdd9617137e55f9b3e74d18eb14baf8b6cc8cf0870774b0ebcd722a" // printf 'told https://site-1.example\na' | sha256sum
	if got := fmt.Sprintf("%x", cache.NoteSum(storetest.Origin(1), "told", []byte("a"))); got != want {
		t.Errorf("the sum is %s, want %s: stores have notes with this one", got, want)
	}
}
