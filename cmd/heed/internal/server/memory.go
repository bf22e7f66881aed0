package server

import (
	"context"
	"errors"
	"math"
	"net/http"
	"sync"

	"github.com/heed-robots/heed/internal/asked"
)

// A memory is the budget of bytes that all requests hold: bodies that were read, with what is made
// of them, and answers that clients have not read. A client may hold as much as is free then: one
// alone half of it. So there is always some for others.
type memory struct {
	max int64

	mu      sync.Mutex
	taken   int64
	clients map[client]int64 // bytes of each client; a client without any is not in it
}

func newMemory(max int64) *memory { return &memory{max: max, clients: map[client]int64{}} }

// What is taken for a byte. It is more than one, because there are copies: a body grows while it is
// read, is decoded, and becomes an answer.
const (
	perBodyByte   = 4
	perAnswerByte = 2
	perToolByte   = 4 // of a result of a tool, which becomes JSON in JSON
)

// errMemory is the error of a request for which no memory is left.
var errMemory = &asked.Problem{
	Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
	Err: errors.New("the requests that are in work hold too much memory; try again later"),
}

// held is what one request holds. A nil *held takes nothing: it is of a request without a body, which
// can hold little, or of the one program that uses standard input.
type held struct {
	of  *memory
	who client

	// Fields under the mutex of the memory.
	n     int64
	ended bool
}

// take takes bytes until end is called, or returns errMemory.
func (h *held) take(n int) error {
	if h == nil {
		return nil
	}
	m, more := h.of, int64(n)
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.ended || m.clients[h.who]+more > m.max-m.taken {
		return errMemory
	}
	m.add(h, more)
	return nil
}

// giveBack gives back bytes that were taken.
func (h *held) giveBack(n int) {
	if h == nil {
		return
	}
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	h.of.add(h, -min(h.n, int64(n))) // nothing is left after end
}

// giveAllBack gives back all that was taken.
func (h *held) giveAllBack() { h.giveBack(math.MaxInt) }

// end gives all back at the end of the request. What still runs for it can take no more.
func (h *held) end() {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	h.of.add(h, -h.n)
	h.ended = true
}

func (m *memory) add(h *held, n int64) {
	h.n += n
	m.taken += n
	if m.clients[h.who] += n; m.clients[h.who] == 0 {
		delete(m.clients, h.who)
	}
}

type heldKey struct{} // of a request that has a body: its *held

// holding returns what a request with this context holds; nil: nothing is counted.
func holding(ctx context.Context) *held {
	h, _ := ctx.Value(heldKey{}).(*held)
	return h
}

// hold begins to count what a request holds. The caller must call end of the result.
func (s *Server) hold(ctx context.Context) *held {
	who, _ := clientIn(ctx)
	return &held{of: s.memory, who: who}
}
