package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/heed-robots/heed/origin"
)

const (
	// writers is how many records are written at the same time. With a server that is
	// faster than one at a time; in a store that writes one at a time, the others wait.
	writers = 8

	// closingTime is how long Close waits for the next record to be written, and
	// closingMost for all of them: a store that makes progress may finish.
	closingTime = time.Second
	closingMost = 10 * time.Second
)

var (
	errFull      = errors.New("too many records wait to be written: this one is lost")
	errUnwritten = fmt.Errorf("%w before the record was written", ErrClosed)
)

// A writer puts records into a Store in the background. The records of one origin are
// written one after the other, in the order of their retrievals.
type writer struct {
	store  Store
	failed func(origin.Origin, error)
	limit  int // of the bytes that wait

	ctx    context.Context // until the waiting records are given up
	giveUp context.CancelCauseFunc

	mu      sync.Mutex
	queues  map[origin.Origin]*queue
	ready   []*queue // that no worker has taken, the oldest first
	workers int
	bytes   int   // of the records that wait
	puts    int   // that succeeded
	lost    int   // records that were not written after close began
	why     error // why the last of these was lost
	closed  bool

	abandoned bool // the records that are left were reported as lost: failed is not called any more
}

// A queue has the records of one origin that wait, and the lease that is given back after
// the last of them is written.
type queue struct {
	origin  origin.Origin
	records []*Record     // the oldest first
	writing bool          // the first record is being written
	taken   bool          // a worker has the queue
	release func()        // gives the lease back; nil: there is no lease
	done    chan struct{} // closed when neither a record nor a lease is left
}

func newWriter(s Store, limit int, failed func(origin.Origin, error)) *writer {
	ctx, giveUp := context.WithCancelCause(context.Background())
	return &writer{store: s, failed: failed, limit: limit, ctx: ctx, giveUp: giveUp, queues: map[origin.Origin]*queue{}}
}

// put lets a record wait to be written. If too many bytes wait already, the record replaces
// the last waiting one of its origin; if there is none, or not enough room, it is lost.
func (w *writer) put(r *Record) {
	if err := w.add(r); err != nil {
		w.failed(r.Origin, err)
	}
}

func (w *writer) add(r *Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errUnwritten
	}
	size := recordBytes(r)
	if w.bytes > 0 && w.bytes+size > w.limit {
		q := w.queues[r.Origin]
		if q == nil || len(q.records) == 0 || len(q.records) == 1 && q.writing {
			return errFull
		}
		last := len(q.records) - 1
		more := size - recordBytes(q.records[last])
		if more > 0 && w.bytes+more > w.limit {
			return errFull
		}
		w.bytes += more
		q.records[last] = r
		return nil
	}
	q := w.queue(r.Origin)
	q.records = append(q.records, r)
	w.bytes += size
	return nil
}

// giveBack gives the lease of an origin back once its waiting records are written.
func (w *writer) giveBack(o origin.Origin, release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue(o).release = release
}

// takeLease returns the function of giveBack, which is then not called here any more; nil: this
// process does not hold the lease.
func (w *writer) takeLease(o origin.Origin) (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if q := w.queues[o]; q != nil {
		release, q.release = q.release, nil
	}
	return release
}

// latest returns the last waiting record of an origin; nil: none waits.
func (w *writer) latest(o origin.Origin) *Record {
	w.mu.Lock()
	defer w.mu.Unlock()
	if q := w.queues[o]; q != nil && len(q.records) > 0 {
		return q.records[len(q.records)-1]
	}
	return nil
}

// forget drops the waiting records of an origin, and waits for a write that is under way.
func (w *writer) forget(ctx context.Context, o origin.Origin) error {
	w.mu.Lock()
	q := w.queues[o]
	if q == nil {
		w.mu.Unlock()
		return nil
	}
	for len(q.records) > 0 && !(q.writing && len(q.records) == 1) {
		last := len(q.records) - 1
		w.bytes -= recordBytes(q.records[last])
		q.records = q.records[:last]
	}
	taken := q.taken
	if !taken {
		q.taken = true
		w.ready = slices.DeleteFunc(w.ready, func(other *queue) bool { return other == q })
	}
	w.mu.Unlock()
	if !taken {
		w.finish(q) // no record is left, only perhaps a lease
	}
	select {
	case <-q.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cache: %s is being written: %w", o, context.Cause(ctx))
	}
}

