package server

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/report"
)

// slots limit the work that takes much CPU time: a hostile robots.txt keeps a comparison busy for
// seconds. So little of it runs at the same time that the other methods stay fast, and none of it
// runs for more than slotTime.
//
// They are shared by clients, not by requests: a free slot is for the client that has the fewest of
// them, and among those for the one that got its last slot first. So a client that sends many
// questions waits for itself, and another one waits for at most one work of each client.
type slots struct {
	all  int           // how many there are
	time time.Duration // for which one work may run

	mu      sync.Mutex
	taken   int
	running map[client]int    // slots of each client; a client without one is not in it
	last    map[client]uint64 // when each client that runs or waits got a slot, as a number of grant
	grants  uint64
	waiting []*waiter // in the order in which they came
}

// A waiter is a work that waits for a slot.
type waiter struct {
	who     client
	granted chan struct{} // closed when it has the slot
}

const (
	slotTime = 10 * time.Second // the usual work takes milliseconds
	// slotQueue limits the works that wait. A client may have as many of them as are free then:
	// one alone half of them.
	slotQueue = 64
	// slotWait is for how long each may wait: until the longest work has ended, and some more.
	slotWait  = slotTime + 2*time.Second
	slotPause = 2 * time.Second // for Retry-After
)

// newSlots returns a slot for each core except one, which is for the other methods.
func newSlots() *slots {
	return &slots{all: max(1, runtime.GOMAXPROCS(0)-1), time: slotTime, running: map[client]int{}, last: map[client]uint64{}}
}

var (
	// errBusy is the error of work that found no slot.
	errBusy = &asked.Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
		Err: errors.New("too many questions of this kind are being answered; try again later"),
	}
	// errLong is the error of work that was ended.
	errLong = &asked.Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
		Err: errors.New("the answer takes too much work for this server; the command heed on a machine of your own has no such limit"),
	}
	// errGone is the error of a request whose client has gone. Nobody sees it.
	errGone = &asked.Problem{Status: http.StatusServiceUnavailable, Err: errors.New("the client has gone")}
)

// answerInSlot answers with what work returns. The work runs in a slot, and must end soon after its
// context, which ends when the client leaves, or after slotTime. It must not wait, for a site or
// for anything else; the writing of the answer, which may wait for the client, needs no slot.
func (s *Server) answerInSlot(ctx context.Context, w http.ResponseWriter, work func(context.Context) (any, error)) error {
	body, err := s.slots.json(ctx, work)
	if err == nil {
		err = holding(ctx).take(len(body) * perAnswerByte)
	}
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// json runs work in a slot, and returns its result as JSON.
func (s *slots) json(ctx context.Context, work func(context.Context) (any, error)) ([]byte, error) {
	who, _ := clientIn(ctx)
	if err := s.take(ctx, who); err != nil {
		return nil, err
	}
	defer s.leave(who)
	limited, stop := context.WithTimeout(ctx, s.time)
	defer stop()
	answer, err := work(limited)
	switch {
	case ctx.Err() != nil:
		return nil, errGone
	case limited.Err() != nil:
		return nil, errLong
	case err != nil:
		return nil, err
	}
	return report.AppendJSON(nil, answer), nil
}

// take waits for a slot.
func (s *slots) take(ctx context.Context, who client) error {
	w, err := s.enter(who)
	if w == nil || err != nil {
		return err
	}
	timeout := time.NewTimer(slotWait)
	defer timeout.Stop()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
		err = errGone
	case <-timeout.C:
		err = errBusy
	}
	if !s.stopWaiting(w) {
		s.leave(who) // it was granted meanwhile
	}
	return err
}

// enter takes a slot, or returns a waiter.
func (s *slots) enter(who client) (*waiter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken < s.all {
		s.grant(who)
		return nil, nil
	}
	own := 0
	for _, w := range s.waiting {
		if w.who == who {
			own++
		}
	}
	if own >= slotQueue-len(s.waiting) {
		return nil, errBusy
	}
	w := &waiter{who, make(chan struct{})}
	s.waiting = append(s.waiting, w)
	return w, nil
}

// grant gives a client a slot.
func (s *slots) grant(who client) {
	s.taken++
	s.grants++
	s.running[who]++
	s.last[who] = s.grants
}

// leave gives a slot back, and to the next waiter.
func (s *slots) leave(who client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.running[who]--; s.running[who] == 0 {
		delete(s.running, who)
	}
	if len(s.waiting) > 0 {
		next := s.next()
		w := s.waiting[next]
		s.waiting = slices.Delete(s.waiting, next, next+1)
		s.grant(w.who)
		close(w.granted)
	}
	s.forget(who)
}

// next returns which waiter is the next one.
func (s *slots) next() (best int) {
	for i, w := range s.waiting {
		b := s.waiting[best].who
		if mine, least := s.running[w.who], s.running[b]; mine < least || mine == least && s.last[w.who] < s.last[b] {
			best = i
		}
	}
	return best
}

// stopWaiting removes a waiter; false: it has a slot.
func (s *slots) stopWaiting(w *waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting, w)
	if i < 0 {
		return false
	}
	s.waiting = slices.Delete(s.waiting, i, i+1)
	s.forget(w.who)
	return true
}

// forget forgets a client that neither runs nor waits, so that no memory grows with clients.
func (s *slots) forget(who client) {
	if s.running[who] == 0 && !slices.ContainsFunc(s.waiting, func(w *waiter) bool { return w.who == who }) {
		delete(s.last, who)
	}
}
