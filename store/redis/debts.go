package redis

import (
	"slices"
	"sync"
	"time"
)

const (
	mostDebts = 1000                   // some 200 bytes each
	debtBatch = 100                    // in one call
	debtPause = 100 * time.Millisecond // until they are tried again; while the server is away that costs nothing
)

// debts are leases that could not be given back yet. They are tried until that
// works or they have ended by themselves.
type debts struct {
	pay     func([]lease) (left []lease)
	mu      sync.Mutex
	leases  []lease
	paying  bool // a goroutine is
	working sync.WaitGroup
	closed  chan struct{}
}

// add adds a lease. Where there are too many, the first is left to end by itself.
func (d *debts) add(l lease) {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.closed:
		return
	default:
	}
	d.keep(append(d.leases, l))
	if !d.paying {
		d.paying = true
		d.working.Go(d.work)
	}
}

func (d *debts) keep(leases []lease) { d.leases = leases[max(0, len(leases)-mostDebts):] }

// work pays until nothing is left, or once more when the store is closed.
func (d *debts) work() {
	for again := true; again && d.open(); {
		select {
		case <-time.After(debtPause):
		case <-d.closed:
			again = false
		}
		for d.payBatch() {
		}
	}
}

// open reports whether there are debts; where there are none, the goroutine ends.
func (d *debts) open() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.paying = len(d.leases) > 0
	return d.paying
}

// payBatch pays the first; those that it could not are behind the others from
// then on. It reports whether all were paid and there are more.
func (d *debts) payBatch() bool {
	d.mu.Lock()
	d.leases = slices.DeleteFunc(d.leases, func(l lease) bool { return time.Now().After(l.ends) })
	batch := slices.Clone(d.leases[:min(debtBatch, len(d.leases))])
	d.leases = d.leases[len(batch):]
	d.mu.Unlock()
	if len(batch) == 0 {
		return false
	}
	left := d.pay(batch)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keep(append(d.leases, left...))
	return len(left) == 0 && len(d.leases) > 0
}

// close tries what is left once more.
func (d *debts) close() {
	d.mu.Lock()
	select {
	case <-d.closed:
	default:
		close(d.closed)
	}
	d.mu.Unlock()
	d.working.Wait()
}
