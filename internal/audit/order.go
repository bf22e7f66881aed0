package audit

import (
	"cmp"
	"math"
	"slices"
	"time"
)

const (
	minTime = math.MinInt64
	maxTime = math.MaxInt64

	// Lines may be out of order by at most this time (AU-10).
	window     = 15 * int64(time.Minute)
	maxPending = 1 << 20
)

type order struct {
	give       func(e *event, isLate bool)
	frontiers  []int64 // each log was read up to this time; maxTime after its end
	pending    []event
	sorted     int   // the length of pending after the last flush
	givenUntil int64 // all events before this time were given to the auditor
	late       int64 // requests of crawlers that came too late
	latest     int64 // the longest time by which a request of a crawler came too late
}

// The parameter endTime is the time of the last line of the events' block.
func (o *order) add(events []event, input int, endTime int64) {
	for i := range events {
		if e := &events[i]; e.time < o.givenUntil {
			if e.kind != lineCount {
				o.late++
				o.latest = max(o.latest, endTime-e.time)
			}
			o.give(e, true)
			continue
		}
		o.pending = append(o.pending, events[i])
	}
	if endTime != minTime {
		o.frontiers[input] = endTime
	}
	if len(o.pending) >= 2*o.sorted+1<<12 {
		o.flush(slices.Min(o.frontiers) - window)
	}
}

// Of the events with the same time, counts of lines come first, because the other events need them. Then come requests for
// robots.txt: in doubt, the crawler had fetched it.
func (e *event) rank() int {
	switch e.kind {
	case lineCount:
		return 0
	case robotsRequest:
		return 1
	}
	return 2
}

func (o *order) endLog(input int) { o.frontiers[input] = maxTime }

func (o *order) flush(limit int64) {
	slices.SortStableFunc(o.pending, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.rank(), b.rank()))
	})
	n, _ := slices.BinarySearchFunc(o.pending, limit, func(e event, t int64) int { return cmp.Compare(e.time, t) })
	if most := maxPending / 2; len(o.pending) > maxPending {
		n = max(n, len(o.pending)-most) // keeps memory small
	}
	for i := range o.pending[:n] {
		o.give(&o.pending[i], false)
	}
	if n > 0 {
		o.givenUntil = max(o.givenUntil, o.pending[n-1].time)
	}
	rest := copy(o.pending, o.pending[n:])
	clear(o.pending[rest:])
	o.pending = o.pending[:rest]
	o.sorted = rest
}

func (o *order) finish() { o.flush(maxTime) }
