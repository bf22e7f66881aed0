package cache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// savedAt returns a Result as of an archive: the response of a site at a time.
func savedAt(t *testing.T, site string, status int, body string, at time.Time) fetch.Result {
	t.Helper()
	o, err := origin.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	return fetch.Saved(fetch.Result{Origin: o, Status: status, Body: []byte(body), Start: at, End: at}, 0)
}

// Imported results are fresh for 24 hours from the time of their retrieval, then stale. A failure
// denies. A result holds only for its origin.
func TestImport(t *testing.T) {
	now := time.Now()
	store := cache.NewMemory(0, 0)
	const rules = "User-agent: *\nDisallow: /x\n"
	errs := cache.Import(context.Background(), store, nil, []fetch.Result{
		savedAt(t, "https://new.example", 0, rules, now.Add(-time.Hour)),
		savedAt(t, "https://old.example", 0, rules, now.Add(-25*time.Hour)),
		savedAt(t, "https://gone.example", 404, "", now.Add(-time.Hour)),
		savedAt(t, "https://down.example", 503, "", now),
	})
	if err := errors.Join(errs...); err != nil || len(errs) != 4 {
		t.Fatal(errs)
	}
	c := &cache.Cache{Store: store, Fetcher: noFetcher{t}}
	defer c.Close()
	for _, want := range []struct {
		url     string
		allowed bool
		outcome fetch.Outcome
		stale   bool
	}{
		{"https://new.example/x", false, fetch.Rules, false},
		{"https://new.example/y", true, fetch.Rules, false},
		{"http://new.example/y", false, fetch.Unreachable, false},
		{"https://old.example/x", false, fetch.Rules, true},
		{"https://old.example/y", true, fetch.Rules, true},
		{"https://gone.example/x", true, fetch.Unavailable, false},
		{"https://down.example/y", false, fetch.Unreachable, false},
	} {
		a, err := peek(context.Background(), c, want.url)
		if err != nil || a.Allowed != want.allowed || a.Outcome != want.outcome || a.Stale != want.stale {
			t.Errorf("%+v, %v, want %+v", a, err, want)
		}
	}
}

// noFetcher is a Fetcher that must not be called.
type noFetcher struct{ t *testing.T }

func (f noFetcher) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	f.t.Errorf("a retrieval from %s", o)
	return fetch.Result{}, errors.New("no retrieval expected")
}

