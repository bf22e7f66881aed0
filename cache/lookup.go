package cache

import (
	"context"
	"errors"
	"fmt"

	"github.com/heed-robots/heed/origin"
)

func (c *Cache) cachedEntry(ctx context.Context, o origin.Origin) (*entry, error) {
	o = o.Clone() // o may be part of a large URL, which would stay in memory as a key of the map
	r, err := c.storedRecord(ctx, o)
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

// If the store fails, storedRecord reports this as an event, and returns nil as for a missing record.
func (c *Cache) storedRecord(ctx context.Context, o origin.Origin) (*Record, error) {
	if c.Store == nil {
		return nil, nil
	}
	if r := c.writes.latest(o); r != nil {
		return r, nil // r waits to be written, so the record in the store is older
	}
	r, err := recoverPanic(func() (*Record, error) { return c.Store.Get(ctx, o) })
	if err == nil && r.Origin != o {
		err = wrongOrigin(r.Origin) // a Store that is not from Heed may return the wrong record
	}
	switch {
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		return nil, endedWhileWaiting(ctx, o)
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

func (c *Cache) notWritten(o origin.Origin, err error) {
	if errors.Is(err, ErrNewerFormat) {
		c.otherFormat.Do(func() { c.wrongRecord(o, err) })
		return
	}
	c.storeFailed("put", o, err)
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

// recoverPanic turns a panic of the Store into an error. Otherwise a panic in a goroutine of the Cache would end the
// program.
func recoverPanic[T any](call func() (T, error)) (value T, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("a method of the Store panicked, which is a mistake in its code: %v", why)
		}
	}()
	return call()
}

func recoveredError(call func() error) error {
	_, err := recoverPanic(func() (struct{}, error) { return struct{}{}, call() })
	return err
}
