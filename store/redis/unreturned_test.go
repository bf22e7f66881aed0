package redis

import (
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// TestLeasesAreGivenBackLater: as soon as that succeeds, but not leases that have expired.
func TestLeasesAreGivenBackLater(t *testing.T) {
	var succeeds atomic.Bool
	given := make(chan string, 10)
	d := newUnreturned(func(l lease) error {
		if !succeeds.Load() {
			return errors.New("down")
		}
		given <- l.key
		return nil
	})
	d.add(lease{key: "expired", ends: time.Now().Add(-time.Second)})
	d.add(lease{key: "one", ends: time.Now().Add(time.Hour)})
	d.add(lease{key: "two", ends: time.Now().Add(time.Hour)})
	time.Sleep(2 * returnPause)
	succeeds.Store(true)
	var got []string
	for range 2 {
		select {
		case key := <-given:
			got = append(got, key)
		case <-time.After(10 * time.Second):
			t.Fatalf("only %q are given back", got)
		}
	}
	if slices.Sort(got); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q are given back, want one and two", got)
	}
	d.add(lease{key: "three", ends: time.Now().Add(time.Hour)})
	d.close()
	if got := <-given; got != "three" {
		t.Errorf("close gives back %q, want three", got)
	}
	d.close()
	d.add(lease{key: "late", ends: time.Now().Add(time.Hour)})
	if !d.room.TryAcquire(maxUnreturned) {
		t.Error("a lease is kept after close")
	}
}

// TestUnreturnedLeasesAreLimited: those that are too many are dropped, and close tries each of the others
// once more.
func TestUnreturnedLeasesAreLimited(t *testing.T) {
	distinct := map[string]bool{}
	d := newUnreturned(func(l lease) error { // one at a time
		distinct[l.key] = true
		return errors.New("down")
	})
	for i := range 3 * maxUnreturned {
		d.add(lease{key: strconv.Itoa(i), ends: time.Now().Add(time.Hour)})
	}
	d.close()
	if free := d.room.TryAcquire(maxUnreturned); !free || len(distinct) != maxUnreturned {
		t.Errorf("%v, %d distinct; expected that no lease is left", free, len(distinct))
	}
}
