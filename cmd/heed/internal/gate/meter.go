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

// A meter limits how often each client may do something (a token bucket). In this example, the limit is once per
// second. After a pause, a client may do it three times at once:
//
//	12:00:00.0  may; full again at 12:00:01.0
//	12:00:00.1  may; full again at 12:00:02.0
//	12:00:00.2  may; full again at 12:00:03.0
//	12:00:00.3  may not: would be full again at 12:00:04.0, more than three seconds later
//	12:00:01.0  may; full again at 12:00:04.0
//
// If the meter knows maxClients clients, all new clients share one bucket. A nil meter has no limit.
type meter struct {
	interval   time.Duration // for one use, at the given rate
	maxWait    time.Duration // the longest time until the bucket of a client is full again
	maxClients int

	mu    sync.Mutex
	full  map[Client]time.Time
	swept time.Time
}

// The rate is in uses per second. After a pause, burst uses can come at once. If the rate is 0 or less, newMeter
// returns nil, which means no limit.
func newMeter(rate float64, burst, maxClients int) *meter {
	if rate <= 0 {
		return nil
	}
	every := time.Duration(float64(time.Second) / rate)
	return &meter{interval: every, maxWait: every * time.Duration(burst), maxClients: maxClients, full: map[Client]time.Time{}}
}

// If the client must wait, take counts nothing, and returns how long.
func (m *meter) take(c Client, now time.Time) (wait time.Duration) {
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	full, known := m.full[c]
	if !known && len(m.full) >= m.maxClients {
		m.forget(now)
		if len(m.full) >= m.maxClients {
			c = Client{}
			full = m.full[c]
		}
	}
	if full.Before(now) {
		full = now
	}
	full = full.Add(m.interval)
	if wait = full.Sub(now) - m.maxWait; wait > 0 {
		return wait
	}
	m.full[c] = full
	return 0
}

// forget looks at all clients, so it runs at most once per second.
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

// Without a limit, one client could make the daemon send requests to thousands of sites.
type retrievals struct {
	each, all  *meter
	inProgress *semaphore.Weighted // limits the retrievals in progress, also those that wait for the Fetcher
}

var errManyRetrievals = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("the robots.txt of the site must be fetched, and too many retrievals are in progress; ask again later")}

// A cache.Cache calls Admit before each retrieval. An error means that a limit does not allow the retrieval.
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
