package gate

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/report"
)

// slots limit the jobs that take much CPU time. A hostile robots.txt, for example, can keep a comparison
// busy for seconds. Each job needs a slot, and there are so few that the other methods stay fast. No job
// runs for longer than slotTime.
//
// Clients share the slots equally, however many requests they send. A free slot goes to the client that
// has the fewest slots, and among several to the one whose last slot is the oldest. So a client with many
// questions waits for its own jobs, and another client waits for at most one job of each client.
type slots struct {
	All  int           // how many there are
	time time.Duration // how long one job may run

	Mu      sync.Mutex
	Taken   int
	running map[Client]int    // slots of each client; a client without one is not in it
	last    map[Client]uint64 // the number of the last grant to each client that runs or waits
	grants  uint64
	Waiting []*waiter // the oldest first
}

// A waiter is a job that waits for a slot.
type waiter struct {
	who     Client
	granted chan struct{} // closed when it has the slot
}

const (
	slotTime = 10 * time.Second // the usual work takes milliseconds
	// SlotQueue limits the jobs that wait. A client may have as many waiting jobs as places are still
	// free, so a single client gets half of the places.
	SlotQueue = 64
	// SlotWait is how long a job may wait for its slot: a little longer than the longest job runs.
	SlotWait  = slotTime + 2*time.Second
	slotPause = 2 * time.Second // for Retry-After
)

// newSlots returns a slot for each processor core except one, which stays free for the other methods.
func newSlots() *slots {
	return &slots{All: max(1, runtime.GOMAXPROCS(0)-1), time: slotTime, running: map[Client]int{}, last: map[Client]uint64{}}
}

var (
	// ErrBusy is the error of a job that got no slot.
	ErrBusy = &asked.Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
		Err: errors.New("this server is answering too many other questions that take much work; try again later"),
	}
	// errLong is the error of a job that ran for longer than slotTime.
	errLong = &asked.Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
		Err: errors.New("the answer takes too much work for this server; the command heed on your own machine has no such limit"),
	}
	// ErrGone is the error of a request whose client has gone. Nobody sees it.
	ErrGone = &asked.Problem{Status: http.StatusServiceUnavailable, Err: errors.New("the client has gone")}
)

// AnswerInSlot runs work in a slot, and answers with its result. The context of work ends when the client
// leaves, or after slotTime, and work must return soon after that. work must not wait for a site or for
// anything else. The slot is given back before the answer is written, since that may wait for the client.
func (g *Gate) AnswerInSlot(ctx context.Context, w http.ResponseWriter, work func(context.Context) (any, error)) error {
	body, err := g.Slots.Json(ctx, work)
	if err == nil {
		err = Holding(ctx).Take(len(body) * PerAnswerByte)
	}
	if err != nil {
		return err
	}
	message.WriteJSON(w, http.StatusOK, body)
	return nil
}

// Json runs work in a slot, and returns its result as JSON.
func (s *slots) Json(ctx context.Context, work func(context.Context) (any, error)) ([]byte, error) {
	who, _ := ClientIn(ctx)
	if err := s.Take(ctx, who); err != nil {
		return nil, err
	}
	defer s.Leave(who)
	limited, stop := context.WithTimeout(ctx, s.time)
	defer stop()
	answer, err := work(limited)
	switch {
	case ctx.Err() != nil:
		return nil, ErrGone
	case limited.Err() != nil:
		return nil, errLong
	case err != nil:
		return nil, err
	}
	return report.AppendJSON(nil, answer), nil
}

// Take waits for a slot, at most SlotWait. After an error the caller has no slot; otherwise it must call
// Leave.
func (s *slots) Take(ctx context.Context, who Client) error {
	w, err := s.enter(who)
	if w == nil || err != nil {
		return err
	}
	timeout := time.NewTimer(SlotWait)
	defer timeout.Stop()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
		err = ErrGone
	case <-timeout.C:
		err = ErrBusy
	}
	if !s.stopWaiting(w) {
		s.Leave(who) // it was granted meanwhile
	}
	return err
}

// enter takes a slot and returns nil if a slot is free. Otherwise it adds a new waiter and returns it, or it returns
// ErrBusy if too many jobs wait already.
func (s *slots) enter(who Client) (*waiter, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Taken < s.All {
		s.grant(who)
		return nil, nil
	}
	own := 0
	for _, w := range s.Waiting {
		if w.who == who {
			own++
		}
	}
	if own >= SlotQueue-len(s.Waiting) {
		return nil, ErrBusy
	}
	w := &waiter{who, make(chan struct{})}
	s.Waiting = append(s.Waiting, w)
	return w, nil
}

// grant gives a client a slot.
func (s *slots) grant(who Client) {
	s.Taken++
	s.grants++
	s.running[who]++
	s.last[who] = s.grants
}

// Leave gives a slot back. The next waiter gets it.
func (s *slots) Leave(who Client) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Taken--
	if s.running[who]--; s.running[who] == 0 {
		delete(s.running, who)
	}
	if len(s.Waiting) > 0 {
		next := s.next()
		w := s.Waiting[next]
		s.Waiting = slices.Delete(s.Waiting, next, next+1)
		s.grant(w.who)
		close(w.granted)
	}
	s.forget(who)
}

// next returns the index of the waiter that gets the next free slot.
func (s *slots) next() (best int) {
	for i, w := range s.Waiting {
		b := s.Waiting[best].who
		if mine, least := s.running[w.who], s.running[b]; mine < least || mine == least && s.last[w.who] < s.last[b] {
			best = i
		}
	}
	return best
}

// stopWaiting removes a waiter. It returns false if the waiter already has a slot, which the caller must then give back.
func (s *slots) stopWaiting(w *waiter) bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	i := slices.Index(s.Waiting, w)
	if i < 0 {
		return false
	}
	s.Waiting = slices.Delete(s.Waiting, i, i+1)
	s.forget(w.who)
	return true
}

// forget deletes a client from last if it neither runs nor waits, so that the map does not grow.
func (s *slots) forget(who Client) {
	if s.running[who] == 0 && !slices.ContainsFunc(s.Waiting, func(w *waiter) bool { return w.who == who }) {
		delete(s.last, who)
	}
}
