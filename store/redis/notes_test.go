package redis_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/redis"
)

const told, noteKey = "told", key + ":note:told"

func putNote(t *testing.T, s *redis.Store, o origin.Origin, note string) {
	t.Helper()
	if err := s.PutNote(ctx, o, told, []byte(note)); err != nil {
		t.Fatal(err)
	}
}

// hasNote tests which note an origin has; "" means none.
func hasNote(t *testing.T, s *redis.Store, o origin.Origin, want string) {
	t.Helper()
	if note, err := s.Note(ctx, o, told); err != nil || string(note) != want {
		t.Errorf("the note of %s: %.100q, %v; want %.100q", o, note, err, want)
	}
}

// TestCorruptNote: a corrupt note is an ErrWrongRecord, and PutNote replaces it. Changed bits are
// tested by storetest.
func TestCorruptNote(t *testing.T) {
	s, raw := setup(t, redis.Options{})
	line := func() string { return strings.SplitAfter(runCommand(t, raw, "GET", noteKey), "\n")[0] }
	for name, c := range map[string]struct {
		corrupt func()
		want    string
	}{
		"no zstd":           {func() { runCommand(t, raw, "SET", noteKey, line()+"note") }, "not zstd"},
		"no line":           {func() { runCommand(t, raw, "SET", noteKey, "note") }, "not zstd"},
		"only the line":     {func() { runCommand(t, raw, "SET", noteKey, line()) }, "not zstd"},
		"another checksum":  {func() { runCommand(t, raw, "SETRANGE", noteKey, "0", "x") }, "checksum"},
		"another text":      {func() { runCommand(t, raw, "SET", noteKey, line()+packed("other")) }, "checksum"},
		"a huge text":       {func() { runCommand(t, raw, "SET", noteKey, line()+packed(strings.Repeat("a", 65<<20))) }, "not zstd"},
		"a huge value":      {func() { runCommand(t, raw, "SETRANGE", noteKey, fmt.Sprint(32<<20), "x") }, "large"},
		"a hash":            {func() { runCommand(t, raw, "DEL", noteKey); runCommand(t, raw, "HSET", noteKey, "head", "x") }, "WRONGTYPE"},
		"of another origin": {func() { runCommand(t, raw, "COPY", "heed:{https://site-2.example}:note:told", noteKey, "REPLACE") }, "checksum"},
		"of another name":   {func() { runCommand(t, raw, "COPY", key+":note:other", noteKey, "REPLACE") }, "checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			putNote(t, s, site, "note")
			putNote(t, s, storetest.Origin(2), "note")
			if err := s.PutNote(ctx, site, "other", []byte("note")); err != nil {
				t.Fatal(err)
			}
			c.corrupt()
			note, err := s.Note(ctx, site, told)
			if note != nil || !errors.Is(err, cache.ErrWrongRecord) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), site.String()) {
				t.Errorf("got %.100q, error %v, want an ErrWrongRecord with %q", note, err, c.want)
			}
			hasNote(t, s, storetest.Origin(2), "note")
			putNote(t, s, site, "again")
			hasNote(t, s, site, "again")
		})
	}
}

