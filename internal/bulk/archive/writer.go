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

// MaxBody and MaxURL are the maximum lengths of a body and of a URL in an archive, in bytes.
const (
	MaxBody = zstandard.MaxBody
	MaxURL  = 8 << 10
)

// A Writer writes an archive: call Create, then Add for each capture, then Commit. The same captures in the same order give
// the same file.
type Writer struct {
	path string
	*partial

	mu     sync.Mutex
	bodies int64 // the number of different bodies
	err    error // the first error of writing the file; fs.ErrClosed after Close
}

// digest is the first half of the SHA-256 of a body. It is long enough that different bodies have different digests.
type digest [16]byte

// Create starts an archive. Until Commit, the archive is in files whose names begin with path+".partial". If a killed run
// has left such files, Create deletes them.
func Create(path string) (*Writer, error) {
	p, err := newPartial(path)
	if err != nil {
		return nil, err
	}
	return &Writer{path: path, partial: p}, nil
}

// Resume continues an unfinished archive from its last Save. w is nil if there is no such archive.
func Resume(path string) (w *Writer, state []byte, err error) {
	p, state, err := openPartial(path)
	if p == nil {
		return nil, nil, err
	}
	w = &Writer{path: path, partial: p}
	if err := p.queryRow(&w.bodies, "SELECT count(*) FROM bodies"); err != nil {
		return nil, nil, errors.Join(p.withName(err), p.close(true))
	}
	return w, state, nil
}

// Save puts all captures that were added until now on the disk, together with a state that Resume will return.
func (w *Writer) Save(state []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.save(state)
	}
	return w.withName(w.err)
}

// ErrCapture is the error of a capture that no archive can keep.
var ErrCapture = errors.New("the archive cannot keep this capture")

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

// Add adds a capture. Several goroutines may call Add at the same time. After an ErrCapture, Add can be called again. After
// any other error, all later calls fail.
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
		if w.bodies > before { // another goroutine may have added the same body meanwhile
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
	return w.withName(w.err)
}

// find returns the id of a body, or 0 if the body is new. bodies is the number of distinct bodies so far.
func (w *Writer) find(sum digest) (id, bodies int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		id, w.err = w.idOf(sum)
	}
	return id, w.bodies
}

var compressors = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

func deflated(text string) []byte {
	z := compressors.Get().(*zlib.Writer)
	defer compressors.Put(z)
	var b bytes.Buffer
	z.Reset(&b)
	io.WriteString(z, text) // writing to a bytes.Buffer has no errors
	z.Close()
	return b.Bytes()
}

// Commit writes the captures, and gives the file its final name. After Commit, only Close may be called.
func (w *Writer) Commit() (Info, error) {
	defer w.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.sort()
	}
	if w.err != nil {
		return Info{}, w.withName(w.err)
	}
	info, err := w.publish()
	if err == nil {
		w.remove() // removes the other files of the partial archive
	}
	return info, err
}

// publish adds the check sums, and renames the file when it is on the disk.
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
	folder, err := os.Open(filepath.Dir(w.path)) // makes the new name durable; Windows cannot do this, and does not need it
	if err != nil {
		return Info{}, err
	}
	return r.Info(), errors.Join(folder.Sync(), folder.Close())
}

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
			if number == 1 { // in the first page, set SQLite's count of changes to 1: then equal archives are equal files
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

// Close ends the Writer. If Commit was not called, Close deletes what was written. But if Save was called, Close keeps the
// files, so that Resume can continue the archive.
func (w *Writer) Close() error { return w.end(w.isSaved) }

// Discard ends the Writer, and deletes what was written, even what Save has kept.
func (w *Writer) Discard() error { return w.end(false) }

func (w *Writer) end(keep bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = fmt.Errorf("%s: %w", w.path, fs.ErrClosed)
	}
	return w.close(keep)
}
