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

// shared are two Caches of one Store, which see the same site and clock. The
// second knows nothing but what the Store does.
type shared struct {
	*world
	first, second *cache.Cache
}

func newShared(t *testing.T, first, second *robotstxt.Dialect, store cache.Store) *shared {
	t.Helper()
	w := newWorld(t, first, func(c *cache.Cache) { c.Store = store })
	return &shared{w, w.cache, &cache.Cache{Dialect: second, Now: w.clock.Now, Fetcher: anyone, Store: store}}
}

func (s *shared) check(t *testing.T, c *cache.Cache, want string, requests int) {
	t.Helper()
	a, err := c.Check(context.Background(), agents, s.origin()+"/private")
	c.Settle() // what it asked is in the store
	got := decision(a.Decision) + "; " + retrievalText(a, s.clock.Now())
	if err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if n := s.site.requests(); n != requests {
		t.Errorf("%d requests, want %d", n, requests)
	}
}

// failWeekly lets a Cache ask a site that fails once a week.
func (s *shared) failWeekly(t *testing.T, c *cache.Cache, weeks int) {
	t.Helper()
	for range weeks {
		s.clock.set(s.clock.Now().Add(7 * 24 * time.Hour))
		if a, err := c.Check(context.Background(), agents, s.origin()+"/private"); err != nil || a.Outcome != fetch.Unreachable {
			t.Errorf("%s, %v, want unreachable", retrievalText(a, s.clock.Now()), err)
		}
		c.Settle()
	}
}

func (s *shared) origin() string { return s.site.origin.String() }

// G-8: one copy serves every crawler, and each dialect reads it in its own way.
func TestDialectsShareAStore(t *testing.T) {
	rfc, draft96, google := robotstxt.RFC9309, robotstxt.Draft1996, robotstxt.Google
	for _, c := range []struct {
		name          string
		server        string
		first, second *robotstxt.Dialect
		says, reads   string // what the first answers, and the second
		requests      int    // for both
	}{
		{"a file", "200", rfc, draft96, "denied rule; rules 200", "denied rule; rules 200", 1},
		{"a file", "200", google, rfc, "denied rule; rules 200", "denied rule; rules 200", 1},
		{"R-14, S96-1: 403", "403", rfc, draft96, "allowed unavailable; unavailable 403", "denied restricted; restricted 403", 1},
		{"S96-1, R-14: 403", "403", draft96, rfc, "denied restricted; restricted 403", "allowed unavailable; unavailable 403", 1},
		{"G-4: 401", "401", draft96, google, "denied restricted; restricted 401", "allowed unavailable; unavailable 401", 1},
		{"R-14, G-5: 429", "429", rfc, draft96, "denied unreachable; unreachable 429, failing 0s", "denied unreachable; unreachable 429, failing 0s", 1},
		{"G-5, R-14: 429", "429", google, rfc, "denied unreachable; unreachable 429, failing 0s", "denied unreachable; unreachable 429, failing 0s", 1},
		{"R-13, S96-1: six redirects", "200 after 6 redirects", rfc, draft96, "allowed unavailable; unavailable 200", "denied rule; rules 200", 1},
		{"S96-1, R-13: six redirects", "200 after 6 redirects", draft96, rfc, "denied rule; rules 200", "allowed unavailable; unavailable 200", 1},
		{"R-13, S96-1: eleven redirects", "200 after 11 redirects", rfc, draft96, "allowed unavailable; unavailable 302", "denied unreachable; unreachable 302, failing 0s", 1},
		{"S96-1, R-13: eleven redirects", "200 after 11 redirects", draft96, rfc, "denied unreachable; unreachable 302, failing 0s", "allowed unavailable; unavailable 302", 1},
		{"G-6, R-15: a page that says not found", "500 not found", google, rfc, "allowed unavailable; unavailable 500", "denied unreachable; unreachable 500, failing 0s", 1},
		{"R-15, G-6: a page that says not found", "500 not found", rfc, google, "denied unreachable; unreachable 500, failing 0s", "allowed unavailable; unavailable 500", 1},
		{"G-7: no answer", "down", google, rfc, "denied unreachable; unreachable error, failing 0s", "denied unreachable; unreachable error, failing 0s", 1},
	} {
		t.Run(fmt.Sprintf("%s, %s to %s", c.name, c.first, c.second), func(t *testing.T) {
			s := newShared(t, c.first, c.second, cache.NewMemory(0, 0))
			s.site.do(t, c.server)
			s.check(t, s.first, c.says, 1)
			s.check(t, s.second, c.reads, c.requests)
			s.check(t, s.first, c.says, c.requests)
		})
	}
}