// Import does not replace a result of the same time or later, also of the same call. The results
// before the last one are in the history.
func TestImportReplacesOnlyEarlierResults(t *testing.T) {
	now, ctx := time.Now(), context.Background()
	store := cache.NewMemory(0, 0)
	at := func(hours int, body string) fetch.Result {
		return savedAt(t, "https://a.example", 0, body, now.Add(time.Duration(hours)*time.Hour))
	}
	check := func(results []fetch.Result, imported ...bool) {
		t.Helper()
		for i, err := range cache.Import(ctx, store, nil, results) {
			if imported[i] && err != nil || !imported[i] && !errors.Is(err, cache.ErrNotLater) {
				t.Errorf("result %d: %v", i, err)
			}
		}
	}
	check([]fetch.Result{at(-9, "one"), at(-8, "two"), at(-9, "three"), at(-8, "four")}, true, true, false, false)
	check([]fetch.Result{at(-10, "five"), at(-8, "six"), at(-7, "seven")}, false, false, true)
	r, err := store.Get(ctx, at(0, "").Origin)
	if err != nil || string(r.Body()) != "seven" {
		t.Errorf("%s, %v", r.Body(), err)
	}
	versions, err := store.History(ctx, r.Origin)
	var bodies []string
	for _, v := range versions {
		bodies = append(bodies, string(v.Body))
	}
	if got := strings.Join(bodies, " "); got != "seven two one" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// Import refuses impossible results, and imports the others. Imported failures are counted as
// those of other retrievals.
func TestImportRefusesImpossibleResults(t *testing.T) {
	now, ctx := time.Now(), context.Background()
	store := cache.NewMemory(0, 0)
	ours := savedAt(t, "https://ours.example", 0, "", now)
	ours.Err = &fetch.Failure{Kind: fetch.LocalFailure, Text: "no route"}
	errs := cache.Import(ctx, store, robotstxt.Google, []fetch.Result{
		savedAt(t, "https://tomorrow.example", 0, "", now.Add(24*time.Hour)),
		savedAt(t, "https://never.example", 0, "", time.Time{}),
		ours,
		{End: now, Status: 200},
		savedAt(t, "https://down.example", 500, "", now.Add(-2*time.Hour)),
		savedAt(t, "https://down.example", 500, "", now.Add(-time.Hour)),
	})
	for i, err := range errs {
		if (err == nil) != (i >= 4) || errors.Is(err, cache.ErrNotLater) {
			t.Errorf("result %d: %v", i, err)
		}
	}
	r, err := store.Get(ctx, savedAt(t, "https://down.example", 0, "", now).Origin)
	if err != nil || r.Failures != 2 || !r.FailingSince.Equal(now.Add(-2*time.Hour)) {
		t.Errorf("%+v, %v", r, err)
	}
	n := 0
	for range store.Origins(ctx) {
		n++
	}
	if n != 1 {
		t.Errorf("%d origins", n)
	}
}

// Import completes a result with empty fields, so that a record can keep it.
func TestImportCompletesResults(t *testing.T) {
	now, ctx := time.Now(), context.Background()
	store := cache.NewMemory(0, 0)
	site := func(name string) origin.Origin { return savedAt(t, "https://"+name+".example", 0, "", now).Origin }
	results := []fetch.Result{
		{Origin: site("a"), Status: 200, End: now, Conditional: true},
		{Origin: site("b"), Status: 200, Start: now.Add(time.Hour), End: now},
		{Origin: site("c"), Status: 200, Start: now.Add(-time.Second), End: now},
		{Origin: site("d"), End: now, Err: errors.New("refused")},
	}
	if err := errors.Join(cache.Import(ctx, store, nil, results)...); err != nil {
		t.Fatal(err)
	}
	for i, result := range results {
		r, err := store.Get(ctx, result.Origin)
		if err != nil {
			t.Fatal(err)
		}
		last, took := r.Last(), time.Duration(0)
		if i == 2 {
			took = time.Second
		}
		if last.End != now.Round(0) || last.End.Sub(last.Start) != took || last.Conditional {
			t.Errorf("%s: from %s to %s, conditional %v", result.Origin, last.Start, last.End, last.Conditional)
		}
		if result.Err == nil && r.Body() == nil {
			t.Errorf("%s: no file", result.Origin)
		}
		if failure := (*fetch.Failure)(nil); result.Err != nil && !errors.As(last.Err, &failure) {
			t.Errorf("%s: %T", result.Origin, last.Err)
		}
	}
}

// corruptMemory is a store in memory whose records are corrupt.
type corruptMemory struct{ cache.Store }

func (corruptMemory) Get(context.Context, origin.Origin) (*cache.Record, error) {
	return nil, cache.ErrWrongRecord
}

// Import replaces a corrupt record.
func TestImportReplacesCorruptRecord(t *testing.T) {
	store := corruptMemory{cache.NewMemory(0, 0)}
	result := savedAt(t, "https://a.example", 0, "", time.Now())
	if errs := cache.Import(context.Background(), store, nil, []fetch.Result{result}); errs[0] != nil {
		t.Error(errs[0])
	}
	if r, err := store.Store.Get(context.Background(), result.Origin); err != nil || r.Last() == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// batchingMemory is a store in memory that is a Batcher. If fail is set, PutAll fails, and so does Put for
// hosts with a 7.
type batchingMemory struct {
	cache.Store
	batches atomic.Int32
	fail    bool
}

func (b *batchingMemory) PutAll(ctx context.Context, records []*cache.Record) error {
	b.batches.Add(1)
	if b.fail {
		return errors.New("no room for all")
	}
	for _, r := range records {
		b.Put(ctx, r)
	}
	return nil
}

func (b *batchingMemory) Put(ctx context.Context, r *cache.Record) error {
	if b.fail && strings.Contains(r.Origin.Host(), "7") {
		return errors.New("no room")
	}
	return b.Store.Put(ctx, r)
}

// Import puts all records with one call of PutAll. If that fails, it puts each record alone, so
// that the failure of one does not affect the others.
func TestImportOfABatch(t *testing.T) {
	for _, fail := range []bool{false, true} {
		store := &batchingMemory{Store: cache.NewMemory(0, 0), fail: fail}
		var results []fetch.Result
		for i := range 100 {
			results = append(results, savedAt(t, fmt.Sprintf("https://site-%d.example", i), 0, "", time.Now()))
		}
		failed := 0
		for _, err := range cache.Import(context.Background(), store, nil, results) {
			if err != nil {
				failed++
			}
		}
		want := 0
		if fail {
			want = 19 // 19 numbers from 0 to 99 have a 7
		}
		if failed != want || store.batches.Load() != 1 {
			t.Errorf("%d failed, %d batches", failed, store.batches.Load())
		}
	}
}
