package ordered

import (
	"context"
	"testing"
	"time"
)

// The results come in the order of the items, even if some take longer.
func TestMap(t *testing.T) {
	const items = 1000
	i := 0
	next := func() (int, bool) { i++; return i, i <= items }
	worker := func() func(int) int {
		return func(n int) int {
			if n%100 == 1 {
				time.Sleep(time.Millisecond)
			}
			return 2 * n
		}
	}
	want := 0
	Map(3, next, worker, func(got int) {
		want += 2
		if got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
	if want != 2*items {
		t.Errorf("%d results, want %d", want/2, items)
	}
}

func TestMapOfNothing(t *testing.T) {
	Map(3, func() (int, bool) { return 0, false }, func() func(int) int { return nil }, func(int) { t.Error("a result") })
}

// The function that Until returns ends with its context, even if the items wait.
func TestUntil(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	waits := make(chan bool)
	defer close(waits)
	next := Until(ctx, func(yield func(int) bool) {
		if yield(1) && yield(2) {
			<-waits
		}
	})
	for want := 1; want <= 2; want++ {
		if got, ok := next(); got != want || !ok {
			t.Fatalf("%d, %v, want %d", got, ok, want)
		}
	}
	stop()
	if _, ok := next(); ok {
		t.Error("an item after the end")
	}
	next = Until(context.Background(), func(func(int) bool) {})
	if _, ok := next(); ok {
		t.Error("an item of no items")
	}
}
