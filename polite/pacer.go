package polite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

// A pacer keeps at least the delay between the starts of two requests to an origin. Each request waits in its own
// goroutine. For example, if three requests come at the same time and the delay is 10 s, they start now, after 10 s,
// and after 20 s.
//
// If several processes share the delay, only the first request of a queue reserves its start in their store.
type pacer struct {
	shared      cache.Pacer // the store in which several processes reserve their starts; nil if there is none
	storeFailed func(what string, o origin.Origin, err error)

	mu           sync.Mutex
	queues       map[origin.Origin]*queue
	limit        int       // with this many queues, the unused ones are deleted
	failingSince time.Time // since when the store has failed; zero if it works
	reported     bool      // storeFailed was called, and since then the store has not worked
}

// With fewer queues than minLimit, a search for queues to delete costs more than it saves.
const minLimit = 64

type queue struct {
	nextStart  time.Time           // when the next request may start
	firstPlace *semaphore.Weighted // held by the first request; the others wait for it in their order
	waiting    map[*waiter]bool    // all waiting requests, with the first one
}

type waiter struct {
	ctx   context.Context
	delay time.Duration
}

// No time.Duration is long enough for this wait.
var errTooLong = errors.New("the request would have to wait for hundreds of years: set Transport.MaxDelay to a shorter time")

// waitForStart fails immediately if the expected start is after the deadline of the request.
func (p *pacer) waitForStart(ctx context.Context, o origin.Origin, delay time.Duration) error {
	q, w, err := p.enter(ctx, delay, o)
	if err != nil {
		return err
	}
	if q.firstPlace.Acquire(ctx, 1) != nil {
		return p.leave(q, w, o, gaveUp(ctx, o))
	}
	defer q.firstPlace.Release(1)
	return p.leave(q, w, o, p.waitTurn(ctx, q, o, delay))
}

func (p *pacer) nextStart(q *queue) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return q.nextStart
}

func (p *pacer) enter(ctx context.Context, delay time.Duration, o origin.Origin) (*queue, *waiter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return nil, nil, gaveUp(ctx, o)
	}
	now := time.Now()
	q := p.queueOf(o, now)
	if err := q.inTime(ctx, delay, now); err != nil {
		return nil, nil, tooLong(o, err)
	}
	w := &waiter{ctx, delay}
	q.waiting[w] = true
	return q, w, nil
}

func (q *queue) inTime(ctx context.Context, delay time.Duration, now time.Time) error {
	left, delays := max(0, q.nextStart.Sub(now)), time.Duration(0)
	for w := range q.waiting {
		if w.ctx.Err() != nil {
			continue
		}
		if w.delay > math.MaxInt64-max(left, delay)-delays {
			return errTooLong
		}
		delays += w.delay
	}
	return beforeDeadline(ctx, left+delays)
}

func beforeDeadline(ctx context.Context, wait time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(time.Now().Add(wait)) {
		return fmt.Errorf("the request would have to wait for %s, but its deadline is earlier: give it a later deadline: %w", wait.Round(time.Millisecond), context.DeadlineExceeded)
	}
	return nil
}

func tooLong(o origin.Origin, err error) error {
	return fmt.Errorf("polite: the request cannot keep the crawl delay of %s: %w", o, err)
}

// If err is nil, the request starts now, unless its context has just ended.
func (p *pacer) leave(q *queue, w *waiter, o origin.Origin, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(q.waiting, w)
	if err == nil && w.ctx.Err() != nil {
		err = gaveUp(w.ctx, o)
	}
	if err == nil {
		q.nextStart = time.Now().Add(w.delay)
	}
	return err
}

func gaveUp(ctx context.Context, o origin.Origin) error {
	return fmt.Errorf("polite: the request was not sent, because its context ended during the crawl delay of %s: %w", o, context.Cause(ctx))
}

func (p *pacer) queueOf(o origin.Origin, now time.Time) *queue {
	if q := p.queues[o]; q != nil {
		return q
	}
	if p.queues == nil {
		p.queues, p.limit = map[origin.Origin]*queue{}, minLimit
	}
	if len(p.queues) >= p.limit {
		for other, q := range p.queues {
			if len(q.waiting) == 0 && !q.nextStart.After(now) {
				delete(p.queues, other)
			}
		}
		p.limit = max(minLimit, 2*len(p.queues))
	}
	q := &queue{firstPlace: semaphore.NewWeighted(1), waiting: map[*waiter]bool{}}
	p.queues[o] = q
	return q
}