// wait waits until all records are written; false: ctx ended before.
func (w *writer) wait(ctx context.Context) bool {
	for {
		var next *queue
		w.mu.Lock()
		for _, next = range w.queues {
			break
		}
		w.mu.Unlock()
		if next == nil {
			return true
		}
		select {
		case <-next.done:
		case <-ctx.Done():
			return false
		}
	}
}

// close waits for the records to be written, as long as the store makes progress. The records
// that are left then are lost, and failed is called for each. The error says how many they
// are, and why.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.finishAll()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost > 0 {
		return fmt.Errorf("cache: %d records were not written to the store: %w", w.lost, w.why)
	}
	return nil
}

// finishAll waits until the records are written or given up.
func (w *writer) finishAll() {
	defer w.giveUp(nil)
	end := time.Now().Add(closingMost)
	for before := -1; before != w.succeeded() && time.Now().Before(end); {
		before = w.succeeded()
		ctx, cancel := context.WithTimeout(context.Background(), closingTime)
		done := w.wait(ctx)
		cancel()
		if done {
			return
		}
	}
	w.giveUp(errUnwritten)
	ctx, cancel := context.WithTimeout(context.Background(), closingTime)
	defer cancel()
	if !w.wait(ctx) { // the store does not return when its context ends, as on a disk that hangs
		w.abandon()
	}
}

// abandon reports the records that are left as lost.
func (w *writer) abandon() {
	var lost []origin.Origin
	w.mu.Lock()
	w.abandoned = true
	for o, q := range w.queues {
		for range q.records {
			lost = append(lost, o)
		}
	}
	if len(lost) > 0 {
		w.lost, w.why = w.lost+len(lost), errUnwritten
	}
	w.mu.Unlock()
	for _, o := range lost {
		w.failed(o, errUnwritten)
	}
}

// succeeded returns how many records were put.
func (w *writer) succeeded() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.puts
}

// queue returns the queue of an origin, or a new one, which a worker will take. The writer
// must be locked.
func (w *writer) queue(o origin.Origin) *queue {
	q := w.queues[o]
	if q != nil {
		return q
	}
	q = &queue{origin: o, done: make(chan struct{})}
	w.queues[o] = q
	w.ready = append(w.ready, q)
	if w.workers < writers {
		w.workers++
		go w.work()
	}
	return q
}

// work writes records until no queue is left.
func (w *writer) work() {
	for {
		w.mu.Lock()
		if len(w.ready) == 0 {
			w.workers--
			w.mu.Unlock()
			return
		}
		q := w.ready[0]
		w.ready = slices.Delete(w.ready, 0, 1)
		q.taken = true
		w.mu.Unlock()
		w.finish(q)
	}
}

// finish writes the records of a queue, also those that come meanwhile, then gives its lease
// back and removes the queue.
func (w *writer) finish(q *queue) {
	for {
		w.mu.Lock()
		release := q.release
		switch {
		case len(q.records) > 0:
			q.writing = true
			r := q.records[0]
			w.mu.Unlock()
			w.written(q, w.write(r))
		case release != nil:
			q.release = nil
			w.mu.Unlock()
			release()
		default:
			delete(w.queues, q.origin)
			close(q.done)
			w.mu.Unlock()
			return
		}
	}
}

func (w *writer) write(r *Record) error {
	if err := context.Cause(w.ctx); err != nil {
		return err
	}
	return recoveredError(func() error { return w.store.Put(w.ctx, r) })
}

// written removes the first record of a queue, after a write that may have failed.
func (w *writer) written(q *queue, err error) {
	w.mu.Lock()
	w.bytes -= recordBytes(q.records[0])
	q.records = slices.Delete(q.records, 0, 1)
	q.writing = false
	tell := err != nil && !w.abandoned
	switch {
	case err == nil:
		w.puts++
	case tell && w.closed:
		w.lost, w.why = w.lost+1, err
	}
	w.mu.Unlock()
	if tell {
		w.failed(q.origin, err)
	}
}
