package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// fetch retrieves the robots.txt of an origin and caches the result. before is the entry that is
// cached now.
func (c *Cache) fetch(ctx context.Context, before *entry) (*entry, error) {
	r := before.record
	var validators fetch.Validators
	if r.Copy != nil && !c.settings.unconditional {
		validators = r.Copy.Validators()
	}
	result, err := c.request(ctx, r.Origin, validators)
	if err != nil {
		return nil, err
	}
	if c.Events.Fetched != nil {
		c.Events.Fetched(&result)
	}
	if failureKind(&result).Ours() {
		e := c.settings.newAfterOurs(before, &result)
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

// request calls the Fetcher, and completes its Result for a record: a Fetcher of another package
// may leave fields empty.
func (c *Cache) request(ctx context.Context, o origin.Origin, v fetch.Validators) (r fetch.Result, err error) {
	defer func() { // also for a panic in complete: it calls the Error method of r.Err
		if why := recover(); why != nil {
			err = fmt.Errorf("cache: %s: panic of the Fetcher: %v", o, why)
		}
	}()
	r, err = c.fetcher.Fetch(ctx, o, v)
	switch {
	case err != nil:
		return r, err
	case !r.Origin.IsZero() && r.Origin != o:
		return r, fmt.Errorf("cache: %s: the Fetcher returned the result of %s", o, r.Origin)
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

// complete changes a result so that a record can keep it.
func complete(r *fetch.Result) {
	if r.Err != nil {
		r.Err = fetch.NewFailure(r.Err)
	}
	if r.Body == nil {
		r.Body = []byte{}
	}
	r.End = r.End.Round(0) // without the monotonic clock, which means nothing in another process
}

// failureKind returns the kind of a failure; fetch.OtherFailure for an error without a kind, and
// for a result without an error.
func failureKind(r *fetch.Result) fetch.FailureKind {
	var failure *fetch.Failure
	errors.As(r.Err, &failure)
	if failure == nil {
		return fetch.OtherFailure
	}
	return failure.Kind
}
