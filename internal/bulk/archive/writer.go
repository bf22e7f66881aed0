package archive

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	_ "modernc.org/sqlite" // the driver
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zlib"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/zstandard"
)

// MaxBody is the largest body that an archive keeps, in octets; MaxURL is the longest URL.
const (
	MaxBody = zstandard.MaxBody
	MaxURL  = 8 << 10
)

// A Writer writes an archive. Create returns one; Add adds captures; then Commit makes the file. The
// captures of an archive do not depend on the order in which they were added, but where the bodies are
// in the file does: if one goroutine adds the same captures in the same order, the file is the same.
type Writer struct {
	path, partial string // the second is the name until Commit
	db            *sql.DB
	tx            *sql.Tx   // everything is one transaction
	addBody       *sql.Stmt // into the archive
	addCapture    *sql.Stmt // into a table that is sorted later

	mu     sync.Mutex
	bodies map[digest]capture.BodyID
	err    error // the first error of a file: all is lost
	closed bool
}

// digest is the beginning of a SHA-256, which is enough to tell bodies apart.
type digest [16]byte

// Create begins an archive. It appears under its path when Commit returns; before, a file beside it
// whose name begins with the path and ends with ".partial" has what was written. Close deletes it.
func Create(path string) (*Writer, error) {
	w := &Writer{path: path, bodies: map[digest]capture.BodyID{}, partial: fmt.Sprintf("%s.%s.partial", path, strings.ToLower(rand.Text()[:8]))}
	if err := w.begin(); err != nil {
		w.remove()
		return nil, err
	}
	return w, nil
}

func (w *Writer) begin() error {
	absolute, err := filepath.Abs(w.partial)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(absolute, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666) // the umask limits the rights
	if err != nil {
		return err
	}
	if _, err := f.Write(empty); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	// A file that is not whole is deleted, so it needs no journal. The size of the cache, in KiB, is also
	// how much is sorted in memory.
	parameters := url.Values{"mode": {"rw"}, "_pragma": {"journal_mode(off)", "synchronous(off)", "cache_size(-65536)", fmt.Sprintf("max_page_count(%d)", maxPages)}}
	slash := "/" + strings.TrimPrefix(filepath.ToSlash(absolute), "/") // also C:/…
	if w.db, err = sql.Open("sqlite", (&url.URL{Scheme: "file", Path: slash, RawQuery: parameters.Encode()}).String()); err != nil {
		return err
	}
	if w.tx, err = w.db.Begin(); err != nil {
		return err
	}
	// SQLite deletes the file of its temporary tables as soon as it is open.
	if _, err = w.tx.Exec("CREATE TEMP TABLE added (url, at, status, location, notes, body, place)"); err != nil {
		return err
	}
	if w.addCapture, err = w.tx.Prepare("INSERT INTO added VALUES (?, ?, ?, ?, ?, ?, ?)"); err != nil {
		return err
	}
	w.addBody, err = w.tx.Prepare("INSERT INTO bodies VALUES (?, ?, ?)")
	return err
}

// Add adds a capture. Several goroutines may call it. A capture that differs from its neighbour in Order
// only is kept once. After an error of the file all further calls, and Commit, return it too; a capture
// that no archive can keep (ErrCapture) is only left out.
func (w *Writer) Add(c *capture.Capture) error {
	if err := check(c); err != nil {
		return err
	}
	id, err := w.body(c.Body)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	_, w.err = w.addCapture.Exec(c.URL, nanoseconds(c), c.Status, c.Location, notes(&c.Facts), int64(id), c.Order)
	return w.err
}

// ErrCapture is the error of a capture that no archive can keep.
var ErrCapture = errors.New("this capture cannot be kept")

// check returns why a capture cannot be kept.
func check(c *capture.Capture) error {
	const maxStatus = 999
	switch {
	case c.URL == "" || len(c.URL) > MaxURL || len(c.Location) > MaxURL:
		return fmt.Errorf("%w: expected URLs of 1 to %d octets", ErrCapture, MaxURL)
	case len(c.Body) > MaxBody:
		return fmt.Errorf("%w: expected a body of at most %d MiB, found %d octets", ErrCapture, MaxBody>>20, len(c.Body))
	case c.Status < 0 || c.Status > maxStatus:
		return fmt.Errorf("%w: expected a status from 0 to %d, found %d", ErrCapture, maxStatus, c.Status)
	case !c.At.IsZero() && !time.Unix(0, c.At.UnixNano()).Equal(c.At):
		return fmt.Errorf("%w: expected a time from 1678 to 2261, found %s", ErrCapture, c.At)
	}
	return nil
}

