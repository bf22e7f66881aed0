package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

type file struct {
	from    io.Reader
	buffer  *bufio.Reader
	n       int64
	err     error // the error of from; nil for io.EOF
	members *gzip.Reader
	text    *bufio.Reader // the decompressed text of the current part
	partAt  int64         // the offset in the file at which the current part begins
	again   int64         // the number of bytes that were read a second time
	form    form
}

type form int

const (
	unknown form = iota // before the first byte was read
	plain
	zipped // the records are in gzip members
)

func newFile(from io.Reader) *file {
	f := &file{from: from, text: bufio.NewReaderSize(nil, maxLine)}
	f.buffer = bufio.NewReaderSize(f, 64<<10)
	return f
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.from.Read(p)
	f.n += int64(n)
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

func (f *file) position() int64 { return f.n - int64(f.buffer.Buffered()) }

// A part is a gzip member, or all of a plain file.
type part struct {
	*file
	decompressed io.Reader
	recordAt     int64 // the offset at which the record begins; only used in a file without compression
	isBroken     bool  // the rest of the part cannot be decompressed
}

var (
	gzipMagic = []byte{0x1f, 0x8b, 8}
	errNoWARC = errors.New(`expected a WARC file, which begins with "WARC/", or is compressed with gzip`)
)

func (f *file) open() (*part, error) {
	f.partAt = f.position()
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

// The result of position is only right in a plain file. In a compressed file, p.text has
// decompressed bytes.
func (p *part) position() int64 { return p.file.position() - int64(p.text.Buffered()) }

func (p *part) offset() int64 {
	if p.form == zipped {
		return p.partAt
	}
	return p.recordAt
}

func (p *part) skipLine() error {
	for {
		if _, err := p.text.ReadSlice('\n'); err != bufio.ErrBufferFull {
			return err
		}
	}
}

// After damage, a file with gzip members is searched byte by byte, because the damaged member may hide the start of the next.
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

// After goBack, skip can search the damaged part again, from its second byte. A hostile file may have nested members, so
// the bytes that are read again are limited.
func (f *file) goBack() {
	s, ok := f.from.(io.Seeker)
	again := f.n - f.partAt
	if !ok || f.again+again > 4*f.n+1<<20 {
		return
	}
	if _, err := s.Seek(f.partAt+1, io.SeekStart); err != nil {
		return // a pipe cannot seek
	}
	f.again += again
	f.n = f.partAt + 1
	f.buffer.Reset(f)
}

func (f *file) beginsRecord() bool {
	f.buffer.Peek(f.buffer.Size())
	ahead, _ := f.buffer.Peek(f.buffer.Buffered())
	member, err := gzip.NewReader(bytes.NewReader(ahead))
	if err != nil {
		return false
	}
	begin := make([]byte, len(magic))
	n, _ := io.ReadFull(member, begin)
	return string(begin[:n]) == magic
}
