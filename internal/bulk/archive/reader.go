package archive

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zlib"
	_ "modernc.org/sqlite" // the driver
	"modernc.org/sqlite/vfs"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
)

// Info is what an archive says about itself.
type Info struct {
	URLs        int64     // with captures
	Captures    int64     // each is counted once if it was added several times
	WithBody    int64     // captures whose body is not empty
	Bodies      int64     // distinct ones that are not empty
	BodyOctets  int64     // of distinct bodies, before compression
	FileOctets  int64     // of the whole archive
	First, Last time.Time // of captures; zero: no capture has a time
}

// A Reader answers from an archive. It implements capture.Archive; Open returns one. What it has read is
// not kept, apart from 2 MiB of pages for each processor.
type Reader struct {
	name     string
	info     Info
	file     io.Closer
	pages    *pages
	system   *vfs.FS
	db       *sql.DB
	find     *sql.Stmt // the captures of a URL
	captures *sql.Stmt // from an id on
	body     *sql.Stmt
	bodies   *sql.Stmt // from an id on
}

var _ capture.Archive = (*Reader)(nil)

// columns are those of captures that a Capture has.
const columns = "url, at, status, location, notes, body"

// selected returns a query for rows of a table. A value that is too long is NULL, and not read.
func selected(columns, table, where string) string {
	var all []string
	for _, c := range strings.Split(columns, ", ") {
		longest := MaxURL
		if c == "data" {
			longest = MaxBody + MaxBody/1000 // zlib adds so much at most to what it cannot compress
		}
		all = append(all, fmt.Sprintf("CASE WHEN octet_length(%s) <= %d THEN %s END", c, longest, c))
	}
	return fmt.Sprintf("SELECT id, %s FROM %s WHERE %s ORDER BY id", strings.Join(all, ", "), table, where)
}

// Open opens an archive. The error is ErrNotArchive, ErrVersion or ErrDamaged, or that of the file.
func Open(path string) (*Reader, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w: it is no regular file", path, ErrNotArchive)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	size, err := f.Seek(0, io.SeekEnd) // not info.Size: path may be another file now
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return newReader(f, size, path)
}

// file is what a Reader needs of a file.
type file interface {
	io.ReaderAt
	io.Closer
}

// newReader closes the file if there is an error.
func newReader(f file, size int64, name string) (*Reader, error) {
	r := &Reader{name: name, file: f}
	if err := r.open(f, size); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Reader) open(f file, size int64) (err error) {
	if r.pages, err = newPages(f, size); err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	var system string
	if system, r.system, err = vfs.New(r.pages); err != nil {
		return err
	}
	r.db, err = sql.Open("sqlite", "file:archive?mode=ro&immutable=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=query_only(1)&vfs="+system)
	if err != nil {
		return err
	}
	r.db.SetMaxOpenConns(runtime.GOMAXPROCS(0) + 1) // and one for a walk, during which others ask
	r.db.SetMaxIdleConns(runtime.GOMAXPROCS(0) + 1)
	for _, s := range []struct {
		to                    **sql.Stmt
		columns, table, where string
	}{
		{&r.find, columns, "captures", "url = ?"}, {&r.captures, columns, "captures", "id >= ?"},
		{&r.body, "digest, size, data", "bodies", "id = ?"}, {&r.bodies, "digest, size, data", "bodies", "id >= ?"},
	} {
		if *s.to, err = r.db.Prepare(selected(s.columns, s.table, s.where)); err != nil {
			return r.damaged(err)
		}
	}
	i, first, last := Info{FileOctets: size}, sql.NullInt64{}, sql.NullInt64{}
	err = r.db.QueryRow("SELECT urls, captures, with_body, bodies, body_octets, first, last FROM info").
		Scan(&i.URLs, &i.Captures, &i.WithBody, &i.Bodies, &i.BodyOctets, &first, &last)
	if err == nil && (min(i.URLs, i.Captures, i.WithBody, i.Bodies, i.BodyOctets) < 0 || max(i.Captures, i.Bodies) > size) {
		err = errors.New("its numbers are wrong")
	}
	if err != nil {
		return r.damaged(err)
	}
	i.First, i.Last = timeOf(first), timeOf(last)
	r.info = i
	return nil
}

