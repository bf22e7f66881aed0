package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
)

// streamBody is a request body with questions. The method stopReading can end a Read that waits.
type streamBody struct {
	in         io.Reader
	connection *http.ResponseController
	limits     *streamLimits
	memory     *gate.HeldBytes
	afterRead  func() // called after each Read of in

	mu          sync.Mutex // guards all fields below
	readEnded   sync.Cond  // is signalled when reading becomes false
	reading     bool
	lastRead    time.Time
	stopErr     error // why no more questions are read; nil if they are still read
	maxDrain    time.Duration
	drainTo     time.Time // when drain must end; zero if drain has not begun
	isClosed    bool      // nothing more is read, not even by drain
	err         error     // the error of the last Read, such as io.EOF; nil if the body has not ended
	line        int       // the bytes of the current line that were read so far
	hasLongLine bool      // one line was longer than longLine, so the stream has taken longStreamRoom
}

func newStreamBody(in io.Reader, connection *http.ResponseController, limits *streamLimits, memory *gate.HeldBytes, afterRead func()) *streamBody {
	b := &streamBody{in: in, connection: connection, limits: limits, memory: memory, afterRead: afterRead, maxDrain: limits.maxDrain, lastRead: time.Now()}
	b.readEnded.L = &b.mu
	return b
}

// Read reads questions until the body ends or stopReading is called.
func (b *streamBody) Read(p []byte) (int, error) {
	return b.read(p, time.Now().Add(b.limits.maxIdle), false)
}

func (b *streamBody) read(p []byte, deadline time.Time, isDrain bool) (n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.reading { // another Read still runs only if stopReading has interrupted it
		b.readEnded.Wait()
	}
	if b.err != nil {
		return 0, b.err
	}
	if b.stopErr != nil && !isDrain || b.isClosed {
		return 0, b.stopErr
	}
	b.connection.SetReadDeadline(deadline)
	b.reading = true
	b.mu.Unlock()
	n, err = b.in.Read(p)
	b.afterRead()
	b.mu.Lock()
	b.reading, b.lastRead = false, time.Now()
	b.readEnded.Broadcast()
	if full := b.countLines(p[:n]); full != nil && b.stopErr == nil {
		b.stopErr = full
		return 0, full
	}
	if b.err = err; err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	switch {
	case b.stopErr != nil:
		return n, b.stopErr
	case errors.Is(err, os.ErrDeadlineExceeded):
		b.stopErr = fmt.Errorf("the client sent no question for %v: send the next questions in a new request", b.limits.maxIdle)
		return n, b.stopErr
	}
	return n, err
}

// If a line has more than longLine bytes, countLines takes longStreamRoom more bytes from the memory limit. It does
// so only for the first such line.
func (b *streamBody) countLines(p []byte) error {
	for !b.hasLongLine {
		part, rest, ended := bytes.Cut(p, []byte("\n"))
		if b.line += len(part); b.line > longLine {
			b.hasLongLine = true
			return b.memory.Take(longStreamRoom)
		}
		if !ended {
			break
		}
		b.line, p = 0, rest
	}
	return nil
}

// After stopReading, each Read returns the error cause. A Read that is running may first continue for the duration grace.
func (b *streamBody) stopReading(cause error, grace time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopErr == nil {
		b.stopErr = cause
	}
	if errors.Is(cause, errLeaving) {
		b.maxDrain = grace // all other clients wait for the new process
		if !b.drainTo.IsZero() {
			b.drainTo = time.Now().Add(grace)
		}
	}
	if b.reading {
		b.connection.SetReadDeadline(time.Now().Add(grace))
	}
}

// stopError returns the cause given to stopReading, or nil if the whole body was read.
func (b *streamBody) stopError() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if errors.Is(b.err, io.EOF) {
		return nil
	}
	return b.stopErr
}

func (b *streamBody) idleTime() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reading || b.err != nil {
		return 0
	}
	return time.Since(b.lastRead)
}

