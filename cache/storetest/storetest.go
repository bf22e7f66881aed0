// Package storetest is the contract of cache.Store: Run proves that a store
// keeps it. RunOldFormat is for stores that may hold records of format 1.
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

// A Setup says how to come to the stores that are proved.
type Setup struct {
	// Open returns a store. Stores that are opened for one test with one name
	// hold the same; Open closes them when the test ends.
	Open func(t *testing.T, name string) cache.Store

	// Versions is how many versions of an origin the stores are opened to keep.
	Versions int

	// Private stores hold nothing that another with the same name can see.
	Private bool

	// Spoil changes bits of what a store of a name holds of an origin; nil: they
	// cannot be reached.
	Spoil func(t *testing.T, name string, o origin.Origin)
}

// Run proves that stores keep the contract.
func Run(t *testing.T, s Setup) {
	for name, test := range map[string]func(*testing.T){
		"Records":    s.records,
		"Origins":    s.origins,
		"History":    s.history,
		"Batches":    s.batches,
		"Concurrent": s.concurrent,
		"Context":    s.context,
		"Shared":     s.shared,
		"Spoilt":     s.spoilt,
		"Leases":     s.leases,
		"Notices":    s.notices,
	} {
		t.Run(name, test)
	}
}

// Site returns the n-th of some origins.
func Site(n int) origin.Origin {
	o, err := origin.Parse(fmt.Sprintf("https://site-%d.example/", n))
	if err != nil {
		panic(err)
	}
	return o
}

var start = time.Date(2026, 5, 3, 12, 0, 0, 123456789, time.UTC)

// Answer returns a record of an origin that had a file at some time.
func Answer(o origin.Origin, at time.Time, body string) *cache.Record {
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

// gone returns a record of an origin that has no file any more, and failed since.
func gone(o origin.Origin, at time.Time, body string) *cache.Record {
	r := Answer(o, at.Add(-time.Hour), body)
	r.Answered = &fetch.Result{Origin: o, Hops: []fetch.Hop{{URL: o.RobotsURL(), Status: 404}}, Status: 404, Start: at, End: at}
	r.Failed = &fetch.Result{Origin: o, Hops: []fetch.Hop{{URL: o.RobotsURL()}}, Err: errors.New("no \x1b answer"), SaysNotFound: true, End: at.Add(time.Minute)}
	r.FailingSince, r.Failures, r.Statuses, r.MixedStatuses = at.Add(time.Minute), 3, "{1 2} true", true
	return r
}

// failed returns a record of an origin that never answered.
func failed(o origin.Origin, at time.Time) *cache.Record {
	return &cache.Record{
		Origin:       o,
		Failed:       &fetch.Result{Origin: o, Hops: []fetch.Hop{{URL: o.RobotsURL(), Status: 503}}, Status: 503, Start: at, End: at},
		FailingSince: at,
		Failures:     1,
	}
}

// bodies are robots.txt files that a store must return to the byte.
var bodies = []string{
	"",
	"User-agent: *\nDisallow: /\n",
	"\x00\xff\xfe\x1b[2J'\"\\\r\n$1 \u2028",
	strings.Repeat("Disallow: /a\n", 40_000), // more than 500 KiB
}

func (s *Setup) records(t *testing.T) {
	ctx, store := context.Background(), s.Open(t, "records")
	if _, err := store.Get(ctx, Site(0)); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("a record that is not there: error %v, want ErrNotFound", err)
	}
	for i, body := range bodies {
		for _, r := range []*cache.Record{Answer(Site(i), start, body), gone(Site(i), start, body), failed(Site(i), start)} {
			if err := store.Put(ctx, r); err != nil {
				t.Fatalf("Put %s: %v", r.Origin, err)
			}
			got, err := store.Get(ctx, r.Origin)
			if err != nil {
				t.Fatalf("Get %s: %v", r.Origin, err)
			}
			equal(t, got, r)
		}
	}
	if err := store.Delete(ctx, Site(1)); err != nil {
		t.Errorf("Delete: %v", err)
	}
	if err := store.Delete(ctx, Site(1)); err != nil {
		t.Errorf("Delete of what is not there: %v", err)
	}
	if _, err := store.Get(ctx, Site(1)); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("a record that was deleted: error %v, want ErrNotFound", err)
	}
	if _, err := store.Get(ctx, Site(2)); err != nil {
		t.Errorf("a record beside one that was deleted: %v", err)
	}
}

