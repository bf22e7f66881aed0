package cache_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/origin"
)

func TestTurns(t *testing.T) {
	storetest.RunPacer(t, byName(map[string]*cache.Turns{}))
}

// A shared Pacer gives the turns as long as it works.
func TestTurnsOfShared(t *testing.T) {
	shared := byName(map[string]*cache.Turns{})
	storetest.RunPacer(t, func(t *testing.T, name string) cache.Pacer {
		return &cache.Turns{Shared: shared(t, name)}
	})
}

// byName returns a function that opens Turns for storetest.
func byName(opened map[string]*cache.Turns) func(*testing.T, string) cache.Pacer {
	return func(_ *testing.T, name string) cache.Pacer {
		if opened[name] == nil {
			opened[name] = &cache.Turns{}
		}
		return opened[name]
	}
}

// An outage is a Pacer that works or fails.
type outage struct {
	cache.Turns
	err       error
	meanwhile func() // is called once, during a Reserve
}

func (p *outage) Reserve(ctx context.Context, o origin.Origin, earliest time.Time, delay time.Duration) (cache.Turn, error) {
	if p.err != nil {
		return cache.Turn{}, p.err
	}
	if f := p.meanwhile; f != nil {
		p.meanwhile = nil
		f()
	}
	return p.Turns.Reserve(ctx, o, earliest, delay)
}

// While Shared fails, own turns keep the delay with those that Shared gave before. When it works
// again, its turns keep the delay with the own ones.
func TestTurnsWithoutShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, o, shared := context.Background(), storetest.Origin(1), &outage{}
		turns, began := &cache.Turns{Shared: shared}, time.Now()
		reserve := func(delay, want time.Duration) cache.Turn {
			t.Helper()
			turn, err := turns.Reserve(ctx, o, time.Time{}, delay)
			if got := turn.At.Sub(began); err != nil || got != want*time.Second {
				t.Errorf("a turn after %v, want %ds, error %v", got, want, err)
			}
			return turn
		}
		const delay = 10 * time.Second
		reserve(delay, 0)
		given := reserve(delay, 10)
		reserve(delay, 20)
		shared.err = errors.New("down")
		if err := turns.Return(ctx, given); err != nil {
			t.Error(err)
		}
		reserve(delay, 10) // the one that was given back
		own := reserve(delay, 30)
		reserve(delay, 40)
		if err := turns.Return(ctx, own); err != nil {
			t.Error(err)
		}
		reserve(delay/2, 30)
		shared.err = nil
		reserve(delay, 50) // behind the last own turn
		time.Sleep(55 * time.Second)
		reserve(delay, 60)
	})
}

// An own turn is given while Shared is asked for another one: the turn of Shared is then behind it.
func TestOwnTurnMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, o, shared := context.Background(), storetest.Origin(1), &outage{}
		turns, began := &cache.Turns{Shared: shared}, time.Now()
		shared.meanwhile = func() {
			shared.err = errors.New("down")
			if own, err := turns.Reserve(ctx, o, time.Time{}, 10*time.Second); err != nil || !own.At.Equal(began) {
				t.Errorf("got %v, %v", own, err)
			}
			shared.err = nil
		}
		for want := 10 * time.Second; want <= 30*time.Second; want += 10 * time.Second {
			if turn, err := turns.Reserve(ctx, o, time.Time{}, 10*time.Second); err != nil || turn.At.Sub(began) != want {
				t.Errorf("a turn after %v, want %v, error %v", turn.At.Sub(began), want, err)
			}
		}
	})
}

// A Turns forgets origins whose turns are over. No test can see this except by its memory.
func TestTurnsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := &cache.Turns{}
		for i := range 10_000 {
			if _, err := turns.Reserve(context.Background(), storetest.Origin(i), time.Time{}, time.Second); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := turns.Origins(); n > 128 {
			t.Errorf("%d origins are kept", n)
		}
	})
}

// The turns of all origins are limited: many sites with a crawl delay do not fill the memory.
func TestTurnsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, shared := context.Background(), &outage{}
		for name, turns := range map[string]*cache.Turns{"own": {Max: 10}, "shared": {Max: 10, Shared: shared}} {
			reserve := func(i int) (cache.Turn, *cache.BusyError) {
				t.Helper()
				turn, err := turns.Reserve(ctx, storetest.Origin(i), time.Time{}, time.Minute)
				busy := (*cache.BusyError)(nil)
				if err != nil && !errors.As(err, &busy) {
					t.Fatalf("%s: %v", name, err)
				}
				return turn, busy
			}
			for i := range 9 {
				reserve(i)
			}
			last, _ := reserve(0)
			if _, busy := reserve(10); busy == nil || busy.Wait != time.Second || busy.Origin != storetest.Origin(10) {
				t.Errorf("%s: there is room for more than Max: %v", name, busy)
			}
			if err := turns.Return(ctx, last); err != nil {
				t.Error(err)
			}
			if _, busy := reserve(10); busy != nil {
				t.Errorf("%s: after one was given back: %v", name, busy)
			}
			time.Sleep(time.Minute)
			for i := range 10 {
				if _, busy := reserve(i + 20); busy != nil {
					t.Errorf("%s: after all are over: %v", name, busy)
				}
			}
			time.Sleep(time.Minute)
		}
	})
}

// SharedFailed is called for each turn that Shared does not give.
func TestSharedFailed(t *testing.T) {
	shared, failed := &outage{}, 0
	turns := &cache.Turns{Shared: shared, SharedFailed: func(o origin.Origin, err error) {
		if failed++; o != storetest.Origin(1) || err != shared.err {
			t.Errorf("%v: %v", o, err)
		}
	}}
	for _, err := range []error{nil, errors.New("down"), &cache.BusyError{}} {
		shared.err = err
		turns.Reserve(context.Background(), storetest.Origin(1), time.Time{}, time.Second)
	}
	if failed != 1 {
		t.Errorf("it was called %d times", failed)
	}
}

// A request that starts until Turn.Until is not too close to the next turn.
func TestTurnUntil(t *testing.T) {
	at := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ delay, late, want time.Duration }{
		{10 * time.Second, 0, 250 * time.Millisecond},
		{10 * time.Second, 100 * time.Millisecond, 150 * time.Millisecond},
		{100 * time.Millisecond, 0, 10 * time.Millisecond},
		{100 * time.Millisecond, time.Second, -990 * time.Millisecond},
	} {
		if got := (cache.Turn{At: at, Late: c.late, Delay: c.delay}).Until().Sub(at); got != c.want {
			t.Errorf("delay %v, late %v: got %v, want %v", c.delay, c.late, got, c.want)
		}
	}
}

// A Shared that has lost its data gives a turn that it has given before: the turns that this
// process remembers keep the delay.
func TestSharedForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, began := &cache.Turns{Shared: &cache.Turns{}}, time.Now()
		for i := range 3 {
			turn, err := turns.Reserve(context.Background(), storetest.Origin(1), time.Time{}, 30*time.Second)
			if want := time.Duration(i) * 30 * time.Second; err != nil || turn.At.Sub(began) != want {
				t.Errorf("turn %d after %v, want %v, error %v", i, turn.At.Sub(began), want, err)
			}
			turns.Shared = &cache.Turns{}
		}
	})
}