// After a call of drain, each Read returns the error why. The function drain itself then reads the rest of the body
// and drops it, until a time limit.
func (b *streamBody) drain(why error) {
	b.stopReading(why, time.Second)
	b.mu.Lock()
	if b.drainTo.IsZero() {
		b.drainTo = time.Now().Add(b.maxDrain)
	}
	b.mu.Unlock()
	rest := make([]byte, 64<<10)
	for err := error(nil); err == nil; {
		b.mu.Lock()
		until := b.drainTo // may become earlier when the server shuts down
		b.mu.Unlock()
		_, err = b.read(rest, until, true)
	}
}

// end ends all reading, and reports whether the whole body was read. If isDrain is true, the rest of the body is first
// read and dropped.
func (b *streamBody) end(isDrain bool) bool {
	if isDrain {
		b.drain(errEnded)
	}
	b.stopReading(errEnded, 0)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isClosed = true
	for b.reading {
		b.readEnded.Wait()
	}
	return errors.Is(b.err, io.EOF)
}

var errEnded = errors.New("this request with questions has ended: send more questions in a new request")

// streamWriter writes the answers of a stream. A slow client gets all the time it needs while it continues to read.
type streamWriter struct {
	response   http.ResponseWriter
	connection *http.ResponseController
	limits     *streamLimits

	mu        sync.Mutex // guards all fields below
	deadline  time.Time  // when the current write must be finished
	startedAt time.Time  // when the current write began; zero: no write is in progress
	err       error
}

// writePiece is the number of bytes in one write. A client must read one piece within streamLimits.maxStuck.
const writePiece = 32 << 10

func (w *streamWriter) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var written int
		err = w.timeWrite(func() (err error) {
			written, err = w.response.Write(p[n:min(len(p), n+writePiece)])
			return err
		})
		n += written
	}
	return n, err
}

func (w *streamWriter) Flush() error { return w.timeWrite(w.connection.Flush) }

func (w *streamWriter) timeWrite(write func() error) error {
	w.extendDeadline()
	w.mu.Lock()
	w.startedAt = time.Now()
	w.mu.Unlock()
	err := write()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.startedAt, w.err = time.Time{}, err
	return err
}

// Setting a deadline is slow, so extendDeadline does it only if the current deadline is near.
func (w *streamWriter) extendDeadline() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); w.deadline.Sub(now) < w.limits.maxStuck*3/2 {
		w.deadline = now.Add(2 * w.limits.maxStuck)
		w.connection.SetWriteDeadline(w.deadline)
	}
}

func (w *streamWriter) stuckTime() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.startedAt.IsZero() {
		return 0
	}
	return time.Since(w.startedAt)
}

func (w *streamWriter) hasFailed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil
}

type streamLimits struct {
	line       int           // the bytes of a question, which may contain a robots.txt
	maxUnread  int           // the bytes of answers that may wait until the client reads them
	streams    int64         // the number of open streams
	maxWaiting int           // the number of questions of one stream that may wait for sites
	maxIdle    time.Duration // how long the server waits for the next question
	maxStuck   time.Duration // how long a client may neither read nor send; after twice this time, the server closes the connection
	maxDrain   time.Duration // how long the server reads the rest of the body after an error
}

var defaultStreamLimits = streamLimits{
	line:       1 << 20, // enough for a robots.txt of 500 KiB, in base64 or as text
	maxUnread:  16 << 20,
	streams:    256,
	maxWaiting: 64,
	maxIdle:    5 * time.Minute, // long, because a crawler may have no questions for a while
	maxStuck:   30 * time.Second,
	maxDrain:   5 * time.Minute,
}

// A stream takes these bytes from the memory limit. They are for its questions, and for the goroutines that answer
// the questions.
const (
	streamRoom     = 2 << 20
	longLine       = 64 << 10 // the longest question for which streamRoom is enough
	longStreamRoom = 8 << 20  // taken in addition to streamRoom, for a stream with a longer question
)
