package archive

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zlib"
	_ "modernc.org/sqlite" // the driver

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
	octets int64 // of bodies
	err    error // the first error of a file, or that the Writer is closed
}

// digest is the beginning of a SHA-256, which is enough to tell bodies apart.
type digest [16]byte

// Create begins an archive. It appears under its path when Commit returns; before, a file beside it
// whose name begins with the path and ends with ".partial" has what was written. Close deletes it.
func Create(path string) (*Writer, error) {
	w := &Writer{path: path, bodies: map[digest]capture.BodyID{}, partial: fmt.Sprintf("%s.%s.partial", path, strings.ToLower(rand.Text()[:8]))}
	if err := w.begin(); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *Writer) begin() error {
	f, err := os.OpenFile(w.partial, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666) // the umask limits the rights
	if err != nil {
		return err
	}
	_, err = f.Write(empty)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	absolute, err := filepath.Abs(w.partial)
	if err != nil {
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
	if _, err = w.tx.Exec("CREATE TEMP TABLE added AS SELECT * FROM captures"); err != nil {
		return err
	}
	w.addCapture, err = w.tx.Prepare("INSERT INTO added VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	w.addBody, err = w.tx.Prepare("INSERT INTO bodies VALUES (?, ?, ?)")
	return err
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

// Add adds a capture. Several goroutines may call it. A capture that differs from its neighbour in Order
// only is kept once. After an error of the file all further calls, and Commit, return it too; a capture
// that no archive can keep (ErrCapture) is only left out.
func (w *Writer) Add(c *capture.Capture) error {
	if err := check(c); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(c.Body))
	short := digest(sum[:])
	w.mu.Lock()
	_, isKnown := w.bodies[short]
	w.mu.Unlock()
	var data []byte
	if c.Body != "" && !isKnown {
		data = deflated(c.Body)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	id := w.bodies[short]
	if data != nil && id == 0 && w.err == nil { // no other goroutine was faster
		id = capture.BodyID(len(w.bodies) + 1)
		w.bodies[short], w.octets = id, w.octets+int64(len(c.Body))
		_, w.err = w.addBody.Exec(int64(id), len(c.Body), data)
	}
	if w.err == nil {
		at := sql.NullInt64{Int64: c.At.UnixNano(), Valid: !c.At.IsZero()}
		_, w.err = w.addCapture.Exec(c.URL, c.Order, at, c.Status, c.Location, c.Failed, string(c.Page), c.SaysNotFound, c.Truncated, int64(id))
	}
	return w.named(w.err)
}

// named tells where an error of SQLite may be from: it names no file.
func (w *Writer) named(err error) error {
	if err == nil || errors.Is(err, fs.ErrClosed) {
		return err
	}
	return fmt.Errorf("%s, or a temporary file: %w", w.partial, err)
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
	if w.err != nil {
		return Info{}, w.named(w.err)
	}
	_, err := w.tx.Exec(sortCaptures)
	if err == nil {
		_, err = w.tx.Exec(addInfo, len(w.bodies), w.octets)
	}
	if err == nil {
		err = errors.Join(w.tx.Commit(), w.db.Close())
	}
	if err != nil {
		return Info{}, w.named(err)
	}
	return w.publish()
}

const (
	// A window has the captures of a URL. So of those with equal facts that are neighbours, only the first
	// is new. Their order is that of the tree, so SQLite writes one page after the other.
	sortCaptures = `INSERT INTO captures SELECT url, n, at, status, location, failed, page, not_found, truncated, body
		FROM (SELECT *, row_number() OVER w AS n, (lag(at) OVER w, lag(status) OVER w, lag(location) OVER w, lag(failed) OVER w,
			lag(page) OVER w, lag(not_found) OVER w, lag(truncated) OVER w, lag(body) OVER w)
			IS NOT (at, status, location, failed, page, not_found, truncated, body) AS is_new
			FROM added WINDOW w AS (PARTITION BY url ORDER BY at, place, rowid)) WHERE is_new`

	addInfo = `INSERT INTO info SELECT total(place = 1), count(*), total(body > 0), ?, ?, min(at), max(at) FROM captures`
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
	if err := errors.Join(r.Close(), os.Rename(w.partial, w.path)); err != nil || runtime.GOOS == "windows" {
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
			big.PutUint32(page[usableSize:], sumOf(number, page))
			number++
		}
		if _, err := f.WriteAt(some[:n], offset); err != nil {
			return err
		}
	}
}

// Close deletes what was written, if Commit did not return.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = fmt.Errorf("%s: %w", w.path, fs.ErrClosed)
	}
	if w.tx != nil {
		w.tx.Rollback() // does nothing after Commit
	}
	if w.db != nil {
		w.db.Close()
	}
	w.bodies, w.tx, w.db = nil, nil, nil
	os.Remove(w.partial) // does not exist after Commit
	return nil
}
