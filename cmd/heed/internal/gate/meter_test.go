package gate

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

func testClient(n int) Client {
	return netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
}

// The example of the comment: every second, three at once.
func TestMeter(t *testing.T) {
	m, noon := newMeter(1, 3, 10), time.Now()
	for _, c := range []struct{ at, wait time.Duration }{
		{0, 0}, {100 * time.Millisecond, 0}, {200 * time.Millisecond, 0}, {300 * time.Millisecond, 700 * time.Millisecond},
		{999 * time.Millisecond, time.Millisecond}, {time.Second, 0}, {time.Second, time.Second}, {time.Hour, 0}, {time.Hour, 0}, {time.Hour, 0},
		{time.Hour, time.Second},
	} {
		if wait := m.take(testClient(1), noon.Add(c.at)); wait != c.wait {
			t.Errorf("%s: %s, want %s", c.at, wait, c.wait)
		}
	}
	if wait := (*meter)(nil).take(testClient(1), noon); wait != 0 || newMeter(0, 3, 10) != nil || newMeter(-1, 3, 10) != nil {
		t.Error("a rate of 0 is a limit")
	}
}

// In any time, a client may do it at most as often as the rate says, and burst times more. After
// the wait that it was told, it may.
func TestMeterRate(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	m, now := newMeter(50, 20, 10), time.Now()
	var taken []time.Time
	for range 20_000 {
		now = now.Add(time.Duration(random.IntN(20)) * time.Millisecond)
		wait := m.take(testClient(1), now)
		if wait > 0 && random.IntN(3) == 0 {
			if now = now.Add(wait); m.take(testClient(1), now) != 0 {
				t.Fatal("after the wait: not yet")
			}
			wait = 0
		}
		if wait == 0 {
			taken = append(taken, now)
		}
	}
	for range 10_000 {
		i, j := random.IntN(len(taken)), random.IntN(len(taken))
		if limit := taken[max(i, j)].Sub(taken[min(i, j)]).Seconds()*50 + 21; float64(max(i, j)-min(i, j)+1) > limit {
			t.Fatalf("%d times, more than %f", max(i, j)-min(i, j)+1, limit)
		}
	}
}

// The clients that are remembered are limited. Many new ones do not make it forget those that
// asked too much, and share what one may do.
func TestManyClients(t *testing.T) {
	m, now := newMeter(1, 2, 100), time.Now()
	for m.take(testClient(0), now) == 0 {
	}
	free := 0
	for n := 1; n < 10_000; n++ {
		if m.take(testClient(n), now) == 0 {
			free++
		}
	}
	if len(m.full) > 101 || free != 99+2 {
		t.Errorf("%d clients are remembered, %d were free", len(m.full), free)
	}
	if m.take(testClient(0), now) == 0 {
		t.Error("the first client was forgotten")
	}
	// After a pause all are forgotten.
	if later := now.Add(time.Minute); m.take(testClient(10_000), later) != 0 || len(m.full) != 1 {
		t.Errorf("%d clients are remembered after a pause", len(m.full))
	}
}
