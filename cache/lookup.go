package cache

import (
	"context"
	"errors"
	"fmt"

	"github.com/heed-robots/heed/origin"
)

// known returns an origin by what is cached, without a retrieval. After Close it does not
// read the store.
func (c *Cache) known(ctx context.Context, o origin.Origin) (Site, error) {
	if c.begin() {
		defer c.working.Done()
		e, err := c.cached(ctx, o)
		if err != nil {
			return Site{}, err
		}
		return c.siteAt(e, c.now()), nil
	}
	if e := c.memory.get(o); e != nil {
		return c.siteAt(e, c.now()), nil
	}
	return Site{}, fmt.Errorf("%s: %w", o, ErrClosed)
}

// cached returns the latest entry that memory or the store has of an origin; where they have
// none, one with an empty record.
func (c *Cache) cached(ctx context.Context, o origin.Origin) (*entry, error) {
	o = o.Clone() // it may be cached for long, and be part of a large URL
	r, err := c.stored(ctx, o)
	if err != nil {
		return nil, err
	}
	latest := c.memory.update(o, func(e *entry) *entry {
		if r != nil && (e == nil || r.lastEnd().After(e.record.lastEnd())) {
			return c.settings.newEntry(r)
		}
		return e
	})
	if latest == nil {
		latest = c.settings.newEntry(&Record{Origin: o})
	}
	return latest, nil
}

// stored returns the record of the store; nil: the store has none that can be used.
func (c *Cache) stored(ctx context.Context, o origin.Origin) (*Record, error) {
	if c.Store == nil {
		return nil, nil
	}
	if r := c.writes.latest(o); r != nil {
		return r, nil // it waits to be written; the store has an older one
	}
	r, err := recovered(func() (*Record, error) { return c.Store.Get(ctx, o) })
	if err == nil && r.Origin != o {
		err = wrongOrigin(r.Origin) // the store is of another package
	}
	switch {
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("cache: %s: %w", o, context.Cause(ctx))
	case errors.Is(err, ErrNotFound):
	case errors.Is(err, errOtherFormat):
		c.otherFormat.Do(func() { c.wrongRecord(o, err) })
	case errors.Is(err, ErrWrongRecord):
		c.wrongRecord(o, err)
	default:
		c.storeFailed("get", o, err)
	}
	return nil, nil
}

func (c *Cache) wrongRecord(o origin.Origin, err error) {
	if c.Events.WrongRecord != nil {
		c.Events.WrongRecord(o, err)
	}
}

func (c *Cache) storeFailed(what string, o origin.Origin, err error) {
	if c.Events.StoreFailed != nil {
		c.Events.StoreFailed(what, o, err)
	}
}

// recovered calls the Store, which may be of another package. A panic becomes an error: the
// caller of the Cache could not recover it, since many calls are made in other goroutines.
func recovered[T any](call func() (T, error)) (value T, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("panic of the Store: %v", why)
		}
	}()
	return call()
}

// recoveredError is recovered for a call that returns an error only.
func recoveredError(call func() error) error {
	_, err := recovered(func() (struct{}, error) { return struct{}{}, call() })
	return err
}
