package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Batcher is a Store that puts many records at once faster than one after the other.
type Batcher interface {
	// PutAll is Put for all of some records, in their order, or for none of them.
	PutAll(ctx context.Context, records []*Record) error
}

// ErrNotLater is the error of a Result that is not imported, because the Store has a result
// of the same time or later for its origin.
var ErrNotLater = errors.New("the cache has the same or a later one")

// Import puts the Results of retrievals that were made elsewhere, such as those of an
// archive, into a Store, each as if a Cache of the dialect, nil being RFC 9309, had made it
// at its End: what is old by then is stale, and a failure is one. It returns an
// error for each Result: nil, ErrNotLater, or why it cannot be stored.
//
// A Cache that uses the Store at the same time, and has the origin in memory, may not see the
// record before its next retrieval from that origin is due.
func Import(ctx context.Context, s Store, d *robotstxt.Dialect, results []fetch.Result) []error {
	i := importing{
		ctx: ctx, store: s, now: time.Now(),
		set:    &settings{view: newView(d, fetch.StatusesOf(d)), relaxAfter: defaultRelaxAfter},
		latest: map[origin.Origin]*Record{}, errs: make([]error, len(results)),
	}
	i.plan(results)
	if b, ok := s.(Batcher); !ok || recoveredError(func() error { return b.PutAll(ctx, i.records) }) != nil {
		i.putEach()
	}
	return i.errs
}

// importing is one call of Import.
type importing struct {
	ctx    context.Context
	store  Store
	set    *settings
	now    time.Time
	latest map[origin.Origin]*Record // that are planned, or there

	records []*Record // that are to be put
	of      []int     // which result each comes from
	errs    []error   // of the results
}

// plan finds out which records are to be put.
func (i *importing) plan(results []fetch.Result) {
	for n := range results {
		r := completed(results[n])
		before, err := i.before(r)
		if err == nil && !r.End.After(before.lastEnd()) {
			err = ErrNotLater
		}
		if err != nil {
			i.errs[n] = err
			continue
		}
		next := i.set.next(before, r)
		i.latest[r.Origin] = next
		i.records, i.of = append(i.records, next), append(i.of, n)
	}
}

// completed returns a result as a record holds it.
func completed(r fetch.Result) *fetch.Result {
	complete(&r)
	if r.Start.IsZero() || r.Start.After(r.End) {
		r.Start = r.End
	}
	r.Conditional = false
	return &r
}

// before returns what is remembered of the origin of a result.
func (i *importing) before(r *fetch.Result) (*Record, error) {
	switch {
	case r.Origin.IsZero():
		return nil, errors.New("no origin")
	case r.End.IsZero() || r.End.After(i.now.Add(skew)):
		return nil, fmt.Errorf("%s: expected a time that is over, found %s", r.Origin, r.End.UTC().Format(time.RFC3339))
	case failureKind(r).Ours():
		return nil, fmt.Errorf("%s: the origin was not asked: %w", r.Origin, r.Err)
	case i.latest[r.Origin] != nil:
		return i.latest[r.Origin], nil
	}
	found, err := recovered(func() (*Record, error) { return i.store.Get(i.ctx, r.Origin) })
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrWrongRecord) {
		return &Record{Origin: r.Origin}, nil
	}
	return found, err
}

// putEach puts the records of each origin one after the other, those of several at once.
func (i *importing) putEach() {
	var working sync.WaitGroup
	places := make(chan struct{}, writers)
	byOrigin := map[origin.Origin][]int{}
	for n, r := range i.records {
		byOrigin[r.Origin] = append(byOrigin[r.Origin], n)
	}
	for _, numbers := range byOrigin {
		places <- struct{}{}
		working.Go(func() {
			defer func() { <-places }()
			for _, n := range numbers {
				i.errs[i.of[n]] = recoveredError(func() error { return i.store.Put(i.ctx, i.records[n]) })
			}
		})
	}
	working.Wait()
}
