package cache

import (
	"context"
	"fmt"
	"time"

	"github.com/heed-robots/heed/origin"
)

const (
	// While another process has the lease, the Cache tries to get it after 20 ms, then after 40 ms, and so on.
	firstPoll = 20 * time.Millisecond
	maxPoll   = 500 * time.Millisecond

	// leaseWait is long enough for a retrieval (the default Timeout of a fetch.Fetcher), and for writing the record (two
	// seconds).
	leaseWait = 32 * time.Second
)

var errLeased = fmt.Errorf("another process said that it fetches this robots.txt, but has not finished after %s: this process now fetches the robots.txt itself", leaseWait)

// lease waits at most leaseWait for the lease of an origin. If another process has already fetched, release is nil.
// Otherwise the caller must fetch, and then call release.
func (c *Cache) lease(running context.Context, shared Leaser, e *entry, due func(*entry) bool) (release func(), _ *entry) {
	ctx, cancel := context.WithTimeout(running, leaseWait)
	defer cancel()
	o := e.record.Origin
	failed := func(err error) {
		if running.Err() == nil { // otherwise Close ended the wait
			c.storeFailed("lease", o, err)
		}
	}
	for poll := firstPoll; ; poll = min(2*poll, maxPoll) {
		release, err := c.takeLease(ctx, shared, o)
		if err != nil {
			failed(err)
			return func() {}, e
		}
		if latest, err := c.cachedEntry(ctx, o); err == nil {
			e = latest // the last holder of the lease may have put this newer record
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
			failed(errLeased)
			return func() {}, e
		}
	}
}

// takeLease returns nil if another process has the lease. It first takes the lease that this Cache has not given back
// since its last retrieval.
func (c *Cache) takeLease(ctx context.Context, shared Leaser, o origin.Origin) (release func(), err error) {
	if release = c.writes.takeLease(o); release != nil {
		return release, nil
	}
	return recoverPanic(func() (func(), error) { return shared.Lease(ctx, o) })
}
