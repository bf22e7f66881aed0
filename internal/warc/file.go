package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// A file is the bytes of a WARC file. It counts them, and remembers the error of reading them.
type file struct {
	from    io.Reader
	buffer  *bufio.Reader // of from, through this file
	n       int64         // bytes that were read into buffer
	err     error         // of from, but not io.EOF
	members *gzip.Reader  // nil before the first
	text    *bufio.Reader // of the part that is read
	partAt  int64         // where that part begins
	again   int64         // bytes that were read again
	form    form
}

// A form is how the records are in a file.
type form int

const (
	unknown form = iota // nothing was read yet
	plain
	zipped // in gzip members
)

func newFile(from io.Reader) *file {
	f := &file{from: from, text: bufio.NewReaderSize(nil, maxLine)}
	f.buffer = bufio.NewReaderSize(reading{f}, 64<<10)
	return f
}

// reading reads the bytes of a file into its buffer.
type reading struct{ *file }

func (r reading) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.n += int64(n)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// at returns the place in the file.
func (f *file) at() int64 { return f.n - int64(f.buffer.Buffered()) }

// A part is a gzip member, or all of a plain file.
type part struct {
	*file
	decompressed io.Reader
	recordAt     int64 // in a plain file, where the record begins
	isBroken     bool  // it cannot be decompressed any further
}

var (
	gzipMagic = []byte{0x1f, 0x8b, 8}
	errNoWARC = errors.New(`expected a WARC file, which begins with "WARC/", or with gzip`)
)

// open opens the next part. At the end of the file the error is io.EOF.
func (f *file) open() (*part, error) {
	f.partAt = f.at()
	begin, err := f.buffer.Peek(len(magic))
	switch {
	case len(begin) == 0:
		return nil, err
	case f.form == unknown && string(begin) == magic:
		f.form = plain
	case f.form == unknown && bytes.HasPrefix(begin, gzipMagic):
		f.form = zipped
	case f.form == unknown:
		return nil, errNoWARC
	}
	p := &part{file: f, decompressed: f.buffer}
	if f.form == zipped {
		if err := f.openMember(); err != nil {
			return nil, unexpected(err)
		}
		p.decompressed = f.members
	}
	f.text.Reset(p)
	return p, nil
}

func (f *file) openMember() (err error) {
	if f.members == nil {
		f.members, err = gzip.NewReader(f.buffer)
	} else {
		err = f.members.Reset(f.buffer)
	}
	if err != nil {
		f.members = nil
		return err
	}
	f.members.Multistream(false)
	return nil
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (p *part) Read(b []byte) (int, error) {
	n, err := p.decompressed.Read(b)
	if err != nil && err != io.EOF {
		p.isBroken = true
	}
	return n, err
}

// at returns the place of the next byte of text in a plain file.
func (p *part) at() int64 { return p.file.at() - int64(p.text.Buffered()) }

// offset returns where the record begins, or the gzip member in which it is.
func (p *part) offset() int64 {
	if p.form == zipped {
		return p.partAt
	}
	return p.recordAt
}

// skipLine goes behind the next line end. At the end of the part the error is io.EOF.
func (p *part) skipLine() error {
	for {
		if _, err := p.text.ReadSlice('\n'); err != bufio.ErrBufferFull {
			return err
		}
	}
}

// skip goes to the next gzip member that begins with a record, or to the end of the file; if the form
// is unknown, also to the next record. The member that is damaged may have been read as if its end
// were further on, so the search begins in it, if the file can go back.
func (f *file) skip() {
	f.goBack()
	for f.err == nil {
		begin, err := f.buffer.Peek(len(magic))
		if err != nil {
			f.buffer.Discard(len(begin))
			return
		}
		if bytes.HasPrefix(begin, gzipMagic) && f.beginsRecord() || f.form == unknown && string(begin) == magic {
			return
		}
		ahead, _ := f.buffer.Peek(f.buffer.Buffered())
		i := bytes.IndexAny(ahead[1:], "\x1fW")
		if i < 0 {
			i = len(ahead) - 1
		}
		f.buffer.Discard(1 + i)
	}
}

// goBack goes to the byte behind the beginning of the part, if the file can. A hostile file has
// members in members, so that all that is read again is limited by what was read.
func (f *file) goBack() {
	s, ok := f.from.(io.Seeker)
	again := f.n - f.partAt
	if !ok || f.again+again > 4*f.n+1<<20 {
		return
	}
	if _, err := s.Seek(f.partAt+1, io.SeekStart); err != nil {
		return // a pipe
	}
	f.again += again
	f.n = f.partAt + 1
	f.buffer.Reset(reading{f})
}

// beginsRecord returns whether the gzip member at the place begins with a record. It looks at what
// is in the buffer.
func (f *file) beginsRecord() bool {
	f.buffer.Peek(f.buffer.Size()) // as much as there is
	ahead, _ := f.buffer.Peek(f.buffer.Buffered())
	member, err := gzip.NewReader(bytes.NewReader(ahead))
	if err != nil {
		return false
	}
	begin := make([]byte, len(magic))
	n, _ := io.ReadFull(member, begin)
	return string(begin[:n]) == magic
}
