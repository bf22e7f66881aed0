package server

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"time"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/report"
)

// slots limit the work that takes much CPU time: a hostile robots.txt keeps a comparison busy for
// seconds. So little of it runs at the same time that the other methods stay fast.
type slots struct {
	running chan struct{} // has an element for each work that runs
	waiting chan struct{} // and for each that waits
}

const (
	slotQueue = 16              // works that may wait
	slotWait  = 2 * time.Second // for which each may wait
)

// newSlots returns a slot for each core except one, which is for the other methods.
func newSlots() *slots {
	return &slots{make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)), make(chan struct{}, slotQueue)}
}

// errBusy is the error of work that found no slot.
var errBusy = &asked.Problem{
	Status: http.StatusServiceUnavailable, RetryAfter: slotWait,
	Err: errors.New("too many questions of this kind are being answered; try again later"),
}

// errGone is the error of a request whose client has gone. Nobody sees it.
var errGone = &asked.Problem{Status: http.StatusServiceUnavailable, Err: errors.New("the client has gone")}

// answerInSlot answers with what work returns. The work runs in a slot, and should end soon after
// the context. It must not wait, for a site or for anything else; the writing of the answer, which
// may wait for the client, needs no slot.
func (s *Server) answerInSlot(ctx context.Context, w http.ResponseWriter, work func() (any, error)) error {
	body, err := s.slots.json(ctx, work)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// json runs work in a slot, and returns its result as JSON.
func (s *slots) json(ctx context.Context, work func() (any, error)) ([]byte, error) {
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer func() { <-s.running }()
	answer, err := work()
	switch {
	case ctx.Err() != nil:
		return nil, errGone
	case err != nil:
		return nil, err
	}
	return report.AppendJSON(nil, answer), nil
}

// take waits for a slot.
func (s *slots) take(ctx context.Context) error {
	select {
	case s.running <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return errBusy
	}
	timeout := time.NewTimer(slotWait)
	defer timeout.Stop()
	select {
	case s.running <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errGone
	case <-timeout.C:
		return errBusy
	}
}
