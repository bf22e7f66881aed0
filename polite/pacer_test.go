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

// A network stands for all sites: each has the same robots.txt, and when a request
// was sent is remembered.
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

// Requests to one origin start as far apart as it asks for, within MaxDelay.
func TestPace(t *testing.T) {
	for name, c := range map[string]struct {
		robots string
		most   time.Duration
		want   string
	}{
		"as asked for":  {"user-agent: *\ncrawl-delay: 2\n", 0, "0s 0s 2s 4s"},
		"for another":   {"user-agent: *\ncrawl-delay: 2\nallow: /\n\nuser-agent: examplebot\ncrawl-delay: 0.5\n", 0, "0s 0s 500ms 1s"},
		"not asked for": {"user-agent: *\n", 0, "0s 0s 0s 0s"},
		"30s at most":   {"user-agent: *\ncrawl-delay: 1000000\n", 0, "0s 0s 30s 1m0s"},
		"bounded":       {"user-agent: *\ncrawl-delay: 1000000\n", time.Second, "0s 0s 1s 2s"},
		"beyond 30s":    {"user-agent: *\ncrawl-delay: 60\n", time.Hour, "0s 0s 1m0s 2m0s"},
		"no pacing":     {"user-agent: *\ncrawl-delay: 60\n", -1, "0s 0s 0s 0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			rt, n := transport(c.robots)
			rt.MaxDelay = c.most
			all(t, rt, "http://a.example/1", "http://a.example:80/2", "http://A.example/3", "https://a.example/4")
			if got := n.started(); got != c.want {
				t.Errorf("%s: started at %s, want %s", name, got, c.want)
			}
		})
	}
}

// Who comes late does not wait, and does not let others wait for less.
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

// What is disallowed takes no turn.
func TestRefusedTakesNoTurn(t *testing.T) {
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

// A request that is given up while it waits leaves its turn to the next.
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

// Behind a request that is given up all others move up.
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

// 200 requests that wait and are given up leave no turn behind: the next starts
// when the first of them would have.
func TestCancelledRequestsTakeNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 2\n")
		all(t, rt, "http://a.example/")
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range 200 {
			group.Go(func() {
				if err := rt.pace.wait(ctx, originOf(t, "http://a.example/"), 2*time.Second); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		cancel()
		// Not even with a deadline that comes before 200 turns, and before those
		// that were given up had the time to leave.
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

// A request whose context has ended before it came takes no turn.
func TestCancelledBeforeItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		o := originOf(t, "http://a.example/")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		for range 3 {
			if err := p.wait(ctx, o, time.Minute); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}
		if err := p.wait(t.Context(), o, time.Minute); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// visit is a request of the test below: what it asks for, and what came of it.
type visit struct {
	arrives, delay time.Duration
	cancelled      time.Duration // when it is given up
	deadline       time.Duration // 0: none

	started bool
	ended   time.Duration // it started, or gave up
}

// Whatever arrives and is given up: requests start in the order in which they
// came, never closer than the delay of the one before, and never later than that
// makes necessary. Who is given up ends at once, and so does who cannot have its
// turn in time, by what waits when it comes.
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
					ctx = giveUp{ctx} // not a deadline that is known
					if v.deadline > 0 {
						ctx, cancel = context.WithDeadline(ctx, began.Add(v.deadline))
						defer cancel()
					}
					time.Sleep(v.arrives)
					v.started = p.wait(ctx, o, v.delay) == nil
					v.ended = time.Since(began)
				})
			}
			group.Wait()
			checkVisits(t, seed, visits)
		})
	}
}

// giveUp is a context whose deadline nobody knows, as one that is cancelled.
type giveUp struct{ context.Context }

func (giveUp) Deadline() (time.Time, bool) { return time.Time{}, false }

// randomVisits returns visits by the time of their arrival. No two things happen
// at the same time: they arrive at whole milliseconds, are given up a microsecond
// behind one, deadlines are two behind one, and each delay moves turns by seven.
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
		turn := max(v.arrives, free)
		expected := expectedTurn(visits[:i], v.arrives)
		switch {
		case v.deadline > 0 && v.deadline < expected:
			if v.started || v.ended != v.arrives {
				t.Errorf("seed %d: visit %d (%+v): must fail at once, its turn being expected at %s", seed, i, v, expected)
			}
		case v.cancelled < turn:
			if v.started || v.ended != v.cancelled {
				t.Errorf("seed %d: visit %d (%+v) is not given up when it should", seed, i, v)
			}
		default:
			if !v.started || v.ended != turn {
				t.Errorf("seed %d: visit %d (%+v): must start at %s", seed, i, v, turn)
			}
			free = turn + v.delay
		}
	}
}

// expectedTurn returns when a request that arrives then would start if none of
// those before it is given up.
func expectedTurn(before []visit, arrives time.Duration) time.Duration {
	turn := arrives
	waiting := time.Duration(0)
	for _, b := range before {
		switch {
		case b.ended > arrives: // it waits
			waiting += b.delay
		case b.started:
			turn = max(arrives, b.ended+b.delay)
		}
	}
	return turn + waiting
}

// What no time.Duration holds is not waited for, and does not turn into no wait.
func TestDelaysDoNotOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		o := originOf(t, "http://a.example/")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() { p.wait(ctx, o, math.MaxInt64) })
			synctest.Wait()
		}
		for _, delay := range []time.Duration{0, time.Second, math.MaxInt64} {
			if err := p.wait(ctx, o, delay); err == nil || !strings.Contains(err.Error(), "years") {
				t.Errorf("got %v", err)
			}
		}
		cancel()
		group.Wait()
		if q := p.queues[o]; q.delays != 0 || q.waiting.Len() != 0 {
			t.Errorf("%d wait, with delays of %s", q.waiting.Len(), q.delays)
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

// A deadline that comes before its turn fails a request at once, which takes no
// turn. The timeout of an http.Client is a deadline.
func TestDeadlineBeforeTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 10\n")
		all(t, rt, "http://a.example/")
		client := &http.Client{Transport: rt, Timeout: 5 * time.Second}
		_, err := client.Get("http://a.example/")
		want := "the crawl delay of http://a.example asks to wait for 10s, beyond the request's deadline"
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

// The origins that are remembered are those with a turn in the future, and not
// many more.
func TestOriginsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		var origins []origin.Origin
		for i := range 10000 {
			o := originOf(t, fmt.Sprintf("http://%d.example/", i))
			origins = append(origins, o)
			if err := p.wait(t.Context(), o, time.Second); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		for _, o := range origins[len(origins)-99:] { // that of the one before is now
			if p.queues[o] == nil {
				t.Errorf("%s is forgotten", o)
			}
		}
		if len(p.queues) > 2*100 {
			t.Errorf("%d origins are remembered", len(p.queues))
		}
	})
}
