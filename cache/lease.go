package cache

import (
	"context"
	"fmt"
	"time"

	"github.com/heed-robots/heed/origin"
)

const (
	// How often somebody else's retrieval is looked for.
	firstLook = 20 * time.Millisecond
	lastLook  = 500 * time.Millisecond

	// leaseWait is how long a Cache waits in all for the retrieval of another
	// process: the Timeout of a fetch.Fetcher, and two seconds to write its record.
	leaseWait = 32 * time.Second
)

var errLeased = fmt.Errorf("somebody else has asked for more than %s: the origin is asked without a lease", leaseWait)

// lease waits until this process has the lease of an origin, for at most leaseWait. It
// returns what gives the lease back, and the latest entry; nil where the origin need not
// be asked any more, since another process has put a record that is not due.
func (c *Cache) lease(open context.Context, shared Leaser, e *entry, due func(*entry) bool) (release func(), _ *entry) {
	ctx, cancel := context.WithTimeout(open, leaseWait)
	defer cancel()
	o := e.record.Origin
	for look := firstLook; ; look = min(2*look, lastLook) {
		release, err := c.takeLease(ctx, shared, o)
		if err != nil {
			c.storeFailed("lease", o, err)
			return func() {}, e // each for himself
		}
		if latest, err := c.remembered(ctx, o); err == nil {
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
			if open.Err() == nil { // else the retrieval will say so
				c.storeFailed("lease", o, errLeased)
			}
			return func() {}, e
		}
	}
}

// takeLease returns what gives back the lease of an origin: that of this process,
// where it has not written what it asked for, or a new one; nil: somebody else has
// it.
func (c *Cache) takeLease(ctx context.Context, shared Leaser, o origin.Origin) (release func(), err error) {
	if release = c.writes.takeLease(o); release != nil {
		return release, nil
	}
	return recovered(func() (func(), error) { return shared.Lease(ctx, o) })
}
