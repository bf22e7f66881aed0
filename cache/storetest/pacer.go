package storetest

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

// RunPacer tests what cache.Pacer promises. open opens a Pacer, and closes it when t ends. Pacers with the same name must
// share their turns.
func RunPacer(t *testing.T, open func(t *testing.T, name string) cache.Pacer) {
	for name, test := range map[string]func(p pacers){
		"InOrder":    pacers.inOrder,
		"Returned":   pacers.testReturned,
		"Earliest":   pacers.testEarliest,
		"Limits":     pacers.testLimits,
		"Over":       pacers.testOver,
		"Concurrent": pacers.concurrent,
	} {
		t.Run(name, func(t *testing.T) { test(pacers{t, open(t, name), open(t, name), time.Now()}) })
	}
}

type pacers struct {
	t          *testing.T
	one, other cache.Pacer
	began      time.Time
}

var soon time.Time // the zero time, for the argument earliest of Reserve: it means now

// The delays are minutes, because a machine may be slow.
func (p pacers) reserve(from cache.Pacer, o origin.Origin, delay, want time.Duration) cache.Turn {
	p.t.Helper()
	return p.reserveFrom(from, o, soon, delay, want)
}

func (p pacers) reserveFrom(from cache.Pacer, o origin.Origin, earliest time.Time, delay, want time.Duration) cache.Turn {
	p.t.Helper()
	called := time.Now()
	turn, err := from.Reserve(context.Background(), o, earliest, delay)
	if err != nil {
		p.t.Fatalf("Reserve: %v", err)
	}
	if after := turn.At.Sub(p.began); (after - want).Abs() > 20*time.Second {
		p.t.Errorf("a turn after %v, want %v", after, want)
	}
	if turn.At.Before(called) || turn.Origin != o || turn.Delay != min(delay, cache.MaxTurnDelay) || turn.ID == "" || turn.Late < 0 || turn.Late > time.Since(called) {
		p.t.Errorf("got the turn %+v", turn)
	}
	return turn
}

func (p pacers) giveBack(to cache.Pacer, turn cache.Turn) {
	p.t.Helper()
	if err := to.Return(context.Background(), cache.Turn{Origin: turn.Origin, ID: turn.ID}); err != nil {
		p.t.Errorf("Return: %v", err)
	}
}

func (p pacers) inOrder() {
	p.reserve(p.one, Origin(1), time.Minute, 0)
	p.reserve(p.other, Origin(1), 2*time.Minute, time.Minute)
	p.reserve(p.one, Origin(1), time.Minute, 3*time.Minute)
	p.reserve(p.other, Origin(2), time.Minute, 0)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.one.Reserve(ended, Origin(1), soon, time.Minute); !errors.Is(err, context.Canceled) {
		p.t.Errorf("Reserve with a canceled context returned the error %v; expected context.Canceled", err)
	}
	p.reserve(p.one, Origin(1), time.Minute, 4*time.Minute)
}

// A turn that was given back can be reserved again, if the delay of the next caller fits into the gap.
func (p pacers) testReturned() {
	first := p.reserve(p.one, Origin(1), time.Minute, 0)
	second := p.reserve(p.one, Origin(1), 2*time.Minute, time.Minute)
	third := p.reserve(p.one, Origin(1), time.Minute, 3*time.Minute)
	p.giveBack(p.one, first) // has no effect: this turn has begun
	p.giveBack(p.one, cache.Turn{Origin: Origin(1), ID: "unknown"})
	p.giveBack(p.one, cache.Turn{Origin: Origin(7), ID: second.ID})
	p.giveBack(p.other, second)
	p.reserve(p.other, Origin(1), 3*time.Minute, 4*time.Minute) // 3 minutes are too long for the free place
	p.reserve(p.other, Origin(1), time.Minute, time.Minute)
	p.giveBack(p.one, second) // giving back the same turn again must not free the new turn that is in its place
	p.reserve(p.one, Origin(1), time.Minute, 2*time.Minute)
	last := p.reserve(p.one, Origin(1), time.Minute, 7*time.Minute)
	p.giveBack(p.one, third)
	p.giveBack(p.one, last)
	p.reserve(p.one, Origin(1), 2*time.Minute, 7*time.Minute)
	p.reserve(p.one, Origin(1), time.Minute, 3*time.Minute)
}

