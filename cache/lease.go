package cache

import (
	"context"
	"fmt"
	"time"

	"github.com/heed-robots/heed/origin"
)

const (
	// While another process holds the lease, a Cache polls for the lease and the record. The
	// time between two polls doubles from firstPoll to maxPoll.
	firstPoll = 20 * time.Millisecond
	maxPoll   = 500 * time.Millisecond

	// leaseWait is how long a Cache waits for the retrieval of another process: the default
	// Timeout of a fetch.Fetcher, and two seconds to write the record.
	leaseWait = 32 * time.Second
)

var errLeased = fmt.Errorf("another process has held the lease for more than %s: this one retrieves without it", leaseWait)

// lease waits until this process has the lease of an origin, for at most leaseWait. It returns
// the function that gives the lease back, and the latest entry:
//   - if it has the lease, the caller must retrieve, and then call the function;
//   - if there are no leases now, or the wait was too long, the caller must retrieve without
//     a lease; the function does nothing;
//   - if no retrieval is due any more, because another process has put a newer record, the
//     function is nil.
func (c *Cache) lease(running context.Context, shared Leaser, e *entry, due func(*entry) bool) (release func(), _ *entry) {
	ctx, cancel := context.WithTimeout(running, leaseWait)
	defer cancel()
	o := e.record.Origin
	for poll := firstPoll; ; poll = min(2*poll, maxPoll) {
		release, err := c.takeLease(ctx, shared, o)
		if err != nil {
			c.storeFailed("lease", o, err)
			return func() {}, e
		}
		if latest, err := c.cached(ctx, o); err == nil {
			e = latest // the process that held the lease before may have put it
		}
		if !due(e) {
			if release != nil {
				c.writes.giveBack(o, release)
			}
			return nil, e
		}
		if release != nil {
			return release, e
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
			if running.Err() == nil { // otherwise Close ended the wait, and the retrieval fails
				c.storeFailed("lease", o, errLeased)
			}
			return func() {}, e
		}
	}
}

// takeLease takes the lease of an origin, and returns the function that gives it back; nil:
// another process holds the lease. This process may still hold the lease of its last
// retrieval, if that record is not yet written; then takeLease returns that one.
func (c *Cache) takeLease(ctx context.Context, shared Leaser, o origin.Origin) (release func(), err error) {
	if release = c.writes.takeLease(o); release != nil {
		return release, nil
	}
	return recovered(func() (func(), error) { return shared.Lease(ctx, o) })
}