// S96-7, R-18, G-8: each dialect reads in its own way how long a copy is used.
func TestDialectsShareACopy(t *testing.T) {
	s := newShared(t, robotstxt.Google, robotstxt.RFC9309, cache.NewMemory(0, 0))
	s.site.do(t, `200; Cache-Control: max-age=259200; Etag: "1"`)
	s.check(t, s.first, "denied rule; rules 200", 1)
	s.clock.set(start.Add(2 * 24 * time.Hour))
	s.check(t, s.first, "denied rule; rules 200", 1)
	s.check(t, s.second, "denied rule; rules 200", 2)
	if !s.site.lastConditional() {
		t.Error("RFC 9309 asked unconditionally")
	}
	s.clock.set(start.Add(4 * 24 * time.Hour)) // the first looks into the store before it asks
	s.check(t, s.first, "denied rule; rules 200", 2)
}

// What is an answer to one dialect and a failure to another does not take away
// the last good copy of the other.
func TestFailureOfOneDialect(t *testing.T) {
	s := newShared(t, robotstxt.Google, robotstxt.RFC9309, cache.NewMemory(0, 0))
	s.site.do(t, "200; Cache-Control: max-age=3600")
	s.check(t, s.first, "denied rule; rules 200", 1)
	s.clock.set(start.Add(30 * time.Minute))
	s.site.do(t, "500 not found")
	if err := s.first.Refresh(context.Background(), s.site.origin); err != nil {
		t.Fatal(err)
	}
	s.first.Settle()
	s.check(t, s.first, "allowed unavailable; unavailable 500", 2)
	// What came between its file and that page is not known, so it waits.
	s.check(t, s.second, "denied unreachable; unreachable 500, failing 0s", 2)
	s.clock.set(start.Add(2 * time.Hour))
	s.check(t, s.second, "denied unreachable; unreachable 500, failing 0s", 3) // that page may have been a failure or not
	// to RFC 9309 the file was never gone, so it is the last good copy.
	s.failWeekly(t, s.second, 4)
	s.clock.set(start.Add(31 * 24 * time.Hour))
	s.check(t, s.second, "denied rule; rules 200 stale, failing 30d22h0m0s", 8)
}

// A later process goes on where an earlier one ended (R-16, R-18, G-5, G-8).
func TestLaterProcess(t *testing.T) {
	s := newShared(t, nil, nil, cache.NewMemory(0, 0))
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
		t.Error("the later process asked unconditionally")
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
	if a, err := peeks.Peek(context.Background(), agents, s.origin()+"/private"); err != nil || decision(a.Decision) != "denied rule" {
		t.Errorf("Peek: %s, %v", decision(a.Decision), err)
	}
	if err := peeks.Forget(context.Background(), s.site.origin); err != nil {
		t.Error(err)
	}
	if _, err := s.first.Store.Get(context.Background(), s.site.origin); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("after Forget: %v, want ErrNotFound", err)
	}
	s.check(t, peeks, "denied unreachable; unreachable 500, failing 0s", 9)
}

