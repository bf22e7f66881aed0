package term

import (
	"sync"
	"time"
)

// Seldom limits messages about the same failure to one a minute. For example, a store that is down fails
// at each question.
type Seldom struct {
	mu     sync.Mutex
	last   time.Time // of a message; zero: there was none
	unsaid int       // messages since then
	open   bool      // there was a message since Over
}

const seldomEach = time.Minute

// Say reports whether to say something now, and how many messages were left out before it.
func (s *Seldom) Say(at time.Time) (unsaid int, now bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() && at.Sub(s.last) < seldomEach {
		s.unsaid++
		return 0, false
	}
	unsaid, s.unsaid, s.last, s.open = s.unsaid, 0, at, true
	return unsaid, true
}

// Over is called when the failure has ended. now is true if a message has reported the failure, so that its end should be
// reported too. unsaid is how many messages were left out.
func (s *Seldom) Over() (unsaid int, now bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return 0, false
	}
	unsaid, s.unsaid, s.open = s.unsaid, 0, false
	return unsaid, true
}
