package cache_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// twoCaches are two Caches that share a Store, a site and a clock. The second one begins with an
// empty memory.
type twoCaches struct {
	*world
	first, second *cache.Cache
}

func newTwoCaches(t *testing.T, first, second *robotstxt.Dialect, store cache.Store) *twoCaches {
	t.Helper()
	w := newWorld(t, first, func(c *cache.Cache) { c.Store = store })
	return &twoCaches{w, w.cache, &cache.Cache{Dialect: second, Now: w.clock.Now, Fetcher: anyone, Store: store}}
}

func (s *twoCaches) check(t *testing.T, c *cache.Cache, want string, requests int) {
	t.Helper()
	a, err := c.Check(context.Background(), agents, s.origin()+"/private")
	c.Settle() // until the record is written
	got := decision(a.Decision) + "; " + retrievalText(a, s.clock.Now())
	if err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if n := s.site.requests(); n != requests {
		t.Errorf("%d requests, want %d", n, requests)
	}
}

// failWeekly calls Check once a week; the site must be unreachable each time.
func (s *twoCaches) failWeekly(t *testing.T, c *cache.Cache, weeks int) {
	t.Helper()
	for range weeks {
		s.clock.set(s.clock.Now().Add(7 * 24 * time.Hour))
		if a, err := c.Check(context.Background(), agents, s.origin()+"/private"); err != nil || a.Outcome != fetch.Unreachable {
			t.Errorf("%s, %v, want unreachable", retrievalText(a, s.clock.Now()), err)
		}
		c.Settle()
	}
}

func (s *twoCaches) origin() string { return s.site.origin.String() }

// G-8: one copy serves every crawler, and each dialect reads it in its own way.
func TestDialectsShareAStore(t *testing.T) {
	rfc, draft96, google := robotstxt.RFC9309, robotstxt.Draft1996, robotstxt.Google
	for _, c := range []struct {
		name          string
		server        string
		first, second *robotstxt.Dialect
		want1, want2  string // the answers of the first and the second
		requests      int    // of both
	}{
		{"a file", "200", rfc, draft96, "denied rule; rules 200", "denied rule; rules 200", 1},
		{"a file", "200", google, rfc, "denied rule; rules 200", "denied rule; rules 200", 1},
		{"R-14, S96-1: 403", "403", rfc, draft96, "allowed unavailable; unavailable 403", "denied restricted; restricted 403", 1},
		{"S96-1, R-14: 403", "403", draft96, rfc, "denied restricted; restricted 403", "allowed unavailable; unavailable 403", 1},
		{"G-4: 401", "401", draft96, google, "denied restricted; restricted 401", "allowed unavailable; unavailable 401", 1},
		{"R-14, G-5: 429", "429", rfc, draft96, "denied unreachable; unreachable 429, failing 0s", "denied unreachable; unreachable 429, failing 0s", 1},
		{"G-5, R-14: 429", "429", google, rfc, "denied unreachable; unreachable 429, failing 0s", "denied unreachable; unreachable 429, failing 0s", 1},
		{"R-13, S96-1: six redirects", "200 after 6 redirects", rfc, draft96, "allowed unavailable; unavailable 200 error", "denied rule; rules 200", 1},
		{"S96-1, R-13: six redirects", "200 after 6 redirects", draft96, rfc, "denied rule; rules 200", "allowed unavailable; unavailable 200 error", 1},
		{"R-13, S96-1: eleven redirects", "200 after 11 redirects", rfc, draft96, "allowed unavailable; unavailable 302 error", "denied unreachable; unreachable 302 error, failing 0s", 1},
		{"S96-1, R-13: eleven redirects", "200 after 11 redirects", draft96, rfc, "denied unreachable; unreachable 302 error, failing 0s", "allowed unavailable; unavailable 302 error", 1},
		{"G-6, R-15: a page that says not found", "500 not found", google, rfc, "allowed unavailable; unavailable 500", "denied unreachable; unreachable 500, failing 0s", 1},
		{"R-15, G-6: a page that says not found", "500 not found", rfc, google, "denied unreachable; unreachable 500, failing 0s", "allowed unavailable; unavailable 500", 1},
		{"G-7: no answer", "down", google, rfc, "denied unreachable; unreachable error, failing 0s", "denied unreachable; unreachable error, failing 0s", 1},
	} {
		t.Run(fmt.Sprintf("%s, %s to %s", c.name, c.first, c.second), func(t *testing.T) {
			s := newTwoCaches(t, c.first, c.second, cache.NewMemory(0, 0))
			s.site.do(t, c.server)
			s.check(t, s.first, c.want1, 1)
			s.check(t, s.second, c.want2, c.requests)
			s.check(t, s.first, c.want1, c.requests)
		})
	}
}

