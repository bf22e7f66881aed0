package polite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/turns"
	"github.com/heed-robots/heed/origin"
)

// A fleet is a Store that gives turns, as Redis does.
type fleet struct {
	cache.Store
	turns *turns.Turns

	reserve  func() error  // the error of Reserve, which a test can set; nil: none
	late     time.Duration // of each turn
	slow     time.Duration // after each reservation
	reserved atomic.Int32
	returned atomic.Int32
	gone     atomic.Bool // Return does nothing, as if the process that had the turn were killed
}

func (f *fleet) Reserve(ctx context.Context, o origin.Origin, earliest time.Time, delay time.Duration) (cache.Turn, error) {
	if f.reserve != nil {
		if err := f.reserve(); err != nil {
			return cache.Turn{}, err
		}
	}
	f.reserved.Add(1)
	turn, err := f.turns.Reserve(ctx, o, earliest, delay)
	turn.Late = f.late
	time.Sleep(f.slow)
	return turn, err
}

func (f *fleet) Return(ctx context.Context, turn cache.Turn) error {
	if f.gone.Load() {
		return nil
	}
	f.returned.Add(1)
	return f.turns.Return(ctx, turn)
}

// crawlers returns Transports of a fleet, with one network, whose Crawl-delay is 10 s.
func crawlers(number int) (*fleet, []*Transport, *network) {
	f, n := &fleet{Store: cache.NewMemory(0, 0), turns: &turns.Turns{}}, &network{robots: "user-agent: *\ncrawl-delay: 10\n", began: time.Now()}
	rts := make([]*Transport, number)
	for i := range rts {
		rts[i] = &Transport{UserAgent: userAgent, Cache: &cache.Cache{Fetcher: n, Store: f}, Base: n}
	}
	return f, rts, n
}

func closeAll(rts []*Transport) {
	for _, rt := range rts {
		rt.Cache.Close()
	}
}

// request sends a request with a context that ends after some time; 0: never.
func request(rt *Transport, ends time.Duration, deadline bool) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch {
	case deadline:
		ctx, cancel = context.WithTimeout(ctx, ends)
		defer cancel()
	case ends > 0:
		time.AfterFunc(ends, cancel)
	}
	r, err := http.NewRequestWithContext(ctx, "GET", "http://a.example/", nil)
	if err != nil {
		return err
	}
	_, err = rt.RoundTrip(r)
	return err
}

func (n *network) expect(t *testing.T, want string) {
	t.Helper()
	if got := n.started(); got != want {
		t.Errorf("started at %s, want %s", got, want)
	}
}

// The processes of a fleet keep the delay together, and each has one turn at a time.
func TestFleetPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, rts, n := crawlers(3)
		var group sync.WaitGroup
		for _, rt := range rts {
			group.Go(func() { all(t, rt, "http://a.example/1", "http://a.example/2", "http://a.example/3") })
		}
		time.Sleep(time.Second)
		if got := f.reserved.Load(); got != 4 { // the one that has started, and one for each process
			t.Errorf("%d turns are reserved", got)
		}
		group.Wait()
		n.expect(t, "0s 10s 20s 30s 40s 50s 1m0s 1m10s 1m20s")
		time.Sleep(time.Minute)
		all(t, rts[2], "http://b.example/", "http://a.example/") // at once, after the last delay is over
		if got := time.Since(n.began); got != 140*time.Second {
			t.Errorf("the last requests ended after %v", got)
		}
		closeAll(rts)
	})
}

// A robots.txt without a delay needs no turns.
func TestNoTurnWithoutDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, rts, n := crawlers(2)
		n.robots = "user-agent: *\n"
		all(t, rts[0], "http://a.example/1", "http://a.example/2")
		all(t, rts[1], "http://a.example/1", "http://a.example/2")
		n.expect(t, "0s 0s 0s 0s")
		if f.reserved.Load() != 0 {
			t.Error("a turn was reserved")
		}
		closeAll(rts)
	})
}

// A request whose context ends gives its turn back, so another process has it.
func TestTurnIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, rts, n := crawlers(3)
		all(t, rts[0], "http://a.example/")
		if err := request(rts[1], 3*time.Second, false); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "crawl delay of http://a.example") {
			t.Errorf("got %v", err)
		}
		if err := request(rts[1], 5*time.Second, true); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), ": the request would have to wait for 7s, but its deadline is earlier") {
			t.Errorf("got %v", err)
		}
		if since := time.Since(n.began); since != 3*time.Second {
			t.Errorf("gave up after %v", since)
		}
		all(t, rts[2], "http://a.example/")
		n.expect(t, "0s 10s")
		if f.returned.Load() != 2 {
			t.Errorf("%d turns were given back", f.returned.Load())
		}
		closeAll(rts)
	})
}

