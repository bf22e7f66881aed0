package polite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// A network is all sites, each with the same robots.txt. It records when requests start.
type network struct {
	robots string
	mu     sync.Mutex
	starts []time.Duration
	began  time.Time
}

// Fetch implements cache.Fetcher.
func (n *network) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{Origin: o, Status: 200, Body: []byte(n.robots)}, nil
}

// RoundTrip implements http.RoundTripper.
func (n *network) RoundTrip(*http.Request) (*http.Response, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.starts = append(n.starts, time.Since(n.began))
	return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
}

// transport returns a Transport to sites with such a robots.txt.
func transport(robots string) (*Transport, *network) {
	n := &network{robots: robots, began: time.Now()}
	return &Transport{UserAgent: userAgent, Cache: &cache.Cache{Fetcher: n}, Base: n}, n
}

// started returns when the requests started, in order.
func (n *network) started() string {
	slices.Sort(n.starts)
	return strings.Trim(fmt.Sprint(n.starts), "[]")
}

// all sends requests at the same time, and waits for them.
func all(t *testing.T, rt *Transport, urls ...string) {
	t.Helper()
	var group sync.WaitGroup
	for _, url := range urls {
		group.Go(func() {
			if err := get(rt, url); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// Requests to one origin start with the distance of its Crawl-delay, at most MaxDelay.
func TestPace(t *testing.T) {
	for name, c := range map[string]struct {
		robots   string
		maxDelay time.Duration
		want     string
	}{
		"as in the file":  {"user-agent: *\ncrawl-delay: 2\n", 0, "0s 0s 2s 4s"},
		"for another":     {"user-agent: *\ncrawl-delay: 2\nallow: /\n\nuser-agent: examplebot\ncrawl-delay: 0.5\n", 0, "0s 0s 500ms 1s"},
		"not in the file": {"user-agent: *\n", 0, "0s 0s 0s 0s"},
		"30s at most":     {"user-agent: *\ncrawl-delay: 1000000\n", 0, "0s 0s 30s 1m0s"},
		"bounded":         {"user-agent: *\ncrawl-delay: 1000000\n", time.Second, "0s 0s 1s 2s"},
		"beyond 30s":      {"user-agent: *\ncrawl-delay: 60\n", time.Hour, "0s 0s 1m0s 2m0s"},
		"no pacing":       {"user-agent: *\ncrawl-delay: 60\n", -1, "0s 0s 0s 0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			rt, n := transport(c.robots)
			rt.MaxDelay = c.maxDelay
			all(t, rt, "http://a.example/1", "http://a.example:80/2", "http://A.example/3", "https://a.example/4")
			if got := n.started(); got != c.want {
				t.Errorf("%s: started at %s, want %s", name, got, c.want)
			}
		})
	}
}

// A request after a long pause does not wait. The pause does not shorten the wait of the
// next one.
func TestPaceAfterIdleTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 2\n")
		all(t, rt, "http://a.example/")
		time.Sleep(5 * time.Second)
		all(t, rt, "http://a.example/", "http://a.example/")
		if got, want := n.started(), "0s 5s 7s"; got != want {
			t.Errorf("started at %s, want %s", got, want)
		}
	})
}

// A request that is disallowed does not delay others.
func TestDisallowedRequestDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 2\ndisallow: /x\n")
		for range 3 {
			if err := get(rt, "http://a.example/x"); err == nil {
				t.Error("not refused")
			}
		}
		all(t, rt, "http://a.example/")
		if got := n.started(); got != "0s" {
			t.Errorf("started at %s", got)
		}
	})
}

// If a request is cancelled while it waits, the next one starts in its place.
func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 10\n")
		all(t, rt, "http://a.example/")
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			request, err := http.NewRequestWithContext(ctx, "GET", "http://a.example/", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rt.RoundTrip(request); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "crawl delay of http://a.example") {
				t.Errorf("got %v", err)
			}
		}
		if since := time.Since(n.began); since != 3*time.Second {
			t.Errorf("gave up after %s", since)
		}
		all(t, rt, "http://a.example/")
		if got, want := n.started(), "0s 10s"; got != want {
			t.Errorf("started at %s, want %s", got, want)
		}
	})
}

