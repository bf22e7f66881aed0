package redis

import (
	"context"
	"sync"
	"time"
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

	mu      sync.Mutex
	leases  int
	working sync.WaitGroup
	ctx     context.Context
	end     context.CancelFunc
}

func newUnreturned(giveBack func(lease) error) *unreturnedLeases {
	u := &unreturnedLeases{giveBack: giveBack}
	u.ctx, u.end = context.WithCancel(context.Background())
	return u
}

func (u *unreturnedLeases) add(l lease) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.leases == maxUnreturned || u.ctx.Err() != nil {
		return
	}
	u.leases++
	u.working.Go(func() {
		u.work(l)
		u.mu.Lock()
		u.leases--
		u.mu.Unlock()
	})
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
	u.mu.Lock()
	u.end()
	u.mu.Unlock()
	u.working.Wait()
}
