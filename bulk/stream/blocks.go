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
	from    io.Reader
	records *records // of CSV: a line end between quotation marks is no end; nil: of other formats
	buffer  []byte
	offset  int64 // of buffer
	line    int   // the number of the first line in buffer
	err     error // of from; io.EOF at its end
}

func newBlocks(from io.Reader, format Format, offset int64, line int) *blocks {
	s := &blocks{from: from, offset: offset, line: line, buffer: newBuffer()}
	if format == CSV {
		s.records = &records{}
	}
	return s
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
	if s.records != nil {
		return s.records.whole(text(s.buffer), s.err == io.EOF)
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
		s.buffer = append(make([]byte, 0, max(2*len(s.buffer), blockSize)), s.buffer...)
	}
	n, err := s.from.Read(s.buffer[len(s.buffer):cap(s.buffer)])
	s.buffer, s.err = s.buffer[:len(s.buffer)+n], err
}

// text returns octets as a string without copying them: nobody may write to them while it is used.
func text(octets []byte) string { return unsafe.String(unsafe.SliceData(octets), len(octets)) }

// take returns the first n octets as a block. The smaller part of the buffer is copied, so that time
// does not depend on how much of the input is not in a block yet.
func (s *blocks) take(n int) block {
	b := block{first: s.line}
	if rest := s.buffer[n:]; len(rest) <= n {
		b.buffer, s.buffer = s.buffer, append(newBuffer(), rest...)
	} else {
		b.buffer, s.buffer = append(newBuffer(), s.buffer[:n]...), rest
	}
	b.text = text(b.buffer[:n])
	b.lines = bytes.Count(b.buffer[:n], []byte("\n"))
	if b.buffer[n-1] != '\n' {
		b.lines++
	}
	s.line += b.lines
	s.offset += int64(n)
	b.offset = s.offset
	return b
}

var errCut = errors.New("the input breaks off in this line")

// rest returns what is left at the end of the input.
func (s *blocks) rest() block {
	b := s.take(len(s.buffer))
	if s.err != io.EOF {
		b.text, b.wrong = trimEnd(b.text), errCut
	}
	return b
}

var errLong = fmt.Errorf("longer than %d octets", maxLine)

// tooLong returns the first line, which is too long.
func (s *blocks) tooLong() block {
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
	if s.records != nil {
		*s.records = records{}
	}
	return b
}

// shown is how many octets of a line a Rejection has at most.
const shown = 1 << 10
