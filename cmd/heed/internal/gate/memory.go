package gate

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

	Mu      sync.Mutex
	Taken   int64
	clients map[Client]int64 // bytes of each client; a client without any is not in it
}

func NewMemory(max int64) *memory { return &memory{max: max, clients: map[Client]int64{}} }

// What is taken for a byte. It is more than one, because there are copies: a body grows while it is
// read, is decoded, and becomes an answer.
const (
	PerBodyByte   = 4
	PerAnswerByte = 2
	PerToolByte   = 6 // of a result of a tool, which is in the answer twice: as JSON, and as a text with JSON
)

// errMemory is the error of a request for which no memory is left.
var errMemory = &asked.Problem{
	Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
	Err: errors.New("the requests that are in work hold too much memory; try again later"),
}

// Held is what one request holds. A nil *Held takes nothing: it is of a request without a body, which
// can hold little, or of the one program that uses standard input.
type Held struct {
	Of  *memory
	who Client

	// Fields under the mutex of the memory.
	N     int64
	ended bool
}

// Take takes bytes until end is called, or returns errMemory.
func (h *Held) Take(n int) error {
	if h == nil {
		return nil
	}
	m, more := h.Of, int64(n)
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if h.ended || m.clients[h.who]+more > m.max-m.Taken {
		return errMemory
	}
	m.add(h, more)
	return nil
}

// GiveBack gives back bytes that were taken.
func (h *Held) GiveBack(n int) {
	if h == nil {
		return
	}
	h.Of.Mu.Lock()
	defer h.Of.Mu.Unlock()
	h.Of.add(h, -min(h.N, int64(n))) // nothing is left after end
}

// GiveAllBack gives back all that was taken.
func (h *Held) GiveAllBack() { h.GiveBack(math.MaxInt) }

// End gives all back at the end of the request. What still runs for it can take no more.
func (h *Held) End() {
	h.Of.Mu.Lock()
	defer h.Of.Mu.Unlock()
	h.Of.add(h, -h.N)
	h.ended = true
}

func (m *memory) add(h *Held, n int64) {
	h.N += n
	m.Taken += n
	if m.clients[h.who] += n; m.clients[h.who] == 0 {
		delete(m.clients, h.who)
	}
}

type heldKey struct{} // of a request that has a body: its *held

// Holding returns what a request with this context holds; nil: nothing is counted.
func Holding(ctx context.Context) *Held {
	h, _ := ctx.Value(heldKey{}).(*Held)
	return h
}

// Hold begins to count what a request holds. The caller must call end of the result.
func (g *Gate) Hold(ctx context.Context) *Held {
	who, _ := ClientIn(ctx)
	return &Held{Of: g.Memory, who: who}
}
