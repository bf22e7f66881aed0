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

// slots limit the work that takes much CPU time: a hostile robots.txt keeps a comparison busy for
// seconds. So little of it runs at the same time that the other methods stay fast, and none of it
// runs for more than slotTime.
//
// They are shared by clients, not by requests: a free slot is for the client that has the fewest of
// them, and among those for the one that got its last slot first. So a client that sends many
// questions waits for itself, and another one waits for at most one work of each client.
type slots struct {
	All  int           // how many there are
	time time.Duration // for which one work may run

	Mu      sync.Mutex
	Taken   int
	running map[Client]int    // slots of each client; a client without one is not in it
	last    map[Client]uint64 // when each client that runs or waits got a slot, as a number of grant
	grants  uint64
	Waiting []*waiter // in the order in which they came
}

// A waiter is a work that waits for a slot.
type waiter struct {
	who     Client
	granted chan struct{} // closed when it has the slot
}

const (
	slotTime = 10 * time.Second // the usual work takes milliseconds
	// SlotQueue limits the works that wait. A client may have as many of them as are free then:
	// one alone half of them.
	SlotQueue = 64
	// SlotWait is for how long each may wait: until the longest work has ended, and some more.
	SlotWait  = slotTime + 2*time.Second
	slotPause = 2 * time.Second // for Retry-After
)

// newSlots returns a slot for each core except one, which is for the other methods.
func newSlots() *slots {
	return &slots{All: max(1, runtime.GOMAXPROCS(0)-1), time: slotTime, running: map[Client]int{}, last: map[Client]uint64{}}
}

var (
	// ErrBusy is the error of work that found no slot.
	ErrBusy = &asked.Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
		Err: errors.New("too many questions of this kind are being answered; try again later"),
	}
	// errLong is the error of work that was ended.
	errLong = &asked.Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
		Err: errors.New("the answer takes too much work for this server; the command heed on a machine of your own has no such limit"),
	}
	// ErrGone is the error of a request whose client has gone. Nobody sees it.
	ErrGone = &asked.Problem{Status: http.StatusServiceUnavailable, Err: errors.New("the client has gone")}
)

// AnswerInSlot answers with what work returns. The work runs in a slot, and must end soon after its
// context, which ends when the client leaves, or after slotTime. It must not wait, for a site or
// for anything else; the writing of the answer, which may wait for the client, needs no slot.
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

// Take waits for a slot.
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

// enter takes a slot, or returns a waiter.
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

// Leave gives a slot back, and to the next waiter.
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

// next returns which waiter is the next one.
func (s *slots) next() (best int) {
	for i, w := range s.Waiting {
		b := s.Waiting[best].who
		if mine, least := s.running[w.who], s.running[b]; mine < least || mine == least && s.last[w.who] < s.last[b] {
			best = i
		}
	}
	return best
}

// stopWaiting removes a waiter; false: it has a slot.
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

// forget forgets a client that neither runs nor waits, so that no memory grows with clients.
func (s *slots) forget(who Client) {
	if s.running[who] == 0 && !slices.ContainsFunc(s.Waiting, func(w *waiter) bool { return w.who == who }) {
		delete(s.last, who)
	}
}
