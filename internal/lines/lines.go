// Package lines reads the lines of large inputs, so that several goroutines can work on them.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
)

// A Chunk is some whole lines of an input.
type Chunk struct {
	Lines   string
	First   int // the number of the first line
	TooLong int // the number of a line after these lines that is too long and was skipped; 0: none
}

// chunkSize limits a chunk of several lines, in bytes.
const chunkSize = 256 << 10

// A Reader cuts an input into chunks, so that several goroutines can work on the lines.
// A chunk contains the lines that one read returns: whoever writes a single line to a pipe
// gets its answer without writing more. A line that is longer than a chunk may be is a chunk alone.
type Reader struct {
	in     *bufio.Reader
	name   string // of the input, for errors
	max    int    // bytes of a line, without its "\n"
	number int    // of the next line
	err    error  // that ended the input; io.EOF at its end
	long   []byte // the recycled buffer of longLine
}

// New returns a Reader that skips lines of more than max bytes. Chunks of several lines are at
// most 256 KiB, or max if that is less. Errors name the input.
func New(in io.Reader, name string, max int) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, min(chunkSize, max)), name: name, max: max, number: 1}
}

// Next returns the next chunk, or false at the end of the input.
func (r *Reader) Next() (Chunk, bool) {
	searched := 0 // how many bytes of the buffer have no line end
	for r.err == nil {
		buf, _ := r.in.Peek(r.in.Buffered())
		if end := bytes.LastIndexByte(buf[searched:], '\n') + 1; end > 0 {
			return r.take(searched + end), true
		}
		searched = len(buf)
		_, err := r.in.Peek(searched + 1) // reads once
		if errors.Is(err, bufio.ErrBufferFull) {
			return r.longLine(), true
		}
		r.err = err
	}
	rest := r.in.Buffered()
	return r.take(rest), rest > 0
}

// take returns a chunk of the first bytes of the buffer.
func (r *Reader) take(size int) Chunk {
	lines, _ := r.in.Peek(size)
	defer r.in.Discard(size)
	return r.chunk(lines)
}

// longLine reads a line that is longer than the buffer.
func (r *Reader) longLine() Chunk {
	line := r.long[:0]
	err := bufio.ErrBufferFull
	for errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = r.in.ReadSlice('\n')
		if len(line) <= r.max { // the rest of a line that is too long is not kept
			line = append(line, part...)
		}
	}
	r.err, r.long = err, line
	if len(bytes.TrimSuffix(line, []byte("\n"))) <= r.max {
		return r.chunk(line)
	}
	r.number++
	return Chunk{TooLong: r.number - 1}
}

// chunk returns lines as a chunk. From the first line it removes a byte-order mark, which some
// editors write.
func (r *Reader) chunk(lines []byte) Chunk {
	c := Chunk{First: r.number}
	r.number += bytes.Count(lines, []byte("\n"))
	if c.First == 1 {
		lines = bytes.TrimPrefix(lines, []byte("\ufeff"))
	}
	c.Lines = string(lines)
	return c
}

// Chunks yields the chunks until the end of the input.
func (r *Reader) Chunks(yield func(Chunk) bool) {
	for c, ok := r.Next(); ok && yield(c); c, ok = r.Next() {
	}
}

// A Line is a line of an input.
type Line struct {
	Number  int
	Text    string // with the line end
	TooLong bool   // the line was skipped, and Text is empty
}

// All yields the lines one after the other.
func (r *Reader) All() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for c := range r.Chunks {
			number := c.First
			for text := range strings.Lines(c.Lines) {
				if !yield(Line{Number: number, Text: text}) {
					return
				}
				number++
			}
			if c.TooLong > 0 && !yield(Line{Number: c.TooLong, TooLong: true}) {
				return
			}
		}
	}
}

// Err returns the error that ended the input before its end; nil: there was none.
func (r *Reader) Err() error {
	if r.err == nil || errors.Is(r.err, io.EOF) {
		return nil
	}
	return fmt.Errorf("%s, line %d: %w", r.name, r.number, r.err)
}

// buffers are recycled buffers for the answers about a chunk.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// NewBuffer returns an empty buffer, if possible a recycled one.
func NewBuffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

// Recycle makes a buffer available to NewBuffer. The caller must not use the buffer any more.
// Very large buffers are left to the garbage collector.
func Recycle(buf []byte) {
	if cap(buf) <= 4<<20 {
		buffers.Put(&buf)
	}
}
