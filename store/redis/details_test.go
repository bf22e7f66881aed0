package redis_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/store/redis"
)

const key, versions = "heed:{https://site-1.example}", "heed:{https://site-1.example}:versions"

var site = storetest.Origin(1)

func setup(t *testing.T, o redis.Options) (*redis.Store, rueidis.Client) {
	srv := startServer(t)
	o.Timeout = longTimeout
	return open(t, srv.URL(), o), srv.raw()
}

func put(t *testing.T, s *redis.Store, days int, body string) {
	t.Helper()
	if err := s.Put(ctx, storetest.Record(site, start.AddDate(0, 0, days), body)); err != nil {
		t.Fatal(err)
	}
}

// history returns the bodies of the history, the newest first.
func history(t *testing.T, s *redis.Store) string {
	t.Helper()
	list, err := s.History(ctx, site)
	if err != nil {
		t.Fatal(err)
	}
	var bodies []string
	for _, v := range list {
		bodies = append(bodies, string(v.Body))
	}
	return strings.Join(bodies, " ")
}

// TestCorruptHistory: History returns an error, and a Put replaces what is corrupt.
func TestCorruptHistory(t *testing.T) {
	s, raw := setup(t, redis.Options{})
	const ofTwo = "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3" // printf two | sha256sum
	index := func(text string) func() { return func() { runCommand(t, raw, "HSET", versions, "index", text) } }
	for name, c := range map[string]struct {
		corrupt func()
		want    string // the history after a Put of "four"
	}{
		"other words":    {index("three other words"), "four"},
		"a wrong number": {index("00000000000000000001 x 200 -"), "four"},
		"a large number": {index("09223372036854775808 00000000000000000001 200 -"), "four"},
		"a large status": {index("00000000000000000001 00000000000000000001 99999999999999999999 -"), "four"},
		"a wrong sum":    {index("00000000000000000001 00000000000000000001 200 --"), "four"},
		"an empty index": {index(""), "four"},
		"no index":       {func() { runCommand(t, raw, "HDEL", versions, "index") }, "four"},
		"a corrupt body": {func() { corrupt(t, raw, versions, ofTwo) }, "four three one"},
		"another body":   {func() { runCommand(t, raw, "HSET", versions, ofTwo, packed("other")) }, "four three one"},
		"a missing body": {func() { runCommand(t, raw, "HDEL", versions, ofTwo) }, "four three one"},
		"another type":   {func() { runCommand(t, raw, "DEL", versions); runCommand(t, raw, "SET", versions, "x") }, "four"},
	} {
		t.Run(name, func(t *testing.T) {
			runCommand(t, raw, "FLUSHALL")
			for i, body := range []string{"one", "two", "three"} {
				put(t, s, i, body)
			}
			c.corrupt()
			if list, err := s.History(ctx, site); !errors.Is(err, cache.ErrWrongRecord) {
				t.Errorf("got %v, error %v, want ErrWrongRecord", list, err)
			}
			put(t, s, 3, "four")
			if got := history(t, s); got != c.want {
				t.Errorf("after a Put: %q, want %q", got, c.want)
			}
		})
	}
}

func packed(body string) string {
	w, _ := zstd.NewWriter(nil)
	return string(w.EncodeAll([]byte(body), nil))
}

// TestCorruptRecord: a corrupt record is an error, and a Put replaces it. Changed bits are
// tested by storetest.
func TestCorruptRecord(t *testing.T) {
	s, raw := setup(t, redis.Options{})
	bomb := packed(strings.Repeat("a", 65<<20))
	for name, corrupt := range map[string]func(){
		"no head":       func() { runCommand(t, raw, "HDEL", key, "head") },
		"no body":       func() { runCommand(t, raw, "HDEL", key, "body") },
		"an empty body": func() { runCommand(t, raw, "HSET", key, "body", "") },
		"a huge body":   func() { runCommand(t, raw, "HSET", key, "body", bomb) },
		"another type":  func() { runCommand(t, raw, "DEL", key); runCommand(t, raw, "RPUSH", key, "x") },
		"the record of another origin": func() {
			if err := s.Put(ctx, storetest.Record(storetest.Origin(2), start, "x")); err != nil {
				t.Fatal(err)
			}
			runCommand(t, raw, "COPY", "heed:{https://site-2.example}", key, "REPLACE")
		},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, s, 0, "one")
			corrupt()
			if r, err := s.Get(ctx, site); !errors.Is(err, cache.ErrWrongRecord) {
				t.Errorf("got %v, error %v, want ErrWrongRecord", r, err)
			} else if strings.Contains(name, "huge") && !strings.Contains(err.Error(), "not zstd") {
				t.Errorf("all of it was decompressed: %v", err)
			}
			put(t, s, 0, "one")
			if _, err := s.Get(ctx, site); err != nil {
				t.Errorf("after a Put: %v", err)
			}
		})
	}
}

