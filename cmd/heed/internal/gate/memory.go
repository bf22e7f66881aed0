package gate

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/heed-robots/heed/internal/asked"
)

// A memory limits the bytes that all requests use together. One client cannot use all these bytes. Take compares two
// numbers: the bytes that the client would have after the call, and the bytes that were free before the call. If the
// first number is larger, Take fails.
type memory struct {
	max int64

	Mu      sync.Mutex
	Taken   int64
	clients map[Client]int64
}

func NewMemory(max int64) *memory { return &memory{max: max, clients: map[Client]int64{}} }

// heed copies bodies and answers, for example when a buffer grows. So each byte counts as several bytes.
const (
	PerBodyByte   = 4
	PerAnswerByte = 2
	PerToolByte   = 6 // the answer has the result of a tool twice: as JSON, and as a text with JSON
)

var errMemory = &asked.Problem{
	Status: http.StatusServiceUnavailable, RetryAfter: slotPause,
	Err: errors.New("the requests in progress use all the memory that this server allows for requests; try again later"),
}

// HeldBytes counts the bytes of one request. A nil *HeldBytes counts nothing.
type HeldBytes struct {
	Of  *memory
	who Client

	// Of.Mu guards N and ended.
	N     int64
	ended bool
}

// Take counts n more bytes, until GiveBack or End. If too few bytes are free, it returns errMemory.
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

func (h *HeldBytes) GiveBack(n int) {
	if h == nil {
		return
	}
	h.Of.Mu.Lock()
	defer h.Of.Mu.Unlock()
	h.Of.add(h, -min(h.N, int64(n))) // after End, h.N is 0
}

// After End, the bytes are free, and Take returns an error.
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

type heldKey struct{}

// HeldBytesIn returns nil if the bytes of the request are not counted.
func HeldBytesIn(ctx context.Context) *HeldBytes {
	h, _ := ctx.Value(heldKey{}).(*HeldBytes)
	return h
}

// The caller must call End on the result.
func (g *Gate) NewHeldBytes(ctx context.Context) *HeldBytes {
	who, _ := ClientIn(ctx)
	return &HeldBytes{Of: g.Memory, who: who}
}
