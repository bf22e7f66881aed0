package redis_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/store/redis"
)

// user makes a user with some rights, and returns the URL with that user.
func user(t *testing.T, srv *server, raw rueidis.Client, rights ...string) string {
	t.Helper()
	runCommand(t, raw, append([]string{"ACL", "SETUSER", "crawler", "reset", "on", ">" + secret, "~*", "&*", "+@all"}, rights...)...)
	return "redis://crawler:" + secret + "@" + srv.Addr()
}

// TestNoLeaseWithoutTheRightToPut: if the user may not put, even the first Lease fails. The
// server's error depends on the right that is missing.
func TestNoLeaseWithoutTheRightToPut(t *testing.T) {
	srv := startServer(t)
	raw := srv.raw()
	for _, rights := range []string{"-@scripting", "-eval -evalsha", "-evalsha", "-hset", "-@write +set", "resetchannels", "-pexpire"} {
		t.Run(rights, func(t *testing.T) {
			s := open(t, user(t, srv, raw, strings.Fields(rights)...), redis.Options{Timeout: longTimeout})
			release, err := s.Lease(ctx, site)
			if release != nil || err == nil || !strings.Contains(strings.ToLower(err.Error()), " user ") {
				t.Errorf("lease %v, error %v, want an error about the rights of the user", release != nil, err)
			}
			if runCommand(t, raw, "EXISTS", key+":lease") != "0" {
				t.Error("the lease is taken")
			}
			runCommand(t, raw, "FLUSHALL")
		})
	}
}

// TestNoLeaseAfterRefusedPut: after a Put was refused, Lease fails until a Put succeeds.
func TestNoLeaseAfterRefusedPut(t *testing.T) {
	srv := startServer(t)
	raw := srv.raw()
	s := open(t, user(t, srv, raw), redis.Options{Timeout: longTimeout})
	takeLease(t, s, site)()
	runCommand(t, raw, "ACL", "SETUSER", "crawler", "-evalsha", "-eval")
	if err := s.Put(ctx, storetest.Record(site, start, "one")); err == nil || !strings.Contains(err.Error(), "NOPERM") {
		t.Errorf("Put: error %v, want NOPERM", err)
	}
	if release, err := s.Lease(ctx, site); release != nil || err == nil || !strings.Contains(err.Error(), "NOPERM") {
		t.Errorf("lease %v, error %v, want NOPERM", release != nil, err)
	}
	runCommand(t, raw, "ACL", "SETUSER", "crawler", "+evalsha", "+eval")
	put(t, s, 0, "one")
	takeLease(t, s, site)()
}

// TestRecordsAreReadWithoutScripts: a user that may not run scripts can read records.
func TestRecordsAreReadWithoutScripts(t *testing.T) {
	srv := startServer(t)
	raw := srv.raw()
	put(t, open(t, srv.URL(), redis.Options{Timeout: longTimeout}), 0, "one")
	s := open(t, user(t, srv, raw, "-@scripting"), redis.Options{Timeout: longTimeout})
	if r, err := s.Get(ctx, site); err != nil || string(r.Body()) != "one" {
		t.Errorf("got %v, %v", r, err)
	}
}

// TestCrowdWithoutRightsDoesNotQueue: processes that may not put make their retrievals at the
// same time, not one after the other.
func TestCrowdWithoutRightsDoesNotQueue(t *testing.T) {
	t.Parallel()
	srv, w := startServer(t), newWeb(t)
	w.delay.Store(int64(500 * time.Millisecond))
	url := user(t, srv, srv.raw(), "-@scripting")
	const processes = 20
	var crowd sync.WaitGroup
	begin := time.Now()
	for range processes {
		c := crawler(t, w.address, open(t, url, redis.Options{Timeout: 5 * time.Second}))
		crowd.Go(func() { check(t, c, "site-1.example", "/closed") })
	}
	crowd.Wait()
	took := time.Since(begin)
	t.Logf("%d processes took %v", processes, took)
	if took > 5*time.Second { // one after the other: 10 s
		t.Errorf("%d processes took %v", processes, took)
	}
}

