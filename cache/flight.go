package cache

import (
	"context"
	"fmt"

	"github.com/heed-robots/heed/origin"
)

// Of the following, one thing at a time goes on for an origin, so that none undoes
// what another did meanwhile.

// retrieval is what came of asking for an origin.
type retrieval struct {
	entry *entry
	asked bool // the origin was; else what is known of it was not due
	err   error
}

// forgetting is what came of forgetting an origin.
type forgetting struct {
	err    error
	gaveUp bool // whoever began it did
}

// wait does something that has to do with an origin, or waits for whoever does the
// same. Where something else goes on, it waits until that has ended. The work
// goes on after ctx ends, for the others, until Close.
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

// current returns how an origin stands, after asking it where that is due.
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

// renew returns an entry of the origin that is not due any more: from memory,
// from the store or from the origin, which is asked once at a time.
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

// refreshLater asks for an entry in the background, unless too much goes on
// there: the next who asks about it tries again.
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
		return // the Cache is closed: it refreshes nothing any more
	}
	go func() {
		defer func() { <-c.background; e.refreshing.Store(false); c.working.Done() }()
		c.renew(context.Background(), o, c.isRefreshDue) // what fails is in the record, or asked again
	}()
}

// Refresh asks an origin, whatever is remembered of it, or waits for whoever
// asks it already. It does not wait until the Store has what came of that: Close
// does.
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
		} // else it waited for somebody who found that nothing was due
	}
}

// Forget forgets an origin and its history, also what waits to be written of it.
// When it returns, the Store has forgotten it too, or the error says why not.
func (c *Cache) Forget(ctx context.Context, o origin.Origin) error {
	c.once.Do(c.init)
	for {
		done, err := wait(ctx, c, o, func() forgetting {
			err := c.forget(ctx, o)
			return forgetting{err: err, gaveUp: err != nil && ctx.Err() != nil}
		})
		if err != nil {
			return err
		}
		if !done.gaveUp || ctx.Err() != nil {
			return done.err
		} // else it waited for somebody who gave up
	}
}

func (c *Cache) forget(ctx context.Context, o origin.Origin) error {
	defer c.memory.remove(o) // at last: somebody may read the store meanwhile
	if c.Store == nil {
		return nil
	}
	if err := c.writes.forget(ctx, o); err != nil {
		return err
	}
	return recoveredError(func() error { return c.Store.Delete(ctx, o) })
}

// retrieve asks for an origin if what is remembered of it is due.
func (c *Cache) retrieve(o origin.Origin, due func(*entry) bool) retrieval {
	ctx := c.open
	e, err := c.remembered(ctx, o)
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
