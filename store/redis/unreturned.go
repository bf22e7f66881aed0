package redis

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	maxUnreturned = 1000                   // each of these leases has its own goroutine
	returnPause   = 100 * time.Millisecond // while the server is down, a try sends nothing
)

// unreturnedLeases are the leases that could not be given back. For each of them, a goroutine tries again until the
// lease expires on the server.
type unreturnedLeases struct {
	giveBack func(lease) error
	trying   sync.Mutex // one try at a time, so that a slow server does not get many requests
	room     *semaphore.Weighted
	ctx      context.Context
	end      context.CancelFunc
}

func newUnreturned(giveBack func(lease) error) *unreturnedLeases {
	u := &unreturnedLeases{giveBack: giveBack, room: semaphore.NewWeighted(maxUnreturned)}
	u.ctx, u.end = context.WithCancel(context.Background())
	return u
}

func (u *unreturnedLeases) add(l lease) {
	if !u.room.TryAcquire(1) {
		return
	}
	if u.ctx.Err() != nil { // checked after TryAcquire, so that close waits for every try that starts
		u.room.Release(1)
		return
	}
	go func() {
		defer u.room.Release(1)
		u.work(l)
	}()
}

func (u *unreturnedLeases) work(l lease) {
	for isLast := false; !isLast; {
		select {
		case <-time.After(returnPause):
		case <-u.ctx.Done():
			isLast = true
		}
		isLast = u.try(l) || isLast
	}
}

func (u *unreturnedLeases) try(l lease) (done bool) {
	u.trying.Lock()
	defer u.trying.Unlock()
	return time.Now().After(l.ends) || u.giveBack(l) == nil
}

func (u *unreturnedLeases) close() {
	u.end()
	u.room.Acquire(context.Background(), maxUnreturned) // waits for all tries
	u.room.Release(maxUnreturned)
}
