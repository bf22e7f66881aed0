package storetest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// RunOldFormat tests a store that holds records of format 1, as they were before
// no answer rests on them, and one notice reports them all. They may
// rest on earlier mistakes, such as a garbled file that was read as rules. The store
// keeps the records that are put afterwards.
func RunOldFormat(t *testing.T, s cache.Store) {
	ctx := context.Background()
	var notices []error
	c := &cache.Cache{Store: s, Fetcher: down{}, Events: cache.Events{
		StoreFailed: func(what string, _ origin.Origin, err error) { t.Errorf("%s: %v", what, err) },
		WrongRecord: func(_ origin.Origin, err error) { notices = append(notices, err) },
	}}
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
	if len(origins) == 0 || len(notices) != 1 {
		t.Errorf("%d origins, notices: %v", len(origins), notices)
	}
	c.Close()
	for _, o := range origins {
		if r, err := s.Get(ctx, o); err != nil || r.Failures != 1 {
			t.Errorf("%s: %+v, %v", o, r, err)
		}
	}
}

// down is a Fetcher of a network without servers.
type down struct{}

func (down) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{Origin: o, Err: &fetch.Failure{Kind: fetch.NotConnected, Text: "down"}, Header: http.Header{}, End: time.Now()}, nil
}
