package redis

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// TestDebtsArePaid: in turn, as soon as that works, but not what has ended.
func TestDebtsArePaid(t *testing.T) {
	var works atomic.Bool
	paid := make(chan string, 10)
	d := &debts{closed: make(chan struct{}), pay: func(leases []lease) []lease {
		if !works.Load() {
			return leases
		}
		for _, l := range leases {
			paid <- l.key
		}
		return nil
	}}
	d.add(lease{key: "ended", ends: time.Now().Add(-time.Second)})
	d.add(lease{key: "one", ends: time.Now().Add(time.Hour)})
	d.add(lease{key: "two", ends: time.Now().Add(time.Hour)})
	time.Sleep(2 * debtPause)
	works.Store(true)
	for _, want := range []string{"one", "two"} {
		select {
		case got := <-paid:
			if got != want {
				t.Errorf("%q is paid, want %q", got, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%q is not paid", want)
		}
	}
	d.add(lease{key: "three", ends: time.Now().Add(time.Hour)})
	d.close()
	if got := <-paid; got != "three" {
		t.Errorf("%q is paid, want what is left at the end", got)
	}
	d.close()
	d.add(lease{key: "late", ends: time.Now().Add(time.Hour)})
	if len(d.leases) != 0 {
		t.Error("a lease is kept after the end")
	}
}

// TestDebtsAreBound: the first go, and nothing comes twice.
func TestDebtsAreBound(t *testing.T) {
	d := &debts{closed: make(chan struct{}), pay: func(leases []lease) []lease { return leases }}
	for i := range 3 * mostDebts {
		d.add(lease{key: strconv.Itoa(i), ends: time.Now().Add(time.Hour)})
	}
	d.close()
	distinct := map[string]bool{}
	for _, l := range d.leases {
		distinct[l.key] = true
	}
	if len(d.leases) != mostDebts || len(distinct) != mostDebts || !distinct[strconv.Itoa(3*mostDebts-1)] {
		t.Errorf("%d leases, %d distinct", len(d.leases), len(distinct))
	}
}
