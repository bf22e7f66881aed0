package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"
)

// A block is some whole lines of an input; of CSV, whole records.
type block struct {
	text   string
	first  int   // the number of the first line
	lines  int   // how many there are
	offset int64 // where the block ends, in the decompressed input
	wrong  error // the block is one line that cannot be used, and text is its beginning, without the line end
	buffer []byte
}

const (
	blockSize = 256 << 10 // octets
	maxLine   = 1 << 20   // octets of a line without its "\n", or of a record of CSV
)

// blocks cuts an input into blocks, so that several goroutines can work on it. A block contains what
// one read returns, so that whoever writes one line to a pipe gets its answer without writing more.
type blocks struct {
	from   io.Reader
	quoted bool // CSV: a line end between quotation marks is no end
	buffer []byte
	offset int64 // of buffer
	line   int   // the number of the first line in buffer
	err    error // of from; io.EOF at its end
}

func newBlocks(from io.Reader, quoted bool, offset int64, line int) *blocks {
	return &blocks{from: from, quoted: quoted, offset: offset, line: line, buffer: newBuffer()}
}

// buffers are recycled buffers of blocks.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func newBuffer() []byte {
	b := *buffers.Get().(*[]byte)
	if cap(b) < blockSize {
		b = make([]byte, 0, blockSize)
	}
	return b[:0]
}

// recycle makes the memory of a block available to others. Its text must not be used any more.
func (b *block) recycle() {
	buffer := b.buffer
	b.text, b.buffer = "", nil
	if cap(buffer) <= 2*blockSize {
		buffers.Put(&buffer)
	}
}

// all yields the blocks. The error of the input is in err then.
func (s *blocks) all(yield func(block) bool) {
	for {
		b, ok := s.next()
		if !ok || !yield(b) {
			return
		}
	}
}

// next returns the next block, or false at the end.
func (s *blocks) next() (block, bool) {
	seen := 0 // octets of the buffer without a line end
	for {
		if n := s.wholeLines(seen); n > 0 {
			return s.take(n), true
		}
		seen = len(s.buffer)
		switch {
		case len(s.buffer) > maxLine:
			return s.tooLong(), true
		case s.err != nil && len(s.buffer) > 0:
			return s.rest(), true
		case s.err != nil:
			return block{}, false
		}
		s.read()
	}
}

// wholeLines returns the length of the whole lines or records in the buffer, of which the first seen
// octets have no line end.
func (s *blocks) wholeLines(seen int) int {
	if s.quoted && bytes.IndexByte(s.buffer, '"') >= 0 {
		return wholeRecords(s.buffer)
	}
	i := bytes.LastIndexByte(s.buffer[seen:], '\n')
	if i < 0 {
		return 0
	}
	return seen + i + 1
}

// read reads once.
func (s *blocks) read() {
	if len(s.buffer) == cap(s.buffer) {
		s.buffer = append(s.buffer, make([]byte, len(s.buffer))...)[:len(s.buffer)]
	}
	n, err := s.from.Read(s.buffer[len(s.buffer):cap(s.buffer)])
	s.buffer, s.err = s.buffer[:len(s.buffer)+n], err
}

// take returns the first n octets as a block.
func (s *blocks) take(n int) block {
	b := block{first: s.line, buffer: s.buffer}
	rest := s.buffer[n:]
	s.buffer = append(newBuffer(), rest...)
	b.text = unsafe.String(unsafe.SliceData(b.buffer), n) // nobody writes to it before it is recycled
	b.lines = bytes.Count(b.buffer[:n], []byte("\n"))
	if b.buffer[n-1] != '\n' {
		b.lines++
	}
	s.line += b.lines
	s.offset += int64(n)
	b.offset = s.offset
	return b
}

var errQuote = errors.New("a quotation mark is not closed")

var errCut = errors.New("the input breaks off in this line")

// rest returns what is left at the end of the input. If quotation marks are open there, that is the
// first line only: one wrong line must not take all others with it.
func (s *blocks) rest() block {
	if s.err != io.EOF {
		return s.wrong(len(s.buffer), errCut)
	}
	if s.quoted {
		quotes := bytes.Count(s.buffer, []byte(`"`))
		if n := bytes.IndexByte(s.buffer, '\n') + 1; quotes%2 == 1 && n > 0 {
			return s.wrong(n, errQuote)
		}
	}
	return s.take(len(s.buffer))
}

var errLong = fmt.Errorf("longer than %d octets", maxLine)

// tooLong returns the first line, which is too long, or which begins a record that is too long.
func (s *blocks) tooLong() block {
	if n := bytes.IndexByte(s.buffer, '\n') + 1; n > 0 {
		return s.wrong(n, errQuote)
	}
	b := block{first: s.line, lines: 1, text: string(s.buffer[:2*shown]), wrong: errLong}
	end := -1
	for end < 0 && s.err == nil {
		s.offset += int64(len(s.buffer))
		s.buffer = s.buffer[:0]
		s.read()
		end = bytes.IndexByte(s.buffer, '\n')
	}
	n := end + 1
	if end < 0 {
		n = len(s.buffer)
	}
	s.offset += int64(n)
	s.buffer = append(s.buffer[:0], s.buffer[n:]...)
	s.line++
	b.offset = s.offset
	return b
}

// wrong returns a line of n octets that cannot be used.
func (s *blocks) wrong(n int, why error) block {
	b := s.take(n)
	b.text, b.wrong = trimEnd(b.text), why
	return b
}

// shown is how many octets of a line a Rejection has at most.
const shown = 1 << 10
