package gate

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/origin"
)

// A meter limits how often each client may do something: at a steady rate, and after a pause several
// times in a row (a token bucket). For each client the meter keeps only the time when the bucket will
// be full again. If a client may do it every second, and three times in a row, then
//
//	12:00:00.0  may; full again at 12:00:01.0
//	12:00:00.1  may; full again at 12:00:02.0
//	12:00:00.2  may; full again at 12:00:03.0
//	12:00:00.3  may not: full again at 12:00:04.0 would be more than three seconds later
//	12:00:01.0  may; full again at 12:00:04.0
//
// A client whose time has passed is like a new one, so the meter may forget it. If the meter remembers
// max clients and can forget none, all new clients share one time. A nil meter has no limit.
type meter struct {
	every time.Duration // one more is allowed after this time
	ahead time.Duration // how far in the future the time of a client may be
	max   int           // clients that are remembered

	mu    sync.Mutex
	full  map[Client]time.Time
	swept time.Time
}

// newMeter returns a meter for a rate, in times a second. If the rate is 0 or less, it returns nil: there
// is no limit. burst is how many times in a row are allowed after a pause.
func newMeter(rate float64, burst, maxClients int) *meter {
	if rate <= 0 {
		return nil
	}
	every := time.Duration(float64(time.Second) / rate)
	return &meter{every: every, ahead: every * time.Duration(burst), max: maxClients, full: map[Client]time.Time{}}
}

// take returns 0 if a client may do it now, or else how long it must wait.
func (m *meter) take(c Client, now time.Time) (wait time.Duration) {
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	full, known := m.full[c]
	if !known && len(m.full) >= m.max {
		m.forget(now)
		if len(m.full) >= m.max {
			c = Client{}
			full = m.full[c]
		}
	}
	if full.Before(now) {
		full = now
	}
	full = full.Add(m.every)
	if wait = full.Sub(now) - m.ahead; wait > 0 {
		return wait
	}
	m.full[c] = full
	return 0
}

// forget deletes the clients whose time has passed, at most once a second, because it looks at
// all of them.
func (m *meter) forget(now time.Time) {
	if now.Sub(m.swept) < time.Second {
		return
	}
	m.swept = now
	for c, full := range m.full {
		if !full.After(now) {
			delete(m.full, c)
		}
	}
}

// retrievals limits the requests that the daemon sends to sites. Each question about a new site causes
// a request to it, and clients choose the sites. Without a limit, a client could use the daemon to send
// requests to thousands of sites.
//
// Beyond a limit, a question that needs a retrieval gets an error and no answer, and no crawler may
// take that for a permission. Questions about cached sites are still answered.
type retrievals struct {
	each, all  *meter
	inProgress *semaphore.Weighted // of all retrievals, with those that wait for the Fetcher
}

var errManyRetrievals = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("the robots.txt of the site must be fetched, and too many retrievals are in progress; ask again later")}

// Admit is the function for cache.Cache.Admit. It returns an error if a limit does not allow a retrieval.
func (r *retrievals) Admit(ctx context.Context, _ origin.Origin) (end func(), err error) {
	now := time.Now()
	if c, ok := ClientIn(ctx); ok {
		if wait := r.each.take(c, now); wait > 0 {
			return nil, &asked.Problem{Status: http.StatusTooManyRequests, RetryAfter: wait, Err: errors.New("the robots.txt of the site must be fetched, and this client has caused too many retrievals; ask again later")}
		}
	}
	if wait := r.all.take(Client{}, now); wait > 0 {
		return nil, &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: wait, Err: errors.New("the robots.txt of the site must be fetched, and this server has made too many retrievals; ask again later")}
	}
	if !r.inProgress.TryAcquire(1) {
		return nil, errManyRetrievals
	}
	return func() { r.inProgress.Release(1) }, nil
}