// each distinct version is kept, with when it was first and last seen.
func TestHistory(t *testing.T) {
	store := cache.NewMemory(0, 0)
	s := newShared(t, nil, nil, store)
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

// a record from the future is asked for again, and not used for ever.
func TestRecordOfTheFuture(t *testing.T) {
	ctx := context.Background()
	for _, ahead := range []time.Duration{6 * time.Minute, 24 * time.Hour, 10 * 365 * 24 * time.Hour} {
		store := cache.NewMemory(0, 0)
		s := newShared(t, nil, nil, store)
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

// R-13, S96-1: what redirects lead to is judged by each dialect, and also when it
// becomes the last good copy.
func TestRedirectedCopy(t *testing.T) {
	s := newShared(t, robotstxt.Draft1996, robotstxt.RFC9309, cache.NewMemory(0, 0))
	s.second.LastGood = cache.LastGoodAtOnce
	s.site.do(t, "200 after 6 redirects; Cache-Control: max-age=3600")
	s.check(t, s.first, "denied rule; rules 200", 1)
	s.clock.set(start.Add(time.Hour))
	s.site.do(t, "down")
	s.check(t, s.second, "denied unreachable; unreachable error, failing 0s", 2)
}

// a store that cannot be written to holds on to an old record. What is in
// memory is newer, and knows since when the site fails.
func TestOldRecords(t *testing.T) {
	store := &faulty{Store: cache.NewMemory(0, 0)}
	s := newShared(t, nil, nil, store)
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

// faulty is a Store that does wrong what it is told to.
type faulty struct {
	cache.Store
	get func(*cache.Record, error) (*cache.Record, error) // nil: as the Store does
	err error                                             // of every other call
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

// A record that cannot be trusted is never an answer: the file is fetched.
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
			s := newShared(t, nil, nil, store)
			s.site.do(t, "404")
			s.check(t, s.first, "allowed unavailable; unavailable 404", 1)
			var wrong []origin.Origin
			var failed int
			s.second.Store = &faulty{Store: store, get: get}
			s.second.Events.WrongRecord = func(o origin.Origin, err error) {
				if wrong = append(wrong, o); !errors.Is(err, cache.ErrWrongRecord) {
					t.Errorf("told of %v", err)
				}
			}
			s.second.Events.StoreFailed = func(string, origin.Origin, error) { failed++ }
			if a, err := s.second.Peek(ctx, agents, s.origin()+"/private"); err != nil || a.Allowed || a.Err == nil {
				t.Errorf("Peek: %s, %v", decision(a.Decision), err)
			}
			s.site.do(t, "200")
			s.check(t, s.second, "denied rule; rules 200", 2)
			if len(wrong) != 2 || wrong[0] != s.site.origin || failed != 0 {
				t.Errorf("told of %v, and of %d failures", wrong, failed)
			}
			s.check(t, s.second, "denied rule; rules 200", 2)
		})
	}
}

// A Store that fails costs retrievals and never an answer.
func TestFailingStore(t *testing.T) {
	broken := errors.New("the disk is full")
	var mu sync.Mutex
	told := map[string]int{}
	store := &faulty{
		Store: cache.NewMemory(0, 0),
		get:   func(*cache.Record, error) (*cache.Record, error) { return nil, broken },
		err:   broken,
	}
	s := newShared(t, nil, nil, store)
	var fetched []int
	s.first.Events = cache.Events{
		Fetched: func(r *fetch.Result) { fetched = append(fetched, r.Status) },
		StoreFailed: func(what string, o origin.Origin, err error) {
			mu.Lock()
			defer mu.Unlock()
			if told[what]++; !errors.Is(err, broken) || o != s.site.origin {
				t.Errorf("told of %s, %v", o, err)
			}
		},
		WrongRecord: func(o origin.Origin, err error) { t.Errorf("a wrong record: %v", err) },
	}
	s.site.do(t, "200; Cache-Control: max-age=3600")
	s.check(t, s.first, "denied rule; rules 200", 1)
	s.check(t, s.first, "denied rule; rules 200", 1)
	if told["get"] == 0 || told["put"] != 1 {
		t.Errorf("told of %v", told)
	}
	s.site.do(t, "down")
	s.clock.set(start.Add(time.Hour))
	s.check(t, s.first, "denied unreachable; unreachable error, failing 0s", 2)
	s.check(t, s.second, "denied unreachable; unreachable error, failing 0s", 3) // knows nothing, is told nothing
	s.failWeekly(t, s.first, 4)
	s.clock.set(start.Add((30*24 + 1) * time.Hour))
	s.check(t, s.first, "denied rule; rules 200 stale, failing 30d0s", 8) // what is in memory
	if !slices.Equal(fetched, []int{200, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("Fetched was told of %v", fetched)
	}
	if err := s.first.Forget(context.Background(), s.site.origin); !errors.Is(err, broken) {
		t.Errorf("Forget: %v, want what the store says", err)
	}
}

// leasing is a Store that lets one at a time ask, and tells of changes.
type leasing struct {
	*cache.Memory
	mu      sync.Mutex
	held    bool
	err     error
	leases  atomic.Int64 // that were asked for
	changed func(origin.Origin)
	stopped bool
}

func (l *leasing) Lease(context.Context, origin.Origin) (func(), error) {
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

func (l *leasing) Notify(changed func(origin.Origin)) func() {
	l.changed = changed
	return func() { l.stopped = true }
}

// G-8: of several processes one asks, and the others wait for what comes of it.
func TestLeases(t *testing.T) {
	store := &leasing{Memory: cache.NewMemory(0, 0)}
	s := newShared(t, nil, nil, store)
	s.site.do(t, "200; Cache-Control: max-age=3600")
	store.held = true // by a third, which fetches
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
	store.held = false // as the third ends, or its lease does
	store.mu.Unlock()
	s.clock.set(start.Add(25 * time.Hour))
	s.check(t, s.first, "denied rule; rules 200", 1)
	if store.held {
		t.Error("the lease was not given back")
	}
	store.err = errors.New("no leases today")
	var told []string
	s.second.Events.StoreFailed = func(what string, _ origin.Origin, _ error) { told = append(told, what) }
	s.clock.set(start.Add(50 * time.Hour))
	s.check(t, s.second, "denied rule; rules 200", 2)
	if !slices.Equal(told, []string{"lease"}) {
		t.Errorf("told of %v", told)
	}
}

// G-8: what another process changed is read again from the store.
func TestNotices(t *testing.T) {
	store := &leasing{Memory: cache.NewMemory(0, 0)}
	s := newShared(t, nil, nil, store)
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
		t.Error("Close did not stop the notices")
	}
}
