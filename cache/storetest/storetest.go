// Package storetest tests implementations of cache.Store, cache.Pacer and cache.Noter.
//
//	storetest.Run(t, storetest.Setup{Open: func(t *testing.T, name string) cache.Store { … }})
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// A Setup describes the stores to test. Run needs Open and Versions.
type Setup struct {
	// Open opens a store, and closes it when t ends. Within a test, stores with the same name share their records.
	Open func(t *testing.T, name string) cache.Store

	// Versions is how many versions of each origin the stores keep.
	Versions int

	// Private is true for stores that never share records, such as stores in memory.
	Private bool

	// Corrupt changes bits of a record in the named store. Nil means that corrupt records are not tested.
	Corrupt func(t *testing.T, name string, o origin.Origin)

	// CorruptNote changes bits of a note of an origin, as Corrupt does for a record. RunNoter uses it.
	CorruptNote func(t *testing.T, name string, o origin.Origin, note string)
}

// Run tests what cache.Store promises. If the store is also a cache.Batcher, a cache.Leaser or a cache.Notifier, Run also
// tests what these promise.
func Run(t *testing.T, s Setup) {
	for name, test := range map[string]func(*testing.T){
		"Records":    s.records,
		"Origins":    s.origins,
		"History":    s.history,
		"Batches":    s.testBatches,
		"Concurrent": s.concurrent,
		"Context":    s.context,
		"Shared":     s.testShared,
		"Corrupt":    s.corrupt,
		"Leases":     s.testLeases,
		"Notify":     s.notify,
	} {
		t.Run(name, test)
	}
}

// Origin returns an origin for tests, a different origin for each n: https://site-n.example.
func Origin(n int) origin.Origin {
	o, err := origin.Parse(fmt.Sprintf("https://site-%d.example/", n))
	if err != nil {
		panic(err)
	}
	return o
}

var start = time.Date(2026, 5, 3, 12, 0, 0, 123456789, time.UTC)

// Record returns a record for tests: an origin whose robots.txt with the given body was fetched at the given time.
func Record(o origin.Origin, at time.Time, body string) *cache.Record {
	r := &fetch.Result{
		Origin:    o,
		Hops:      []fetch.Hop{{URL: "http://a.example/robots.txt", Status: 301, Location: o.RobotsURL()}, {URL: o.RobotsURL(), Status: 200}},
		Status:    200,
		Body:      []byte(body),
		Truncated: true,
		Encoding:  "utf-16le",
		Header:    http.Header{"Etag": {`"1"`}, "Cache-Control": {"max-age=5", "public"}},
		Start:     at.Add(-time.Second),
		End:       at,
	}
	return &cache.Record{Origin: o, Answered: r, Copy: r}
}

func goneRecord(o origin.Origin, at time.Time, body string) *cache.Record {
	r := Record(o, at.Add(-time.Hour), body)
	r.Answered = &fetch.Result{Origin: o, Hops: []fetch.Hop{{URL: o.RobotsURL(), Status: 404}}, Status: 404, Start: at, End: at}
	r.Failed = &fetch.Result{Origin: o, Hops: []fetch.Hop{{URL: o.RobotsURL()}}, Err: errors.New("the site sent no \x1b answer: try again later"), SaysNotFound: true, End: at.Add(time.Minute)}
	r.FailingSince, r.Failures, r.Statuses, r.MixedStatuses = at.Add(time.Minute), 3, "{1 2} true", true
	return r
}

func failedRecord(o origin.Origin, at time.Time) *cache.Record {
	return &cache.Record{
		Origin:       o,
		Failed:       &fetch.Result{Origin: o, Hops: []fetch.Hop{{URL: o.RobotsURL(), Status: 503}}, Status: 503, Start: at, End: at},
		FailingSince: at,
		Failures:     1,
	}
}

var bodies = []string{
	"",
	"User-agent: *\nDisallow: /\n",
	"\x00\xff\xfe\x1b[2J'\"\\\r\n$1 \u2028",
	strings.Repeat("Disallow: /a\n", 40_000), // more than 500 KiB
}

