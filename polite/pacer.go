package polite

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/heed-robots/heed/origin"
)

// A pacer keeps requests to one origin apart. The zero pacer works.
type pacer struct {
	mu    sync.Mutex
	next  map[origin.Origin]time.Time // when the next request may start; the past means now
	bound int                         // how large next grows before the past is forgotten
}

// leastBound keeps a small map from being gone over again and again.
const leastBound = 64

// wait waits until a request to an origin may start; those behind it start at
// least delay later. A request whose context ends before its turn fails at once
// and takes no turn.
func (p *pacer) wait(ctx context.Context, o origin.Origin, delay time.Duration) error {
	turn, err := p.reserve(ctx, o, delay)
	if err != nil {
		return err
	}
	left := time.Until(turn)
	if left <= 0 {
		return nil
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		p.giveBack(o, turn, delay)
		return fmt.Errorf("polite: waiting for the crawl delay of %s: %w", o, context.Cause(ctx))
	}
}

// reserve takes the next turn.
func (p *pacer) reserve(ctx context.Context, o origin.Origin, delay time.Duration) (time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	turn := now
	if next := p.next[o]; next.After(now) {
		turn = next
	}
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(turn) {
		return turn, fmt.Errorf("polite: the crawl delay of %s asks to wait for %s, beyond the request's deadline: %w",
			o, turn.Sub(now).Round(time.Millisecond), context.DeadlineExceeded)
	}
	p.forget(now)
	p.next[o] = turn.Add(delay)
	return turn, nil
}

// giveBack returns a turn that was not used, if nobody has one after it: else
// who tries again and again in vain would move everybody's turn away.
func (p *pacer) giveBack(o origin.Origin, turn time.Time, delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next[o].Equal(turn.Add(delay)) {
		p.next[o] = turn
	}
}

// forget makes room: it forgets the origins whose next turn is in the past, each
// time there are twice as many as were left the last time.
func (p *pacer) forget(now time.Time) {
	if p.next == nil {
		p.next, p.bound = map[origin.Origin]time.Time{}, leastBound
	}
	if len(p.next) < p.bound {
		return
	}
	for o, next := range p.next {
		if !next.After(now) {
			delete(p.next, o)
		}
	}
	p.bound = max(leastBound, 2*len(p.next))
}
