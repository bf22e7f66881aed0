package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/heed-robots/heed/origin"
)

const (
	// Eight records are written at the same time, because each write waits for the server of the Store.
	maxWorkers = 8

	// maxBatch is how many records are written in one call to a Batcher. In such a call, the Batcher waits for its disk
	// only once.
	maxBatch = 64

	// Close gives up the waiting records after closeTimeout, or if the store has written no record for progressTimeout.
	progressTimeout = time.Second
	closeTimeout    = 10 * time.Second
)

var (
	errFull      = errors.New("the store is too slow, and too much data waits for it, so heed does not write the data about this origin: use a faster store")
	errUnwritten = fmt.Errorf("the Cache was closed before the record was written to the store, so this record is lost: %w", ErrClosed)
)

// A writer puts records into a Store in the background. Only one worker at a time writes the records of an origin, so
// their order stays.
type writer struct {
	store      Store
	reportLost func(origin.Origin, error)
	limit      int // the most bytes that waiting records may take

	maxWorkers, maxBatch int

	ctx    context.Context // for all writes; it ends when close gives up
	giveUp context.CancelCauseFunc

	mu      sync.Mutex
	queues  map[origin.Origin]*queue
	ready   []*queue // queues without a worker; the oldest is the first
	workers int
	bytes   int
	puts    int
	lost    int // how many records were lost after close began
	why     error
	closed  bool

	// abandoned is true after abandon has reported the remaining records as lost. Then reportLost must not be called
	// again.
	abandoned bool
}

// A queue contains the waiting records of one origin. It may also contain the lease of this origin, until all these records
// are written.
type queue struct {
	origin  origin.Origin
	records []*Record     // the oldest first
	writing bool          // the first record is being written now
	taken   bool          // somebody is writing these records
	release func()        // nil if this Cache has no lease of the origin
	done    chan struct{} // closed when the queue has neither a record nor a lease
}

func newWriter(s Store, limit int, failed func(origin.Origin, error)) *writer {
	ctx, giveUp := context.WithCancelCause(context.Background())
	w := &writer{store: s, reportLost: failed, limit: limit, maxWorkers: maxWorkers, maxBatch: 1, ctx: ctx, giveUp: giveUp, queues: map[origin.Origin]*queue{}}
	if _, ok := s.(Batcher); ok {
		w.maxWorkers, w.maxBatch = 1, maxBatch
	}
	return w
}

// If there is no room, the record replaces the last waiting record of its origin. If that is not possible, the record
// is lost.
func (w *writer) put(r *Record) {
	if err := w.add(r); err != nil {
		w.reportLost(r.Origin, err)
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

// giveBack does not call release. A worker calls release when the waiting records of the origin are written.
func (w *writer) giveBack(o origin.Origin, release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue(o).release = release
}

func (w *writer) takeLease(o origin.Origin) (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if q := w.queues[o]; q != nil {
		release, q.release = q.release, nil
	}
	return release
}

func (w *writer) latest(o origin.Origin) *Record {
	w.mu.Lock()
	defer w.mu.Unlock()
	if q := w.queues[o]; q != nil && len(q.records) > 0 {
		return q.records[len(q.records)-1]
	}
	return nil
}

// forget waits for the record of the origin that is being written. It removes the other waiting records of the origin.
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
		w.finish(q) // gives the lease back, and writes any record that was added meanwhile
	}
	select {
	case <-q.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cache: heed has not forgotten %s, because the context ended while a record was being written to the store; try again: %w", o, context.Cause(ctx))
	}
}

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

func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.finishAll()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost > 0 {
		return fmt.Errorf("cache: heed could not write some records to the store (%d), so it fetches these robots.txt again later: %w", w.lost, w.why)
	}
	return nil
}

func (w *writer) origins() []origin.Origin {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.queues))
}

