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

// RunOldFormat tests a store that contains records of format 1, which Heed wrote before R-21 and
// Such a record may contain an earlier mistake, such as a compressed file that was read
// as rules. So a Cache must not use it: it retrieves the file again, and calls
// Events.WrongRecord once for all these records. The store must accept the new records.
//
// The store must contain at least one record, and each must be of format 1.
func RunOldFormat(t *testing.T, s cache.Store) {
	ctx := context.Background()
	var reports []error
	c := &cache.Cache{Store: s, Fetcher: down{}, Events: cache.Events{
		StoreFailed: func(what string, _ origin.Origin, err error) { t.Errorf("%s: %v", what, err) },
		WrongRecord: func(_ origin.Origin, err error) { reports = append(reports, err) },
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
	if len(origins) == 0 || len(reports) != 1 {
		t.Errorf("%d origins, WrongRecord with %v, want one call", len(origins), reports)
	}
	c.Close()
	for _, o := range origins {
		if r, err := s.Get(ctx, o); err != nil || r.Failures != 1 {
			t.Errorf("%s: %+v, %v", o, r, err)
		}
	}
}

// down is a Fetcher whose retrievals all fail.
type down struct{}

func (down) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{Origin: o, Err: &fetch.Failure{Kind: fetch.NotConnected, Text: "down"}, Header: http.Header{}, End: time.Now()}, nil
}
