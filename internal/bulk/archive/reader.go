package archive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zlib"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
)

// Info has the numbers that an archive keeps about its content.
type Info struct {
	URLs        int64     // the number of URLs that have captures
	Captures    int64     // the number of captures; a capture that was added several times counts once
	WithBody    int64     // the number of captures whose body is not empty
	Bodies      int64     // the number of different bodies that are not empty
	BodyBytes   int64     // the size of these bodies in bytes, before compression; each body counts once
	FileBytes   int64     // the size of the archive in bytes
	First, Last time.Time // the times of the first and the last capture; zero if no capture has a time
	NoOriginal  int64     // the number of revisits of a robots.txt that have no original in the archive; only Writer.Commit counts them
}

// A Reader is a capture.Archive in a file. It keeps some pages of the B-tree of SQLite in memory.
type Reader struct {
	file     io.ReaderAt
	name     string
	info     Info
	interior [1 << 10]atomic.Pointer[page]
	leaves   [1 << 6]atomic.Pointer[page]
}

var _ capture.Archive = (*Reader)(nil)

// Open opens an archive. The error wraps ErrNotArchive, ErrVersion or ErrDamaged, or says why the file cannot be read.
func Open(path string) (*Reader, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a folder, a pipe or a device: %w", path, ErrNotArchive)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	size, err := f.Seek(0, io.SeekEnd)
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
	r := &Reader{file: f, name: name}
	if err := r.checkHead(size); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p, err := r.page(infoRoot)
	if err != nil {
		return nil, r.withName(err)
	}
	v, err := r.row(p, 0, usableSize, "iiiiinn")
	i := Info{v[0].n, v[1].n, v[2].n, v[3].n, v[4].n, size, v.time(5), v.time(6), 0}
	if err == nil && (p.cells() != 1 || min(i.URLs, i.Captures, i.WithBody, i.Bodies, i.BodyBytes) < 0 || max(i.Captures, i.Bodies) > size) {
		err = damaged("its numbers of captures and robots.txt files are wrong")
	}
	if err != nil {
		return nil, r.withName(err)
	}
	r.info = i
	return r, nil
}

func (r *Reader) Info() Info { return r.info }

func (r *Reader) Close() error { return r.file.(io.Closer).Close() }

func (r *Reader) withName(err error) error { return fmt.Errorf("%s: %w", r.name, err) }

const (
	maxCaptureRow = 2*MaxURL + 200
	maxBodyRow    = MaxBody + MaxBody/1000 // zlib adds fewer bytes than this to data that it cannot compress
)

type row struct {
	url   string
	place int64
	capture.Entry
}

func (r *Reader) capture(p *page, i int) (c row, err error) {
	v, err := r.row(p, i, maxCaptureRow, "tinititiii")
	if err == nil && v[1].n>>32 != 0 {
		err = errWrong // the place is too large: in an Order, the upper 32 bits are the number of a source
	}
	facts := capture.Facts{Status: int(v[3].n), Location: string(v[4].text), Failed: v[5].n != 0, Page: fetch.Page(v[6].text), SaysNotFound: v[7].n != 0, Truncated: v[8].n != 0}
	return row{string(v[0].text), v[1].n, capture.Entry{At: v.time(2), Facts: facts, Body: capture.BodyID(v[9].n)}}, err
}

func (v *values) time(i int) time.Time {
	if v[i].isNull {
		return time.Time{}
	}
	return time.Unix(0, v[i].n).UTC()
}

func (r *Reader) Entries(key string) (entries []capture.Entry, err error) {
	var wrong error
	isBefore := func(p *page, i int) bool {
		v, err := r.row(p, i, maxCaptureRow, "t")
		if err != nil {
			wrong = err
		}
		return string(v[0].text) < key
	}
	last, total := int64(0), int64(0)
	_, err = r.find(capturesRoot, 0, isBefore, func(p *page, i int) (bool, error) {
		c, err := r.capture(p, i)
		if err != nil || c.url != key {
			return false, err
		}
		if c.place <= last { // otherwise reading would never end if pages link to each other in a circle
			return false, damaged("the captures are not in the right order")
		}
		last = c.place
		if total += int64(len(c.url) + len(c.Location)); total > r.info.FileBytes { // many rows of a damaged file may point to the same bytes
			return false, damaged("the captures of a URL would have more bytes than the whole file")
		}
		entries = append(entries, c.Entry)
		return true, nil
	})
	if err = cmp.Or(err, wrong); err != nil {
		return nil, r.withName(err)
	}
	return entries, nil
}

// countNoOriginal counts the revisits of a robots.txt whose original is not in the archive. It does not count those whose
// record does not say which capture is the original.
func (r *Reader) countNoOriginal() (n int64, err error) {
	archives := capture.Archives{&lastEntries{Reader: r}}
	first := func(*page, int) bool { return false }
	_, err = r.find(capturesRoot, 0, first, func(p *page, i int) (bool, error) {
		c, err := r.capture(p, i)
		if err != nil || !capture.IsRevisit(c.Location) || c.Location == capture.UnknownOriginal || !strings.HasSuffix(c.url, "/robots.txt") {
			return err == nil, err
		}
		has, err := archives.HasOriginal(&c.Entry)
		if !has {
			n++
		}
		return err == nil, err
	})
	return n, err
}

