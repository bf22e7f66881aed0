package questions

import (
	"io"
	"sync"
)

// A Writer takes the answers. Flush sends what was written to the reader at once.
type Writer interface {
	io.Writer
	Flush() error
}

// outbox writes and flushes in the background. A program can write some thousand questions
// before it reads the first answer: without this buffer heed and the program would wait for
// each other.
type outbox struct {
	out     Writer
	max     int        // add blocks while so many bytes wait
	mu      sync.Mutex // of the fields below
	changed sync.Cond  // a field has changed
	waiting []byte     // not written yet
	closed  bool
	err     error         // of the last write
	done    chan struct{} // closed when run has returned
}

func newOutbox(out Writer, max int) *outbox {
	b := &outbox{out: out, max: max, done: make(chan struct{})}
	b.changed.L = &b.mu
	go b.run()
	return b
}

// add queues bytes for writing. It blocks while too many bytes wait, and returns the error of
// an earlier write.
func (b *outbox) add(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.waiting) >= b.max && b.err == nil {
		b.changed.Wait()
	}
	b.waiting = append(b.waiting, p...)
	b.changed.Broadcast()
	return b.err
}

// close waits until everything is written, and returns the error of a write.
func (b *outbox) close() error {
	b.mu.Lock()
	b.closed = true
	b.changed.Broadcast()
	b.mu.Unlock()
	<-b.done
	return b.err
}

// run writes the waiting bytes until the outbox is closed and empty, or until a write fails.
func (b *outbox) run() {
	defer close(b.done)
	var writing []byte
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		for len(b.waiting) == 0 && !b.closed {
			b.changed.Wait()
		}
		if len(b.waiting) == 0 || b.err != nil {
			return
		}
		writing, b.waiting = b.waiting, writing[:0]
		b.changed.Broadcast()
		b.mu.Unlock()
		_, err := b.out.Write(writing)
		if flushed := b.out.Flush(); err == nil {
			err = flushed
		}
		b.mu.Lock()
		b.err = err
		b.changed.Broadcast() // add must not wait for a failed write
	}
}
