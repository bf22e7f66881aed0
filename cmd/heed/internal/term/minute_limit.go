package term

import (
	"sync"
	"time"
)

// MinuteLimit limits messages about the same failure to one a minute. A store that does not work, for example, fails for
// each question.
type MinuteLimit struct {
	mu         sync.Mutex
	lastPrint  time.Time // when a message was printed last; zero: never
	skipped    int       // the number of messages that were not printed since then
	wasPrinted bool      // a message was printed after the last call of EndFailure
}

// MayPrint reports whether to print a message now. The result skipped is the number of messages that were left out since
// the last printed message.
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

// EndFailure must be called when the failure has ended. If isDue is true, a message should report that the failure has
// ended.
func (s *MinuteLimit) EndFailure() (skipped int, isDue bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.wasPrinted {
		return 0, false
	}
	skipped, s.skipped, s.wasPrinted = s.skipped, 0, false
	return skipped, true
}
