package cache

import (
	"cmp"
	"context"
	"fmt"

	"github.com/heed-robots/heed/origin"
)

// The callers that want the robots.txt of an origin at the same time share one retrieval or deletion (a flight). An
// origin has at most one flight at a time, because a retrieval and a deletion could undo each other's effects.

type retrieval struct {
	entry *entry
	made  bool // false if no retrieval was due
	err   error

	refused bool // Cache.Admit refused the caller that began the flight; other callers must try again
}

type deletion struct {
	err    error
	gaveUp bool // the context of the caller that began the flight ended; other callers must try again
}

// If a flight of the origin is in progress, shareFlight waits for its result instead of calling the function do. It tries again
// until the function useful returns true for a result.
func shareFlight[T any](ctx context.Context, c *Cache, o origin.Origin, do func() T, useful func(T) bool) (result T, err error) {
	for {
		flight := c.flights.DoChan(o.String(), func() (any, error) {
			if !c.begin() {
				return nil, closedError(o)
			}
			defer c.working.Done()
			return do(), nil
		})
		select {
		case <-ctx.Done():
			return result, endedWhileWaiting(ctx, o)
		case done := <-flight:
			if done.Err != nil {
				return result, done.Err
			}
			if result, ok := done.Val.(T); ok && useful(result) {
				return result, nil
			}
		}
	}
}

func endedWhileWaiting(ctx context.Context, o origin.Origin) error {
	return fmt.Errorf("cache: the context ended before %s was fetched: %w", o.RobotsURL(), context.Cause(ctx))
}

func (c *Cache) currentSite(ctx context.Context, o origin.Origin) (Site, error) {
	if c.closed.Load() {
		return Site{}, closedError(o)
	}
	now := c.now()
	if e := c.memory.get(o); e != nil {
		s := c.siteAt(e, now)
		if now.Before(s.state.due) {
			if !now.Before(s.state.refresh) {
				c.refreshLater(o, e)
			}
			return s, nil
		}
	}
	c.waited.Add(1)
	e, err := c.renew(ctx, o, c.isDue)
	if err != nil {
		return Site{}, err
	}
	return c.siteAt(e, c.now()), nil
}

func (c *Cache) renew(ctx context.Context, o origin.Origin, due func(*entry) bool) (*entry, error) {
	began := false // false if this call joined the flight of another call
	done, err := shareFlight(ctx, c, o,
		func() retrieval { began = true; return c.fetchIfDue(ctx, o, due) },
		func(r retrieval) bool { return began || !r.refused })
	if err != nil {
		return nil, err
	}
	if !began {
		c.shared.Add(1)
	}
	return done.entry, done.err
}

func (c *Cache) isDue(e *entry) bool {
	now := c.now()
	return !now.Before(c.settings.stateOf(e, now).due)
}

func (c *Cache) isRefreshDue(e *entry) bool {
	now := c.now()
	return !now.Before(c.settings.stateOf(e, now).refresh)
}

// If too many retrievals are in progress, refreshLater does nothing: the next question about the origin tries again.
func (c *Cache) refreshLater(o origin.Origin, e *entry) {
	if !e.refreshing.CompareAndSwap(false, true) {
		return
	}
	select {
	case c.background <- struct{}{}:
	default:
		e.refreshing.Store(false)
		return
	}
	if !c.begin() {
		return
	}
	go func() {
		defer func() { <-c.background; e.refreshing.Store(false); c.working.Done() }()
		c.renew(context.Background(), o, c.isRefreshDue) // an error is ignored: the next question tries again
	}()
}

// Refresh fetches the robots.txt of an origin, even before Answer.NextRetrieval. It does not wait for the write to the
// Store. A failed retrieval is not an error. The error is ErrClosed, the cause of an ended ctx, or from the Fetcher.
func (c *Cache) Refresh(ctx context.Context, o origin.Origin) error {
	c.once.Do(c.init)
	always := func(*entry) bool { return true }
	began := false
	done, err := shareFlight(ctx, c, o,
		func() retrieval { began = true; return c.fetchIfDue(ctx, o, always) },
		func(r retrieval) bool { return r.made || r.err != nil && (began || !r.refused) })
	return cmp.Or(err, done.err)
}

// Forget deletes everything that is cached for an origin: the record, the history, and waiting records. The error is
// ErrClosed, the cause of an ended ctx, or from the Store.
func (c *Cache) Forget(ctx context.Context, o origin.Origin) error {
	c.once.Do(c.init)
	done, err := shareFlight(ctx, c, o,
		func() deletion {
			err := c.forget(ctx, o)
			return deletion{err: err, gaveUp: err != nil && ctx.Err() != nil}
		},
		func(d deletion) bool { return !d.gaveUp || ctx.Err() != nil })
	return cmp.Or(err, done.err)
}

func (c *Cache) forget(ctx context.Context, o origin.Origin) error {
	defer c.memory.remove(o) // must come after Store.Delete: otherwise PeekSite could read the record into memory again before the deletion
	if c.Store == nil {
		return nil
	}
	if err := c.writes.forget(ctx, o); err != nil {
		return err
	}
	return recoveredError(func() error { return c.Store.Delete(ctx, o) })
}

// The context asker is for Admit only. Its end must not end the retrieval, because other callers may wait for the
// result.
func (c *Cache) fetchIfDue(asker context.Context, o origin.Origin, due func(*entry) bool) retrieval {
	ctx := c.running
	e, err := c.cachedEntry(ctx, o)
	if err != nil || !due(e) {
		return retrieval{entry: e, err: err}
	}
	if shared, ok := c.Store.(Leaser); ok {
		var release func()
		if release, e = c.lease(ctx, shared, e, due); release == nil {
			return retrieval{entry: e}
		}
		defer c.writes.giveBack(o, release)
	}
	if c.Admit != nil {
		end, err := c.Admit(asker, o)
		if err != nil {
			return retrieval{err: err, refused: true}
		}
		defer end()
	}
	e, err = c.fetch(ctx, e)
	return retrieval{entry: e, made: true, err: err}
}
