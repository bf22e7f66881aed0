package audit

import (
	"slices"
	"testing"
	"time"
)

// TestOrder (AU-10): events are given in the order of time, also of several logs; one that is up to 15 minutes late is in its place, and
// one that is later is marked. Events do not wait for a log that has ended.
func TestOrder(t *testing.T) {
	type given struct {
		at     int64
		isLate bool
	}
	var got []given
	o := &order{give: func(e *event, isLate bool) { got = append(got, given{e.time, isLate}) }, frontiers: make([]int64, 2)}
	second := int64(time.Second)
	const n = 20_000
	block := func(input int, from, to int64, extra ...int64) {
		var events []event
		for at := from; at < to; at++ {
			events = append(events, event{time: at * second, input: int32(input)})
		}
		for _, at := range extra {
			events = append(events, event{time: at * second, input: int32(input)})
		}
		o.add(events, input, (to-1)*second)
	}
	block(1, 0, 100)
	if len(got) != 0 {
		t.Fatalf("%d were given before the other log was read", len(got))
	}
	for from := int64(0); from < n; from += 1000 {
		if from < 3000 {
			block(0, from, from+1000)
		} else {
			block(0, from, from+1000, from+1000-14*60, from+1000-40*60)
		}
		if from == 10_000 {
			if len(got) != 0 {
				t.Fatalf("%d were given, and log 1 ends at 100", len(got))
			}
			o.endLog(1)
		}
	}
	if len(got) < n-window2-5000 {
		t.Errorf("%d of %d were given before the end: a log that has ended holds them", len(got), n)
	}
	before := len(got)
	o.finish()
	late := 0
	inOrder := slices.DeleteFunc(slices.Clone(got), func(g given) bool {
		if g.isLate {
			late++
		}
		return g.isLate
	})
	if !slices.IsSortedFunc(inOrder, func(a, b given) int { return int((a.at - b.at) / second) }) {
		t.Error("not in order")
	}
	if late == 0 || late > n/1000 || len(got) != 100+n+2*(n/1000-3) || before == len(got) {
		t.Errorf("%d are late, %d given, %d before the end", late, len(got), before)
	}
	for _, g := range got {
		if g.isLate && (g.at/second)%1000 != (1000-40*60%1000)%1000 {
			t.Errorf("%d is late", g.at/second)
		}
	}
	if o.late != int64(late) || o.latest != (40*60-1)*second {
		t.Errorf("%d are told, by at most %s", o.late, time.Duration(o.latest))
	}
}

// window2 is the window and the events of a second time.
const window2 = 2 * 15 * 60
