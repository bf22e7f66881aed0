package polite

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

// A pacer delays requests, so that those to one origin start at least their delay apart.
// The zero pacer works. It has no goroutine: the goroutine of each request waits itself.
//
// An example, with requests A to D to one origin and a delay of 10 s:
//
//	0 s   A comes: it starts at once, and next is 10 s
//	1 s   B, C and D come: they are in the queue, and B, the first of it, waits until next
//	2 s   the context of B ends: B leaves the queue, and C is the first, which waits until 10 s
//	10 s  C starts and leaves the queue, next is 20 s, and D is the first
//	20 s  D starts
//
// If several processes keep the delay together, the first request of each queue also waits for
// its turn among them. So a process has one turn of an origin at a time.
type pacer struct {
	shared cache.Pacer // gives the turns of several processes; nil: there is only this process

	mu           sync.Mutex
	queues       map[origin.Origin]*queue
	limit        int       // the number of queues at which those that are not needed are deleted
	failingSince time.Time // since when shared has given no turn; zero: it works
}

// minLimit is the least limit of a pacer. Below it, looking for queues to delete would
// cost more than it saves.
const minLimit = 64

// A queue contains the requests that wait for an origin, in the order in which they came.
type queue struct {
	next    time.Time     // when the first request may start; only a request that starts sets it
	waiting list.List     // of *waiter
	delays  time.Duration // the sum of the delays of all waiters
}

// A waiter is a request that waits.
type waiter struct {
	ctx   context.Context
	delay time.Duration
	first chan struct{} // closed when the waiter is the first of its queue
	gone  bool          // it has left the queue
}

// errTooLong is the error of a request that would wait for longer than a time.Duration
// can say.
var errTooLong = errors.New("it would take hundreds of years")

// wait returns when a request to an origin may start. The next request starts at least
// delay later. A request whose context ends leaves the queue, so those behind it start
// earlier. A request fails at once if its deadline is before its expected start, even
// though requests in front of it may still leave.
func (p *pacer) wait(ctx context.Context, o origin.Origin, delay time.Duration) error {
	q, place, err := p.enter(ctx, delay, o)
	if err != nil || place == nil {
		return err
	}
	select {
	case <-place.Value.(*waiter).first:
	case <-ctx.Done():
		p.leave(q, place)
		return gaveUp(ctx, o)
	}
	if err := p.waitTurn(ctx, q, o, delay); err != nil {
		p.leave(q, place)
		return err
	}
	return p.start(q, place, o)
}

func (p *pacer) next(q *queue) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return q.next
}

// enter puts a request into the queue of its origin, and returns its place; nil: the
// request may start at once, which only a pacer without others can know.
func (p *pacer) enter(ctx context.Context, delay time.Duration, o origin.Origin) (*queue, *list.Element, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return nil, nil, gaveUp(ctx, o)
	}
	now := time.Now()
	q := p.queue(o, now)
	if p.shared == nil && q.waiting.Len() == 0 && !q.next.After(now) {
		q.next = now.Add(delay)
		return q, nil, nil
	}
	if err := q.inTime(ctx, delay, now); err != nil {
		q.sweep()
		if err = q.inTime(ctx, delay, now); err != nil {
			return nil, nil, tooLong(o, err)
		}
	}
	return q, q.add(&waiter{ctx: ctx, delay: delay, first: make(chan struct{})}), nil
}

// inTime returns an error if a request that comes now would start after its deadline.
func (q *queue) inTime(ctx context.Context, delay time.Duration, now time.Time) error {
	left := max(0, q.next.Sub(now))
	if q.delays > math.MaxInt64-max(left, delay) {
		return errTooLong
	}
	return beforeDeadline(ctx, left+q.delays)
}

// beforeDeadline returns an error if the deadline of a request is before the end of its wait.
func beforeDeadline(ctx context.Context, wait time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(time.Now().Add(wait)) {
		return fmt.Errorf("%s, beyond the request's deadline: %w", wait.Round(time.Millisecond), context.DeadlineExceeded)
	}
	return nil
}

func tooLong(o origin.Origin, err error) error {
	return fmt.Errorf("polite: the crawl delay of %s asks to wait for %w", o, err)
}

// start removes a request from the queue because it may start now.
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

// leave removes a request from the queue because it will not start.
func (p *pacer) leave(q *queue, place *list.Element) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q.leave(place)
}

func gaveUp(ctx context.Context, o origin.Origin) error {
	return fmt.Errorf("polite: waiting for the crawl delay of %s: %w", o, context.Cause(ctx))
}

// add puts a waiter behind all others.
func (q *queue) add(w *waiter) *list.Element {
	place := q.waiting.PushBack(w)
	q.delays += w.delay
	if q.waiting.Len() == 1 {
		close(w.first)
	}
	return place
}

// leave removes a waiter. If it was the first, the one behind it becomes the first. Both
// sweep and the waiter's own goroutine may call leave; the second call does nothing.
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

// sweep removes the waiters whose context has ended, and whose goroutine has not yet
// removed them.
func (q *queue) sweep() {
	for place := q.waiting.Front(); place != nil; {
		behind := place.Next()
		if place.Value.(*waiter).ctx.Err() != nil {
			q.leave(place)
		}
		place = behind
	}
}

// queue returns the queue of an origin. A queue is not needed if it is empty and its next
// is in the past. Those are deleted each time the number of queues has doubled since the
// last deletion.
func (p *pacer) queue(o origin.Origin, now time.Time) *queue {
	if q := p.queues[o]; q != nil {
		return q
	}
	if p.queues == nil {
		p.queues, p.limit = map[origin.Origin]*queue{}, minLimit
	}
	if len(p.queues) >= p.limit {
		for other, q := range p.queues {
			if q.waiting.Len() == 0 && !q.next.After(now) {
				delete(p.queues, other)
			}
		}
		p.limit = max(minLimit, 2*len(p.queues))
	}
	q := &queue{}
	p.queues[o] = q
	return q
}
