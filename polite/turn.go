package polite

import (
	"context"
	"errors"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

const (
	// maxOutage is how long requests wait for a store that fails. Without this wait, all processes would send a request as
	// soon as the store fails.
	maxOutage  = 2 * time.Second
	retryPause = 200 * time.Millisecond
	// maxMissed is how many turns (permissions to start) a request may miss. After that, the request starts with its next
	// turn, even if it is late for this turn.
	maxMissed = 3
	// returnTimeout limits the time for giving back the turn of a request whose context has ended.
	returnTimeout = time.Second
)

func (p *pacer) waitTurn(ctx context.Context, q *queue, o origin.Origin, delay time.Duration) error {
	for missed := 0; ; missed++ {
		turn, err := p.nextTurn(ctx, q, o, delay)
		if err != nil {
			return err
		}
		mustUse := turn.ID == "" || missed == maxMissed
		if !mustUse && turn.Until().Before(turn.At) {
			p.giveBack(ctx, turn)
			continue
		}
		if !sleep(ctx, time.Until(turn.At)) {
			p.giveBack(ctx, turn)
			return gaveUp(ctx, o)
		}
		if mustUse || !time.Now().After(turn.Until()) {
			return nil
		}
	}
}

// If there is no store, or the store fails, the turn has no ID: this process alone keeps the delay.
func (p *pacer) nextTurn(ctx context.Context, q *queue, o origin.Origin, delay time.Duration) (cache.Turn, error) {
	next := p.nextStart(q)
	if p.shared == nil {
		return cache.Turn{At: next}, nil
	}
	for {
		turn, err := p.shared.Reserve(ctx, o, next, delay)
		pause, busy := retryPause, (*cache.BusyError)(nil)
		switch {
		case ctx.Err() != nil:
			if err == nil {
				p.giveBack(ctx, turn)
			}
			return turn, gaveUp(ctx, o)
		case err == nil:
			p.storeWorks()
			if err := beforeDeadline(ctx, time.Until(turn.At)); err != nil {
				p.giveBack(ctx, turn)
				return turn, tooLong(o, err)
			}
			return turn, nil
		case errors.As(err, &busy):
			pause = max(pause, busy.Wait)
			if err := beforeDeadline(ctx, pause); err != nil {
				return turn, tooLong(o, err)
			}
		case p.keepsDelayAlone(o, err):
			return cache.Turn{At: next}, nil
		}
		if !sleep(ctx, pause) {
			return turn, gaveUp(ctx, o)
		}
	}
}

func (p *pacer) storeWorks() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failingSince, p.reported = time.Time{}, false
}

// keepsDelayAlone reports whether the store has failed for so long that this process keeps the delay without it.
func (p *pacer) keepsDelayAlone(o origin.Origin, err error) bool {
	p.mu.Lock()
	if p.failingSince.IsZero() {
		p.failingSince = time.Now()
	}
	alone := time.Since(p.failingSince) > maxOutage
	isNew := alone && !p.reported
	p.reported = alone
	p.mu.Unlock()
	if isNew && p.storeFailed != nil {
		p.storeFailed("turn", o, err)
	}
	return alone
}

func (p *pacer) giveBack(ctx context.Context, turn cache.Turn) {
	if turn.ID == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), returnTimeout)
	defer cancel()
	p.shared.Return(ctx, turn)
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
