package turns

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
	storetest.RunPacer(t, byName(map[string]*Turns{}))
}

// A shared Pacer gives the turns as long as it works.
func TestTurnsOfShared(t *testing.T) {
	shared := byName(map[string]*Turns{})
	storetest.RunPacer(t, func(t *testing.T, name string) cache.Pacer {
		return &Turns{Shared: shared(t, name)}
	})
}

// byName returns a function that opens Turns for storetest.
func byName(opened map[string]*Turns) func(*testing.T, string) cache.Pacer {
	return func(_ *testing.T, name string) cache.Pacer {
		if opened[name] == nil {
			opened[name] = &Turns{}
		}
		return opened[name]
	}
}

// An outage is a Pacer that works or fails.
type outage struct {
	Turns
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
		turns, began := &Turns{Shared: shared}, time.Now()
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
		turns, began := &Turns{Shared: shared}, time.Now()
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
		turns := &Turns{}
		for i := range 10_000 {
			if _, err := turns.Reserve(context.Background(), storetest.Origin(i), time.Time{}, time.Second); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := len(turns.origins); n > 128 {
			t.Errorf("%d origins are kept", n)
		}
	})
}

// The turns of all origins are limited: many sites with a crawl delay do not fill the memory.
func TestTurnsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, shared := context.Background(), &outage{}
		for name, turns := range map[string]*Turns{"own": {Max: 10}, "shared": {Max: 10, Shared: shared}} {
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
	turns := &Turns{Shared: shared, SharedFailed: func(o origin.Origin, err error) {
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
		turns, began := &Turns{Shared: &Turns{}}, time.Now()
		for i := range 3 {
			turn, err := turns.Reserve(context.Background(), storetest.Origin(1), time.Time{}, 30*time.Second)
			if want := time.Duration(i) * 30 * time.Second; err != nil || turn.At.Sub(began) != want {
				t.Errorf("turn %d after %v, want %v, error %v", i, turn.At.Sub(began), want, err)
			}
			// The Shared knows the turn: it gives the next one to another process.
			if next, err := turns.Shared.Reserve(context.Background(), storetest.Origin(1), time.Time{}, 30*time.Second); err != nil || next.At.Before(turn.At.Add(30*time.Second)) && next.At.Add(30*time.Second).After(turn.At) {
				t.Errorf("another process gets a turn after %v, error %v", next.At.Sub(began), err)
			}
			turns.Shared = &Turns{}
		}
	})
}

// A client that reserves what it can does not keep others from an origin, nor from other origins; it
// gets one turn of each origin in any case. Without a client there is no share.
func TestTurnShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		turns := &Turns{Max: 400, Client: func(ctx context.Context) any { return ctx.Value(key{}) }}
		reserve := func(who any, origin int, delay time.Duration) *cache.BusyError {
			t.Helper()
			_, err := turns.Reserve(context.WithValue(context.Background(), key{}, who), storetest.Origin(origin), time.Time{}, delay)
			busy := (*cache.BusyError)(nil)
			if err != nil && !errors.As(err, &busy) {
				t.Fatal(err)
			}
			return busy
		}
		const delay = 30 * time.Second // an hour has 120 of them
		for i, want := range []int{60, 30, 15} {
			got, busy := 0, reserve(i, 1, delay)
			for ; busy == nil; busy = reserve(i, 1, delay) {
				got++
			}
			if got != want || busy.Why != "this client has reserved its share of the turns" || busy.Wait <= 0 || busy.Wait > time.Hour {
				t.Errorf("client %d reserved %d turns, want %d; then %v", i, got, want, busy)
			}
		}
		if busy := reserve(0, 2, 40*time.Minute); busy != nil {
			t.Errorf("the first turn of another origin: %v", busy)
		}
		got := 1 // the table of 400 has 106 turns
		busy := reserve("greedy", 1000, delay)
		for ; busy == nil; busy = reserve("greedy", 1000+got, delay) {
			got++
		}
		if got < 140 || got > 150 || busy.Why != "this client has reserved its share of the turns of all sites" {
			t.Errorf("a client reserved %d turns of all origins: %v", got, busy)
		}
		if busy := reserve("other", 3, delay); busy != nil {
			t.Errorf("another client: %v", busy)
		}
		time.Sleep(2 * time.Hour) // all are over
		if busy := reserve("greedy", 1, delay); busy != nil {
			t.Errorf("after the turns are over: %v", busy)
		}
		for i := range 110 {
			if busy := reserve(nil, 5, delay); busy != nil {
				t.Errorf("turn %d for nobody: %v", i, busy)
			}
		}
		for i := range 400 {
			reserve(nil, 2000+i, delay)
		}
		if busy := reserve("other", 9999, delay); busy == nil || busy.Why != "too many turns of other sites are reserved" {
			t.Errorf("the table is full: %v", busy)
		}
	})
}
