package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// ErrNotLater is the error of Import for a Result that is not later than what the Store already has for this origin.
var ErrNotLater = errors.New("the store already has a result for this origin that is as new or newer, so nothing is changed")

// Import puts results of retrievals into a Store, for example from an archive. The Store then has the same records as if a
// Cache had made these retrievals. A nil dialect means RFC 9309.
//
// Import returns one error for each Result: nil, ErrNotLater, or why the Result was not imported.
func Import(ctx context.Context, s Store, d *robotstxt.Dialect, results []fetch.Result) []error {
	i := importCall{
		ctx: ctx, store: s, now: time.Now(),
		set:    &settings{view: newView(d, fetch.StatusesOf(d)), relaxAfter: relaxAfterOf(d)},
		latest: map[origin.Origin]*Record{}, errs: make([]error, len(results)),
	}
	i.plan(results)
	if b, ok := s.(Batcher); !ok || recoveredError(func() error { return b.PutAll(ctx, i.records) }) != nil {
		i.putEach()
	}
	return i.errs
}

type importCall struct {
	ctx    context.Context
	store  Store
	set    *settings
	now    time.Time
	latest map[origin.Origin]*Record // the last element of records for each origin

	records []*Record // what is put into the Store
	from    []int     // the index in results, for each element of records
	errs    []error   // the error or nil, for each element of results
}

func (i *importCall) plan(results []fetch.Result) {
	for n := range results {
		r := completed(results[n])
		before, err := i.previousRecord(r)
		if err == nil && !r.End.After(before.lastEnd()) {
			err = ErrNotLater
		}
		if err != nil {
			i.errs[n] = err
			continue
		}
		next := i.set.next(before, r)
		i.latest[r.Origin] = next
		i.records, i.from = append(i.records, next), append(i.from, n)
	}
}

func completed(r fetch.Result) *fetch.Result {
	complete(&r)
	if r.Start.IsZero() || r.Start.After(r.End) {
		r.Start = r.End
	}
	r.Conditional = false
	return &r
}

func (i *importCall) previousRecord(r *fetch.Result) (*Record, error) {
	switch {
	case r.Origin.IsZero():
		return nil, errors.New("Result.Origin is zero: expected the origin of the robots.txt")
	case r.End.IsZero() || r.End.After(i.now.Add(skew)):
		return nil, fmt.Errorf("%s: the time of the retrieval must be in the past, but it is %s", r.Origin, r.End.UTC().Format(time.RFC3339))
	case failureKind(r).Ours():
		return nil, fmt.Errorf("%s: the retrieval failed because of your own machine or network, so it says nothing about the site: leave this Result out: %w", r.Origin, r.Err)
	case i.latest[r.Origin] != nil:
		return i.latest[r.Origin], nil
	}
	found, err := recoverPanic(func() (*Record, error) { return i.store.Get(i.ctx, r.Origin) })
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrWrongRecord) {
		return &Record{Origin: r.Origin}, nil
	}
	return found, err
}

// putEach puts the records of one origin in their order, and records of different origins at the same time.
func (i *importCall) putEach() {
	var working errgroup.Group
	working.SetLimit(maxWorkers)
	byOrigin := map[origin.Origin][]int{}
	for n, r := range i.records {
		byOrigin[r.Origin] = append(byOrigin[r.Origin], n)
	}
	for _, numbers := range byOrigin {
		working.Go(func() error {
			for _, n := range numbers {
				i.errs[i.from[n]] = recoveredError(func() error { return i.store.Put(i.ctx, i.records[n]) })
			}
			return nil
		})
	}
	working.Wait()
}