// equal compares records by what ReadRecord would return.
func equal(t *testing.T, got, want *cache.Record) {
	t.Helper()
	if !bytes.Equal(got.Head(), want.Head()) || !bytes.Equal(got.Body(), want.Body()) || (got.Copy == nil) != (want.Copy == nil) ||
		(got.Answered == got.Copy) != (want.Answered == want.Copy) {
		t.Errorf("got  %s %.100q\nwant %s %.100q", got.Head(), got.Body(), want.Head(), want.Body())
	}
}

func (s *Setup) origins(t *testing.T) {
	ctx, store := context.Background(), s.Open(t, "origins")
	const many = 300
	for i := range many {
		put(t, store, Answer(Site(i), start, bodies[1]))
	}
	if err := store.Delete(ctx, Site(7)); err != nil {
		t.Error(err)
	}
	seen := map[origin.Origin]bool{}
	for o, err := range store.Origins(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		seen[o] = true
		if _, err := store.Get(ctx, o); err != nil { // while they are listed
			t.Fatalf("%s is listed: %v", o, err)
		}
	}
	if len(seen) != many-1 || seen[Site(7)] || !seen[Site(many-1)] {
		t.Errorf("%d origins, want %d", len(seen), many-1)
	}
	for range store.Origins(ctx) {
		break // who has seen enough may stop
	}
}

func put(t *testing.T, store cache.Store, r *cache.Record) {
	t.Helper()
	if err := store.Put(context.Background(), r); err != nil {
		t.Fatalf("Put %s: %v", r.Origin, err)
	}
}

func (s *Setup) history(t *testing.T) {
	ctx, store, o := context.Background(), s.Open(t, "history"), Site(1)
	if v, err := store.History(ctx, o); len(v) > 0 || err != nil {
		t.Errorf("history of an origin that is not there: %v, %v", v, err)
	}
	day := func(n int) time.Time { return start.AddDate(0, 0, n) }
	put(t, store, failed(o, day(0))) // a failure is no version
	put(t, store, Answer(o, day(1), "one"))
	put(t, store, Answer(o, day(2), "one"))
	put(t, store, Answer(o, day(3), "two"))
	put(t, store, gone(o, day(4), "two"))
	put(t, store, Answer(o, day(5), ""))
	put(t, store, Answer(o, day(4), "")) // of a clock that is behind: what was seen stays seen
	put(t, store, Answer(o, day(6), "one"))
	want := []cache.Version{
		{Status: 200, Body: []byte("one"), First: day(6), Last: day(6)},
		{Status: 200, Body: []byte{}, First: day(5), Last: day(5)},
		{Status: 404, First: day(4), Last: day(4)},
		{Status: 200, Body: []byte("two"), First: day(3), Last: day(3)},
		{Status: 200, Body: []byte("one"), First: day(1), Last: day(2)},
	}
	sameHistory(t, store, o, want)
	for i := range 2 * s.Versions {
		put(t, store, Answer(o, day(10+i), fmt.Sprint("version ", i)))
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

// batches: many records are put at once as one after the other, or none of them.
func (s *Setup) batches(t *testing.T) {
	ctx, store := context.Background(), s.Open(t, "batches")
	b, ok := store.(cache.Batcher)
	if !ok {
		t.Skip("it is no Batcher")
	}
	day := func(n int) time.Time { return start.AddDate(0, 0, n) }
	records := []*cache.Record{
		Answer(Site(1), day(1), "one"), failed(Site(2), day(1)), Answer(Site(1), day(2), "two"), Answer(Site(3), day(1), "two"), gone(Site(4), day(1), "one"),
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := b.PutAll(ended, records); err == nil {
		t.Error("PutAll after its context has ended is no error")
	}
	for o, err := range store.Origins(ctx) {
		t.Errorf("%s is there, %v", o, err)
	}
	if err := b.PutAll(ctx, nil); err != nil {
		t.Errorf("PutAll of nothing: %v", err)
	}
	if err := b.PutAll(ctx, records); err != nil {
		t.Fatal(err)
	}
	for _, want := range records[1:] {
		got, err := store.Get(ctx, want.Origin)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, got, want)
	}
	sameHistory(t, store, Site(1), []cache.Version{
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
				o := Site(i % 5)
				r := Answer(o, start.Add(time.Duration(worker*25+i)*time.Second), fmt.Sprint("by ", worker))
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

// context: a context that has ended is an error, and nothing is done.
func (s *Setup) context(t *testing.T) {
	store := s.Open(t, "context")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	put(t, store, Answer(Site(2), start, ""))
	if err := store.Put(ended, Answer(Site(1), start, "")); err == nil {
		t.Error("Put: no error")
	}
	if err := store.Delete(ended, Site(2)); err == nil {
		t.Error("Delete: no error")
	}
	if v, err := store.History(ended, Site(2)); err == nil {
		t.Errorf("History: %v and no error", v)
	}
	for _, err := range store.Origins(ended) {
		if err == nil {
			t.Error("Origins: no error")
		}
		break
	}
	if _, err := store.Get(ended, Site(1)); err == nil || errors.Is(err, cache.ErrNotFound) {
		t.Errorf("Get: error %v", err)
	}
	if _, err := store.Get(context.Background(), Site(1)); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("after a Put that failed: error %v, want ErrNotFound", err)
	}
	time.Sleep(20 * time.Millisecond) // it must not be done later either
	if _, err := store.Get(context.Background(), Site(1)); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("some time after a Put that failed: error %v, want ErrNotFound", err)
	}
	if _, err := store.Get(context.Background(), Site(2)); err != nil {
		t.Errorf("after a Delete that failed: %v", err)
	}
}

// shared: what one user of a store puts, another gets.
func (s *Setup) shared(t *testing.T) {
	if s.Private {
		t.Skip("a private store")
	}
	one, other := s.Open(t, "shared"), s.Open(t, "shared")
	want := gone(Site(1), start, bodies[2])
	put(t, one, want)
	got, err := other.Get(context.Background(), Site(1))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, want)
	if _, err := s.Open(t, "another").Get(context.Background(), Site(1)); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("a store of another name: %v, want ErrNotFound", err)
	}
}

// spoilt: what is not what was written is an ErrWrongRecord, until it is
// written again.
func (s *Setup) spoilt(t *testing.T) {
	if s.Spoil == nil {
		t.Skip("nothing can be spoilt")
	}
	ctx, store := context.Background(), s.Open(t, "spoilt")
	put(t, store, Answer(Site(1), start, bodies[1]))
	s.Spoil(t, "spoilt", Site(1))
	if r, err := store.Get(ctx, Site(1)); !errors.Is(err, cache.ErrWrongRecord) {
		t.Errorf("got %v, error %v, want ErrWrongRecord", r, err)
	}
	again := Answer(Site(1), start.Add(time.Hour), bodies[1])
	put(t, store, again)
	got, err := store.Get(ctx, Site(1))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, again)
}

