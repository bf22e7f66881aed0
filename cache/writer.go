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
	// writers is how many records are written at once. A server profits from
	// several; where a store writes one at a time, the others wait for it.
	writers = 8

	// closingTime is how long Close waits for one more record to be written, and
	// closingMost for all of them: a store that makes progress may finish.
	closingTime = time.Second
	closingMost = 10 * time.Second
)

var (
	errFull      = errors.New("too many records wait to be written: this one is not kept")
	errUnwritten = fmt.Errorf("%w before the record was written", ErrClosed)
)

// A writer puts records into a Store while the answers that rest on them are given
// already: the records of one origin one after the other, in the order of their
// retrievals.
type writer struct {
	store  Store
	failed func(origin.Origin, error)
	bound  int // of the bytes that wait

	ctx    context.Context // ends when the records that wait are given up
	giveUp context.CancelCauseFunc

	mu      sync.Mutex
	lines   map[origin.Origin]*line
	ready   []*line // that no worker has, the oldest first
	workers int
	bytes   int   // of the records that wait
	puts    int   // that succeeded
	lost    int   // records that were not written since it was closed
	why     error // why the last of these was not
	closed  bool

	abandoned bool // what is left was reported as lost: failed is not called any more
}

// line is the records of one origin that wait, as in a queue, and the lease that is given
// back behind them.
type line struct {
	origin  origin.Origin
	records []*Record     // the oldest first
	writing bool          // the first record is being written
	taken   bool          // a worker has the line
	release func()        // gives the lease back, when no record waits any more; nil: there is no lease
	done    chan struct{} // is closed when neither a record nor a lease is left
}

func newWriter(s Store, bound int, failed func(origin.Origin, error)) *writer {
	ctx, giveUp := context.WithCancelCause(context.Background())
	return &writer{store: s, failed: failed, bound: bound, ctx: ctx, giveUp: giveUp, lines: map[origin.Origin]*line{}}
}

// put has a record written. Where too many bytes wait already, it replaces the last
// record of its origin that waits, unless it needs more room than there is; else it is
// lost.
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
	if w.bytes > 0 && w.bytes+size > w.bound {
		l := w.lines[r.Origin]
		if l == nil || len(l.records) == 0 || len(l.records) == 1 && l.writing {
			return errFull
		}
		last := len(l.records) - 1
		more := size - recordBytes(l.records[last])
		if more > 0 && w.bytes+more > w.bound {
			return errFull
		}
		w.bytes += more
		l.records[last] = r
		return nil
	}
	l := w.line(r.Origin)
	l.records = append(l.records, r)
	w.bytes += size
	return nil
}

// giveBack gives the lease of an origin back once what waits of it is written.
func (w *writer) giveBack(o origin.Origin, release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line(o).release = release
}

// takeLease returns the function that gives back the lease of an origin that this
// process still has, and leaves the lease to the caller; nil: there is no lease.
func (w *writer) takeLease(o origin.Origin) (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.lines[o]; l != nil {
		release, l.release = l.release, nil
	}
	return release
}

// latest returns the last record of an origin that is not written yet; nil: there
// is none.
func (w *writer) latest(o origin.Origin) *Record {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.lines[o]; l != nil && len(l.records) > 0 {
		return l.records[len(l.records)-1]
	}
	return nil
}

// forget drops what waits of an origin, and waits for what is being written.
func (w *writer) forget(ctx context.Context, o origin.Origin) error {
	w.mu.Lock()
	l := w.lines[o]
	if l == nil {
		w.mu.Unlock()
		return nil
	}
	for len(l.records) > 0 && !(l.writing && len(l.records) == 1) {
		last := len(l.records) - 1
		w.bytes -= recordBytes(l.records[last])
		l.records = l.records[:last]
	}
	taken := l.taken
	if !taken {
		l.taken = true
		w.ready = slices.DeleteFunc(w.ready, func(other *line) bool { return other == l })
	}
	w.mu.Unlock()
	if !taken {
		w.finish(l) // which writes nothing
	}
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cache: %s is being written: %w", o, context.Cause(ctx))
	}
}

// wait waits until everything is written; false: ctx ended before.
func (w *writer) wait(ctx context.Context) bool {
	for {
		var next *line
		w.mu.Lock()
		for _, next = range w.lines {
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

// close waits for the records to be written, as long as the store makes progress. Those
// that are left then are lost, each with an error. The error says how many, and why.
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

// finishAll waits for the records to be written, or gives them up.
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
	for o, l := range w.lines {
		for range l.records {
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

// line returns the line of an origin, or a new one, which a worker will take. The
// writer must be locked.
func (w *writer) line(o origin.Origin) *line {
	l := w.lines[o]
	if l != nil {
		return l
	}
	l = &line{origin: o, done: make(chan struct{})}
	w.lines[o] = l
	w.ready = append(w.ready, l)
	if w.workers < writers {
		w.workers++
		go w.work()
	}
	return l
}

// work writes until nothing waits.
func (w *writer) work() {
	for {
		w.mu.Lock()
		if len(w.ready) == 0 {
			w.workers--
			w.mu.Unlock()
			return
		}
		l := w.ready[0]
		w.ready = slices.Delete(w.ready, 0, 1)
		l.taken = true
		w.mu.Unlock()
		w.finish(l)
	}
}

// finish writes the records of a line, also those that come meanwhile, then gives its
// lease back and ends the line.
func (w *writer) finish(l *line) {
	for {
		w.mu.Lock()
		release := l.release
		switch {
		case len(l.records) > 0:
			l.writing = true
			r := l.records[0]
			w.mu.Unlock()
			w.written(l, w.write(r))
		case release != nil:
			l.release = nil
			w.mu.Unlock()
			release()
		default:
			delete(w.lines, l.origin)
			close(l.done)
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

// written removes the first record of a line, after a write that may have failed.
func (w *writer) written(l *line, err error) {
	w.mu.Lock()
	w.bytes -= recordBytes(l.records[0])
	l.records = slices.Delete(l.records, 0, 1)
	l.writing = false
	tell := err != nil && !w.abandoned
	switch {
	case err == nil:
		w.puts++
	case tell && w.closed:
		w.lost, w.why = w.lost+1, err
	}
	w.mu.Unlock()
	if tell {
		w.failed(l.origin, err)
	}
}
