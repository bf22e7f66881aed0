package term

import (
	"sync"
	"time"
)

// Seldom limits messages about the same failure to one a minute. For example, if a store does not work, there would
// be a failure for each question.
type Seldom struct {
	mu     sync.Mutex
	last   time.Time // when a message was printed last; zero: never
	unsaid int       // the number of messages that were not printed since then
	open   bool      // a message was printed after the last call of Over
}

const seldomEach = time.Minute

// Say is called for each message. The result now says whether to print the message. unsaid is the number of messages
// that were left out since the last printed message.
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

// Over is called when the failure has ended. If a message about the failure was printed, now is true, and a message
// about its end should be printed. unsaid is the number of messages that were left out.
func (s *Seldom) Over() (unsaid int, now bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return 0, false
	}
	unsaid, s.unsaid, s.open = s.unsaid, 0, false
	return unsaid, true
}