// Info returns what the archive says about itself.
func (r *Reader) Info() Info { return r.info }

// Close closes the file. The Reader cannot be used any more.
func (r *Reader) Close() error {
	var errs []error
	if r.db != nil {
		errs = append(errs, r.db.Close())
	}
	if r.system != nil {
		errs = append(errs, r.system.Close())
	}
	return errors.Join(append(errs, r.file.Close())...)
}

// damaged returns an ErrDamaged.
func (r *Reader) damaged(err error) error { return fmt.Errorf("%s: %w: %v", r.name, ErrDamaged, err) }

// rows calls do with the rows of a query until it returns an error. Each row has a higher id than the one
// before: pages that are used many times come to an end so.
func rows(query *sql.Stmt, argument any, do func(*sql.Rows) (id int64, err error)) error {
	found, err := query.Query(argument)
	if err != nil {
		return err
	}
	defer found.Close()
	for last := int64(0); found.Next(); {
		id, err := do(found)
		if err == nil && id <= last {
			err = errors.New("the rows are not in order")
		}
		if err != nil {
			return err
		}
		last = id
	}
	return found.Err()
}

// Entries implements capture.Archive.
func (r *Reader) Entries(key string) (entries []capture.Entry, err error) {
	err = rows(r.find, key, func(row *sql.Rows) (int64, error) {
		id, _, e, err := scanCapture(row)
		entries = append(entries, e)
		return id, err
	})
	if err != nil {
		return nil, r.damaged(err)
	}
	return entries, nil
}

// scanCapture reads a row of captures.
func scanCapture(row *sql.Rows) (id int64, url string, e capture.Entry, err error) {
	var at sql.NullInt64
	var notes string
	err = row.Scan(&id, &url, &at, &e.Status, &e.Location, &notes, &e.Body)
	e.At = timeOf(at)
	for note := range strings.FieldsSeq(notes) {
		switch note {
		case "failed":
			e.Failed = true
		case "html":
			e.Page = fetch.HTML
		case "json":
			e.Page = fetch.JSON
		case "not-found":
			e.SaysNotFound = true
		case "truncated":
			e.Truncated = true
		}
	}
	return id, url, e, err
}

func timeOf(at sql.NullInt64) time.Time {
	if !at.Valid {
		return time.Time{}
	}
	return time.Unix(0, at.Int64).UTC()
}

// Body implements capture.Archive.
func (r *Reader) Body(id capture.BodyID) (body string, err error) {
	if id == 0 {
		return "", nil
	}
	missing := fmt.Errorf("there is no body %d", id)
	err = rows(r.body, int64(id), func(row *sql.Rows) (id int64, err error) {
		missing = nil
		id, body, err = scanBody(row)
		return id, err
	})
	if err = cmp.Or(err, missing); err != nil {
		return "", r.damaged(err)
	}
	return body, nil
}

// scanBody reads a row of bodies, and checks the digest.
func scanBody(row *sql.Rows) (id int64, body string, err error) {
	var size int64
	var digest, data sql.RawBytes
	if err := row.Scan(&id, &digest, &size, &data); err != nil {
		return id, "", err
	}
	const most = 1100 // zlib makes a text shorter by this factor at most
	if size < 0 || size > MaxBody || size > most*int64(len(data)) {
		return id, "", fmt.Errorf("a body says that it has %d octets", size)
	}
	text := make([]byte, size)
	if err := inflate(text, data); err != nil {
		return id, "", err
	}
	if sum := sha256.Sum256(text); !bytes.Equal(sum[:], digest) {
		return id, "", errors.New("a body has another digest")
	}
	return id, string(text), nil
}

var inflaters sync.Pool

// inflate fills a text with what data are compressed from.
func inflate(text, data []byte) (err error) {
	z, _ := inflaters.Get().(io.ReadCloser)
	if z == nil {
		z, err = zlib.NewReader(bytes.NewReader(data))
	} else {
		err = z.(zlib.Resetter).Reset(bytes.NewReader(data), nil)
	}
	if err != nil {
		return err
	}
	defer inflaters.Put(z)
	_, err = io.ReadFull(z, text)
	return err
}
