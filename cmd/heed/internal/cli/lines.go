package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
)

// maxURL bounds a line of URLs; the URLs of crawlers are far shorter.
const maxURL = 1 << 20

// chunk is some whole lines of an input.
type chunk struct {
	lines   string
	tooLong int // the number of a line behind them that is left out; 0: none
}

// lineReader cuts an input into chunks, as much at a time as one read yields.
type lineReader struct {
	in     io.Reader
	number int    // of the next line
	rest   []byte // read, but not passed on: the beginning of a line
	err    error  // that ended the input, but for its end
	done   bool
}

// next returns the next lines, until there are no more.
func (r *lineReader) next() (chunk, bool) {
	if end := bytes.LastIndexByte(r.rest, '\n') + 1; end > 0 {
		lines := r.rest[:end]
		r.rest = r.rest[end:]
		return r.chunk(lines), true
	}
	buf := make([]byte, 256<<10+len(r.rest))
	n := copy(buf, r.rest)
	for !r.done {
		m, err := r.in.Read(buf[n:])
		n += m
		if err != nil {
			r.done = true
			if err != io.EOF {
				r.err = err
			}
			break
		}
		if end := bytes.LastIndexByte(buf[n-m:n], '\n'); end >= 0 {
			end += n - m + 1
			r.rest = bytes.Clone(buf[end:n])
			return r.chunk(buf[:end]), true
		}
		if n > maxURL {
			return r.skipLine(), true
		}
		if n == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
	r.rest = nil
	return r.chunk(buf[:n]), n > 0
}

// failure returns what ended the input, if that was not its end.
func (r *lineReader) failure() error {
	if r.err == nil {
		return nil
	}
	return fmt.Errorf("standard input, line %d: %w", r.number, r.err)
}

func (r *lineReader) chunk(lines []byte) chunk {
	if r.number == 1 {
		lines = bytes.TrimPrefix(lines, []byte("\ufeff")) // as editors put it there
	}
	r.number += bytes.Count(lines, []byte("\n"))
	return chunk{lines: string(lines)}
}

// skipLine leaves out the rest of a line that is too long.
func (r *lineReader) skipLine() chunk {
	c := chunk{tooLong: r.number}
	r.number++
	r.rest = nil
	buf := make([]byte, 64<<10)
	for {
		n, err := r.in.Read(buf)
		if end := bytes.IndexByte(buf[:n], '\n'); end >= 0 {
			r.rest = bytes.Clone(buf[end+1 : n])
			return c
		}
		if err != nil {
			r.done = true
			if err != io.EOF {
				r.err = err
			}
			return c
		}
	}
}

// trimEnd returns a line without what ends it.
func trimEnd(line string) string { return strings.TrimRight(line, "\r\n") }

// buffers are those that answers about many lines are written into, again and again.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// newBuffer returns an empty buffer, maybe one that was recycled.
func newBuffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

// recycle takes a buffer back that nobody uses any more, unless it is uncommonly large.
func recycle(buf []byte) {
	if cap(buf) <= 4*maxURL {
		buffers.Put(&buf)
	}
}
