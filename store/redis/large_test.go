package redis_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/store/redis"
)

// noise returns a text that cannot be compressed.
func noise(seed, size int) string {
	source, text := rand.NewPCG(uint64(seed), 0), make([]byte, size)
	for i := range text {
		text[i] = byte(source.Uint64())
	}
	return string(text)
}

// TestHugeValuesAreNotRead: a huge value is an ErrWrongRecord at once, other records can be
// read at the same time, and the next Put replaces the value. With HEED_WHOLE the values are larger.
func TestHugeValuesAreNotRead(t *testing.T) {
	portion.Skip(t, 3)
	for rights, places := range map[string][]string{
		"+@all":       {key + " head", key + " body", versions + " index", versions + " another"},
		"-@scripting": {key + " body"},
	} {
		t.Run(rights, func(t *testing.T) { testHugeValues(t, rights, places) })
	}
}

func testHugeValues(t *testing.T, rights string, places []string) {
	const sites = 200
	srv := startServer(t)
	raw := srv.raw()
	writer, s := open(t, srv.URL(), redis.Options{Timeout: longTimeout}), open(t, user(t, srv, raw, rights), redis.Options{Timeout: time.Second})
	for n := range sites {
		if err := writer.Put(ctx, storetest.Record(storetest.Origin(n), start, "one")); err != nil {
			t.Fatal(err)
		}
	}
	size := 32 << 20 // eight times of what is read
	if portion.Whole() {
		size = 200 << 20
	}
	huge := strings.Repeat("x", size)
	tooLarge := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, cache.ErrWrongRecord) || !strings.Contains(err.Error(), "large") {
			t.Errorf("%s: error %v, want ErrWrongRecord", what, err)
		}
	}
	for _, place := range places {
		hash, field, _ := strings.Cut(place, " ")
		runCommand(t, raw, "HSET", hash, field, huge)
		if hash == key {
			_, err := s.Get(ctx, site)
			tooLarge(place, err)
		} else {
			_, err := s.History(ctx, site)
			tooLarge(place, err)
		}
		for n := range sites {
			if o := storetest.Origin(n); o != site {
				if _, err := s.Get(ctx, o); err != nil {
					t.Fatalf("%s: %v", o, err)
				}
			}
		}
		put(t, writer, 1, "two")
		if r, err := writer.Get(ctx, site); err != nil || string(r.Body()) != "two" || !strings.HasPrefix(history(t, writer), "two") {
			t.Errorf("%s: after a Put: %v, %v", place, r, err)
		}
	}
}

// TestManyFieldsAreNotRead: a history may also be too large because of many fields.
func TestManyFieldsAreNotRead(t *testing.T) {
	s, raw := setup(t, redis.Options{})
	put(t, s, 0, "one")
	runCommand(t, raw, "EVAL", "for i = 1, 200000 do redis.call('HSET', KEYS[1], i, '') end", "1", versions)
	if _, err := s.History(ctx, site); !errors.Is(err, cache.ErrWrongRecord) || !strings.Contains(err.Error(), "large") {
		t.Errorf("error %v, want ErrWrongRecord", err)
	}
	put(t, s, 1, "two")
	if got := history(t, s); got != "two" {
		t.Errorf("history %q after a Put", got)
	}
}

// TestLargeRecordsAreNotPut: a record that is too large, before or after compression, is not
// written, and replaces nothing.
func TestLargeRecordsAreNotPut(t *testing.T) {
	portion.Skip(t, 4)
	s, _ := setup(t, redis.Options{})
	put(t, s, 0, "one")
	for name, body := range map[string]string{"noise": noise(1, 5<<20), "all the same": strings.Repeat("a", 65<<20)} {
		err := s.Put(ctx, storetest.Record(site, start.Add(time.Hour), body))
		if err == nil || !strings.Contains(err.Error(), "large") {
			t.Errorf("%s: error %v", name, err)
		}
		if r, err := s.Get(ctx, site); err != nil || string(r.Body()) != "one" {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	large := noise(2, 3<<20)
	put(t, s, 1, large)
	if r, err := s.Get(ctx, site); err != nil || string(r.Body()) != large {
		t.Errorf("a record that is not too large: %v", err)
	}
	takeLease(t, s, site)() // a Put that was too large does not stop leases
}

// TestHistoryIsLimitedInBytes: if versions are large, fewer are kept, but always the newest.
func TestHistoryIsLimitedInBytes(t *testing.T) {
	s, _ := setup(t, redis.Options{})
	for i := range 10 {
		put(t, s, i, noise(i, 1<<20))
	}
	list, err := s.History(ctx, site)
	if err != nil || len(list) != 3 {
		t.Errorf("%d versions, %v", len(list), err)
	}
	put(t, s, 11, noise(11, 4<<20-4096))
	if list, err := s.History(ctx, site); err != nil || len(list) != 1 {
		t.Errorf("%d versions, %v", len(list), err)
	}
	put(t, s, 12, "small")
	if list, err := s.History(ctx, site); err != nil || string(list[0].Body) != "small" {
		t.Errorf("%d versions, %v", len(list), err)
	}
}
