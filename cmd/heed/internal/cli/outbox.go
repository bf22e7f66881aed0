package cli

import (
	"bufio"
	"sync"
)

// maxWaiting is how many bytes of answers wait for a slow reader. A program that writes
// some thousand questions before it reads an answer waits for nothing.
const maxWaiting = 16 << 20

// outbox writes in the background, and flushes whenever nothing waits.
type outbox struct {
	out     *bufio.Writer
	mu      sync.Mutex
	changed sync.Cond
	waiting []byte
	closed  bool
	err     error
	done    chan struct{}
}

func newOutbox(out *bufio.Writer) *outbox {
	b := &outbox{out: out, done: make(chan struct{})}
	b.changed.L = &b.mu
	go b.run()
	return b
}

// add passes bytes on. It waits only where too many wait already, and returns an error
// where nobody takes them any more.
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

// failed reports whether nobody takes the answers any more.
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
		err := b.out.Flush() // and what kept Write from it
		b.mu.Lock()
		b.err = err
	}
}