// lastEntries keeps the captures of one URL: usually, many revisits of a URL follow each other, and their originals have the
// same URL.
type lastEntries struct {
	*Reader
	key     string
	entries []capture.Entry
}

func (l *lastEntries) Entries(key string) (_ []capture.Entry, err error) {
	if key != l.key {
		l.key = key
		l.entries, err = l.Reader.Entries(key)
	}
	return l.entries, err
}

func (r *Reader) Body(id capture.BodyID) (string, error) {
	body, err := r.body(id)
	if err != nil {
		return "", r.withName(err)
	}
	return body, nil
}

func (r *Reader) body(id capture.BodyID) (body string, err error) {
	if id == 0 {
		return "", nil
	}
	isBefore := func(p *page, i int) bool { return p.cell(i).id < int64(id) }
	missing := damaged("the robots.txt number %d is missing", id)
	_, err = r.find(bodiesRoot, 0, isBefore, func(p *page, i int) (_ bool, err error) {
		if p.isLeaf() && p.cell(i).id == int64(id) {
			missing = nil
			body, err = r.inflated(p, i)
		}
		return false, err
	})
	return body, cmp.Or(err, missing)
}

var inflaters sync.Pool

type inflater struct {
	io.ReadCloser
	text []byte
}

func (r *Reader) inflated(p *page, i int) (string, error) {
	v, err := r.row(p, i, maxBodyRow, "nit")
	if err != nil {
		return "", err
	}
	size, data := v[1].n, v[2].text
	const most = 1100 // zlib never compresses data to less than 1/1100 of their size
	if size < 0 || size > MaxBody || size > most*int64(len(data)) {
		return "", damaged("a robots.txt in it would have %d bytes, which is impossible", size)
	}
	f, _ := inflaters.Get().(*inflater)
	if f == nil {
		f = new(inflater)
		f.ReadCloser, err = zlib.NewReader(bytes.NewReader(data))
	} else {
		err = f.ReadCloser.(zlib.Resetter).Reset(bytes.NewReader(data), nil)
	}
	if err != nil {
		return "", damaged("a robots.txt in it cannot be decompressed: %w", err)
	}
	defer inflaters.Put(f)
	f.text = slices.Grow(f.text[:0], int(size)+1)[:size+1] // read one byte more than the body has, because zlib compares its check sum only after the last byte
	if n, err := io.ReadFull(f, f.text); n != int(size) || err != io.ErrUnexpectedEOF && err != io.EOF {
		return "", damaged("a robots.txt in it cannot be decompressed: %w", err)
	}
	return string(f.text[:size]), nil
}

// Captures yields all captures that can be read, an ErrDamaged for each damaged one, and one ErrDamaged for all damaged
// pages together. These errors do not name the archive.
func (r *Reader) Captures() iter.Seq2[*capture.Capture, error] {
	return func(yield func(*capture.Capture, error) bool) {
		lost, wrong, p, last := r.info.Captures, error(nil), page{}, lastBody{}
		// Do not follow links, so that a damaged page loses only its own rows.
		for number := range uint32(r.info.FileBytes / pageSize) {
			if err := r.read(number+1, &p); err != nil {
				wrong = cmp.Or(wrong, err)
				continue
			}
			if p.data[0]|leaf == indexLeaf && p.cells() > maxCells {
				wrong = cmp.Or(wrong, errWrong)
				continue
			}
			for i := 0; p.data[0]|leaf == indexLeaf && i < p.cells(); i++ {
				lost--
				c, err := r.captureWithBody(&p, i, &last)
				if !yield(c, err) {
					return
				}
			}
		}
		if lost != 0 { // these captures are in pages that cannot be read
			yield(nil, fmt.Errorf("heed cannot read %d captures of the archive: %w", lost, cmp.Or(wrong, errWrong)))
		}
	}
}

// The next capture often has the same body, so lastBody keeps it.
type lastBody struct {
	id   capture.BodyID
	text string
}

func (r *Reader) captureWithBody(p *page, i int, last *lastBody) (*capture.Capture, error) {
	c, err := r.capture(p, i)
	if err != nil {
		return nil, err
	}
	if c.Body != last.id {
		text, err := r.body(c.Body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.TrimPrefix(c.url, "//"), err)
		}
		*last = lastBody{c.Body, text}
	}
	return &capture.Capture{URL: c.url, At: c.At, Order: c.place, Facts: c.Facts, Body: last.text}, nil
}

// Verify reads the whole archive. It returns the number of captures that the method Captures cannot yield, and the first
// error.
func (r *Reader) Verify() (lost int64, first error) {
	lost = r.info.Captures
	for _, err := range r.Captures() {
		first = cmp.Or(first, err)
		if err == nil {
			lost--
		}
	}
	if first != nil {
		first = r.withName(first)
	}
	return max(0, lost), first
}
