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

// A meter limits how often each client may do something: at a steady rate, and more at once after
// a pause (a token bucket). For each client it keeps one time: if the client may do it every
// second, and three times at once, then
//
//	12:00:00.0  may; full again at 12:00:01.0
//	12:00:00.1  may; full again at 12:00:02.0
//	12:00:00.2  may; full again at 12:00:03.0
//	12:00:00.3  may not: full again at 12:00:04.0 would be more than three seconds later
//	12:00:01.0  may; full again at 12:00:04.0
//
// A client whose time has passed is like one that never came, so it can be forgotten. If max
// clients are remembered and none can be forgotten, all new ones share a time. A nil meter
// has no limit.
type meter struct {
	every time.Duration // between two
	ahead time.Duration // how far in the future the time of a client may be
	max   int           // clients that are remembered

	mu    sync.Mutex
	full  map[Client]time.Time
	swept time.Time
}

// newMeter returns a meter for a rate, in times a second; nil if that is 0 or less: no limit.
// burst is how often at once.
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

// retrievals limits the requests that the daemon sends to sites. Each question about a new site
// is a request to it, and clients choose the sites: without a limit, one client could use the
// daemon to send requests to thousands of them.
//
// Beyond a limit there is no retrieval and no answer, only an error: a question without an answer
// is no permission. What is cached is answered as before.
type retrievals struct {
	each, all *meter
	underWay  *semaphore.Weighted // with those that wait for a turn of the Fetcher
}

var errManyRetrievals = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("nothing fresh is cached for the site, and too many retrievals are under way; ask again later")}

// Admit is for cache.Cache.Admit.
func (r *retrievals) Admit(ctx context.Context, _ origin.Origin) (end func(), err error) {
	now := time.Now()
	if c, ok := ClientIn(ctx); ok {
		if wait := r.each.take(c, now); wait > 0 {
			return nil, &asked.Problem{Status: http.StatusTooManyRequests, RetryAfter: wait, Err: errors.New("nothing fresh is cached for the site, and this client has caused too many retrievals; ask again later")}
		}
	}
	if wait := r.all.take(Client{}, now); wait > 0 {
		return nil, &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: wait, Err: errors.New("nothing fresh is cached for the site, and the server has made too many retrievals; ask again later")}
	}
	if !r.underWay.TryAcquire(1) {
		return nil, errManyRetrievals
	}
	return func() { r.underWay.Release(1) }, nil
}
