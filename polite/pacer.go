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

// A pacer keeps at least the delay between the starts of two requests to an origin. The zero pacer works. Each request
// waits in its own goroutine.
//
// For example, with requests A to D to one origin and a delay of 10 s:
//
//	0 s   A comes. It starts immediately, so nextStart is 10 s.
//	1 s   B, C and D come. They are in the queue, and B is the first. B waits until 10 s.
//	2 s   The context of B ends. B leaves the queue, so C is the first. C waits until 10 s.
//	10 s  C starts and leaves the queue. nextStart is 20 s, and D is the first.
//	20 s  D starts.
//
// If processes share the delay, each has at most one turn of an origin, for the first request of its queue.
type pacer struct {
	shared cache.Pacer // gives each process its turns; nil if this process shares no delay with others

	mu           sync.Mutex
	queues       map[origin.Origin]*queue
	limit        int       // when there are this many queues, the queues that are not needed are deleted
	failingSince time.Time // since when shared has failed to give turns; zero if the last call succeeded
}

// minLimit is the minimum of pacer.limit. With fewer queues, a search for queues to delete costs more than it saves.
const minLimit = 64

type queue struct {
	nextStart  time.Time           // when the first request in the queue may start; each request sets it when it starts
	firstPlace *semaphore.Weighted // held by the first request; all other requests wait until they hold it, in the order in which they came
	waiting    map[*waiter]bool    // all waiting requests, including the first
}

type waiter struct {
	ctx   context.Context
	delay time.Duration
}

// errTooLong is the error of a wait that is longer than the longest time.Duration.
var errTooLong = errors.New("hundreds of years")

// waitForStart waits until a request may start. It fails immediately if the expected start is after the request's deadline.
func (p *pacer) waitForStart(ctx context.Context, o origin.Origin, delay time.Duration) error {
	q, w, err := p.enter(ctx, delay, o)
	if err != nil || w == nil {
		return err
	}
	if q.firstPlace.Acquire(ctx, 1) != nil {
		p.leaveQueue(q, w, false)
		return gaveUp(ctx, o)
	}
	defer q.firstPlace.Release(1)
	err = p.waitTurn(ctx, q, o, delay)
	if started := p.leaveQueue(q, w, err == nil); err == nil && !started {
		err = gaveUp(ctx, o)
	}
	return err
}

func (p *pacer) nextStart(q *queue) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return q.nextStart
}

// enter puts a request into the queue of its origin. A nil waiter means that the request may start immediately.
func (p *pacer) enter(ctx context.Context, delay time.Duration, o origin.Origin) (*queue, *waiter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return nil, nil, gaveUp(ctx, o)
	}
	now := time.Now()
	q := p.queueOf(o, now)
	if p.shared == nil && len(q.waiting) == 0 && !q.nextStart.After(now) {
		q.nextStart = now.Add(delay)
		return q, nil, nil
	}
	if err := q.inTime(ctx, delay, now); err != nil {
		return nil, nil, tooLong(o, err)
	}
	w := &waiter{ctx, delay}
	q.waiting[w] = true
	return q, w, nil
}

// inTime returns an error if a new request would start after its deadline. It ignores requests in the queue whose
// context has ended.
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
		return fmt.Errorf("the request would have to wait for %s, but its deadline is earlier: %w", wait.Round(time.Millisecond), context.DeadlineExceeded)
	}
	return nil
}

func tooLong(o origin.Origin, err error) error {
	return fmt.Errorf("polite: the request cannot keep the crawl delay of %s: %w", o, err)
}

// leaveQueue removes a request from the queue. maySend is true if mayStart is true and the context of the request has not
// ended.
func (p *pacer) leaveQueue(q *queue, w *waiter, mayStart bool) (maySend bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(q.waiting, w)
	if maySend = mayStart && w.ctx.Err() == nil; maySend {
		q.nextStart = time.Now().Add(w.delay)
	}
	return maySend
}

func gaveUp(ctx context.Context, o origin.Origin) error {
	return fmt.Errorf("polite: the request did not wait to the end of the crawl delay of %s: %w", o, context.Cause(ctx))
}

// queueOf returns the queue of an origin, or makes it. When the number of queues has doubled, it deletes unused ones.
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
