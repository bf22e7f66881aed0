package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

func (c *Cache) fetch(ctx context.Context, previous *entry) (*entry, error) {
	r := previous.record
	var validators fetch.Validators
	if r.Copy != nil && !c.settings.unconditional {
		validators = r.Copy.Validators()
	}
	result, err := c.request(ctx, r.Origin, validators)
	switch {
	case ctx.Err() != nil && (err != nil || result.Err != nil): // Close ended the retrieval, which says nothing about the origin
		return nil, closedError(r.Origin)
	case err != nil:
		return nil, err
	}
	if c.Events.Fetched != nil {
		c.Events.Fetched(&result)
	}
	if failureKind(&result).Ours() {
		e := c.settings.newOwnFailureEntry(previous, &result)
		c.memory.set(r.Origin, e)
		return e, nil
	}
	next := c.settings.next(r, &result)
	if c.Store != nil {
		c.writes.put(next)
	}
	e := c.settings.newEntry(next)
	c.memory.set(next.Origin, e)
	return e, nil
}

// Some Fetchers leave fields empty, so request sets the fields of the Result that a record needs.
func (c *Cache) request(ctx context.Context, o origin.Origin, v fetch.Validators) (r fetch.Result, err error) {
	// r.Err.Error may panic too; it is called in the function complete.
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("cache: %s: a method of the Fetcher panicked, which is a mistake in its code: %v", o, why)
		}
	}()
	r, err = c.fetcher.Fetch(ctx, o, v)
	switch {
	case err != nil:
		return r, err
	case !r.Origin.IsZero() && r.Origin != o:
		return r, fmt.Errorf("cache: the Fetcher should return the Result of %s, but returned the Result of %s, which is a mistake in its code", o, r.Origin)
	}
	var took time.Duration
	if !r.Start.IsZero() && !r.End.IsZero() {
		took = max(0, r.End.Sub(r.Start))
	}
	r.Origin = o
	r.End = c.now()
	complete(&r)
	r.Start = r.End.Add(-took)
	r.Conditional = r.Conditional && v != (fetch.Validators{})
	return r, nil
}

// complete makes a result that can be stored. Only an error that is a *fetch.Failure can be stored.
func complete(r *fetch.Result) {
	if r.Err != nil {
		r.Err = fetch.NewFailure(r.Err)
	}
	if r.Body == nil {
		r.Body = []byte{}
	}
	r.End = r.End.Round(0) // removes the monotonic clock reading, which has no meaning in another process
}

func failureKind(r *fetch.Result) fetch.FailureKind {
	kind, _ := errors.AsType[fetch.FailureKind](r.Err)
	return kind
}
