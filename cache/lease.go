package cache

import (
	"context"
	"fmt"
	"time"

	"github.com/heed-robots/heed/origin"
)

const (
	// The time between two looks for the record of another process, at first and at most.
	firstLook = 20 * time.Millisecond
	lastLook  = 500 * time.Millisecond

	// leaseWait is how long a Cache waits for the retrieval of another process: the
	// Timeout of a fetch.Fetcher, and two seconds to write the record.
	leaseWait = 32 * time.Second
)

var errLeased = fmt.Errorf("another process has held the lease for more than %s: this one retrieves without it", leaseWait)

// lease waits until this process has the lease of an origin, for at most leaseWait. It
// returns a function that gives the lease back, and the latest entry. The function is nil if
// no retrieval is due any more, since another process has put a newer record.
func (c *Cache) lease(open context.Context, shared Leaser, e *entry, due func(*entry) bool) (release func(), _ *entry) {
	ctx, cancel := context.WithTimeout(open, leaseWait)
	defer cancel()
	o := e.record.Origin
	for look := firstLook; ; look = min(2*look, lastLook) {
		release, err := c.takeLease(ctx, shared, o)
		if err != nil {
			c.storeFailed("lease", o, err)
			return func() {}, e // each process retrieves by itself
		}
		if latest, err := c.cached(ctx, o); err == nil {
			e = latest // the last holder may just have put it
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
		case <-time.After(look):
		case <-ctx.Done():
			if open.Err() == nil { // else the Cache is closed, and the retrieval returns that
				c.storeFailed("lease", o, errLeased)
			}
			return func() {}, e
		}
	}
}

// takeLease returns a function that gives back the lease of an origin: the lease that this
// process still holds, since the record of its last retrieval is not yet written, or a new
// one; nil: another process holds the lease.
func (c *Cache) takeLease(ctx context.Context, shared Leaser, o origin.Origin) (release func(), err error) {
	if release = c.writes.takeLease(o); release != nil {
		return release, nil
	}
	return recovered(func() (func(), error) { return shared.Lease(ctx, o) })
}