// TestLastOfVersion: a Put changes Last by nanoseconds, but not to an earlier time.
func TestLastOfVersion(t *testing.T) {
	s, _ := setup(t, redis.Options{})
	for _, at := range []time.Duration{5, 6, 3} {
		if err := s.Put(ctx, storetest.Record(site, start.Add(at), "one")); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.History(ctx, site)
	if err != nil || len(list) != 1 || !list[0].First.Equal(start.Add(5)) || !list[0].Last.Equal(start.Add(6)) {
		t.Errorf("got %v, %v", list, err)
	}
}

// TestBodiesAreKeptOnce: equal bodies of several versions are kept once. The body of a version
// that was deleted is deleted.
func TestBodiesAreKeptOnce(t *testing.T) {
	s, raw := setup(t, redis.Options{Versions: 3})
	for i, body := range []string{"zero", "one", "two", "one"} {
		put(t, s, i, body)
	}
	if n := runCommand(t, raw, "HLEN", versions); n != "3" || history(t, s) != "one two one" {
		t.Errorf("%s fields, want an index and two bodies; history %q", n, history(t, s))
	}
}

// TestExpiry: every key expires, and Get sets the time again.
func TestExpiry(t *testing.T) {
	s, raw := setup(t, redis.Options{Keep: time.Hour})
	put(t, s, 0, "one")
	left := func(key string) time.Duration {
		d, err := time.ParseDuration(runCommand(t, raw, "PTTL", key) + "ms")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, key := range []string{key, versions} {
		if d := left(key); d < 59*time.Minute || d > time.Hour {
			t.Errorf("%s expires in %v", key, d)
		}
		runCommand(t, raw, "EXPIRE", key, "1700")
	}
	if _, err := s.Get(ctx, site); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{key, versions} {
		if d := left(key); d < 59*time.Minute {
			t.Errorf("%s expires in %v after a Get", key, d)
		}
	}
}

// TestLease tests what storetest cannot see.
func TestLease(t *testing.T) {
	s, raw := setup(t, redis.Options{LeaseTime: 200 * time.Millisecond})
	taken, cancel := context.WithCancel(ctx)
	release, err := s.Lease(taken, site)
	if err != nil || release == nil {
		t.Fatalf("no lease: %v", err)
	}
	cancel()
	release()
	if runCommand(t, raw, "EXISTS", key+":lease") != "0" {
		t.Error("a lease is not given back after its context ended")
	}
	late, _ := s.Lease(ctx, site)
	eventually(t, 5*time.Second, "the lease expires", func() bool { return runCommand(t, raw, "EXISTS", key+":lease") == "0" })
	if next, err := s.Lease(ctx, site); err != nil || next == nil {
		t.Fatalf("no lease: %v", err)
	}
	late()
	if runCommand(t, raw, "EXISTS", key+":lease") != "1" {
		t.Error("giving back an expired lease deleted the next one")
	}
}

// TestOrigins: Origins skips keys that are not those of records.
func TestOrigins(t *testing.T) {
	s, raw := setup(t, redis.Options{Prefix: `h[e]*\?:`})
	put(t, s, 0, "one")
	for _, foreign := range []string{
		"x", "heed:{https://b.example}", `h[e]*\?:{https://c.example`, `h[e]*\?:{HTTPS://d.example}`, `h[e]*\?:{}`,
		`h[e]*\?:{https://e.example}:versions`, `h[e]*\?:{https://f.example/}`, "he:{https://g.example}",
	} {
		runCommand(t, raw, "SET", foreign, "x")
	}
	n := 0
	for o, err := range s.Origins(ctx) {
		if n++; err != nil || o != site {
			t.Errorf("got %q, %v", o, err)
		}
	}
	if n != 1 {
		t.Errorf("%d origins, want 1", n)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for o, err := range s.Origins(ended) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %q, %v", o, err)
		}
	}
}

// TestLayout: the keys are those in the documentation of the package.
func TestLayout(t *testing.T) {
	s, raw := setup(t, redis.Options{})
	put(t, s, 0, "one")
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := r.DecodeAll([]byte(runCommand(t, raw, "HGET", key, "body")), nil); err != nil || !bytes.Equal(body, []byte("one")) {
		t.Errorf("body %q, %v", body, err)
	}
	const ofOne = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed" // printf one | sha256sum
	if got, want := runCommand(t, raw, "HGET", versions, "index"), "01777809600000000000 01777809600000000000 200 "+ofOne; got != want {
		t.Errorf("index %q, want %q", got, want)
	}
	if head := runCommand(t, raw, "HGET", key, "head"); !strings.HasPrefix(head, "4 ") || strings.Contains(head, "\n") {
		t.Errorf("head %q", head)
	}
}

// TestErrorRepliesAreNoOutage: after an error of the server, or a context that ended, other
// calls are still sent.
func TestErrorRepliesAreNoOutage(t *testing.T) {
	s, raw := setup(t, redis.Options{})
	put(t, s, 0, "one")
	runCommand(t, raw, "SET", "heed:{https://site-2.example}", "x")
	if _, err := s.Get(ctx, storetest.Origin(2)); !errors.Is(err, cache.ErrWrongRecord) {
		t.Errorf("error %v", err)
	}
	runCommand(t, raw, "ACL", "SETUSER", "default", "-set")
	if _, err := s.Lease(ctx, site); err == nil || !strings.Contains(err.Error(), "NOPERM") {
		t.Errorf("error %v", err)
	}
	for range 100 {
		short, cancel := context.WithTimeout(ctx, time.Microsecond)
		s.Get(short, site)
		cancel()
	}
	if _, err := s.Get(ctx, site); err != nil {
		t.Error(err)
	}
}

// TestEndedContext: with a context that has ended, nothing is sent.
func TestEndedContext(t *testing.T) {
	s, raw := setup(t, redis.Options{})
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for range 20 {
		put := s.Put(ended, storetest.Record(site, start, "one"))
		_, lease := s.Lease(ended, site)
		_, history := s.History(ended, site)
		for _, err := range []error{put, lease, history, s.Delete(ended, site)} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		}
	}
	time.Sleep(50 * time.Millisecond)
	if n := runCommand(t, raw, "DBSIZE"); n != "0" {
		t.Errorf("%s keys, want none", n)
	}
}
