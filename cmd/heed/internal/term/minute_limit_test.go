package term

import (
	"testing"
	"time"
)

// A store that is down is a message a minute, with the number of those that were left out.
func TestMinuteLimit(t *testing.T) {
	var s MinuteLimit
	start := time.Unix(1_000, 0)
	for _, c := range []struct {
		after  time.Duration
		unsaid int
		now    bool
	}{
		{0, 0, true}, {time.Second, 0, false}, {59 * time.Second, 0, false}, {time.Minute, 2, true},
		{time.Minute + time.Second, 0, false}, {5 * time.Minute, 1, true}, {7 * time.Minute, 0, true},
	} {
		if unsaid, now := s.MayPrint(start.Add(c.after)); unsaid != c.unsaid || now != c.now {
			t.Errorf("after %v: %d, %v; want %d, %v", c.after, unsaid, now, c.unsaid, c.now)
		}
	}
}

// That the store works again is said once after each message, also with the number of those that
// were left out.
func TestMinuteLimitEndFailure(t *testing.T) {
	var s MinuteLimit
	start := time.Unix(1_000, 0)
	check := func(unsaid int, now bool) {
		t.Helper()
		if u, n := s.EndFailure(); u != unsaid || n != now {
			t.Errorf("over: %d, %v; want %d, %v", u, n, unsaid, now)
		}
	}
	check(0, false)
	s.MayPrint(start)
	s.MayPrint(start.Add(time.Second))
	check(1, true)
	check(0, false)
	s.MayPrint(start.Add(2 * time.Second)) // within the minute: not said
	check(0, false)
	s.MayPrint(start.Add(2 * time.Minute))
	check(0, true)
}
