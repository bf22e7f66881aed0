package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zlib"

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
// not kept, apart from 2 MiB of interior pages.
type Reader struct {
	pages
	name     string
	info     Info
	interior [512]atomic.Pointer[page]
}

var _ capture.Archive = (*Reader)(nil)

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
	r, err := newReader(f, size, path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

func newReader(f io.ReaderAt, size int64, name string) (*Reader, error) {
	r := &Reader{pages: pages{f}, name: name, info: Info{FileOctets: size}}
	if err := r.checkHead(size); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := r.readInfo(); err != nil {
		return nil, r.damaged(err)
	}
	return r, nil
}

func (r *Reader) readInfo() error {
	p, err := r.page(infoRoot, tableLeaf)
	if err != nil {
		return err
	}
	columns, _, err := r.row(p, 0, usableSize)
	if err != nil {
		return err
	}
	i := &r.info
	for _, n := range []*int64{&i.URLs, &i.Captures, &i.WithBody, &i.Bodies, &i.BodyOctets} {
		*n, _ = columns.number()
	}
	i.First, i.Last = columns.time(), columns.time()
	if min(i.URLs, i.Captures, i.WithBody, i.Bodies, i.BodyOctets) < 0 || max(i.Captures, i.Bodies) > i.FileOctets || p.cells() != 1 {
		return errors.New("its numbers are wrong")
	}
	return columns.err()
}

// Info returns what the archive says about itself.
func (r *Reader) Info() Info { return r.info }

// Close closes the file. The Reader cannot be used any more.
func (r *Reader) Close() error { return r.file.(io.Closer).Close() }

// damaged returns an ErrDamaged.
func (r *Reader) damaged(err error) error { return fmt.Errorf("%s: %w: %v", r.name, ErrDamaged, err) }

// A row is one of captures.
type row struct {
	url   string
	place int64
	capture.Entry
}

// Longest rows that a Writer writes.
const (
	maxCaptureRow = 2*MaxURL + 200
	maxBodyRow    = MaxBody + MaxBody/1000 // zlib adds less than that to what it cannot compress
)

// capture returns the row of a cell.
func (r *Reader) capture(p *page, i int) (*row, error) {
	columns, _, err := r.row(p, i, maxCaptureRow)
	if err != nil {
		return nil, err
	}
	c := &row{url: string(columns.text())}
	c.place, _ = columns.number()
	c.At = columns.time()
	status, _ := columns.number()
	c.Status, c.Location = int(status), string(columns.text())
	for note := range strings.FieldsSeq(string(columns.text())) {
		switch note {
		case "failed":
			c.Failed = true
		case "html":
			c.Page = fetch.HTML
		case "json":
			c.Page = fetch.JSON
		case "not-found":
			c.SaysNotFound = true
		case "truncated":
			c.Truncated = true
		}
	}
	body, _ := columns.number()
	c.Body = capture.BodyID(body)
	return c, columns.err()
}

// time returns the next value as a time, which is zero for NULL.
func (r *record) time() time.Time {
	if n, isNull := r.number(); !isNull {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}

// Entries implements capture.Archive.
func (r *Reader) Entries(key string) (entries []capture.Entry, err error) {
	last := int64(0)
	_, err = r.find(capturesRoot, 0, key, func(c *row) error {
		if c.place <= last { // a page is used twice
			return errors.New("the captures are not in order")
		}
		last = c.place
		entries = append(entries, c.Entry)
		return nil
	})
	if err != nil {
		return nil, r.damaged(err)
	}
	return entries, nil
}

// Body implements capture.Archive.
func (r *Reader) Body(id capture.BodyID) (string, error) {
	if id == 0 {
		return "", nil
	}
	columns, err := r.body(int64(id))
	if err != nil {
		return "", r.damaged(err)
	}
	columns.column() // the id is not in the row
	size, _ := columns.number()
	data := columns.text()
	const most = 1100 // zlib makes a text shorter by this factor at most
	if err = columns.err(); err == nil && (size < 0 || size > MaxBody || size > most*int64(len(data))) {
		err = fmt.Errorf("a body says that it has %d octets", size)
	}
	if err != nil {
		return "", r.damaged(err)
	}
	body, err := inflate(data, size)
	if err != nil {
		return "", r.damaged(err)
	}
	return body, nil
}

var inflaters sync.Pool

// inflate returns the text of a size that data are compressed from.
func inflate(data []byte, size int64) (_ string, err error) {
	z, _ := inflaters.Get().(io.ReadCloser)
	if z == nil {
		z, err = zlib.NewReader(bytes.NewReader(data))
	} else {
		err = z.(zlib.Resetter).Reset(bytes.NewReader(data), nil)
	}
	if err != nil {
		return "", err
	}
	defer inflaters.Put(z)
	var text strings.Builder
	text.Grow(int(size))
	if _, err := io.CopyN(&text, z, size); err != nil {
		return "", err
	}
	if n, err := z.Read(make([]byte, 1)); n != 0 || err != io.EOF { // a check sum is at the end
		return "", fmt.Errorf("a body is not what was compressed: %d, %v", n, err)
	}
	return text.String(), nil
}

// rows yields all captures, and errors of pages and rows, in the order of the file. It looks at all pages,
// so it finds also those whose interior page is damaged.
func (r *Reader) rows() iter.Seq2[*row, error] {
	return func(yield func(*row, error) bool) {
		var p page
		for number := range uint32(r.info.FileOctets / pageSize) {
			cells := 0
			if err := r.read(number+1, &p); err != nil {
				if !yield(nil, r.damaged(err)) {
					return
				}
			} else if p.data[0]|leaf == indexLeaf {
				cells = p.cells()
			}
			for i := range cells {
				c, err := r.capture(&p, i)
				if err != nil {
					c, err = nil, r.damaged(err)
				}
				if !yield(c, err) {
					return
				}
			}
		}
	}
}

// Captures yields all captures, in no order; their Order is their place. An error is about a part of the
// archive, and the rest follows: ErrDamaged for some captures, or for the body of one, which are not
// yielded then.
func (r *Reader) Captures() iter.Seq2[*capture.Capture, error] {
	return func(yield func(*capture.Capture, error) bool) {
		for row, err := range r.rows() {
			var c *capture.Capture
			if err == nil {
				c = &capture.Capture{URL: row.url, At: row.At, Order: row.place, Facts: row.Facts}
				c.Body, err = r.Body(row.Body)
			}
			if err != nil {
				c = nil
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// Damage is what of an archive cannot be read.
type Damage struct {
	Captures int64 // of which the URL, or what is known about it, is lost
	Bodies   int64 // distinct ones
	First    error // the first error; nil: there is no damage
}

// Verify reads the whole archive.
func (r *Reader) Verify() Damage {
	d := Damage{Captures: r.info.Captures}
	note := func(err error) {
		if d.First == nil {
			d.First = err
		}
	}
	for _, err := range r.rows() {
		if err == nil {
			d.Captures--
		} else {
			note(err)
		}
	}
	for id := range r.info.Bodies {
		if _, err := r.Body(capture.BodyID(id + 1)); err != nil {
			note(err)
			d.Bodies++
		}
	}
	if d.Captures != 0 {
		note(r.damaged(fmt.Errorf("%d captures are missing", d.Captures)))
	}
	d.Captures = max(0, d.Captures)
	return d
}
