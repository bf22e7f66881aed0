package archive

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/klauspost/compress/zlib"

	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/zstandard"
)

// MaxBody is the largest body that an archive keeps, in bytes; MaxURL is the longest URL.
const (
	MaxBody = zstandard.MaxBody
	MaxURL  = 8 << 10
)

// A Writer writes an archive. Create returns one; Add adds captures; then Commit makes the file. The
// captures of an archive do not depend on the order in which they were added, but where the bodies are
// in the file does: if one goroutine adds the same captures in the same order, the file is the same.
type Writer struct {
	path string
	*partial

	mu     sync.Mutex
	bodies int64 // how many there are
	err    error // the first error of a file, or that the Writer is closed
}

// digest is the beginning of a SHA-256, which is enough to tell bodies apart.
type digest [16]byte

// Create begins an archive. It appears under its path when Commit returns; before, files beside it with the
// names path+".partial…" have what was written. Those of a run that was killed are removed. It is an error if another
// Writer has them.
func Create(path string) (*Writer, error) {
	p, err := newPartial(path)
	if err != nil {
		return nil, err
	}
	return &Writer{path: path, partial: p}, nil
}

// Resume goes on with an archive from where Save was called last, and returns what Save was given. If there is none,
// w is nil.
func Resume(path string) (w *Writer, state []byte, err error) {
	p, state, err := openPartial(path)
	if p == nil {
		return nil, nil, err
	}
	w = &Writer{path: path, partial: p}
	if err := p.queryRow(&w.bodies, "SELECT count(*) FROM bodies"); err != nil {
		return nil, nil, errors.Join(p.named(err), p.close(true))
	}
	return w, state, nil
}

// Save makes what was added durable, with a state for Resume.
func (w *Writer) Save(state []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.save(state)
	}
	return w.named(w.err)
}

// ErrCapture is the error of a capture that no archive can keep.
var ErrCapture = errors.New("this capture cannot be kept")

// check returns why a capture cannot be kept.
func check(c *capture.Capture) error {
	const maxStatus = 999
	switch {
	case c.URL == "" || len(c.URL) > MaxURL || len(c.Location) > MaxURL:
		return fmt.Errorf("%w: expected URLs of 1 to %d bytes", ErrCapture, MaxURL)
	case len(c.Body) > MaxBody:
		return fmt.Errorf("%w: expected a body of at most %d MiB, found %d bytes", ErrCapture, MaxBody>>20, len(c.Body))
	case c.Status < 0 || c.Status > maxStatus:
		return fmt.Errorf("%w: expected a status from 0 to %d, found %d", ErrCapture, maxStatus, c.Status)
	case !c.At.IsZero() && !time.Unix(0, c.At.UnixNano()).Equal(c.At):
		return fmt.Errorf("%w: expected a time from 1678 to 2261, found %s", ErrCapture, c.At)
	}
	return nil
}

// Add adds a capture. Several goroutines may call it. A capture that differs from its neighbour in Order
// only is kept once. After an error of the file all further calls, and Commit, return it too; a capture
// that no archive can keep (ErrCapture) is only left out.
func (w *Writer) Add(c *capture.Capture) error {
	if err := check(c); err != nil {
		return err
	}
	var sum digest
	var id, before int64
	if c.Body != "" {
		whole := sha256.Sum256([]byte(c.Body))
		sum = digest(whole[:])
		id, before = w.find(sum)
	}
	var data []byte
	if c.Body != "" && id == 0 {
		data = deflated(c.Body)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if data != nil && w.err == nil {
		if w.bodies > before { // perhaps another goroutine was faster
			id, w.err = w.idOf(sum)
		}
		if id == 0 && w.err == nil {
			w.bodies++
			id = w.bodies
			w.err = w.addBody(id, sum, len(c.Body), data)
		}
	}
	if w.err == nil {
		w.err = w.addCapture(c, id)
	}
	return w.named(w.err)
}

// find returns the number of a body, and how many bodies there are; 0: it is none of them.
func (w *Writer) find(sum digest) (id, bodies int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		id, w.err = w.idOf(sum)
	}
	return id, w.bodies
}

var compressors = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// deflated returns a text compressed with zlib.
func deflated(text string) []byte {
	z := compressors.Get().(*zlib.Writer)
	defer compressors.Put(z)
	var b bytes.Buffer
	z.Reset(&b)
	io.WriteString(z, text) // a Buffer has no errors
	z.Close()
	return b.Bytes()
}

// Commit writes the captures, and gives the archive its name. A file of that name is replaced; who has it
// open keeps it. After Commit, or an error of it, the Writer can only be closed.
func (w *Writer) Commit() (Info, error) {
	defer w.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.sort()
	}
	if w.err != nil {
		return Info{}, w.named(w.err)
	}
	info, err := w.publish()
	if err == nil {
		w.remove() // what is beside it
	}
	return info, err
}

// publish adds the check sums, makes the file durable and renames it.
func (w *Writer) publish() (Info, error) {
	f, err := os.OpenFile(w.name, os.O_RDWR, 0)
	if err != nil {
		return Info{}, err
	}
	err = writeSums(f)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return Info{}, err
	}
	r, err := Open(w.name)
	if err != nil {
		return Info{}, err
	}
	if err := errors.Join(r.Close(), os.Rename(w.name, w.path)); err != nil || runtime.GOOS == "windows" {
		return r.Info(), err
	}
	folder, err := os.Open(filepath.Dir(w.path)) // makes the new name durable, which Windows cannot, and need not
	if err != nil {
		return Info{}, err
	}
	return r.Info(), errors.Join(folder.Sync(), folder.Close())
}

// writeSums writes the check sums of all pages.
func writeSums(f *os.File) error {
	some := make([]byte, 256*pageSize)
	for number := uint32(1); ; {
		offset := int64(number-1) * pageSize
		n, err := f.ReadAt(some, offset)
		if err != nil && err != io.EOF {
			return err
		}
		if n == 0 {
			return nil
		}
		for at := 0; at+pageSize <= n; at += pageSize {
			page := some[at:][:pageSize]
			if number == 1 { // which counts how often the database was changed
				big.PutUint32(page[atChanges:], 1)
				big.PutUint32(page[atValid:], 1)
			}
			big.PutUint32(page[usableSize:], sumOf(number, page))
			number++
		}
		if _, err := f.WriteAt(some[:n], offset); err != nil {
			return err
		}
	}
}

// Close ends the Writer. If Commit did not return, it deletes what was written, unless Save was called: then Resume can go
// on with it.
func (w *Writer) Close() error { return w.end(w.isSaved) }

// Discard is Close, and deletes what was saved too.
func (w *Writer) Discard() error { return w.end(false) }

func (w *Writer) end(keep bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = fmt.Errorf("%s: %w", w.path, fs.ErrClosed)
	}
	return w.close(keep)
}