func (s *Setup) records(t *testing.T) {
	ctx, store := context.Background(), s.Open(t, "records")
	expectNone(t, store, Origin(0), "Get of an unknown origin")
	for i, body := range bodies {
		for _, r := range []*cache.Record{Record(Origin(i), start, body), goneRecord(Origin(i), start, body), failedRecord(Origin(i), start)} {
			put(t, store, r)
			expectRecord(t, store, r)
		}
	}
	for _, what := range []string{"Delete", "Delete of an unknown origin"} {
		if err := store.Delete(ctx, Origin(1)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	expectNone(t, store, Origin(1), "Get of a deleted record")
	if _, err := store.Get(ctx, Origin(2)); err != nil {
		t.Errorf("after Delete of one record, Get of another record returned the error %v", err)
	}
}

func expectNone(t *testing.T, store cache.Store, o origin.Origin, when string) {
	t.Helper()
	if _, err := store.Get(context.Background(), o); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("%s: error %v, want ErrNotFound", when, err)
	}
}

func expectRecord(t *testing.T, store cache.Store, want *cache.Record) {
	t.Helper()
	got, err := store.Get(context.Background(), want.Origin)
	if err != nil {
		t.Fatalf("Get %s: %v", want.Origin, err)
	}
	if !bytes.Equal(got.Head(), want.Head()) || !bytes.Equal(got.Body(), want.Body()) || (got.Copy == nil) != (want.Copy == nil) ||
		(got.Answered == got.Copy) != (want.Answered == want.Copy) {
		t.Errorf("got  %s %.100q\nwant %s %.100q", got.Head(), got.Body(), want.Head(), want.Body())
	}
}

func (s *Setup) origins(t *testing.T) {
	ctx, store := context.Background(), s.Open(t, "origins")
	const many = 300
	for i := range many {
		put(t, store, Record(Origin(i), start, bodies[1]))
	}
	if err := store.Delete(ctx, Origin(7)); err != nil {
		t.Error(err)
	}
	seen := map[origin.Origin]bool{}
	for o, err := range store.Origins(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		seen[o] = true
		if _, err := store.Get(ctx, o); err != nil { // Get must work during the iteration
			t.Fatalf("Get of %s, which Origins returned: %v", o, err)
		}
	}
	if len(seen) != many-1 || seen[Origin(7)] || !seen[Origin(many-1)] {
		t.Errorf("%d origins, want %d", len(seen), many-1)
	}
	for range store.Origins(ctx) {
		break // the caller may stop early
	}
}

func put(t *testing.T, store cache.Store, r *cache.Record) {
	t.Helper()
	if err := store.Put(context.Background(), r); err != nil {
		t.Fatalf("Put %s: %v", r.Origin, err)
	}
}

func (s *Setup) history(t *testing.T) {
	ctx, store, o := context.Background(), s.Open(t, "history"), Origin(1)
	if v, err := store.History(ctx, o); len(v) > 0 || err != nil {
		t.Errorf("history of an unknown origin: %v, %v", v, err)
	}
	day := func(n int) time.Time { return start.AddDate(0, 0, n) }
	put(t, store, failedRecord(o, day(0))) // a failure is not a version
	put(t, store, Record(o, day(1), "one"))
	put(t, store, Record(o, day(2), "one"))
	put(t, store, Record(o, day(3), "two"))
	put(t, store, goneRecord(o, day(4), "two"))
	put(t, store, Record(o, day(5), ""))
	put(t, store, Record(o, day(4), "")) // the clock of this process is slow; Last must not become earlier
	put(t, store, Record(o, day(6), "one"))
	want := []cache.Version{
		{Status: 200, Body: []byte("one"), First: day(6), Last: day(6)},
		{Status: 200, Body: []byte{}, First: day(5), Last: day(5)},
		{Status: 404, First: day(4), Last: day(4)},
		{Status: 200, Body: []byte("two"), First: day(3), Last: day(3)},
		{Status: 200, Body: []byte("one"), First: day(1), Last: day(2)},
	}
	sameHistory(t, store, o, want)
	for i := range 2 * s.Versions {
		put(t, store, Record(o, day(10+i), fmt.Sprint("version ", i)))
	}
	versions, err := store.History(ctx, o)
	if err != nil || len(versions) != s.Versions {
		t.Errorf("%d versions, %v; want %d", len(versions), err, s.Versions)
	}
	last := fmt.Sprint("version ", 2*s.Versions-1)
	if len(versions) > 0 && string(versions[0].Body) != last {
		t.Errorf("the newest is %q, want %q", versions[0].Body, last)
	}
	if err := store.Delete(ctx, o); err != nil {
		t.Error(err)
	}
	sameHistory(t, store, o, nil)
}

// PutAll has the effect of one Put for each record, or no effect at all.
func (s *Setup) testBatches(t *testing.T) {
	ctx, store := context.Background(), s.Open(t, "batches")
	b, ok := store.(cache.Batcher)
	if !ok {
		t.Skip("not a Batcher")
	}
	day := func(n int) time.Time { return start.AddDate(0, 0, n) }
	records := []*cache.Record{
		Record(Origin(1), day(1), "one"), failedRecord(Origin(2), day(1)), Record(Origin(1), day(2), "two"), Record(Origin(3), day(1), "two"), goneRecord(Origin(4), day(1), "one"),
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := b.PutAll(ended, records); err == nil {
		t.Error("PutAll with an ended context: no error")
	}
	for o, err := range store.Origins(ctx) {
		t.Errorf("after that the store has %s, %v", o, err)
	}
	if err := b.PutAll(ctx, nil); err != nil {
		t.Errorf("PutAll without records: %v", err)
	}
	if err := b.PutAll(ctx, records); err != nil {
		t.Fatal(err)
	}
	for _, want := range records[1:] {
		expectRecord(t, store, want)
	}
	sameHistory(t, store, Origin(1), []cache.Version{
		{Status: 200, Body: []byte("two"), First: day(2), Last: day(2)},
		{Status: 200, Body: []byte("one"), First: day(1), Last: day(1)},
	})
}

func sameHistory(t *testing.T, store cache.Store, o origin.Origin, want []cache.Version) {
	t.Helper()
	got, err := store.History(context.Background(), o)
	if err != nil {
		t.Fatalf("History: %v", err)
	}
	equal := func(a, b cache.Version) bool { return a.Same(b) && a.First.Equal(b.First) && a.Last.Equal(b.Last) }
	if !slices.EqualFunc(got, want, equal) {
		t.Errorf("history\n got %v\nwant %v", got, want)
	}
}

func (s *Setup) concurrent(t *testing.T) {
	ctx, store := context.Background(), s.Open(t, "concurrent")
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			for i := range 25 {
				o := Origin(i % 5)
				r := Record(o, start.Add(time.Duration(worker*25+i)*time.Second), fmt.Sprint("by ", worker))
				if err := store.Put(ctx, r); err != nil {
					t.Errorf("Put: %v", err)
				}
				if got, err := store.Get(ctx, o); err != nil || got.Origin != o || !strings.HasPrefix(string(got.Body()), "by ") {
					t.Errorf("Get: %v, %v", got, err)
				}
				if _, err := store.History(ctx, o); err != nil {
					t.Errorf("History: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

func (s *Setup) context(t *testing.T) {
	store := s.Open(t, "context")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	put(t, store, Record(Origin(2), start, ""))
	if err := store.Put(ended, Record(Origin(1), start, "")); err == nil {
		t.Error("Put: no error")
	}
	if err := store.Delete(ended, Origin(2)); err == nil {
		t.Error("Delete: no error")
	}
	if v, err := store.History(ended, Origin(2)); err == nil {
		t.Errorf("History: %v and no error", v)
	}
	for _, err := range store.Origins(ended) {
		if err == nil {
			t.Error("Origins: no error")
		}
		break
	}
	if _, err := store.Get(ended, Origin(1)); err == nil || errors.Is(err, cache.ErrNotFound) {
		t.Errorf("Get: error %v", err)
	}
	expectNone(t, store, Origin(1), "after a Put that failed")
	time.Sleep(20 * time.Millisecond) // waits, because the Put must have no effect later either
	expectNone(t, store, Origin(1), "later")
	if _, err := store.Get(context.Background(), Origin(2)); err != nil {
		t.Errorf("after a Delete that failed: %v", err)
	}
}

func (s *Setup) testShared(t *testing.T) {
	if s.Private {
		t.Skip("a private store")
	}
	one, other := s.Open(t, "shared"), s.Open(t, "shared")
	want := goneRecord(Origin(1), start, bodies[2])
	put(t, one, want)
	expectRecord(t, other, want)
	expectNone(t, s.Open(t, "another"), Origin(1), "a store of another name")
}

func (s *Setup) corrupt(t *testing.T) {
	if s.Corrupt == nil {
		t.Skip("records cannot be changed")
	}
	ctx, store := context.Background(), s.Open(t, "corrupt")
	put(t, store, Record(Origin(1), start, bodies[1]))
	s.Corrupt(t, "corrupt", Origin(1))
	if r, err := store.Get(ctx, Origin(1)); !errors.Is(err, cache.ErrWrongRecord) {
		t.Errorf("Get of a corrupt record returned %v, error %v; expected ErrWrongRecord", r, err)
	}
	again := Record(Origin(1), start.Add(time.Hour), bodies[1])
	put(t, store, again)
	expectRecord(t, store, again)
}

func (s *Setup) testLeases(t *testing.T) {
	one, ok := s.Open(t, "leases").(cache.Leaser)
	if !ok {
		t.Skip("not a Leaser")
	}
	ctx, other := context.Background(), s.Open(t, "leases").(cache.Leaser)
	release, err := one.Lease(ctx, Origin(1))
	if release == nil || err != nil {
		t.Fatalf("a free lease cannot be taken: %v", err)
	}
	for _, l := range []cache.Leaser{one, other} {
		if again, err := l.Lease(ctx, Origin(1)); again != nil || err != nil {
			t.Errorf("a lease was taken twice: %v", err)
		}
	}
	if second, err := other.Lease(ctx, Origin(2)); second == nil || err != nil {
		t.Errorf("while the lease of one origin is held, the lease of another origin cannot be taken: %v", err)
	}
	release()
	again, err := other.Lease(ctx, Origin(1))
	if again == nil || err != nil {
		t.Fatalf("a lease that was given back cannot be taken: %v", err)
	}
	release() // the second call must have no effect: another process may have the lease now
	if third, err := one.Lease(ctx, Origin(1)); third != nil || err != nil {
		t.Errorf("a lease was taken twice: %v", err)
	}
}

func (s *Setup) notify(t *testing.T) {
	one := s.Open(t, "notify")
	notifier, ok := one.(cache.Notifier)
	if !ok {
		t.Skip("not a Notifier")
	}
	other := s.Open(t, "notify")
	changed := make(chan origin.Origin, 100)
	stop := notifier.Notify(func(o origin.Origin) { changed <- o })
	expect := func(why string, o origin.Origin) {
		t.Helper()
		select {
		case got := <-changed:
			if got != o {
				t.Errorf("%s: a notification of %s, want %s", why, got, o)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: no notification", why)
		}
	}
	put(t, one, Record(Origin(9), start, "own change")) // no notification: the store made this change itself
	put(t, other, Record(Origin(1), start, "one"))
	expect("the first version", Origin(1))
	put(t, other, Record(Origin(1), start.Add(time.Hour), "one")) // no notification: the answer is the same, so there is no new version
	put(t, other, Record(Origin(1), start.Add(time.Hour), "two"))
	expect("another version", Origin(1))
	if err := other.Delete(context.Background(), Origin(2)); err != nil {
		t.Error(err)
	}
	expect("a deletion", Origin(2))
	stop()
	put(t, other, Record(Origin(3), start, "one"))
	select {
	case o := <-changed:
		t.Errorf("a notification of %s after stop", o)
	case <-time.After(100 * time.Millisecond):
	}
}