// If a request is cancelled while it waits, those behind it start earlier.
func TestCancelInFrontOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 10\n")
		all(t, rt, "http://a.example/")
		ctx, cancel := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, "GET", "http://a.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := rt.RoundTrip(request); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
		synctest.Wait()
		group.Go(func() { all(t, rt, "http://a.example/") })
		synctest.Wait()
		cancel()
		synctest.Wait()
		all(t, rt, "http://a.example/")
		group.Wait()
		if got, want := n.started(), "0s 10s 20s"; got != want {
			t.Errorf("started at %s, want %s", got, want)
		}
	})
}

// After 200 requests were cancelled while they waited, the next one starts when the first of
// them would have.
func TestCancelledRequestsDelayNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 2\n")
		all(t, rt, "http://a.example/")
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range 200 {
			group.Go(func() {
				if err := rt.pace.waitForStart(ctx, originOf(t, "http://a.example/"), 2*time.Second); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		cancel()
		// This request has a deadline, and the goroutines of the cancelled requests may
		// not have left the queue yet.
		client := &http.Client{Transport: rt, Timeout: 3 * time.Second}
		response, err := client.Get("http://a.example/")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		group.Wait()
		if got, want := n.started(), "0s 2s"; got != want {
			t.Errorf("started at %s, want %s", got, want)
		}
	})
}

// A request whose context has ended before it came does not delay others.
func TestCancelledBeforeItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		o := originOf(t, "http://a.example/")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		for range 3 {
			if err := p.waitForStart(ctx, o, time.Minute); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}
		if err := p.waitForStart(t.Context(), o, time.Minute); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// visit is a request of the test below: its times, and its result.
type visit struct {
	arrives, delay time.Duration
	cancelled      time.Duration // when its context ends, which the pacer does not know before
	deadline       time.Duration // 0: none

	started bool
	ended   time.Duration // when it started, or failed
}

// Requests start in the order in which they came. Each starts as early as possible: after
// the delay of the one before. A request that is cancelled ends at once. So does one whose
// deadline is before its start, as expected from the requests that wait when it comes.
func TestPaceOfRandomRequests(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			visits := randomVisits(rand.New(rand.NewPCG(seed, 18)))
			var p pacer
			o := originOf(t, "http://a.example/")
			began := time.Now()
			var group sync.WaitGroup
			for i := range visits {
				v := &visits[i]
				group.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), v.cancelled)
					defer cancel()
					ctx = hiddenDeadline{ctx}
					if v.deadline > 0 {
						ctx, cancel = context.WithDeadline(ctx, began.Add(v.deadline))
						defer cancel()
					}
					time.Sleep(v.arrives)
					v.started = p.waitForStart(ctx, o, v.delay) == nil
					v.ended = time.Since(began)
				})
			}
			group.Wait()
			checkVisits(t, seed, visits)
		})
	}
}

// hiddenDeadline is a context that ends, but has no Deadline, as one that is cancelled.
type hiddenDeadline struct{ context.Context }

func (hiddenDeadline) Deadline() (time.Time, bool) { return time.Time{}, false }

// randomVisits returns visits in the order of their arrival. No two events are at the same
// time: arrivals are at whole milliseconds, cancellations one microsecond after one, and
// deadlines two microseconds after one. Each delay moves starts by seven microseconds.
func randomVisits(r *rand.Rand) []visit {
	visits := make([]visit, 1+r.IntN(120))
	at := time.Duration(0)
	for i := range visits {
		at += time.Duration(1+r.IntN(2000)) * time.Millisecond
		v := visit{arrives: at, delay: time.Duration(1+r.IntN(4000))*time.Millisecond + 7*time.Microsecond, cancelled: 1e6 * time.Second}
		switch r.IntN(4) {
		case 0, 1:
			v.cancelled = at + time.Duration(r.IntN(20_000))*time.Millisecond + time.Microsecond
		case 2:
			v.deadline = at + time.Duration(r.IntN(20_000))*time.Millisecond + 2*time.Microsecond
		}
		visits[i] = v
	}
	return visits
}

