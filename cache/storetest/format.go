package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// RunOldFormat tests a store whose records have format 1. Such records may be wrong. So a Cache must not use
// them: it must fetch each robots.txt again, and call Events.WrongRecord once.
//
// The store must contain at least one record. All its records must have format 1.
func RunOldFormat(t *testing.T, s cache.Store) {
	ctx := context.Background()
	var reports []error
	c := newCache(t, s, down{}, &reports)
	var origins []origin.Origin
	for o, err := range s.Origins(ctx) {
		if err != nil {
			t.Errorf("the origins: %v", err)
			continue
		}
		origins = append(origins, o)
		if a, err := c.Check(ctx, []string{"*"}, o.String()+"/public"); err != nil || a.Allowed {
			t.Errorf("%s: %+v, %v", o, a, err)
		}
		if _, err := s.History(ctx, o); err != nil {
			t.Errorf("the history of %s: %v", o, err)
		}
	}
	if len(origins) == 0 || len(reports) != 1 {
		t.Errorf("the store has %d origins, expected at least one; WrongRecord was called with %v, expected one call", len(origins), reports)
	}
	c.Close()
	for _, o := range origins {
		if r, err := s.Get(ctx, o); err != nil || r.Failures != 1 {
			t.Errorf("%s: %+v, %v", o, r, err)
		}
	}
}

// RunNewerFormat tests that a store keeps the records of a newer version of Heed. Otherwise two versions would delete each
// other's records. A Cache that finds such a record uses only its memory, and calls Events.WrongRecord once.
//
// head returns the Head of an origin, and setHead changes it.
func RunNewerFormat(t *testing.T, s cache.Store, head func(origin.Origin) string, setHead func(origin.Origin, string)) {
	ctx := context.Background()
	one, other := Origin(1), Origin(2)
	newer := fmt.Sprintf("%d %s", 999_999_999, "what this version cannot read")
	for _, o := range []origin.Origin{one, other} {
		if err := s.Put(ctx, Record(o, time.Now(), "User-agent: *\nDisallow: /before\n")); err != nil {
			t.Fatal(err)
		}
		setHead(o, newer)
		if _, err := s.Get(ctx, o); !errors.Is(err, cache.ErrNewerFormat) || !errors.Is(err, cache.ErrWrongRecord) {
			t.Errorf("Get of a record in a newer format returned the error %v; expected ErrNewerFormat", err)
		}
	}
	if err := s.Put(ctx, Record(one, time.Now(), "User-agent: *\n")); !errors.Is(err, cache.ErrNewerFormat) {
		t.Errorf("Put, which would replace a record in a newer format, returned the error %v; expected ErrNewerFormat", err)
	}
	if b, ok := s.(cache.Batcher); ok {
		third := Origin(3)
		err := b.PutAll(ctx, []*cache.Record{Record(one, time.Now(), "x"), Record(third, time.Now(), "User-agent: *\n")})
		if !errors.Is(err, cache.ErrNewerFormat) {
			t.Errorf("PutAll, which would replace a record in a newer format, returned the error %v; expected ErrNewerFormat", err)
		}
		if _, err := s.Get(ctx, third); err != nil {
			t.Errorf("the other record of PutAll: %v", err)
		}
	}
	var reports []error
	fetcher := &counting{}
	c := newCache(t, s, fetcher, &reports)
	for range 5 {
		for _, o := range []origin.Origin{one, other} {
			if a, err := c.Check(ctx, []string{"*"}, o.String()+"/now"); err != nil || a.Allowed {
				t.Errorf("%s: %+v, %v", o, a, err)
			}
		}
	}
	c.Close()
	if n := fetcher.n.Load(); n != 2 || len(reports) != 1 {
		t.Errorf("the 2 origins were fetched %d times, expected once each; WrongRecord was called with %v, expected one call", n, reports)
	}
	for _, o := range []origin.Origin{one, other} {
		if got := head(o); got != newer {
			t.Errorf("the record of %s begins with %q; expected the beginning that the newer version of Heed wrote", o, got)
		}
	}
}

// The records that the Cache cannot use are added to reports.
func newCache(t *testing.T, s cache.Store, f cache.Fetcher, reports *[]error) *cache.Cache {
	return &cache.Cache{Store: s, Fetcher: f, Events: cache.Events{
		StoreFailed: func(what string, _ origin.Origin, err error) { t.Errorf("%s: %v", what, err) },
		WrongRecord: func(_ origin.Origin, err error) { *reports = append(*reports, err) },
	}}
}

type counting struct{ n atomic.Int64 }

func (c *counting) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	c.n.Add(1)
	return *Record(o, time.Now(), "User-agent: *\nDisallow: /now\n").Answered, nil
}

type down struct{}

func (down) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{Origin: o, Err: &fetch.Failure{Kind: fetch.NotConnected, Text: "down"}, End: time.Now()}, nil
}
