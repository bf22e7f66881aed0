package questions

import (
	"io"
	"sync"
	"sync/atomic"
)

// A Writer takes the answers. Flush sends what was written to the reader at once.
type Writer interface {
	io.Writer
	Flush() error
}

// A Room limits the bytes of answers that wait for slow readers, of all streams that share it.
// Beyond it, a stream has room for only 64 KiB until others have been read. A nil Room has no
// limit.
type Room struct {
	max  int64
	used atomic.Int64
}

// NewRoom returns a Room for so many bytes.
func NewRoom(max int64) *Room { return &Room{max: max} }

// ownRoom is how many bytes may wait in a stream even if its Room is full. Each stream goes on
// when its own client reads, whatever others do.
const ownRoom = 64 << 10

func (r *Room) take(n int) {
	if r != nil {
		r.used.Add(int64(n))
	}
}

func (r *Room) isFull() bool { return r != nil && r.used.Load() >= r.max }

// outbox writes and flushes in the background. A program can write some thousand questions
// before it reads the first answer: without this buffer heed and the program would wait for
// each other.
type outbox struct {
	out     Writer
	max     int        // add blocks while so many bytes wait
	room    *Room      // has the bytes that wait or are being written
	mu      sync.Mutex // of the fields below
	changed sync.Cond  // a field has changed
	waiting []byte     // not written yet
	closed  bool
	err     error         // of the last write
	done    chan struct{} // closed when run has returned
}

func newOutbox(out Writer, max int, room *Room) *outbox {
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
	for b.isFull() && b.err == nil {
		b.changed.Wait()
	}
	if b.err != nil {
		return b.err
	}
	b.room.take(len(p))
	b.waiting = append(b.waiting, p...)
	b.changed.Broadcast()
	return nil
}

func (b *outbox) isFull() bool {
	n := len(b.waiting)
	return n >= b.max || n >= ownRoom && b.room.isFull()
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
			b.room.take(-len(b.waiting))
			return
		}
		writing, b.waiting = b.waiting, writing[:0]
		b.changed.Broadcast()
		b.mu.Unlock()
		_, err := b.out.Write(writing)
		if flushed := b.out.Flush(); err == nil {
			err = flushed
		}
		b.room.take(-len(writing))
		if cap(writing) > maxSpare {
			writing = nil // a stream may be long, and its client is seldom slow
		}
		b.mu.Lock()
		b.err = err
		b.changed.Broadcast() // add must not wait for a failed write
	}
}