// TestNoteLayout: the key and the value are those in the documentation of the package, and the key
// does not expire.
func TestNoteLayout(t *testing.T) {
	s, raw := setup(t, redis.Options{})
	putNote(t, s, site, "one")
	put(t, s, 0, "one")
	if err := s.Delete(ctx, site); err != nil {
		t.Error(err)
	}
	if left := runCommand(t, raw, "TTL", noteKey); left != "-1" {
		t.Errorf("the note expires in %s s", left)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, text, _ := strings.Cut(runCommand(t, raw, "GET", noteKey), "\n")
	const want = "3216eb64" // printf 'told https://site-1.example\none' | sha256sum
	if note, err := r.DecodeAll([]byte(text), nil); err != nil || string(note) != "one" || !strings.HasPrefix(sum, want) || len(sum) != 64 {
		t.Errorf("sum %s, note %q, %v", sum, note, err)
	}
	putNote(t, s, site, "")
	if n := runCommand(t, raw, "DBSIZE"); n != "0" {
		t.Errorf("%s keys are left", n)
	}
}

// TestNotesSkipsOtherKeys: Notes skips keys that are not those of notes. A note of something that is
// no origin is an error, and Notes goes on.
func TestNotesSkipsOtherKeys(t *testing.T) {
	s, raw := setup(t, redis.Options{Prefix: `h[e]*\?:`})
	putNote(t, s, site, "one")
	put(t, s, 0, "one")
	for _, foreign := range []string{
		"x", "heed:{https://b.example}:note:told", `h[e]*\?:{https://c.example}:note:tol`, `h[e]*\?:{https://c.example}:note:told:x`,
		`h[e]*\?:https://d.example}:note:told`, `h[e]*\?:{https://e.example:note:told`, `h[e]*\?:{https://f.example}:told`, "he:{https://g.example}:note:told",
	} {
		runCommand(t, raw, "SET", foreign, "x")
	}
	corrupt := []string{`h[e]*\?:{}:note:told`, `h[e]*\?:{HTTPS://h.example}:note:told`, `h[e]*\?:{https://i.example/}:note:told`, `h[e]*\?:{httpz://}:note:told`}
	for _, key := range corrupt {
		runCommand(t, raw, "SET", key, "x")
	}
	origins, wrong := 0, 0
	for o, err := range s.Notes(ctx, told) {
		switch {
		case errors.Is(err, cache.ErrWrongRecord):
			wrong++
		case err != nil || o != site:
			t.Errorf("got %q, %v", o, err)
		default:
			origins++
		}
	}
	if origins != 1 || wrong != len(corrupt) {
		t.Errorf("%d origins and %d wrong, want 1 and %d", origins, wrong, len(corrupt))
	}
}

// TestNotesAreNotEvicted: a full server with a policy that begins with "volatile" evicts records,
// and no notes. When notes fill it, PutNote is refused, and the note that was there stays.
func TestNotesAreNotEvicted(t *testing.T) {
	portion.Skip(t, 4)
	srv := startServer(t, "--maxmemory", fmt.Sprint(16<<20), "--maxmemory-policy", "volatile-lru")
	s, raw := open(t, srv.URL(), redis.Options{Timeout: longTimeout}), srv.raw()
	const notes, records = 100, 2000
	for n := range notes {
		putNote(t, s, storetest.Origin(n), noise(n, 3000))
	}
	for n := range records {
		if err := s.Put(ctx, storetest.Record(storetest.Origin(n), start, noise(n, 16<<10))); err != nil {
			t.Fatal(err)
		}
	}
	left := 0
	for range s.Origins(ctx) {
		left++
	}
	t.Logf("%d of %d records are left", left, records)
	if left == 0 || left > records/2 {
		t.Errorf("%d of %d records are left: nothing was evicted, or all", left, records)
	}
	n := notes
	var err error
	for ; err == nil && n < 10_000; n++ {
		err = s.PutNote(ctx, storetest.Origin(n), told, []byte(noise(n, 8000)))
	}
	if err == nil || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("after %d notes: error %v, want OOM", n, err)
	}
	if err := s.PutNote(ctx, storetest.Origin(1), told, []byte(noise(1, 1<<20))); err == nil {
		t.Error("a note was put into a full server")
	}
	for i := range n - 1 {
		size := 3000
		if i >= notes {
			size = 8000
		}
		hasNote(t, s, storetest.Origin(i), noise(i, size))
	}
	runCommand(t, raw, "CONFIG", "SET", "maxmemory", "0")
	putNote(t, s, storetest.Origin(1), noise(1, 1<<20))
	hasNote(t, s, storetest.Origin(1), noise(1, 1<<20))
}

// TestNotesAfterAServerRestart: a server that writes each change to the disk keeps the notes when it
// is killed.
func TestNotesAfterAServerRestart(t *testing.T) {
	srv := startServer(t, "--appendonly", "yes", "--appendfsync", "always")
	s := open(t, srv.URL(), redis.Options{Timeout: longTimeout})
	putNote(t, s, site, "one")
	srv.Kill()
	if err := s.PutNote(ctx, site, told, []byte("lost")); err == nil || !strings.Contains(err.Error(), "not reachable") && !strings.Contains(err.Error(), "no reply in time") {
		t.Errorf("PutNote while the server is down: %v", err)
	}
	if note, err := s.Note(ctx, site, told); note != nil || err == nil {
		t.Errorf("Note while the server is down: %q, %v", note, err)
	}
	for _, err := range s.Notes(ctx, told) {
		if err == nil {
			t.Error("Notes while the server is down: no error")
		}
	}
	srv.Start()
	again := open(t, srv.URL(), redis.Options{Timeout: longTimeout})
	hasNote(t, again, site, "one")
	eventually(t, 2*maxRecover, "PutNote", func() bool { return s.PutNote(ctx, site, told, []byte("two")) == nil })
	hasNote(t, again, site, "two")
}

// TestNotesWithoutScripts: notes work for a user that may not run scripts.
func TestNotesWithoutScripts(t *testing.T) {
	srv := startServer(t)
	s := open(t, user(t, srv, srv.raw(), "-@scripting"), redis.Options{Timeout: longTimeout})
	putNote(t, s, site, "one")
	hasNote(t, s, site, "one")
}

// TestNotesWaitForASlowServer: a note has more time than a record.
func TestNotesWaitForASlowServer(t *testing.T) {
	srv := startServer(t)
	s := open(t, srv.URL(), redis.Options{})
	putNote(t, s, site, "one")
	for _, want := range []string{"two", "three"} {
		srv.hang()
		time.AfterFunc(200*time.Millisecond, srv.resume)
		putNote(t, s, site, want)
		srv.hang()
		time.AfterFunc(200*time.Millisecond, srv.resume)
		hasNote(t, s, site, want)
	}
}
