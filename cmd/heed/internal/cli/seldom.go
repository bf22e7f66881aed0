package cli

import (
	"sync"
	"time"
)

// seldom lets one of many equal messages pass in a minute. A store that is down fails with each
// question.
type seldom struct {
	mu     sync.Mutex
	last   time.Time // of a message; zero: there was none
	unsaid int       // messages since then
}

const seldomEach = time.Minute

// say reports whether to say something now, and how many messages were left out before it.
func (s *seldom) say(at time.Time) (unsaid int, now bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() && at.Sub(s.last) < seldomEach {
		s.unsaid++
		return 0, false
	}
	unsaid, s.unsaid, s.last = s.unsaid, 0, at
	return unsaid, true
}
