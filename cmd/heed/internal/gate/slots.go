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

// slots limits the jobs that take much processor time. A free slot goes to the client with the fewest slots.
type slots struct {
	Count int
	time  time.Duration // for one job

	Mu         sync.Mutex
	Taken      int
	running    map[Client]int    // clients with at least one slot
	lastGrants map[Client]uint64 // the value of grants when the client last got a slot; for clients that run or wait
	grants     uint64
	Waiters    []*waiter // the oldest first
}

type waiter struct {
	who         Client
	slotGranted chan struct{} // closed when the job has its slot
}

const (
	slotTime = 10 * time.Second // enough: a usual job takes milliseconds
	// SlotQueue is the maximum number of waiting jobs. One client can have only half of them.
	SlotQueue = 64
	// SlotWait is how long a job may wait for a slot. It is a little longer than the longest job.
	SlotWait  = slotTime + 2*time.Second
	slotPause = 2 * time.Second
)

// One processor core stays free for requests that need no slot.
func newSlots() *slots {
	return &slots{Count: max(1, runtime.GOMAXPROCS(0)-1), time: slotTime, running: map[Client]int{}, lastGrants: map[Client]uint64{}}
}

var (
	// ErrBusy means that a job got no slot.
	ErrBusy = &asked.Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
		Err: errors.New("this server is answering too many other questions that take much work; try again later"),
	}
	errLong = &asked.Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
		Err: errors.New("the answer takes too much work for this server; the command heed on your own machine has no such limit"),
	}
	// ErrGone means that the client closed the connection, so nobody reads the answer.
	ErrGone = &asked.Problem{Status: http.StatusServiceUnavailable, Err: errors.New("the client closed the connection before it had the answer: ask again")}
)

// AnswerInSlot sends the result of the job. The job must not wait for anything, such as a site.
func (g *Gate) AnswerInSlot(ctx context.Context, w http.ResponseWriter, job func(context.Context) (any, error)) error {
	body, err := g.Slots.Json(ctx, job)
	if err == nil {
		err = HeldBytesIn(ctx).Take(len(body) * PerAnswerByte)
	}
	if err != nil {
		return err
	}
	message.WriteJSON(w, http.StatusOK, body)
	return nil
}

func (s *slots) Json(ctx context.Context, job func(context.Context) (any, error)) ([]byte, error) {
	who, _ := ClientIn(ctx)
	if err := s.Take(ctx, who); err != nil {
		return nil, err
	}
	defer s.Leave(who)
	limited, stop := context.WithTimeout(ctx, s.time)
	defer stop()
	answer, err := job(limited)
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

// Take waits for a slot, at most for SlotWait. If it returns nil, the caller must call Leave.
func (s *slots) Take(ctx context.Context, who Client) error {
	w, err := s.enter(who)
	if w == nil || err != nil {
		return err
	}
	timeout := time.NewTimer(SlotWait)
	defer timeout.Stop()
	select {
	case <-w.slotGranted:
		return nil
	case <-ctx.Done():
		err = ErrGone
	case <-timeout.C:
		err = ErrBusy
	}
	if !s.stopWaiting(w) {
		s.Leave(who) // the job got a slot at the last moment
	}
	return err
}

// If a slot is free, enter takes it and returns nil. If too many jobs wait, it returns ErrBusy.
func (s *slots) enter(who Client) (*waiter, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Taken < s.Count {
		s.grant(who)
		return nil, nil
	}
	own := 0
	for _, w := range s.Waiters {
		if w.who == who {
			own++
		}
	}
	if own >= SlotQueue-len(s.Waiters) {
		return nil, ErrBusy
	}
	w := &waiter{who, make(chan struct{})}
	s.Waiters = append(s.Waiters, w)
	return w, nil
}

func (s *slots) grant(who Client) {
	s.Taken++
	s.grants++
	s.running[who]++
	s.lastGrants[who] = s.grants
}

func (s *slots) Leave(who Client) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Taken--
	if s.running[who]--; s.running[who] == 0 {
		delete(s.running, who)
	}
	if len(s.Waiters) > 0 {
		next := s.nextWaiter()
		w := s.Waiters[next]
		s.Waiters = slices.Delete(s.Waiters, next, next+1)
		s.grant(w.who)
		close(w.slotGranted)
	}
	s.forget(who)
}

// The next slot goes to the client with the fewest slots. If several clients have the fewest slots, the slot goes to
// the client that has got no slot for the longest time.
func (s *slots) nextWaiter() (best int) {
	for i, w := range s.Waiters {
		b := s.Waiters[best].who
		if mine, least := s.running[w.who], s.running[b]; mine < least || mine == least && s.lastGrants[w.who] < s.lastGrants[b] {
			best = i
		}
	}
	return best
}

// stopWaiting returns false if the waiter has just got a slot. The caller must then give it back.
func (s *slots) stopWaiting(w *waiter) bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	i := slices.Index(s.Waiters, w)
	if i < 0 {
		return false
	}
	s.Waiters = slices.Delete(s.Waiters, i, i+1)
	s.forget(w.who)
	return true
}

// Without forget, the map s.lastGrants would grow with each new client.
func (s *slots) forget(who Client) {
	if s.running[who] == 0 && !slices.ContainsFunc(s.Waiters, func(w *waiter) bool { return w.who == who }) {
		delete(s.lastGrants, who)
	}
}
