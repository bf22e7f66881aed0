package gate

import (
	"context"
	"errors"
	"math"
	"net/http"
	"sync"

	"github.com/heed-robots/heed/internal/asked"
)

// A memory limits the bytes that all requests use. After a call of Take, the client must not have more bytes than were free
// for everybody before the call.
type memory struct {
	max int64

	Mu      sync.Mutex
	Taken   int64
	clients map[Client]int64 // the bytes of each client that uses some
}

func NewMemory(max int64) *memory { return &memory{max: max, clients: map[Client]int64{}} }

// A byte of a body or of an answer counts as several bytes, because heed copies it, for example when a buffer grows.
const (
	PerBodyByte   = 4
	PerAnswerByte = 2
	PerToolByte   = 6 // for the result of a tool, because the answer has the result twice: as JSON, and as a text with JSON
)

var errMemory = &asked.Problem{
	Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
	Err: errors.New("the requests in progress use all the memory that this server allows for requests; try again later"),
}

// HeldBytes counts the bytes that one request uses. A nil *HeldBytes counts nothing.
type HeldBytes struct {
	Of  *memory
	who Client

	// Of.Mu guards N and ended.
	N     int64
	ended bool
}

// Take counts n more bytes until GiveBack or End is called. If fewer bytes are free, it counts nothing and returns
// errMemory.
func (h *HeldBytes) Take(n int) error {
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

// GiveBack stops counting n bytes.
func (h *HeldBytes) GiveBack(n int) {
	if h == nil {
		return
	}
	h.Of.Mu.Lock()
	defer h.Of.Mu.Unlock()
	h.Of.add(h, -min(h.N, int64(n))) // after End, h.N is 0
}

// GiveAllBack stops counting all bytes of the request.
func (h *HeldBytes) GiveAllBack() { h.GiveBack(math.MaxInt) }

// End must be called at the end of the request. Then its bytes are free, and Take returns an error.
func (h *HeldBytes) End() {
	h.Of.Mu.Lock()
	defer h.Of.Mu.Unlock()
	h.Of.add(h, -h.N)
	h.ended = true
}

func (m *memory) add(h *HeldBytes, n int64) {
	h.N += n
	m.Taken += n
	if m.clients[h.who] += n; m.clients[h.who] == 0 {
		delete(m.clients, h.who)
	}
}

type heldKey struct{} // for the *HeldBytes of a request that has a body

// HeldBytesIn returns the HeldBytes of the request with this context, or nil if the bytes of the request are not counted.
func HeldBytesIn(ctx context.Context) *HeldBytes {
	h, _ := ctx.Value(heldKey{}).(*HeldBytes)
	return h
}

// NewHeldBytes returns the HeldBytes of a new request. The caller must call End on it.
func (g *Gate) NewHeldBytes(ctx context.Context) *HeldBytes {
	who, _ := ClientIn(ctx)
	return &HeldBytes{Of: g.Memory, who: who}
}