func checkVisits(t *testing.T, seed uint64, visits []visit) {
	t.Helper()
	free := time.Duration(0) // when the next may start
	for i, v := range visits {
		start := max(v.arrives, free)
		expected := expectedStart(visits[:i], v.arrives)
		switch {
		case v.deadline > 0 && v.deadline < expected:
			if v.started || v.ended != v.arrives {
				t.Errorf("seed %d: visit %d (%+v): must fail at once, since its start is expected at %s", seed, i, v, expected)
			}
		case v.cancelled < start:
			if v.started || v.ended != v.cancelled {
				t.Errorf("seed %d: visit %d (%+v) must end when it is cancelled", seed, i, v)
			}
		default:
			if !v.started || v.ended != start {
				t.Errorf("seed %d: visit %d (%+v): must start at %s", seed, i, v, start)
			}
			free = start + v.delay
		}
	}
}

// expectedStart returns when a request that comes at arrives would start, if none of those
// before it is cancelled.
func expectedStart(before []visit, arrives time.Duration) time.Duration {
	start := arrives
	waiting := time.Duration(0)
	for _, b := range before {
		switch {
		case b.ended > arrives: // it waits
			waiting += b.delay
		case b.started:
			start = max(arrives, b.ended+b.delay)
		}
	}
	return start + waiting
}

// If the sum of the delays is too large for a time.Duration, a request fails; the overflow
// does not let it start at once.
func TestDelaysDoNotOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		o := originOf(t, "http://a.example/")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() { p.waitForStart(ctx, o, math.MaxInt64) })
			synctest.Wait()
		}
		for _, delay := range []time.Duration{0, time.Second, math.MaxInt64} {
			if err := p.waitForStart(ctx, o, delay); err == nil || !strings.Contains(err.Error(), "years") {
				t.Errorf("got %v", err)
			}
		}
		cancel()
		group.Wait()
		if q := p.queues[o]; len(q.waiting) != 0 {
			t.Errorf("%d wait", len(q.waiting))
		}
	})
}

func originOf(t *testing.T, url string) origin.Origin {
	t.Helper()
	o, err := origin.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A request whose deadline is before its start fails at once, and does not delay others.
// The Timeout of an http.Client is a deadline.
func TestDeadlineBeforeStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 10\n")
		all(t, rt, "http://a.example/")
		client := &http.Client{Transport: rt, Timeout: 5 * time.Second}
		_, err := client.Get("http://a.example/")
		want := "the crawl delay of http://a.example: the request would have to wait for 10s, but its deadline is earlier: give it a later deadline"
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v", err)
		}
		if since := time.Since(n.began); since != 0 {
			t.Errorf("failed after %s", since)
		}
		client.Timeout = 15 * time.Second
		response, err := client.Get("http://a.example/")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got, want := n.started(), "0s 10s"; got != want {
			t.Errorf("started at %s, want %s", got, want)
		}
	})
}

// The pacer keeps the origins whose next request must wait, and not many more.
func TestOriginsAreDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		var origins []origin.Origin
		for i := range 10000 {
			o := originOf(t, fmt.Sprintf("http://%d.example/", i))
			origins = append(origins, o)
			if err := p.waitForStart(t.Context(), o, time.Second); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		for _, o := range origins[len(origins)-99:] { // the one before need not wait any more
			if p.queues[o] == nil {
				t.Errorf("%s is not kept", o)
			}
		}
		if len(p.queues) > 2*100 {
			t.Errorf("%d origins are kept", len(p.queues))
		}
	})
}
