package server

import (
	"net/http"
	"sync"
	"time"
)

// streamWriter writes the answers of a stream. It gives a slow client as much time as it needs,
// as long as it reads something.
type streamWriter struct {
	response   http.ResponseWriter
	connection *http.ResponseController
	limits     *streamLimits

	mu       sync.Mutex // of the fields below
	deadline time.Time  // of writes
	began    time.Time  // the write that is running; zero: none is
	err      error      // of the last write
}

func newStreamWriter(w http.ResponseWriter, connection *http.ResponseController, limits *streamLimits) *streamWriter {
	return &streamWriter{response: w, connection: connection, limits: limits}
}

// writePiece is how many bytes are written at a time: this is what a slow client must read to
// count as one that reads.
const writePiece = 32 << 10

func (w *streamWriter) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var written int
		err = w.do(func() (err error) {
			written, err = w.response.Write(p[n:min(len(p), n+writePiece)])
			return err
		})
		n += written
	}
	return n, err
}

// Flush sends what was written to the client.
func (w *streamWriter) Flush() error { return w.do(w.connection.Flush) }

// do writes, and measures how long that takes.
func (w *streamWriter) do(write func() error) error {
	w.alive()
	w.mu.Lock()
	w.began = time.Now()
	w.mu.Unlock()
	err := write()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began, w.err = time.Time{}, err
	return err
}

// alive gives a write time from now on. To set a deadline costs more than to look at the clock,
// so this does nothing if the last one is not yet near.
func (w *streamWriter) alive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); w.deadline.Sub(now) < w.limits.stuck*3/2 {
		w.deadline = now.Add(2 * w.limits.stuck)
		w.connection.SetWriteDeadline(w.deadline)
	}
}

// stuckFor returns for how long a write has been running.
func (w *streamWriter) stuckFor() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.began.IsZero() {
		return 0
	}
	return time.Since(w.began)
}

// failed reports whether the client is gone.
func (w *streamWriter) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil
}
