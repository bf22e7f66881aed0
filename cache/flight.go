package cache

import (
	"cmp"
	"context"
	"fmt"

	"github.com/heed-robots/heed/origin"
)

// For each origin there is one flight at a time: a retrieval, or a deletion. Otherwise one
// could undo what the other did meanwhile. Callers that want the same share a flight. A caller
// may also join a flight that is of no use for it; then it tries again:
//
//	caller 1 wants a retrieval    begins a flight, and gets its result
//	caller 2 wants a retrieval    joins, and gets the same result
//	caller 3 wants a deletion     joins, and gets a retrieval: it tries again, and begins a
//	                              deletion
//
// Three more results are of no use. A retrieval that Cache.Admit refused to its first caller may
// be admitted to the others. Refresh wants a new retrieval, and tries again if none was due in the
// flight that it joined. Forget tries again if it joined a deletion whose first caller gave up.

// retrieval is the result of a flight that retrieves if that is due.
type retrieval struct {
	entry *entry
	made  bool // there was a retrieval; false: none was due
	err   error

	refused bool // the err is that of Cache.Admit, for the caller that began the flight
}

// deletion is the result of a flight that deletes what is cached.
type deletion struct {
	err    error
	gaveUp bool // the context of the caller that began it ended
}

// shareFlight begins a flight with the function do, or joins the one that is under way. It does
// this again until a flight has a result of the type T that is useful. A flight continues
// after the context of its first caller has ended, since others may wait for it; Close ends it.
func shareFlight[T any](ctx context.Context, c *Cache, o origin.Origin, do func() T, useful func(T) bool) (result T, err error) {
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
			if result, ok := done.Val.(T); ok && useful(result) {
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
	c.counts.waited.Add(1)
	e, err := c.renew(ctx, o, c.isDue)
	if err != nil {
		return Site{}, err
	}
	return c.siteAt(e, c.now()), nil
}

// renew returns an entry for which no retrieval is due: from memory, from the store or from
// a retrieval.
func (c *Cache) renew(ctx context.Context, o origin.Origin, due func(*entry) bool) (*entry, error) {
	began := false // by this call; it is read after the flight, which may write it
	done, err := shareFlight(ctx, c, o,
		func() retrieval { began = true; return c.retrieve(ctx, o, due) },
		func(r retrieval) bool { return began || !r.refused })
	if err != nil {
		return nil, err
	}
	if !began {
		c.counts.shared.Add(1)
	}
	return done.entry, done.err
}

// isDue reports whether a question must wait for a retrieval.
func (c *Cache) isDue(e *entry) bool {
	now := c.now()
	return !now.Before(c.settings.stateOf(e, now).due)
}

// isRefreshDue reports whether a question starts a retrieval in the background.
func (c *Cache) isRefreshDue(e *entry) bool {
	now := c.now()
	return !now.Before(c.settings.stateOf(e, now).refresh)
}

// refreshLater begins a retrieval in the background, unless too many are under way. Then the
// next question about the origin tries again.
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
		c.renew(context.Background(), o, c.isRefreshDue) // after an error, the next question tries again
	}()
}

// Refresh retrieves the robots.txt of an origin, even before Answer.NextRetrieval. If a
// retrieval is under way, Refresh waits for that one instead. It does not wait until the record
// is written to the Store.
//
// A retrieval that fails is cached as a failure, and is no error here. The error is ErrClosed,
// the cause of a context that ended, or the error of a Fetcher that cannot send a request at
// all.
func (c *Cache) Refresh(ctx context.Context, o origin.Origin) error {
	c.once.Do(c.init)
	always := func(*entry) bool { return true }
	began := false
	done, err := shareFlight(ctx, c, o,
		func() retrieval { began = true; return c.retrieve(ctx, o, always) },
		func(r retrieval) bool { return r.made || r.err != nil && (began || !r.refused) })
	return cmp.Or(err, done.err)
}

// Forget deletes everything that is cached of an origin, in memory and in the Store: the
// record, the history, and records that wait to be written. The error is ErrClosed, the cause
// of a context that ended, or the error of the Store.
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

// forget deletes an origin from the store and from memory.
func (c *Cache) forget(ctx context.Context, o origin.Origin) error {
	defer c.memory.remove(o) // after Store.Delete: until then Peek may read the record into memory again
	if c.Store == nil {
		return nil
	}
	if err := c.writes.forget(ctx, o); err != nil {
		return err
	}
	return recoveredError(func() error { return c.Store.Delete(ctx, o) })
}

// retrieve retrieves the robots.txt of an origin if due returns true for the cached entry.
// asker is the context of the caller, which may have ended.
func (c *Cache) retrieve(asker context.Context, o origin.Origin, due func(*entry) bool) retrieval {
	ctx := c.running
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
