package archive

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/zstandard"
)

// A Writer writes an archive. Create returns one; Add adds captures; then Commit makes the file. The
// captures of an archive do not depend on the order in which they were added, but where the bodies are
// in the file does: if one goroutine adds the same captures in the same order, the file is the same.
type Writer struct {
	path    string
	file    *os.File // the archive, under another name until Commit
	encoder *zstd.Encoder
	salt    [16]byte // nobody can make bodies that have the same name

	mu     sync.Mutex
	out    *bufio.Writer
	at     int64 // offset of the next octet of out
	bodies map[bodyName]capture.BodyID
	runs   runs
	info   Info
	err    error // the first error of a file: all is lost
	closed bool
}

// bodyName is the beginning of a SHA-256 of salt and body.
type bodyName [16]byte

// Create begins an archive. It appears under its path when Commit returns; before, the files beside it
// whose names begin with the path and end with ".partial" have what was written. Close deletes them.
func Create(path string) (*Writer, error) {
	w := &Writer{path: path, bodies: map[bodyName]capture.BodyID{}, at: headerSize}
	rand.Read(w.salt[:]) // never fails
	w.runs = runs{limit: runSize, create: func() (*os.File, error) { return createBeside(path) }}
	f, err := createBeside(path)
	if err != nil {
		return nil, err
	}
	w.file, w.out = f, bufio.NewWriterSize(f, 1<<20)
	w.encoder = zstandard.NewEncoder(zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
	w.out.Write(make([]byte, headerSize)) // the header is written last
	return w, nil
}

// createBeside creates a file with a new name beside path. Unlike os.CreateTemp, it leaves the rights
// of the file to the umask of the process.
func createBeside(path string) (*os.File, error) {
	name := fmt.Sprintf("%s.%s.partial", path, strings.ToLower(rand.Text()[:8]))
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
}

// Add adds a capture. Several goroutines may call it. A capture that differs from
// its neighbour in Order only is kept once. After
// an error of the file all further calls, and Commit, return it too; a capture that no archive can keep
// (ErrCapture) is only left out.
func (w *Writer) Add(c *capture.Capture) error {
	if err := check(c); err != nil {
		return err
	}
	id, err := w.body(c.Body)
	if err != nil {
		return err
	}
	r := newRecord(c, id)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	w.err = w.runs.add(r)
	return w.err
}

// ErrCapture is the error of a capture that no archive can keep.
var ErrCapture = errors.New("this capture cannot be kept")

// check returns why a capture cannot be kept.
func check(c *capture.Capture) error {
	switch {
	case c.URL == "" || len(c.URL) > MaxURL || len(c.Location) > MaxURL:
		return fmt.Errorf("%w: expected URLs of 1 to %d octets", ErrCapture, MaxURL)
	case len(c.Body) > MaxBody:
		return fmt.Errorf("%w: expected a body of at most %d MiB, found %d octets", ErrCapture, MaxBody>>20, len(c.Body))
	case c.Status < 0 || c.Status > maxStatus:
		return fmt.Errorf("%w: expected a status from 0 to %d, found %d", ErrCapture, maxStatus, c.Status)
	}
	return nil
}

// usable returns the error of the files. The caller holds w.mu.
func (w *Writer) usable() error {
	if w.closed {
		return fmt.Errorf("%s: %w", w.path, fs.ErrClosed)
	}
	return w.err
}

// body returns the ID of a body, which it writes if it is new.
func (w *Writer) body(body string) (capture.BodyID, error) {
	if body == "" {
		return 0, nil
	}
	name := w.name(body)
	w.mu.Lock()
	id, ok := w.bodies[name]
	w.mu.Unlock()
	if ok {
		return id, nil
	}
	stored := w.encoder.EncodeAll([]byte(body), nil)
	if len(stored) >= len(body) {
		stored = []byte(body)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if id, ok := w.bodies[name]; ok { // of another goroutine
		return id, nil
	}
	if err := w.usable(); err != nil {
		return 0, err
	}
	id = capture.BodyID(w.at)
	w.bodies[name] = id
	w.info.Bodies++
	w.info.BodyOctets += int64(len(body))
	w.err = w.writeBody(len(body), stored)
	return id, w.err
}

func (w *Writer) name(body string) (name bodyName) {
	h := sha256.New()
	h.Write(w.salt[:])
	h.Write([]byte(body))
	copy(name[:], h.Sum(nil))
	return name
}

// writeBody writes a body at w.at. The caller holds w.mu.
func (w *Writer) writeBody(size int, stored []byte) error {
	b := make([]byte, 0, bodyHeader)
	b = little.AppendUint32(b, uint32(size))
	b = little.AppendUint32(b, uint32(len(stored)))
	b = little.AppendUint32(b, checksum(w.at+bodyHeader, stored))
	b = little.AppendUint32(b, checksum(w.at, b))
	w.at += int64(bodyHeader + len(stored))
	w.out.Write(b) // the next write returns its error
	_, err := w.out.Write(stored)
	return err
}

// Commit writes the index, and gives the archive its name. A file of that name is replaced; who has it
// open keeps it. After Commit, or an error of it, the Writer can only be closed.
func (w *Writer) Commit() (Info, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return Info{}, err
	}
	w.closed = true
	err := w.finish()
	w.remove()
	return w.info, err
}

// finish writes everything after the bodies, and the header.
func (w *Writer) finish() error {
	h := header{tree: w.at}
	tree := treeWriter{w: w.out, offset: w.at}
	var last record
	err := w.runs.merge(func(r *record) error {
		if r.sameAs(&last) {
			return nil
		}
		w.count(r, last.key)
		last = *r
		return tree.add(r.key, r.tail)
	})
	if err != nil {
		return err
	}
	if h.root, err = tree.finish(); err != nil {
		return err
	}
	w.info.FileOctets = tree.offset
	h.Info = w.info
	if err := w.out.Flush(); err != nil {
		return err
	}
	if _, err := w.file.WriteAt(h.encode(), 0); err != nil {
		return err
	}
	return w.publish()
}

// count counts a record; before is the URL of the last one.
func (w *Writer) count(r *record, before string) {
	w.info.Captures++
	if r.key != before {
		w.info.URLs++
	}
	if r.tail[len(r.tail)-1] != 0 { // the end of its body, which is 0 only if all of it is
		w.info.WithBody++
	}
	if at := timeOf(r.seconds); !at.IsZero() {
		if w.info.First.IsZero() || at.Before(w.info.First) {
			w.info.First = at
		}
		if at.After(w.info.Last) {
			w.info.Last = at
		}
	}
}

// publish makes the file durable and renames it.
func (w *Writer) publish() error {
	if err := w.file.Sync(); err != nil {
		return err
	}
	name := w.file.Name()
	if err := w.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(name, w.path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(w.path))
}

// Close deletes what was written, if Commit did not return.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		w.remove()
	}
	return nil
}

// remove closes and deletes the files that are not the archive.
func (w *Writer) remove() {
	w.encoder.Close()
	w.bodies = nil
	for _, f := range []*os.File{w.file, w.runs.file} {
		if f != nil {
			f.Close()
			os.Remove(f.Name()) // does not exist after Commit
		}
	}
}

// syncFolder makes a new name durable.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" { // which cannot, and need not
		return nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
