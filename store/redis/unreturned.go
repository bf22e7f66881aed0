package redis

import (
	"slices"
	"sync"
	"time"
)

const (
	maxUnreturned = 1000                   // leases, about 200 bytes each
	returnBatch   = 100                    // leases in one call
	returnPause   = 100 * time.Millisecond // between tries; while the server is down, a try sends nothing
)

// unreturned are the leases that could not be given back. One goroutine tries to give them
// back until that succeeds, or until they have expired.
type unreturned struct {
	giveBack func([]lease) (left []lease)
	mu       sync.Mutex
	leases   []lease
	running  bool // the goroutine is running
	working  sync.WaitGroup
	closed   chan struct{}
}

// add adds a lease. If there are too many, the oldest is dropped: it will expire.
func (u *unreturned) add(l lease) {
	u.mu.Lock()
	defer u.mu.Unlock()
	select {
	case <-u.closed:
		return
	default:
	}
	u.keep(append(u.leases, l))
	if !u.running {
		u.running = true
		u.working.Go(u.work)
	}
}

func (u *unreturned) keep(leases []lease) { u.leases = leases[max(0, len(leases)-maxUnreturned):] }

// work gives leases back until there are none. When the store is closed, it tries once more.
func (u *unreturned) work() {
	for again := true; again && u.isNeeded(); {
		select {
		case <-time.After(returnPause):
		case <-u.closed:
			again = false
		}
		for u.giveBackSome() {
		}
	}
}

// isNeeded reports whether there are leases. If there are none, the goroutine ends.
func (u *unreturned) isNeeded() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.running = len(u.leases) > 0
	return u.running
}

// giveBackSome tries to give back the first returnBatch leases. Those for which it fails
// become the last. It reports whether another call may succeed: no lease failed, and there
// are more.
func (u *unreturned) giveBackSome() bool {
	u.mu.Lock()
	u.leases = slices.DeleteFunc(u.leases, func(l lease) bool { return time.Now().After(l.ends) })
	batch := slices.Clone(u.leases[:min(returnBatch, len(u.leases))])
	u.leases = u.leases[len(batch):]
	u.mu.Unlock()
	if len(batch) == 0 {
		return false
	}
	left := u.giveBack(batch)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.keep(append(u.leases, left...))
	return len(left) == 0 && len(u.leases) > 0
}

// close ends the goroutine, which tries once more to give leases back. No lease can be added
// afterwards.
func (u *unreturned) close() {
	u.mu.Lock()
	select {
	case <-u.closed:
	default:
		close(u.closed)
	}
	u.mu.Unlock()
	u.working.Wait()
}
