package questions

import (
	"io"
	"sync"
)

// A Writer takes the answers. Flush immediately sends to the reader what was written.
type Writer interface {
	io.Writer
	Flush() error
}

// A Room limits the memory for answers that wait for slow readers. Streams may share it. While it is full,
// a stream keeps only 64 KiB of answers.
type Room interface {
	Take(n int) bool // takes n bytes; false: the room has not so many
	GiveBack(n int)
}

// ownRoom is how many bytes may wait in a stream even if its Room is full. So each stream continues when
// its own client reads, whatever other clients do.
const ownRoom = 64 << 10

// An outbox writes and flushes answers in the background. A program can write some thousand questions
// before it reads the first answer. Without this buffer, heed would wait for the program to read, and
// the program for heed to read.
type outbox struct {
	out     Writer
	max     int        // bytes that may wait; add blocks while there are more
	room    Room       // limits what is kept beyond ownRoom; nil: no limit but max
	mu      sync.Mutex // of the fields below
	changed sync.Cond  // a field has changed
	waiting []byte     // not written yet
	kept    int        // bytes that wait or are being written
	taken   int        // of room
	closed  bool
	err     error         // of the last write
	done    chan struct{} // closed when run has returned
}

func newOutbox(out Writer, max int, room Room) *outbox {
	b := &outbox{out: out, max: max, room: room, done: make(chan struct{})}
	b.changed.L = &b.mu
	go b.run()
	return b
}

// add queues bytes for writing. It blocks while too many bytes wait, and returns the error of
// an earlier write.
func (b *outbox) add(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.takes(len(p)) && b.err == nil {
		b.changed.Wait()
	}
	if b.err != nil {
		return b.err
	}
	b.kept += len(p)
	b.waiting = append(b.waiting, p...)
	b.changed.Broadcast()
	return nil
}

// takes reports whether n more bytes may wait. If so, it takes room for them.
func (b *outbox) takes(n int) bool {
	switch {
	case len(b.waiting) >= b.max:
		return false
	case b.room == nil || b.kept < ownRoom:
		return true
	case !b.room.Take(n):
		return false
	}
	b.taken += n
	return true
}

// drop is called when n bytes are written or thrown away. It gives back the room that is no longer used.
func (b *outbox) drop(n int) {
	b.kept -= n
	if unused := b.taken - b.kept; unused > 0 {
		b.taken -= unused
		b.room.GiveBack(unused)
	}
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

// maxSpare limits the buffer that is kept for the next answers, in bytes.
const maxSpare = 1 << 20

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
			b.drop(b.kept)
			return
		}
		writing, b.waiting = b.waiting, writing[:0]
		written := len(writing)
		b.changed.Broadcast()
		b.mu.Unlock()
		_, err := b.out.Write(writing)
		if flushed := b.out.Flush(); err == nil {
			err = flushed
		}
		if cap(writing) > maxSpare {
			writing = nil // so that a long stream does not keep a large buffer that it needed once
		}
		b.mu.Lock()
		b.drop(written)
		b.err = err
		b.changed.Broadcast() // add must not wait for a failed write
	}
}
