package term

import (
	"sync"
	"time"
)

// Seldom limits messages about the same failure to one a minute. A store that does not work, for example, fails for
// each question.
type Seldom struct {
	mu     sync.Mutex
	last   time.Time // when a message was printed last; zero: never
	unsaid int       // the number of messages that were not printed since then
	open   bool      // a message was printed after the last call of Over
}

const seldomEach = time.Minute

// Say reports whether to print a message now. The result unsaid is the number of messages left out since the last
// printed one.
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

// The method Over must be called when the failure has ended. If a message about the failure was printed, the result now
// is true: then the end of the failure should be printed too. The result unsaid is the number of messages left out
// since that message.
func (s *Seldom) Over() (unsaid int, now bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return 0, false
	}
	unsaid, s.unsaid, s.open = s.unsaid, 0, false
	return unsaid, true
}
