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

// a record knows the longest time between two failures, also if later ones are shorter: for a
// process with a shorter RelaxAfter it may begin the count again.
func TestLongestGap(t *testing.T) {
	store, o, now := cache.NewMemory(0, 0), storetest.Origin(1), start
	c := &cache.Cache{Store: store, Fetcher: status500{}, Now: func() time.Time { return now }}
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

// status500 is a Fetcher for which each site fails.
type status500 struct{}

func (status500) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{Origin: o, Status: 500}, nil
}