// Without progress, or after closeTimeout, finishAll gives up the remaining writes.
func (w *writer) finishAll() {
	defer w.giveUp(nil)
	end := time.Now().Add(closeTimeout)
	for before := -1; before != w.succeeded() && time.Now().Before(end); {
		before = w.succeeded()
		ctx, cancel := context.WithTimeout(context.Background(), progressTimeout)
		done := w.wait(ctx)
		cancel()
		if done {
			return
		}
	}
	w.giveUp(errUnwritten)
	ctx, cancel := context.WithTimeout(context.Background(), progressTimeout)
	defer cancel()
	if !w.wait(ctx) { // the store ignores the end of its context, for example because a disk hangs
		w.abandon()
	}
}

// abandon reports all remaining records as lost. It does not wait for writes in progress.
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
		w.reportLost(o, errUnwritten)
	}
}

func (w *writer) succeeded() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.puts
}

// The caller must hold w.mu.
func (w *writer) queue(o origin.Origin) *queue {
	q := w.queues[o]
	if q != nil {
		return q
	}
	q = &queue{origin: o, done: make(chan struct{})}
	w.queues[o] = q
	w.ready = append(w.ready, q)
	if w.workers < w.maxWorkers {
		w.workers++
		go w.work()
	}
	return q
}

func (w *writer) work() {
	var queues []*queue
	var records []*Record // the first record of each queue
	add := func(q *queue) {
		if r := w.next(q); r != nil {
			queues, records = append(queues, q), append(records, r)
		}
	}
	for {
		more := w.take(len(queues))
		if len(queues)+len(more) == 0 {
			return
		}
		for _, q := range more {
			add(q)
		}
		from, errs := queues, w.write(records)
		queues, records = nil, nil
		for i, err := range errs {
			w.finishWrite(from[i], err)
			add(from[i])
		}
	}
}

func (w *writer) finish(q *queue) {
	for r := w.next(q); r != nil; r = w.next(q) {
		w.finishWrite(q, w.write([]*Record{r})[0])
	}
}

// take returns more queues for a worker that already has a number of queues, count. If the worker has no queue even after
// this call, it must end.
func (w *writer) take(count int) []*queue {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(w.maxBatch-count, len(w.ready))
	more := slices.Clone(w.ready[:n])
	w.ready = slices.Delete(w.ready, 0, n)
	for _, q := range more {
		q.taken = true
	}
	if count+n == 0 {
		w.workers--
	}
	return more
}

// The caller must write the record that is returned. If the queue has no record, next returns the lease of the queue to the
// store, removes the queue, and returns nil.
func (w *writer) next(q *queue) *Record {
	for {
		w.mu.Lock()
		release := q.release
		switch {
		case len(q.records) > 0:
			q.writing = true
			r := q.records[0]
			w.mu.Unlock()
			return r
		case release != nil:
			q.release = nil
			w.mu.Unlock()
			release()
		default:
			delete(w.queues, q.origin)
			close(q.done)
			w.mu.Unlock()
			return nil
		}
	}
}

func (w *writer) write(records []*Record) []error {
	errs := make([]error, len(records))
	if b, ok := w.store.(Batcher); ok && len(records) > 1 && w.ctx.Err() == nil &&
		recoveredError(func() error { return b.PutAll(w.ctx, records) }) == nil {
		return errs
	}
	for i, r := range records { // each record is written alone, so that only records that cannot be written are lost
		if errs[i] = context.Cause(w.ctx); errs[i] == nil {
			errs[i] = recoveredError(func() error { return w.store.Put(w.ctx, r) })
		}
	}
	return errs
}

func (w *writer) finishWrite(q *queue, err error) {
	w.mu.Lock()
	w.bytes -= recordBytes(q.records[0])
	q.records = slices.Delete(q.records, 0, 1)
	q.writing = false
	report := err != nil && !w.abandoned
	switch {
	case err == nil:
		w.puts++
	case report && w.closed:
		w.lost, w.why = w.lost+1, err
	}
	w.mu.Unlock()
	if report {
		w.reportLost(q.origin, err)
	}
}
