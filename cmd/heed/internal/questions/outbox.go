package questions

import (
	"io"
	"sync"
)

type Writer interface {
	io.Writer
	Flush() error
}

// A Room limits the memory for unread answers. Several streams may share a Room.
type Room interface {
	Take(n int) bool // takes n bytes; false if fewer than n are free
	GiveBack(n int)
}

// Even if the Room is full, ownRoom bytes of each stream may wait in its outbox. So no stream has to wait for other
// clients.
const ownRoom = 64 << 10

// An outbox writes in the background. So heed can read the next question while the client reads no answers. Without
// an outbox, heed and the client could wait for each other.
type outbox struct {
	out         Writer
	maxWaiting  int        // add blocks while more bytes are waiting
	room        Room       // for the bytes that are kept beyond ownRoom; nil: only maxWaiting limits them
	mu          sync.Mutex // guards all fields below
	stateChange sync.Cond  // broadcast when a field changes
	waiting     []byte
	keptBytes   int // bytes that wait or are being written
	roomBytes   int // bytes taken from room
	closed      bool
	err         error
	done        chan struct{}
}

func newOutbox(out Writer, max int, room Room) *outbox {
	b := &outbox{out: out, maxWaiting: max, room: room, done: make(chan struct{})}
	b.stateChange.L = &b.mu
	go b.run()
	return b
}

// add waits while too many bytes are not written yet. It returns the error of an earlier write.
func (b *outbox) add(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.reserve(len(p)) && b.err == nil {
		b.stateChange.Wait()
	}
	if b.err != nil {
		return b.err
	}
	b.keptBytes += len(p)
	b.waiting = append(b.waiting, p...)
	b.stateChange.Broadcast()
	return nil
}

// Bytes beyond ownRoom also need space in the Room.
func (b *outbox) reserve(n int) bool {
	switch {
	case len(b.waiting) >= b.maxWaiting:
		return false
	case b.room == nil || b.keptBytes < ownRoom:
		return true
	case !b.room.Take(n):
		return false
	}
	b.roomBytes += n
	return true
}

func (b *outbox) drop(n int) {
	b.keptBytes -= n
	if unused := b.roomBytes - b.keptBytes; unused > 0 {
		b.roomBytes -= unused
		b.room.GiveBack(unused)
	}
}

func (b *outbox) close() error {
	b.mu.Lock()
	b.closed = true
	b.stateChange.Broadcast()
	b.mu.Unlock()
	<-b.done
	return b.err
}

// A larger buffer is not kept for the next write.
const maxSpare = 1 << 20

func (b *outbox) run() {
	defer close(b.done)
	var writing []byte
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		for len(b.waiting) == 0 && !b.closed {
			b.stateChange.Wait()
		}
		if len(b.waiting) == 0 || b.err != nil {
			b.drop(b.keptBytes)
			return
		}
		writing, b.waiting = b.waiting, writing[:0]
		written := len(writing)
		b.stateChange.Broadcast()
		b.mu.Unlock()
		_, err := b.out.Write(writing)
		if flushed := b.out.Flush(); err == nil {
			err = flushed
		}
		if cap(writing) > maxSpare {
			writing = nil // a buffer that was once needed must not stay large until the end of a long stream
		}
		b.mu.Lock()
		b.drop(written)
		b.err = err
		b.stateChange.Broadcast() // wake add, which must not wait after a failed write
	}
}
