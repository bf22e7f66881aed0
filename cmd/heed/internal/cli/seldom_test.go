package cli

import (
	"testing"
	"time"
)

// A store that is down is a message a minute, with the number of those that were left out.
func TestSeldom(t *testing.T) {
	var s seldom
	start := time.Unix(1_000, 0)
	for _, c := range []struct {
		after  time.Duration
		unsaid int
		now    bool
	}{
		{0, 0, true}, {time.Second, 0, false}, {59 * time.Second, 0, false}, {time.Minute, 2, true},
		{time.Minute + time.Second, 0, false}, {5 * time.Minute, 1, true}, {7 * time.Minute, 0, true},
	} {
		if unsaid, now := s.say(start.Add(c.after)); unsaid != c.unsaid || now != c.now {
			t.Errorf("after %v: %d, %v; want %d, %v", c.after, unsaid, now, c.unsaid, c.now)
		}
	}
}
