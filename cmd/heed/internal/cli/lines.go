package cli

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

// maxURL limits a line of an input of URLs, in bytes.
const maxURL = 1 << 20

// chunk is some whole lines of an input.
type chunk struct {
	lines   string
	first   int // the number of the first line
	tooLong int // the number of a line after these lines that is too long and was skipped; 0: none
}

// chunkSize limits a chunk of several lines, in bytes.
const chunkSize = 256 << 10

// A lineReader cuts an input into chunks, so that several goroutines can work on the lines.
// A chunk contains the lines that one read returns: whoever writes a single line to a pipe
// gets its answer without writing more. A line that is longer than chunkSize is a chunk alone.
type lineReader struct {
	in     *bufio.Reader
	name   string // of the input, for errors
	max    int    // bytes of a line, without its "\n"
	number int    // of the next line
	err    error  // that ended the input; io.EOF at its end
	long   []byte // the recycled buffer of longLine
}

// newLineReader returns a reader that skips lines of more than max bytes. max must not be
// less than chunkSize.
func newLineReader(in io.Reader, name string, max int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, chunkSize), name: name, max: max, number: 1}
}

// next returns the next chunk, or false at the end of the input.
func (r *lineReader) next() (chunk, bool) {
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
func (r *lineReader) take(size int) chunk {
	lines, _ := r.in.Peek(size)
	defer r.in.Discard(size)
	return r.chunk(lines)
}

// longLine reads a line that is longer than the buffer.
func (r *lineReader) longLine() chunk {
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
	return chunk{tooLong: r.number - 1}
}

// chunk returns lines as a chunk. From the first line it removes a byte-order mark, which some
// editors write.
func (r *lineReader) chunk(lines []byte) chunk {
	c := chunk{first: r.number}
	r.number += bytes.Count(lines, []byte("\n"))
	if c.first == 1 {
		lines = bytes.TrimPrefix(lines, []byte("\ufeff"))
	}
	c.lines = string(lines)
	return c
}

// chunks yields the chunks until the end of the input.
func (r *lineReader) chunks(yield func(chunk) bool) {
	for c, ok := r.next(); ok && yield(c); c, ok = r.next() {
	}
}

// numberedLine is a line of an input.
type numberedLine struct {
	number  int
	text    string // with the line end
	tooLong bool   // the line was skipped, and text is empty
}

// all yields the lines one after the other.
func (r *lineReader) all() iter.Seq[numberedLine] {
	return func(yield func(numberedLine) bool) {
		for c := range r.chunks {
			number := c.first
			for text := range strings.Lines(c.lines) {
				if !yield(numberedLine{number: number, text: text}) {
					return
				}
				number++
			}
			if c.tooLong > 0 && !yield(numberedLine{number: c.tooLong, tooLong: true}) {
				return
			}
		}
	}
}

// failure returns the error that ended the input before its end; nil: there was none.
func (r *lineReader) failure() error {
	if r.err == nil || errors.Is(r.err, io.EOF) {
		return nil
	}
	return fmt.Errorf("%s, line %d: %w", r.name, r.number, r.err)
}

// trimEnd returns a line without its line end.
func trimEnd(line string) string { return strings.TrimRight(line, "\r\n") }

// buffers are recycled buffers for the answers about a chunk.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// newBuffer returns an empty buffer, if possible a recycled one.
func newBuffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

// recycle makes a buffer available to newBuffer. The caller must not use the buffer any more.
// Very large buffers are left to the garbage collector.
func recycle(buf []byte) {
	if cap(buf) <= 4*maxURL {
		buffers.Put(&buf)
	}
}