// A process that is killed costs the others one turn, even if many of its requests waited.
func TestKilledProcessCostsOneTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, rts, n := crawlers(2)
		killed, kill := context.WithCancel(context.Background())
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				r, err := http.NewRequestWithContext(killed, "GET", "http://a.example/", nil)
				if err != nil {
					t.Error(err)
				}
				rts[0].RoundTrip(r)
			})
		}
		time.Sleep(time.Second) // one has started, and one has a turn
		f.gone.Store(true)
		kill()
		group.Wait()
		all(t, rts[1], "http://a.example/1", "http://a.example/2")
		n.expect(t, "0s 20s 30s")
		closeAll(rts)
	})
}

// While the store fails, each process keeps the delay for itself; after a short failure it waits
// for the store. Then they keep it together again. Each process reports once that it keeps the delay
// for itself.
func TestTurnsWhileTheStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, rts, n := crawlers(2)
		down := func() bool {
			s := time.Since(n.began)
			return s >= 9*time.Second && s < 11*time.Second || s > time.Minute && s < 2*time.Minute
		}
		f.reserve = func() error {
			if down() {
				return errors.New("down")
			}
			return nil
		}
		var mu sync.Mutex
		var reports []string
		for i, rt := range rts {
			rt.Cache.Events.StoreFailed = func(what string, o origin.Origin, err error) {
				mu.Lock()
				defer mu.Unlock()
				reports = append(reports, fmt.Sprintf("%d %s %s %v", i, what, o, err))
			}
		}
		at := func(s int) { time.Sleep(time.Duration(s)*time.Second - time.Since(n.began)) }
		both := func() {
			var group sync.WaitGroup
			for _, rt := range rts {
				group.Go(func() { all(t, rt, "http://a.example/1", "http://a.example/2") })
			}
			group.Wait()
		}
		all(t, rts[0], "http://a.example/")
		at(10)
		both() // the store fails for another second
		n.expect(t, "0s 11s 21s 31s 41s")
		if len(reports) > 0 {
			t.Errorf("a short failure is reported: %q", reports)
		}
		n.starts = nil
		at(70)
		both()
		n.expect(t, "1m12.2s 1m12.2s 1m22.2s 1m22.2s")
		slices.Sort(reports)
		if want := []string{"0 turn http://a.example down", "1 turn http://a.example down"}; !slices.Equal(reports, want) {
			t.Errorf("reports %q, want %q", reports, want)
		}
		n.starts = nil
		at(130)
		both()
		n.expect(t, "2m10s 2m20s 2m30s 2m40s")
		closeAll(rts)
	})
}

// If too many turns are reserved, a request waits until one may be free, or fails at once if its
// deadline is earlier.
func TestBusyTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, rts, n := crawlers(1)
		f.reserve = func() error {
			if left := 40*time.Second - time.Since(n.began); left > 0 {
				return fmt.Errorf("a store: %w", &cache.BusyError{Wait: left})
			}
			return nil
		}
		if err := request(rts[0], 20*time.Second, true); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "wait for 40s") {
			t.Errorf("got %v", err)
		}
		if err := request(rts[0], time.Second, false); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		all(t, rts[0], "http://a.example/")
		n.expect(t, "40s")
		closeAll(rts)
	})
}

// A turn that comes too late to be used is given back. After three of them a request starts
// nevertheless.
func TestLateTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, rts, n := crawlers(1)
		all(t, rts[0], "http://a.example/")
		f.late = 300 * time.Millisecond // more than 2.5 % of 10 s
		all(t, rts[0], "http://a.example/")
		n.expect(t, "0s 10s")
		if f.returned.Load() != maxMissed {
			t.Errorf("%d turns were given back", f.returned.Load())
		}
		closeAll(rts)
	})
}

// A request that misses its turn, because the process stood still, takes another one.
func TestMissedTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, rts, n := crawlers(1)
		f.slow = time.Second
		all(t, rts[0], "http://a.example/")
		n.expect(t, "10s")
		closeAll(rts)
	})
}

// A store that has lost its turns, since it was restarted, does not shorten the delay.
func TestTurnsAreLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, rts, n := crawlers(1)
		all(t, rts[0], "http://a.example/")
		f.turns = &turns.Turns{}
		all(t, rts[0], "http://a.example/")
		n.expect(t, "0s 10s")
		closeAll(rts)
	})
}