// leases: one holder at a time.
func (s *Setup) leases(t *testing.T) {
	one, ok := s.Open(t, "leases").(cache.Leaser)
	if !ok {
		t.Skip("no leases")
	}
	ctx, other := context.Background(), s.Open(t, "leases").(cache.Leaser)
	release, err := one.Lease(ctx, Site(1))
	if release == nil || err != nil {
		t.Fatalf("a lease that is free is not given: %v", err)
	}
	for _, l := range []cache.Leaser{one, other} {
		if again, err := l.Lease(ctx, Site(1)); again != nil || err != nil {
			t.Errorf("a lease was given twice: %v", err)
		}
	}
	if beside, err := other.Lease(ctx, Site(2)); beside == nil || err != nil {
		t.Errorf("the lease of another origin is not given: %v", err)
	}
	release()
	again, err := other.Lease(ctx, Site(1))
	if again == nil || err != nil {
		t.Fatalf("a lease that was given back is not given: %v", err)
	}
	release() // a second time ends nobody else's
	if third, err := one.Lease(ctx, Site(1)); third != nil || err != nil {
		t.Errorf("a lease was given twice: %v", err)
	}
}

// notices: of new versions and what is forgotten, to the others.
func (s *Setup) notices(t *testing.T) {
	one := s.Open(t, "notices")
	listener, ok := one.(cache.Notifier)
	if !ok {
		t.Skip("no notices")
	}
	other := s.Open(t, "notices")
	heard := make(chan origin.Origin, 100)
	stop := listener.Notify(func(o origin.Origin) { heard <- o })
	expect := func(why string, o origin.Origin) {
		t.Helper()
		select {
		case got := <-heard:
			if got != o {
				t.Errorf("%s: a notice of %s, want %s", why, got, o)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: no notice", why)
		}
	}
	put(t, one, Answer(Site(9), start, "by itself")) // no notice
	put(t, other, Answer(Site(1), start, "one"))
	expect("the first version", Site(1))
	put(t, other, Answer(Site(1), start.Add(time.Hour), "one")) // no notice: it says the same
	put(t, other, Answer(Site(1), start.Add(time.Hour), "two"))
	expect("another version", Site(1))
	if err := other.Delete(context.Background(), Site(2)); err != nil {
		t.Error(err)
	}
	expect("forgotten", Site(2))
	stop()
	put(t, other, Answer(Site(3), start, "one"))
	select {
	case o := <-heard:
		t.Errorf("a notice of %s after stop", o)
	case <-time.After(100 * time.Millisecond):
	}
}
