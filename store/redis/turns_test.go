package redis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/store/redis"
)

const turns = key + ":turns"

// TestLateTurnIsReturned: the reply to Reserve comes after Reserve has timed out. The turn is
// given back, since nobody has it.
func TestLateTurnIsReturned(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	s, raw := open(t, srv.URL(), redis.Options{}), srv.raw()
	if _, err := s.Reserve(ctx, site, time.Time{}, time.Hour/2); err != nil {
		t.Fatal(err)
	}
	srv.hang()
	called := time.Now()
	_, err := s.Reserve(ctx, site, time.Time{}, time.Minute)
	if took := time.Since(called); err == nil || took < 400*time.Millisecond || took > 2*time.Second {
		t.Errorf("took %v, error %v", took, err)
	}
	srv.resume()
	eventually(t, maxRecover, "the late turn is given back", func() bool { return runCommand(t, raw, "ZCARD", turns) == "1" })
	var got time.Duration
	eventually(t, maxRecover, "Reserve", func() bool {
		turn, err := s.Reserve(ctx, site, time.Time{}, time.Minute)
		got = turn.At.Sub(called)
		return err == nil
	})
	if got < 29*time.Minute || got > 31*time.Minute {
		t.Errorf("the next turn is after %v, want 30m", got)
	}
}

// TestCorruptTurns: what is no turn is deleted, and turns far in the future, from a clock that was
// wrong, take no place.
func TestCorruptTurns(t *testing.T) {
	s, raw := setup(t, redis.Options{})
	runCommand(t, raw, "ZADD", turns, "9000000000000000", "60000000 word", "inf", "60000000 more", "5", "x", "9000000000000001", "", "9000000000000002", "-5 x", "1", "9999999999999999 x")
	for want := range 2 {
		turn, err := s.Reserve(ctx, site, time.Time{}, time.Minute)
		if got := time.Until(turn.At).Round(time.Minute); err != nil || got != time.Duration(want)*time.Minute {
			t.Errorf("a turn after %v, error %v, want %dm", got, err, want)
		}
	}
	if n := runCommand(t, raw, "ZCARD", turns); n != "2" {
		t.Errorf("%s turns", n)
	}
}

// TestTurnsInFullRedis: a full server refuses Reserve, with its reason.
func TestTurnsInFullRedis(t *testing.T) {
	srv := startServer(t, "--maxmemory", "1", "--maxmemory-policy", "noeviction")
	s := open(t, srv.URL(), redis.Options{Timeout: longTimeout})
	if _, err := s.Reserve(ctx, site, time.Time{}, time.Minute); err == nil || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("error %v, want OOM", err)
	}
}
