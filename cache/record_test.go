package cache_test

import (
	"context"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// An empty robots.txt is another version than none with the same status.
func TestVersions(t *testing.T) {
	if v, ok := (&cache.Record{}).Version(); ok {
		t.Errorf("a record without an answer has the version %+v", v)
	}
	versions := []cache.Version{{Status: 200}, {Status: 200, Body: []byte{}}, {Status: 200, Body: []byte("a")}, {Status: 203, Body: []byte("a")}, {Status: 404}}
	for i, v := range versions {
		for j, w := range versions {
			if v.Same(w) != (i == j) {
				t.Errorf("%+v and %+v: %v", v, w, v.Same(w))
			}
		}
	}
}

// A file without a text is an empty robots.txt, also if the Fetcher gives none. Times have no monotonic
// clock: they are compared with those of other processes.
func TestRecordOfAnotherFetcher(t *testing.T) {
	store, o := cache.NewMemory(0, 0), storetest.Origin(1)
	c := &cache.Cache{Store: store, Fetcher: fixedResult{Status: 200}}
	if err := c.Refresh(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	c.Close()
	r, err := store.Get(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := r.Version(); !ok || v.Body == nil || v.Last != v.Last.Round(0) {
		t.Errorf("%+v, %v", v, ok)
	}
}

// a record knows the longest time between two failures, also if later ones are shorter: for a
// process with a shorter RelaxAfter it may begin the count again.
func TestLongestGap(t *testing.T) {
	store, o, now := cache.NewMemory(0, 0), storetest.Origin(1), start
	c := &cache.Cache{Store: store, Fetcher: fixedResult{Status: 500}, Now: func() time.Time { return now }}
	for _, gap := range []time.Duration{time.Hour, 3 * time.Hour, 2 * time.Hour, 0} {
		if err := c.Refresh(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		now = now.Add(gap)
	}
	c.Close()
	r, err := store.Get(context.Background(), o)
	if err != nil || r.LongestGap != 3*time.Hour || r.Counted != 4 || r.Failures != 4 {
		t.Errorf("%+v, %v", r, err)
	}
}

// the time that a retrieval took counts as age, by the clock of the Cache.
func TestTimeOfRetrieval(t *testing.T) {
	for _, c := range []struct {
		start, end time.Time
		want       time.Duration
	}{
		{start, start.Add(10 * time.Second), 10 * time.Second},
		{start, start.Add(-time.Second), 0},
		{start, time.Time{}, 0},
		{time.Time{}, start, 0},
	} {
		store, o := cache.NewMemory(0, 0), storetest.Origin(1)
		a := &cache.Cache{Store: store, Fetcher: fixedResult{Status: 404, Start: c.start, End: c.end}, Now: func() time.Time { return start.Add(time.Hour) }}
		if err := a.Refresh(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		a.Close()
		r, err := store.Get(context.Background(), o)
		if err != nil || !r.Answered.End.Equal(start.Add(time.Hour)) || r.Answered.End.Sub(r.Answered.Start) != c.want {
			t.Errorf("%s to %s: %+v, %v", c.start, c.end, r, err)
		}
	}
}

// fixedResult is a Fetcher with one result for each site.
type fixedResult fetch.Result

func (f fixedResult) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	f.Origin = o
	return fetch.Result(f), nil
}
