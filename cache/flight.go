package cache

import (
	"context"
	"fmt"

	"github.com/heed-robots/heed/origin"
)

// For each origin there is one flight at a time: a retrieval, or a deletion. Otherwise one
// could undo what the other did meanwhile. Callers that want the same share a flight; its
// result is either a retrieval or a deletion, and so tells them whether it was theirs:
//
//	caller 1 wants a retrieval    begins one; gets its result
//	caller 2 wants a retrieval    joins; gets the same result
//	caller 3 wants a deletion     joins; gets a retrieval, which is not what it wants, so it
//	                              tries again, and begins a deletion

// retrieval is the result of a flight that retrieves if that is due.
type retrieval struct {
	entry *entry
	asked bool // there was a retrieval; else none was due
	err   error
}

// deletion is the result of a flight that deletes what is cached.
type deletion struct {
	err    error
	gaveUp bool // the context of the caller that began it ended
}

// wait begins a flight whose result is a T, or joins the one that is under way, until one has
// such a result. A flight goes on after the context of its first caller ends, for the others,
// until Close.
func wait[T any](ctx context.Context, c *Cache, o origin.Origin, do func() T) (result T, err error) {
	for {
		flight := c.flights.DoChan(o.String(), func() (any, error) {
			if !c.begin() {
				return nil, fmt.Errorf("%s: %w", o, ErrClosed)
			}
			defer c.working.Done()
			return do(), nil
		})
		select {
		case <-ctx.Done():
			return result, fmt.Errorf("cache: %s: %w", o, context.Cause(ctx))
		case done := <-flight:
			if done.Err != nil {
				return result, done.Err
			}
			if result, ok := done.Val.(T); ok {
				return result, nil
			}
		}
	}
}

// current returns an origin in its present state, after a retrieval if one is due.
func (c *Cache) current(ctx context.Context, o origin.Origin) (Site, error) {
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
	e, err := c.renew(ctx, o, c.isDue)
	if err != nil {
		return Site{}, err
	}
	return c.siteAt(e, c.now()), nil
}

// renew returns an entry for which no retrieval is due: from memory, from the store or from
// a retrieval.
func (c *Cache) renew(ctx context.Context, o origin.Origin, due func(*entry) bool) (*entry, error) {
	done, err := wait(ctx, c, o, func() retrieval { return c.retrieve(o, due) })
	if err != nil {
		return nil, err
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

// refreshLater begins a retrieval in the background, unless too many are under way: the next
// question about the origin tries again.
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
		return // the Cache is closed
	}
	go func() {
		defer func() { <-c.background; e.refreshing.Store(false); c.working.Done() }()
		c.renew(context.Background(), o, c.isRefreshDue) // a failure is in the record, or the next question tries again
	}()
}

// Refresh retrieves the robots.txt of an origin, even if the cached one is fresh, or waits for
// a retrieval that is under way. It does not wait until the record is written to the Store.
func (c *Cache) Refresh(ctx context.Context, o origin.Origin) error {
	c.once.Do(c.init)
	always := func(*entry) bool { return true }
	for {
		done, err := wait(ctx, c, o, func() retrieval { return c.retrieve(o, always) })
		switch {
		case err != nil:
			return err
		case done.err != nil || done.asked:
			return done.err
		} // else it joined a flight for which no retrieval was due
	}
}

// Forget deletes what is cached of an origin, with its history and the records that wait for
// their write. When it returns, the Store has deleted it too, or the error says why not.
func (c *Cache) Forget(ctx context.Context, o origin.Origin) error {
	c.once.Do(c.init)
	for {
		done, err := wait(ctx, c, o, func() deletion {
			err := c.forget(ctx, o)
			return deletion{err: err, gaveUp: err != nil && ctx.Err() != nil}
		})
		if err != nil {
			return err
		}
		if !done.gaveUp || ctx.Err() != nil {
			return done.err
		} // else it joined the flight of a caller who gave up
	}
}

func (c *Cache) forget(ctx context.Context, o origin.Origin) error {
	defer c.memory.remove(o) // last, since a question may read the store meanwhile
	if c.Store == nil {
		return nil
	}
	if err := c.writes.forget(ctx, o); err != nil {
		return err
	}
	return recoveredError(func() error { return c.Store.Delete(ctx, o) })
}

// retrieve retrieves the robots.txt of an origin if due says so of the cached entry.
func (c *Cache) retrieve(o origin.Origin, due func(*entry) bool) retrieval {
	ctx := c.open
	e, err := c.cached(ctx, o)
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
	e, err = c.ask(ctx, e)
	return retrieval{entry: e, asked: true, err: err}
}