// S96-7, R-18, G-8: how long a shared copy is fresh depends on the dialect.
func TestDialectsShareACopy(t *testing.T) {
	s := newTwoCaches(t, robotstxt.Google, robotstxt.RFC9309, cache.NewMemory(0, 0))
	s.site.do(t, `200; Cache-Control: max-age=259200; Etag: "1"`)
	s.check(t, s.first, "denied rule; rules 200", 1)
	s.clock.set(start.Add(2 * 24 * time.Hour))
	s.check(t, s.first, "denied rule; rules 200", 1)
	s.check(t, s.second, "denied rule; rules 200", 2)
	if !s.site.lastConditional() {
		t.Error("the request of RFC 9309 is unconditional")
	}
	s.clock.set(start.Add(4 * 24 * time.Hour)) // the first reads the store before it would fetch
	s.check(t, s.first, "denied rule; rules 200", 2)
}

// A retrieval that is an answer for one dialect and a failure for another does not remove the copy
// of the other.
func TestFailureForOneDialect(t *testing.T) {
	s := newTwoCaches(t, robotstxt.Google, robotstxt.RFC9309, cache.NewMemory(0, 0))
	s.site.do(t, "200; Cache-Control: max-age=3600")
	s.check(t, s.first, "denied rule; rules 200", 1)
	s.clock.set(start.Add(30 * time.Minute))
	s.site.do(t, "500 not found")
	if err := s.first.Refresh(context.Background(), s.site.origin); err != nil {
		t.Fatal(err)
	}
	s.first.Settle()
	s.check(t, s.first, "allowed unavailable; unavailable 500", 2)
	// For RFC 9309 the page is a failure, with the usual back-off.
	s.check(t, s.second, "denied unreachable; unreachable 500, failing 0s", 2)
	s.clock.set(start.Add(2 * time.Hour))
	s.check(t, s.second, "denied unreachable; unreachable 500, failing 0s", 3) // the count begins with the first failure of this Cache
	// for RFC 9309 the file was never gone, so the copy is used after 30 days.
	s.failWeekly(t, s.second, 4)
	s.clock.set(start.Add(31 * 24 * time.Hour))
	s.check(t, s.second, "denied rule; rules 200 stale, failing 30d22h0m0s", 8)
}

// A later process continues with the records of an earlier one (R-16, R-18, G-5, G-8).
func TestLaterProcess(t *testing.T) {
	s := newTwoCaches(t, nil, nil, cache.NewMemory(0, 0))
	s.site.do(t, `200; Cache-Control: max-age=3600; Etag: "1"`)
	s.check(t, s.first, "denied rule; rules 200", 1)
	later := func() *cache.Cache {
		return &cache.Cache{Now: s.clock.Now, Fetcher: anyone, Store: s.first.Store}
	}
	s.clock.set(start.Add(30 * time.Minute))
	s.check(t, later(), "denied rule; rules 200", 1)
	s.clock.set(start.Add(time.Hour))
	s.check(t, later(), "denied rule; rules 200", 2)
	if !s.site.lastConditional() {
		t.Error("the request of the later process is unconditional")
	}
	s.site.do(t, "500")
	s.clock.set(start.Add(2 * time.Hour))
	s.check(t, later(), "denied unreachable; unreachable 500, failing 0s", 3)
	s.clock.set(start.Add(2*time.Hour + 40*time.Second))
	s.check(t, later(), "denied unreachable; unreachable 500, failing 40s", 3)
	for range 4 {
		s.failWeekly(t, later(), 1)
	}
	s.clock.set(start.Add((30*24 + 2) * time.Hour))
	s.check(t, later(), "denied rule; rules 200 stale, failing 30d0s", 8)
	peeks := later()
	if a, err := peek(context.Background(), peeks, s.origin()+"/private"); err != nil || decision(a.Decision) != "denied rule" {
		t.Errorf("PeekSite: %s, %v", decision(a.Decision), err)
	}
	if err := peeks.Forget(context.Background(), s.site.origin); err != nil {
		t.Error(err)
	}
	if _, err := s.first.Store.Get(context.Background(), s.site.origin); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("after Forget: %v, want ErrNotFound", err)
	}
	s.check(t, peeks, "denied unreachable; unreachable 500, failing 0s", 9)
}