// nanoseconds returns the time of a capture; NULL is the zero time, and sorted first.
func nanoseconds(c *capture.Capture) sql.NullInt64 {
	return sql.NullInt64{Int64: c.At.UnixNano(), Valid: !c.At.IsZero()}
}

// notes returns the words for facts that scanCapture reads.
func notes(f *capture.Facts) string {
	var words []string
	for _, note := range []struct {
		is   bool
		word string
	}{
		{f.Failed, "failed"}, {f.Page == fetch.HTML, "html"}, {f.Page == fetch.JSON, "json"}, {f.SaysNotFound, "not-found"}, {f.Truncated, "truncated"},
	} {
		if note.is {
			words = append(words, note.word)
		}
	}
	return strings.Join(words, " ")
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
	sum := sha256.Sum256([]byte(body))
	short := digest(sum[:])
	w.mu.Lock()
	id, ok := w.bodies[short]
	w.mu.Unlock()
	if ok {
		return id, nil
	}
	data := deflated(body)
	w.mu.Lock()
	defer w.mu.Unlock()
	if id, ok := w.bodies[short]; ok { // of another goroutine
		return id, nil
	}
	if err := w.usable(); err != nil {
		return 0, err
	}
	id = capture.BodyID(len(w.bodies) + 1)
	w.bodies[short] = id
	_, w.err = w.addBody.Exec(int64(id), len(body), data)
	return id, w.err
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
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return Info{}, err
	}
	w.closed = true
	defer w.remove()
	for _, statement := range []string{sortCaptures, addInfo} {
		if _, err := w.tx.Exec(statement); err != nil {
			return Info{}, err
		}
	}
	if err := errors.Join(w.tx.Commit(), w.db.Close()); err != nil {
		return Info{}, err
	}
	return w.publish()
}

const (
	sortCaptures = `INSERT INTO captures SELECT url, n, at, status, location, notes, body FROM (
		SELECT *, row_number() OVER w AS n, (lag(url) OVER w, lag(at) OVER w, lag(status) OVER w, lag(location) OVER w, lag(notes) OVER w, lag(body) OVER w) IS NOT (url, at, status, location, notes, body) AS new
		FROM added WINDOW w AS (ORDER BY url, at, place, rowid)) WHERE new`

	addInfo = `INSERT INTO info SELECT (SELECT count(*) FROM (SELECT 1 FROM captures GROUP BY url)), count(*), total(body > 0),
		(SELECT count(*) FROM bodies), (SELECT total(size) FROM bodies), min(at), max(at) FROM captures`
)

// publish adds the check sums, makes the file durable and renames it.
func (w *Writer) publish() (Info, error) {
	f, err := os.OpenFile(w.partial, os.O_RDWR, 0)
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
	r, err := Open(w.partial)
	if err != nil {
		return Info{}, err
	}
	if err := errors.Join(r.Close(), os.Rename(w.partial, w.path)); err != nil {
		return Info{}, err
	}
	return r.Info(), syncFolder(filepath.Dir(w.path))
}

// writeSums writes the check sums of all pages.
func writeSums(f *os.File) error {
	some := make([]byte, 256*pageSize)
	for number := int64(0); ; {
		n, err := f.ReadAt(some, number*pageSize)
		if err != nil && err != io.EOF || n == 0 {
			if err == io.EOF {
				err = nil
			}
			return err
		}
		from := number
		for ; (number-from)*pageSize < int64(n); number++ {
			page := some[(number-from)*pageSize:][:pageSize]
			binary.BigEndian.PutUint32(page[usableSize:], sumOf(uint32(number+1), page))
		}
		if _, err := f.WriteAt(some[:n], from*pageSize); err != nil {
			return err
		}
	}
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

// remove ends the transaction, and deletes what is not the archive.
func (w *Writer) remove() {
	w.bodies = nil
	if w.tx != nil {
		w.tx.Rollback() // does nothing after Commit
	}
	if w.db != nil {
		w.db.Close()
	}
	os.Remove(w.partial) // does not exist after Commit
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
	return errors.Join(f.Sync(), f.Close())
}
