package redis

import (
	"slices"
	"sync"
	"time"
)

const (
	maxUnreturned = 1000                   // some 200 bytes each
	returnBatch   = 100                    // in one call
	returnPause   = 100 * time.Millisecond // until they are tried again; while the server is away that costs nothing
)

// unreturned are leases that could not be given back yet. They are tried until that
// works or they have ended by themselves.
type unreturned struct {
	giveBack func([]lease) (left []lease)
	mu       sync.Mutex
	leases   []lease
	running  bool // a goroutine is
	working  sync.WaitGroup
	closed   chan struct{}
}

// add adds a lease. Where there are too many, the first is left to end by itself.
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

// work gives leases back until none is left, or once more when the store is closed.
func (u *unreturned) work() {
	for again := true; again && u.open(); {
		select {
		case <-time.After(returnPause):
		case <-u.closed:
			again = false
		}
		for u.giveBackSome() {
		}
	}
}

// open reports whether there are any; where there are none, the goroutine ends.
func (u *unreturned) open() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.running = len(u.leases) > 0
	return u.running
}

// giveBackSome gives the first back; those that it could not are behind the others from
// then on. It reports whether all were given back and there are more.
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

// close tries what is left once more.
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