// the history has each version, with the times of its first and its last retrieval.
func TestHistory(t *testing.T) {
	store := cache.NewMemory(0, 0)
	s := newTwoCaches(t, nil, nil, store)
	for _, step := range []struct {
		at     time.Duration
		server string
	}{
		{0, `200; Cache-Control: max-age=600; Etag: "1"`},
		{time.Hour, ""}, // not modified
		{2 * time.Hour, `200; Cache-Control: max-age=600; Etag: "2"`}, // the same with another tag
		{3 * time.Hour, "500"},
		{4 * time.Hour, "200 other; Cache-Control: max-age=600"},
		{5 * time.Hour, "404; Cache-Control: max-age=600"},
		{6 * time.Hour, "404; Cache-Control: max-age=600"},
		{7 * time.Hour, "200; Cache-Control: max-age=600"},
	} {
		s.clock.set(start.Add(step.at))
		s.site.do(t, step.server)
		if _, err := s.first.Check(context.Background(), agents, s.origin()+"/"); err != nil {
			t.Fatal(err)
		}
		s.first.Settle()
	}
	versions, err := store.History(context.Background(), s.site.origin)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range versions {
		got = append(got, fmt.Sprintf("%d %q %s-%s", v.Status, v.Body, short(v.First.Sub(start)), short(v.Last.Sub(start))))
	}
	want := []string{
		fmt.Sprintf("200 %q 7h0m0s-7h0m0s", bodies[""]),
		`404 "" 5h0m0s-6h0m0s`,
		fmt.Sprintf("200 %q 4h0m0s-4h0m0s", bodies["other"]),
		fmt.Sprintf("200 %q 0s-2h0m0s", bodies[""]),
	}
	if !slices.Equal(got, want) {
		t.Errorf("history:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// a record with a time in the future is not used: the file is fetched again.
func TestRecordFromTheFuture(t *testing.T) {
	ctx := context.Background()
	for _, ahead := range []time.Duration{6 * time.Minute, 24 * time.Hour, 10 * 365 * 24 * time.Hour} {
		store := cache.NewMemory(0, 0)
		s := newTwoCaches(t, nil, nil, store)
		answered := &fetch.Result{
			Origin: s.site.origin,
			Hops:   []fetch.Hop{{URL: s.site.origin.RobotsURL(), Status: 200}},
			Status: 200,
			Body:   []byte("User-agent: *\nDisallow: /future\n"),
			Start:  start.Add(ahead),
			End:    start.Add(ahead),
		}
		if err := store.Put(ctx, &cache.Record{Origin: s.site.origin, Answered: answered, Copy: answered}); err != nil {
			t.Fatal(err)
		}
		s.site.do(t, "200; Cache-Control: max-age=3600")
		s.check(t, s.first, "denied rule; rules 200", 1)
		s.clock.set(start.Add(30 * time.Minute))
		s.check(t, s.first, "denied rule; rules 200", 1)
		s.check(t, s.second, "denied rule; rules 200", 1)
		s.clock.set(start.Add(time.Hour))
		s.check(t, s.second, "denied rule; rules 200", 2)
	}
}

// R-13, S96-1: a file after six redirects is a robots.txt for the draft of 1996 only. It does not
// become the copy of RFC 9309.
func TestRedirectedCopy(t *testing.T) {
	s := newTwoCaches(t, robotstxt.Draft1996, robotstxt.RFC9309, cache.NewMemory(0, 0))
	s.second.LastGood = cache.LastGoodAtOnce
	s.site.do(t, "200 after 6 redirects; Cache-Control: max-age=3600")
	s.check(t, s.first, "denied rule; rules 200", 1)
	s.clock.set(start.Add(time.Hour))
	s.site.do(t, "down")
	s.check(t, s.second, "denied unreachable; unreachable error, failing 0s", 2)
}

// a store that cannot be written keeps an old record. The record in memory is newer, and is
// used: it has the count of failures.
func TestMemoryIsNewerThanStore(t *testing.T) {
	store := &faulty{Store: cache.NewMemory(0, 0)}
	s := newTwoCaches(t, nil, nil, store)
	s.site.do(t, "200; Cache-Control: max-age=3600")
	s.check(t, s.first, "denied rule; rules 200", 1)
	store.err = errors.New("read-only")
	s.site.do(t, "500")
	s.clock.set(start.Add(time.Hour))
	s.check(t, s.first, "denied unreachable; unreachable 500, failing 0s", 2)
	s.clock.set(start.Add(2 * time.Hour))
	s.check(t, s.first, "denied unreachable; unreachable 500, failing 1h0m0s", 3)
	s.failWeekly(t, s.first, 4)
	s.clock.set(start.Add((30*24 + 1) * time.Hour))
	s.check(t, s.first, "denied rule; rules 200 stale, failing 30d0s", 8)
}

// faulty is a Store with wrong results.
type faulty struct {
	cache.Store
	get func(*cache.Record, error) (*cache.Record, error) // changes the results of Get; nil: does not
	err error                                             // the error of Put and Delete; nil: none
}

func (f *faulty) Get(ctx context.Context, o origin.Origin) (*cache.Record, error) {
	r, err := f.Store.Get(ctx, o)
	if f.get == nil {
		return r, err
	}
	return f.get(r, err)
}

func (f *faulty) Put(ctx context.Context, r *cache.Record) error {
	if f.err != nil {
		return f.err
	}
	return f.Store.Put(ctx, r)
}

func (f *faulty) Delete(ctx context.Context, o origin.Origin) error {
	if f.err != nil {
		return f.err
	}
	return f.Store.Delete(ctx, o)
}

func (f *faulty) Origins(ctx context.Context) iter.Seq2[origin.Origin, error] {
	return f.Store.Origins(ctx)
}

// A wrong record is not used: the file is fetched, and there is an event.
func TestWrongRecords(t *testing.T) {
	ctx := context.Background()
	elsewhere, err := origin.Parse("http://elsewhere.example/")
	if err != nil {
		t.Fatal(err)
	}
	for name, get := range map[string]func(*cache.Record, error) (*cache.Record, error){
		"an error": func(*cache.Record, error) (*cache.Record, error) {
			return nil, fmt.Errorf("row 7: %w", cache.ErrWrongRecord)
		},
		"another origin": func(r *cache.Record, _ error) (*cache.Record, error) {
			wrong := *r
			wrong.Origin = elsewhere
			return &wrong, nil
		},
		"no origin": func(r *cache.Record, _ error) (*cache.Record, error) {
			wrong := *r
			wrong.Origin = origin.Origin{}
			return &wrong, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := cache.NewMemory(0, 0)
			s := newTwoCaches(t, nil, nil, store)
			s.site.do(t, "404")
			s.check(t, s.first, "allowed unavailable; unavailable 404", 1)
			var wrong []origin.Origin
			var failed int
			s.second.Store = &faulty{Store: store, get: get}
			s.second.Events.WrongRecord = func(o origin.Origin, err error) {
				if wrong = append(wrong, o); !errors.Is(err, cache.ErrWrongRecord) {
					t.Errorf("WrongRecord with %v", err)
				}
			}
			s.second.Events.StoreFailed = func(string, origin.Origin, error) { failed++ }
			if a, err := peek(ctx, s.second, s.origin()+"/private"); err != nil || a.Allowed || a.Err == nil {
				t.Errorf("PeekSite: %s, %v", decision(a.Decision), err)
			}
			s.site.do(t, "200")
			s.check(t, s.second, "denied rule; rules 200", 2)
			if len(wrong) != 2 || wrong[0] != s.site.origin || failed != 0 {
				t.Errorf("WrongRecord for %v, and %d times StoreFailed", wrong, failed)
			}
			s.check(t, s.second, "denied rule; rules 200", 2)
		})
	}
}

// If the Store fails, there are more retrievals and events, but no answer is missing.
func TestFailingStore(t *testing.T) {
	broken := errors.New("the disk is full")
	var mu sync.Mutex
	events := map[string]int{}
	store := &faulty{
		Store: cache.NewMemory(0, 0),
		get:   func(*cache.Record, error) (*cache.Record, error) { return nil, broken },
		err:   broken,
	}
	s := newTwoCaches(t, nil, nil, store)
	var fetched []int
	s.first.Events = cache.Events{
		Fetched: func(r *fetch.Result) { fetched = append(fetched, r.Status) },
		StoreFailed: func(what string, o origin.Origin, err error) {
			mu.Lock()
			defer mu.Unlock()
			if events[what]++; !errors.Is(err, broken) || o != s.site.origin {
				t.Errorf("StoreFailed for %s, %v", o, err)
			}
		},
		WrongRecord: func(o origin.Origin, err error) { t.Errorf("WrongRecord: %v", err) },
	}
	s.site.do(t, "200; Cache-Control: max-age=3600")
	s.check(t, s.first, "denied rule; rules 200", 1)
	s.check(t, s.first, "denied rule; rules 200", 1)
	if events["get"] == 0 || events["put"] != 1 {
		t.Errorf("events %v", events)
	}
	s.site.do(t, "down")
	s.clock.set(start.Add(time.Hour))
	s.check(t, s.first, "denied unreachable; unreachable error, failing 0s", 2)
	s.check(t, s.second, "denied unreachable; unreachable error, failing 0s", 3) // nothing is in its memory
	s.failWeekly(t, s.first, 4)
	s.clock.set(start.Add((30*24 + 1) * time.Hour))
	s.check(t, s.first, "denied rule; rules 200 stale, failing 30d0s", 8) // from memory
	if !slices.Equal(fetched, []int{200, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("Fetched with %v", fetched)
	}
	if err := s.first.Forget(context.Background(), s.site.origin); !errors.Is(err, broken) {
		t.Errorf("Forget: %v, want the error of the store", err)
	}
}

// sharedMemory is a store in memory that is a Leaser, with one lease for all origins, and a Notifier.
type sharedMemory struct {
	cache.Store
	mu      sync.Mutex
	held    bool                // the lease is held
	err     error               // of Lease; nil: none
	leases  atomic.Int64        // calls of Lease
	changed func(origin.Origin) // the argument of Notify
	stopped bool                // the notifications were stopped
}

func (l *sharedMemory) Lease(context.Context, origin.Origin) (func(), error) {
	l.leases.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return nil, l.err
	case l.held:
		return nil, nil
	}
	l.held = true
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held = false
	}, nil
}

func (l *sharedMemory) Notify(changed func(origin.Origin)) func() {
	l.changed = changed
	return func() { l.stopped = true }
}

// G-8: one of several processes fetches, and the others wait for its record.
func TestLeases(t *testing.T) {
	store := &sharedMemory{Store: cache.NewMemory(0, 0)}
	s := newTwoCaches(t, nil, nil, store)
	s.site.do(t, "200; Cache-Control: max-age=3600")
	store.held = true // by a third process, which fetches
	done := make(chan bool)
	go func() {
		defer close(done)
		s.check(t, s.first, "allowed unavailable; unavailable 404", 0)
	}()
	for store.leases.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	gone := &fetch.Result{Origin: s.site.origin, Status: http.StatusNotFound, Start: start, End: start}
	if err := store.Put(context.Background(), &cache.Record{Origin: s.site.origin, Answered: gone}); err != nil {
		t.Fatal(err)
	}
	<-done
	store.mu.Lock()
	store.held = false // the third process gives its lease back
	store.mu.Unlock()
	s.clock.set(start.Add(25 * time.Hour))
	s.check(t, s.first, "denied rule; rules 200", 1)
	if store.held {
		t.Error("the lease was not given back")
	}
	store.err = errors.New("no leases")
	var events []string
	s.second.Events.StoreFailed = func(what string, _ origin.Origin, _ error) { events = append(events, what) }
	s.clock.set(start.Add(50 * time.Hour))
	s.check(t, s.second, "denied rule; rules 200", 2)
	if !slices.Equal(events, []string{"lease"}) {
		t.Errorf("StoreFailed with %v", events)
	}
}

// G-8: after a notification a Cache reads the record from the store again.
func TestNotifications(t *testing.T) {
	store := &sharedMemory{Store: cache.NewMemory(0, 0)}
	s := newTwoCaches(t, nil, nil, store)
	s.site.do(t, "200")
	s.check(t, s.first, "denied rule; rules 200", 1)
	gone := &fetch.Result{Origin: s.site.origin, Status: http.StatusNotFound, Start: start, End: start.Add(time.Second)}
	if err := store.Put(context.Background(), &cache.Record{Origin: s.site.origin, Answered: gone}); err != nil {
		t.Fatal(err)
	}
	s.clock.set(start.Add(time.Minute))
	s.check(t, s.first, "denied rule; rules 200", 1)
	store.changed(s.site.origin)
	s.check(t, s.first, "allowed unavailable; unavailable 404", 1)
	if s.first.Close(); !store.stopped {
		t.Error("Close did not stop the notifications")
	}
}
