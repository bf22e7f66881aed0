package redis

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// TestLeasesAreGivenBackLater: in their order, as soon as that succeeds, but not leases that
// have expired.
func TestLeasesAreGivenBackLater(t *testing.T) {
	var succeeds atomic.Bool
	given := make(chan string, 10)
	d := &unreturned{closed: make(chan struct{}), giveBack: func(leases []lease) []lease {
		if !succeeds.Load() {
			return leases
		}
		for _, l := range leases {
			given <- l.key
		}
		return nil
	}}
	d.add(lease{key: "expired", ends: time.Now().Add(-time.Second)})
	d.add(lease{key: "one", ends: time.Now().Add(time.Hour)})
	d.add(lease{key: "two", ends: time.Now().Add(time.Hour)})
	time.Sleep(2 * returnPause)
	succeeds.Store(true)
	for _, want := range []string{"one", "two"} {
		select {
		case got := <-given:
			if got != want {
				t.Errorf("%q is given back, want %q", got, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%q is not given back", want)
		}
	}
	d.add(lease{key: "three", ends: time.Now().Add(time.Hour)})
	d.close()
	if got := <-given; got != "three" {
		t.Errorf("close gives back %q, want three", got)
	}
	d.close()
	d.add(lease{key: "late", ends: time.Now().Add(time.Hour)})
	if len(d.leases) != 0 {
		t.Error("a lease is kept after close")
	}
}

// TestUnreturnedLeasesAreLimited: the oldest are dropped, and no lease is there twice.
func TestUnreturnedLeasesAreLimited(t *testing.T) {
	d := &unreturned{closed: make(chan struct{}), giveBack: func(leases []lease) []lease { return leases }}
	for i := range 3 * maxUnreturned {
		d.add(lease{key: strconv.Itoa(i), ends: time.Now().Add(time.Hour)})
	}
	d.close()
	distinct := map[string]bool{}
	for _, l := range d.leases {
		distinct[l.key] = true
	}
	if len(d.leases) != maxUnreturned || len(distinct) != maxUnreturned || !distinct[strconv.Itoa(3*maxUnreturned-1)] {
		t.Errorf("%d leases, %d distinct", len(d.leases), len(distinct))
	}
}
