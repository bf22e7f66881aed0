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

// Half of a SHA-256 is long enough that different bodies have different digests.
type digest [16]byte

// Create starts an archive. Until Commit, it is in files named path+".partial…". Create deletes such files of a killed run.
func Create(path string) (*Writer, error) {
	p, err := newPartial(path)
	if err != nil {
		return nil, err
	}
	return &Writer{path: path, partial: p}, nil
}

// Resume continues an archive from its last Save, with the state that Save kept. If there is no such archive, w is nil.
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

// Save writes all captures so far to the disk, and a state for Resume.
func (w *Writer) Save(state []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.save(state)
	}
	return w.withName(w.err)
}

var ErrCapture = errors.New("heed leaves this capture out, because an archive cannot keep it")

func check(c *capture.Capture) error {
	const maxStatus = 999
	switch {
	case c.URL == "" || len(c.URL) > MaxURL || len(c.Location) > MaxURL:
		return fmt.Errorf("the capture has a URL that is empty or has more than %d bytes: %w", MaxURL, ErrCapture)
	case len(c.Body) > MaxBody:
		return fmt.Errorf("the robots.txt of the capture has %d bytes; expected at most %d MiB: %w", len(c.Body), MaxBody>>20, ErrCapture)
	case c.Status < 0 || c.Status > maxStatus:
		return fmt.Errorf("the status of the capture is %d; expected the status of a response, such as 200, or 0 for no response, and at most %d: %w", c.Status, maxStatus, ErrCapture)
	case !c.At.IsZero() && !time.Unix(0, c.At.UnixNano()).Equal(c.At):
		return fmt.Errorf("the capture has the time %s; expected one from 1678 to 2261: %w", c.At, ErrCapture)
	}
	return nil
}

// Add adds a capture. Several goroutines may call it. After an ErrCapture, further calls are allowed. After any
// other error, further calls fail.
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
		if w.bodies > before {
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
	io.WriteString(z, text)
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
		w.remove()
	}
	return info, err
}

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
	info := r.Info()
	info.NoOriginal, err = r.countNoOriginal()
	if err = errors.Join(err, r.Close()); err == nil {
		err = os.Rename(w.name, w.path)
	}
	if err != nil || runtime.GOOS == "windows" {
		return info, err
	}
	folder, err := os.Open(filepath.Dir(w.path))
	if err != nil {
		return Info{}, err
	}
	return info, errors.Join(folder.Sync(), folder.Close())
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

// Close ends the Writer. Without Commit and without Save, it deletes the files. After a Save, it
// keeps the files for Resume.
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
