package cli

import (
	"bufio"
	"sync"
)

// maxWaiting limits the answers that wait for a slow reader, in bytes. A program can write
// some thousand questions before it reads the first answer: without this buffer heed and the
// program would wait for each other.
const maxWaiting = 16 << 20

// outbox writes and flushes in the background.
type outbox struct {
	out     *bufio.Writer
	mu      sync.Mutex // of the fields below
	changed sync.Cond  // a field has changed
	waiting []byte     // not written yet
	closed  bool
	err     error         // of the last write
	done    chan struct{} // closed when run has returned
}

func newOutbox(out *bufio.Writer) *outbox {
	b := &outbox{out: out, done: make(chan struct{})}
	b.changed.L = &b.mu
	go b.run()
	return b
}

// add queues bytes for writing. It blocks while too many bytes wait, and returns the error of
// an earlier write.
func (b *outbox) add(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.waiting) >= maxWaiting && b.err == nil {
		b.changed.Wait()
	}
	b.waiting = append(b.waiting, p...)
	b.changed.Broadcast()
	return b.err
}

// failed reports whether a write has failed.
func (b *outbox) failed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err != nil
}

// close waits until everything is written.
func (b *outbox) close() {
	b.mu.Lock()
	b.closed = true
	b.changed.Broadcast()
	b.mu.Unlock()
	<-b.done
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
		b.out.Write(writing)
		err := b.out.Flush() // returns an error of Write too
		b.mu.Lock()
		b.err = err
	}
}
