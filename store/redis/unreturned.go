package redis

import (
	"slices"
	"sync"
	"time"
)

const (
	maxUnreturned = 1000                   // leases, about 200 bytes each
	returnBatch   = 100                    // leases in one call
	returnPause   = 100 * time.Millisecond // between attempts; while the server is away one costs nothing
)

// unreturned are leases that could not be given back yet. They are tried until that
// works or they have ended by themselves.
type unreturned struct {
	giveBack func([]lease) (left []lease)
	mu       sync.Mutex
	leases   []lease
	running  bool // a goroutine gives leases back
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

// work gives leases back until none is left; when the store is closed it tries once more
// and ends.
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

// giveBackSome gives the first leases back, and puts those for which that failed behind
// the others. It reports whether it gave all of these back and more are left.
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
