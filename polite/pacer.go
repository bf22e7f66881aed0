package polite

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/heed-robots/heed/origin"
)

// A pacer keeps requests to one origin apart. The zero pacer works. It remembers the
// origins for which a request waits or must wait, and has no goroutine of its own: the
// goroutines of the requests that wait do everything.
type pacer struct {
	mu     sync.Mutex
	queues map[origin.Origin]*queue
	bound  int // how many queues there may be before those that are not needed are deleted
}

// leastBound keeps a small map from being gone over again and again.
const leastBound = 64

// A queue holds the requests that wait for an origin, in the order in which they came.
// Only a request that starts changes next: one that gives up changes nothing for the
// others.
type queue struct {
	next    time.Time     // when the first request may start
	waiting list.List     // of *waiter
	delays  time.Duration // the sum of the delays of all waiters
}

// A waiter is a request that waits.
type waiter struct {
	ctx   context.Context
	delay time.Duration
	first chan struct{} // closed once nobody waits in front of it
	gone  bool          // it has left the queue
}

// errTooLong is the error of a request that would wait for longer than the longest
// time.Duration.
var errTooLong = errors.New("it would take hundreds of years")

// wait waits until a request to an origin may start; the next one starts at least delay
// later. When a request gives up, those behind it move up. A request whose context ends
// takes no turn. One whose deadline is before its turn fails at once, though requests in
// front of it might still give up.
func (p *pacer) wait(ctx context.Context, o origin.Origin, delay time.Duration) error {
	q, place, err := p.enter(ctx, delay, o)
	if err != nil || place == nil {
		return err
	}
	select {
	case <-place.Value.(*waiter).first:
	case <-ctx.Done():
		return p.giveUp(q, place, o)
	}
	timer := time.NewTimer(p.untilNext(q))
	defer timer.Stop()
	select {
	case <-timer.C:
		return p.start(q, place, o)
	case <-ctx.Done():
		return p.giveUp(q, place, o)
	}
}

func (p *pacer) untilNext(q *queue) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Until(q.next)
}

// enter starts a request at once, or gives it a place in the queue.
func (p *pacer) enter(ctx context.Context, delay time.Duration, o origin.Origin) (*queue, *list.Element, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return nil, nil, gaveUp(ctx, o)
	}
	now := time.Now()
	q := p.queue(o, now)
	if q.waiting.Len() == 0 && !q.next.After(now) {
		q.next = now.Add(delay)
		return q, nil, nil
	}
	if err := q.inTime(ctx, delay, now); err != nil {
		q.sweep() // a waiter whose context has ended may not have left yet
		if err = q.inTime(ctx, delay, now); err != nil {
			return nil, nil, fmt.Errorf("polite: the crawl delay of %s asks to wait for %w", o, err)
		}
	}
	return q, q.add(&waiter{ctx: ctx, delay: delay, first: make(chan struct{})}), nil
}

// inTime returns why a request that comes now would not have its turn in time.
func (q *queue) inTime(ctx context.Context, delay time.Duration, now time.Time) error {
	left := max(0, q.next.Sub(now))
	if q.delays > math.MaxInt64-max(left, delay) {
		return errTooLong
	}
	left += q.delays
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(now.Add(left)) {
		return fmt.Errorf("%s, beyond the request's deadline: %w", left.Round(time.Millisecond), context.DeadlineExceeded)
	}
	return nil
}

// start ends a wait whose time has come.
func (p *pacer) start(q *queue, place *list.Element, o origin.Origin) error {
	w := place.Value.(*waiter)
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.ctx.Err() == nil {
		q.next = time.Now().Add(w.delay)
	}
	q.leave(place)
	if w.ctx.Err() != nil {
		return gaveUp(w.ctx, o)
	}
	return nil
}

// giveUp ends a wait whose context has ended.
func (p *pacer) giveUp(q *queue, place *list.Element, o origin.Origin) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	q.leave(place)
	return gaveUp(place.Value.(*waiter).ctx, o)
}

func gaveUp(ctx context.Context, o origin.Origin) error {
	return fmt.Errorf("polite: waiting for the crawl delay of %s: %w", o, context.Cause(ctx))
}

// add gives a waiter the last place.
func (q *queue) add(w *waiter) *list.Element {
	place := q.waiting.PushBack(w)
	q.delays += w.delay
	if q.waiting.Len() == 1 {
		close(w.first)
	}
	return place
}

// leave removes a waiter, unless it has left already, and tells the one behind it if
// that is now the first.
func (q *queue) leave(place *list.Element) {
	w := place.Value.(*waiter)
	if w.gone {
		return
	}
	wasFirst := q.waiting.Front() == place
	q.waiting.Remove(place)
	q.delays -= w.delay
	w.gone = true
	if next := q.waiting.Front(); wasFirst && next != nil {
		close(next.Value.(*waiter).first)
	}
}

// sweep removes the waiters whose context has ended.
func (q *queue) sweep() {
	for place := q.waiting.Front(); place != nil; {
		behind := place.Next()
		if place.Value.(*waiter).ctx.Err() != nil {
			q.leave(place)
		}
		place = behind
	}
}

// queue returns the queue of an origin. To make room it forgets those that nobody
// waits in and whose next turn is in the past, each time there are twice as many
// as were left the last time.
func (p *pacer) queue(o origin.Origin, now time.Time) *queue {
	if q := p.queues[o]; q != nil {
		return q
	}
	if p.queues == nil {
		p.queues, p.bound = map[origin.Origin]*queue{}, leastBound
	}
	if len(p.queues) >= p.bound {
		for other, q := range p.queues {
			if q.waiting.Len() == 0 && !q.next.After(now) {
				delete(p.queues, other)
			}
		}
		p.bound = max(leastBound, 2*len(p.queues))
	}
	q := &queue{}
	p.queues[o] = q
	return q
}