// TestFullRedis: a full server refuses Put and Lease, and keeps its records. It uses at most
// maxmemory and the size of one Put, since it checks maxmemory before the Put.
func TestFullRedis(t *testing.T) {
	portion.Skip(t, 4)
	const limit, slack = 8 << 20, 1 << 20
	srv := startServer(t, "--maxmemory", fmt.Sprint(limit), "--maxmemory-policy", "noeviction")
	s, raw := open(t, srv.URL(), redis.Options{Timeout: longTimeout}), srv.raw()
	put(t, s, 0, "one")
	other := storetest.Origin(0)
	runCommand(t, raw, "SET", "heed:{"+other.String()+"}", "of another type")
	refused := 0
	for n := range 3000 {
		if err := s.Put(ctx, storetest.Record(storetest.Origin(n+2), start, noise(n, 32<<10))); err != nil {
			if refused++; !strings.Contains(err.Error(), "OOM") {
				t.Fatalf("Put: %v", err)
			}
		}
	}
	used := usedMemory(t, raw)
	t.Logf("%d of 3000 were refused, %d MB are used", refused, used>>20)
	if refused == 0 || used > limit+slack {
		t.Errorf("%d bytes are used", used)
	}

	runCommand(t, raw, "CONFIG", "SET", "maxmemory", fmt.Sprint(limit/2)) // now there is no room for a small record either
	if err := s.Put(ctx, storetest.Record(site, start.Add(time.Hour), "two")); err == nil || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("Put: error %v, want OOM", err)
	}
	if r, err := s.Get(ctx, site); err != nil || string(r.Body()) != "one" || history(t, s) != "one" {
		t.Errorf("got %v, %v", r, err)
	}
	if err := s.Put(ctx, storetest.Record(other, start, "two")); err == nil || runCommand(t, raw, "GET", "heed:{"+other.String()+"}") != "of another type" {
		t.Errorf("Put: error %v, want OOM", err)
	}
	for _, crawler := range []*redis.Store{s, open(t, srv.URL(), redis.Options{Timeout: longTimeout})} {
		if release, err := crawler.Lease(ctx, storetest.Origin(9000)); release != nil || err == nil || !strings.Contains(err.Error(), "OOM") {
			t.Errorf("lease %v, error %v, want OOM", release != nil, err)
		}
	}
	for n := range 1000 {
		if err := s.Delete(ctx, storetest.Origin(n+2)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, s, 1, "two")
	takeLease(t, s, site)()
}

func usedMemory(t *testing.T, raw rueidis.Client) (bytes int) {
	t.Helper()
	_, rest, _ := strings.Cut(runCommand(t, raw, "INFO", "memory"), "used_memory:")
	if _, err := fmt.Sscan(rest, &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes
}

// TestDocumentedRightsAreEnough: all works with the rights in the documentation of the package.
func TestDocumentedRightsAreEnough(t *testing.T) {
	srv := startServer(t)
	raw := srv.raw()
	rights := []string{"resetkeys", "resetchannels", "-@all", "~heed:*", "&heed:changed"}
	for name := range strings.FieldsSeq("HELLO PING EVAL EVALSHA GET GETRANGE SET DEL TYPE PTTL PEXPIRE SCAN PUBLISH SUBSCRIBE " +
		"HGET HMGET HGETALL HSET HDEL HKEYS HLEN HEXISTS HSTRLEN TIME ZADD ZRANGE ZREM ZSCORE") {
		rights = append(rights, "+"+name)
	}
	url := user(t, srv, raw, rights...)
	s, other := open(t, url, redis.Options{Timeout: longTimeout}), open(t, srv.URL(), redis.Options{Timeout: longTimeout})
	notices, stop := listen(s)
	defer stop()
	takeLease(t, s, site)()
	if n := runCommand(t, raw, "DBSIZE"); n != "0" {
		t.Errorf("%s keys are left", n)
	}
	put(t, s, 0, "one")
	put(t, s, 1, "two")
	runCommand(t, raw, "EXPIRE", key, "10")
	if r, err := s.Get(ctx, site); err != nil || string(r.Body()) != "two" || history(t, s) != "two one" {
		t.Errorf("got %v, %v", r, err)
	}
	if left := runCommand(t, raw, "TTL", key); len(left) < 3 {
		t.Errorf("the record expires in %s s", left)
	}
	for o, err := range s.Origins(ctx) {
		if err != nil || o != site {
			t.Errorf("got %q, %v", o, err)
		}
	}
	for what, command := range map[string][]string{
		"a record of another type": {"SET", key, "x"}, "a history of another type": {"SET", versions, "x"}, "no body": {"HSET", versions, sumOfTwo, "x"},
	} {
		if what != "no body" {
			runCommand(t, raw, "DEL", command[1])
		}
		runCommand(t, raw, command...)
		s.History(ctx, site)
		put(t, s, 2, "two")
	}
	receivesAgain(t, other, notices)
	if err := s.Delete(ctx, site); err != nil {
		t.Error(err)
	}
	runCommand(t, raw, "SET", key+":turns", "of another type")
	for range 2 {
		turn, err := s.Reserve(ctx, site, time.Time{}, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Return(ctx, turn); err != nil {
			t.Error(err)
		}
	}
	if err := s.PutNote(ctx, site, "told", []byte("one")); err != nil {
		t.Error(err)
	}
	if note, err := s.Note(ctx, site, "told"); err != nil || string(note) != "one" {
		t.Errorf("got the note %q, %v", note, err)
	}
	for o, err := range s.Notes(ctx, "told") {
		if err != nil || o != site {
			t.Errorf("got %q, %v", o, err)
		}
	}
	if n := runCommand(t, raw, "ZCARD", key+":turns"); n != "1" {
		t.Errorf("%s turns, want the one that has begun", n)
	}
	if left, err := strconv.Atoi(runCommand(t, raw, "TTL", key+":turns")); err != nil || left <= 60 || left > 120 {
		t.Errorf("the turns expire in %d s", left)
	}
}
