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

	// window is how far lines may be out of order (AU-10).
	window = 15 * int64(time.Minute)
	// maxPending limits the events that wait for others.
	maxPending = 1 << 20
)

// An order puts events of several logs into the order of time.
type order struct {
	give      func(e *event, isLate bool)
	frontiers []int64 // for each log, up to when its lines were read; maxTime: it has ended
	pending   []event
	sorted    int   // how many of pending the last flush has left
	given     int64 // up to when events were given
	late      int64 // lines of crawlers that came too late
	latest    int64 // by how much, at most
}

// add adds the events of a block of a log, of which the last line is at a time.
func (o *order) add(events []event, input int, last int64) {
	for i := range events {
		if e := &events[i]; e.at < o.given {
			if e.kind != ofMinute {
				o.late++
				o.latest = max(o.latest, last-e.at)
			}
			o.give(e, true)
			continue
		}
		o.pending = append(o.pending, events[i])
	}
	if last != minTime {
		o.frontiers[input] = last
	}
	if len(o.pending) >= 2*o.sorted+1<<12 {
		o.flush(slices.Min(o.frontiers) - window)
	}
}

// rank is the place of an event among those of the same time: lines come before what is concluded from them, and retrievals before
// pages, since either may have been first, and a check knows both copies then.
func (e *event) rank() int {
	switch e.kind {
	case ofMinute:
		return 0
	case ofRobots:
		return 1
	}
	return 2
}

// end ends a log.
func (o *order) end(input int) { o.frontiers[input] = maxTime }

// flush gives the events before a time.
func (o *order) flush(before int64) {
	slices.SortStableFunc(o.pending, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank(), b.rank()))
	})
	n, _ := slices.BinarySearchFunc(o.pending, before, func(e event, t int64) int { return cmp.Compare(e.at, t) })
	if most := maxPending / 2; len(o.pending) > maxPending {
		n = max(n, len(o.pending)-most) // the window is shorter for a while
	}
	for i := range o.pending[:n] {
		o.give(&o.pending[i], false)
	}
	if n > 0 {
		o.given = max(o.given, o.pending[n-1].at)
	}
	rest := copy(o.pending, o.pending[n:])
	clear(o.pending[rest:])
	o.pending = o.pending[:rest]
	o.sorted = rest
}

// finish gives all events that are left.
func (o *order) finish() { o.flush(maxTime) }