// The time before the parameter earliest of Reserve stays free for other turns.
func (p pacers) testEarliest() {
	p.reserveFrom(p.one, Origin(1), p.began.Add(-time.Hour), time.Minute, 0)
	p.reserveFrom(p.one, Origin(1), p.began.Add(10*time.Minute), time.Minute, 10*time.Minute)
	p.reserveFrom(p.other, Origin(1), p.began.Add(10*time.Minute), time.Minute, 11*time.Minute)
	p.reserve(p.other, Origin(1), 5*time.Minute, time.Minute)
	p.reserve(p.one, Origin(1), 5*time.Minute, 12*time.Minute)
	at := p.began.Add(8 * time.Minute)
	if turn := p.reserveFrom(p.one, Origin(1), at, time.Minute, 8*time.Minute); turn.At.Before(at) {
		p.t.Errorf("a turn at %v, before %v", turn.At, at)
	}
}

func (p pacers) testLimits() {
	for _, delay := range []time.Duration{0, -1, math.MinInt64} {
		if _, err := p.one.Reserve(context.Background(), Origin(1), soon, delay); err == nil {
			p.t.Errorf("a turn with a delay of %v", delay)
		}
	}
	p.reserve(p.one, Origin(1), math.MaxInt64, 0)
	p.busy(Origin(1), soon, cache.MaxTurnDelay-cache.MaxTurnWait)
	p.reserve(p.one, Origin(2), time.Nanosecond, 0)
	p.busy(Origin(2), p.began.Add(2*cache.MaxTurnWait), cache.MaxTurnWait)
	for range cache.MaxTurns {
		if _, err := p.one.Reserve(context.Background(), Origin(3), time.Now().Add(time.Minute), time.Second); err != nil {
			p.t.Fatal(err)
		}
	}
	p.busy(Origin(3), soon, time.Minute)
}

func (p pacers) busy(o origin.Origin, earliest time.Time, want time.Duration) {
	p.t.Helper()
	var busy *cache.BusyError
	if _, err := p.other.Reserve(context.Background(), o, earliest, time.Minute); !errors.As(err, &busy) {
		p.t.Errorf("error %v, want a BusyError", err)
	} else if busy.Origin != o || busy.Wait > want+time.Second || busy.Wait < want-20*time.Second {
		p.t.Errorf("%v: got %s and %v, want %v", err, busy.Origin, busy.Wait, want)
	}
}

func (p pacers) testOver() {
	p.reserveFrom(p.one, Origin(1), p.began.Add(10*time.Minute), time.Minute, 10*time.Minute)
	for range cache.MaxTurns + 1 {
		if _, err := p.one.Reserve(context.Background(), Origin(1), soon, time.Microsecond); err != nil {
			p.t.Fatal(err)
		}
		time.Sleep(2 * time.Microsecond)
	}
	p.reserve(p.one, Origin(1), time.Minute, 0)
}

func (p pacers) concurrent() {
	const callers, delay = 50, time.Minute
	var crowd sync.WaitGroup
	turns := make([]cache.Turn, callers)
	for i := range turns {
		crowd.Go(func() {
			var err error
			if turns[i], err = []cache.Pacer{p.one, p.other}[i%2].Reserve(context.Background(), Origin(1), soon, delay); err != nil {
				p.t.Error(err)
			}
		})
	}
	crowd.Wait()
	slices.SortFunc(turns, func(a, b cache.Turn) int { return a.At.Compare(b.At) })
	for i, turn := range turns[1:] {
		if gap := turn.At.Sub(turns[i].At); gap < delay-turn.Late-turns[i].Late || gap > delay+20*time.Second {
			p.t.Errorf("a gap of %v, want %v", gap, delay)
		}
	}
}
