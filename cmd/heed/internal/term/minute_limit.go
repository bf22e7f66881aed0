package term

import (
	"sync"
	"time"
)

// MinuteLimit limits messages about the same failure to one a minute. For example, a store that does not work fails at
// each question.
type MinuteLimit struct {
	mu         sync.Mutex
	lastPrint  time.Time // when a message was printed last; zero: never
	skipped    int       // the number of messages that were not printed since then
	wasPrinted bool      // a message was printed after the last call of EndFailure
}

// MayPrint reports whether to print a message now, and the number of messages that were left out since the last one.
func (s *MinuteLimit) MayPrint(now time.Time) (skipped int, isDue bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.lastPrint.IsZero() && now.Sub(s.lastPrint) < time.Minute {
		s.skipped++
		return 0, false
	}
	skipped, s.skipped, s.lastPrint, s.wasPrinted = s.skipped, 0, now, true
	return skipped, true
}

// EndFailure must be called when the failure is over. If isDue is true, a message should say that the failure is over.
func (s *MinuteLimit) EndFailure() (skipped int, isDue bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.wasPrinted {
		return 0, false
	}
	skipped, s.skipped, s.wasPrinted = s.skipped, 0, false
	return skipped, true
}
