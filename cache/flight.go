package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

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

func (c *Cache) isDue(e *entry) bool {
	now := c.Now()
	return !now.Before(c.rules.standOf(e, now).ask)
}

func (c *Cache) isRefreshDue(e *entry) bool {
	now := c.Now()
	return !now.Before(c.rules.standOf(e, now).refresh)
}

// renew returns an entry of the origin that is not due any more: from memory,
// from the store or from the origin, which is asked once at a time.
func (c *Cache) renew(ctx context.Context, o origin.Origin, due func(*entry) bool) (*entry, error) {
	for {
		done, err := c.fly(ctx, o, func() (landed, error) { return c.ask(c.open, o, due) })
		if err != nil || done.entry != nil { // else it waited for somebody who forgot the origin
			return done.entry, err
		}
	}
}

// landed is what a flight brought.
type landed struct {
	*entry      // nil: the origin is forgotten
	asked  bool // the origin was
}

// fly does something that has to do with an origin, or waits for whoever does so.
// It goes on after ctx ends, for the others, until Close.
func (c *Cache) fly(ctx context.Context, o origin.Origin, do func() (landed, error)) (landed, error) {
	flight := c.flights.DoChan(o.String(), func() (any, error) {
		if !c.begin() {
			return landed{}, fmt.Errorf("%s: %w", o, ErrClosed)
		}
		defer c.working.Done()
		return do()
	})
	select {
	case <-ctx.Done():
		return landed{}, fmt.Errorf("cache: %s: %w", o, context.Cause(ctx))
	case done := <-flight:
		return done.Val.(landed), done.Err
	}
}

// ask is one flight.
func (c *Cache) ask(ctx context.Context, o origin.Origin, due func(*entry) bool) (landed, error) {
	e, err := c.remembered(ctx, o)
	if err != nil || !due(e) {
		return landed{e, false}, err
	}
	if shared, ok := c.Store.(Leaser); ok {
		var release func()
		if release, e = c.lease(ctx, shared, e, due); release == nil {
			return landed{e, false}, nil
		}
		defer c.writes.giveBack(o, release)
	}
	e, err = c.fetch(ctx, e)
	return landed{e, true}, err
}

// known is what is remembered of an origin, also after Close, when the store may not
// be asked.
func (c *Cache) known(ctx context.Context, o origin.Origin) (*entry, error) {
	c.once.Do(c.init)
	if c.begin() {
		defer c.working.Done()
		return c.remembered(ctx, o)
	}
	if e := c.memory.get(o); e != nil {
		return e, nil
	}
	return nil, fmt.Errorf("%s: %w", o, ErrClosed)
}

// remembered returns the latest that memory or the store knows of an origin; it
// may be nothing.
func (c *Cache) remembered(ctx context.Context, o origin.Origin) (*entry, error) {
	o = o.Clone() // it may be remembered for long, and the URL be large
	r, err := c.stored(ctx, o)
	if err != nil {
		return nil, err
	}
	latest := c.memory.update(o, func(e *entry) *entry {
		if r != nil && (e == nil || r.lastEnd().After(e.record.lastEnd())) {
			return c.rules.newEntry(r)
		}
		return e
	})
	if latest == nil {
		latest = c.rules.newEntry(&Record{Origin: o})
	}
	return latest, nil
}

// stored returns the record of the store; nil: there is none that can be used.
func (c *Cache) stored(ctx context.Context, o origin.Origin) (*Record, error) {
	if c.Store == nil {
		return nil, nil
	}
	if r := c.writes.latest(o); r != nil {
		return r, nil // the store has an older one
	}
	r, err := recovered(func() (*Record, error) { return c.Store.Get(ctx, o) })
	if err == nil && r.Origin != o {
		err = fmt.Errorf("%w: it is of %s", ErrWrongRecord, r.Origin)
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

// recovered makes a call of the Store, which may be of another package. A panic is an
// error: no caller could recover it, since many calls are made in other goroutines.
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

// fetch asks an origin, and remembers what comes of it.
func (c *Cache) fetch(ctx context.Context, before *entry) (*entry, error) {
	r := before.record
	var validators fetch.Validators
	if r.Copy != nil && !c.rules.unconditional {
		validators = r.Copy.Validators()
	}
	result, err := c.retrieve(ctx, r.Origin, validators)
	if err != nil {
		return nil, err
	}
	if c.Events.Fetched != nil {
		c.Events.Fetched(&result)
	}
	if failureKind(&result).Ours() {
		e := c.rules.newHeldBack(before, &result)
		c.memory.set(r.Origin, e)
		return e, nil
	}
	next := c.rules.next(r, &result)
	if c.Store != nil {
		c.writes.put(next)
	}
	e := c.rules.newEntry(next)
	c.memory.set(next.Origin, e)
	return e, nil
}

// retrieve asks the Fetcher, and completes the Result for a record: a Fetcher of another
// package may leave fields empty.
func (c *Cache) retrieve(ctx context.Context, o origin.Origin, v fetch.Validators) (r fetch.Result, err error) {
	defer func() { // for all that is below: the Error method of a failure may panic too
		if why := recover(); why != nil {
			err = fmt.Errorf("cache: %s: panic of the Fetcher: %v", o, why)
		}
	}()
	r, err = c.Fetcher.Fetch(ctx, o, v)
	switch {
	case err != nil:
		return r, err
	case !r.Origin.IsZero() && r.Origin != o:
		return r, fmt.Errorf("cache: %s: the Fetcher returned the result of %s", o, r.Origin)
	case r.Err != nil:
		r.Err = fetch.NewFailure(r.Err)
	}
	var took time.Duration
	if !r.Start.IsZero() && !r.End.IsZero() {
		took = max(0, r.End.Sub(r.Start))
	}
	r.Origin = o
	r.End = c.Now().Round(0) // a record outlives the monotonic clock
	r.Start = r.End.Add(-took)
	r.Conditional = r.Conditional && v != (fetch.Validators{})
	if r.Body == nil {
		r.Body = []byte{}
	}
	return r, nil
}

// failureKind returns the kind of a failure.
func failureKind(r *fetch.Result) fetch.FailureKind {
	var failure *fetch.Failure
	errors.As(r.Err, &failure)
	if failure == nil {
		return fetch.OtherFailure
	}
	return failure.Kind
}
