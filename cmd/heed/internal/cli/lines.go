package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
)

// maxURL bounds a line of URLs; the URLs of crawlers are far shorter.
const maxURL = 1 << 20

// chunk is some whole lines of an input.
type chunk struct {
	lines   string
	first   int // the number of the first of them
	tooLong int // the number of a line behind them that is left out; 0: none
}

// lineReader cuts an input into chunks, as much at a time as one read yields.
type lineReader struct {
	in     io.Reader
	name   string // of the input, for errors; "": standard input
	most   int    // how many bytes a line may have; 0: maxURL
	number int    // of the next line
	buf    []byte // read, but not passed on
	err    error  // that ended the input, but for its end
	done   bool
}

// next returns the next lines, until there are no more.
func (r *lineReader) next() (chunk, bool) {
	if end := bytes.LastIndexByte(r.buf, '\n') + 1; end > 0 {
		return r.chunk(end), true
	}
	for !r.done {
		r.buf = slices.Grow(r.buf, max(64<<10, 256<<10-len(r.buf)))
		before := len(r.buf)
		n, err := r.in.Read(r.buf[before:cap(r.buf)])
		r.buf = r.buf[:before+n]
		if err != nil {
			r.done = true
			if err != io.EOF {
				r.err = err
			}
			break
		}
		if end := bytes.LastIndexByte(r.buf[before:], '\n') + 1; end > 0 {
			return r.chunk(before + end), true
		}
		if len(r.buf) > r.longest() {
			return r.skipLine(), true
		}
	}
	rest := len(r.buf)
	return r.chunk(rest), rest > 0
}

// chunks yields the next lines, until there are no more.
func (r *lineReader) chunks(yield func(chunk) bool) {
	for c, ok := r.next(); ok && yield(c); c, ok = r.next() {
	}
}

// numberedLine is a line of an input.
type numberedLine struct {
	number  int
	text    string // with what ends it
	tooLong bool   // the text is left out
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

func (r *lineReader) longest() int { return cmp.Or(r.most, maxURL) }

// failure returns what ended the input, if that was not its end.
func (r *lineReader) failure() error {
	if r.err == nil {
		return nil
	}
	return fmt.Errorf("%s, line %d: %w", cmp.Or(r.name, "standard input"), r.number, r.err)
}

// chunk passes on the first bytes of what is read.
func (r *lineReader) chunk(end int) chunk {
	lines := r.buf[:end]
	if r.number == 1 {
		lines = bytes.TrimPrefix(lines, []byte("\ufeff")) // as editors put it there
	}
	c := chunk{lines: string(lines), first: r.number}
	r.number += bytes.Count(lines, []byte("\n"))
	r.buf = r.buf[:copy(r.buf, r.buf[end:])]
	return c
}

// skipLine leaves out the rest of a line that is too long.
func (r *lineReader) skipLine() chunk {
	c := chunk{tooLong: r.number}
	r.number++
	r.buf = make([]byte, 0, 256<<10)
	for {
		n, err := r.in.Read(r.buf[:cap(r.buf)])
		read := r.buf[:n]
		if err != nil {
			r.done = true
			if err != io.EOF {
				r.err = err
			}
		}
		if end := bytes.IndexByte(read, '\n'); end >= 0 {
			r.buf = read[:copy(read, read[end+1:])]
			return c
		}
		if r.done {
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
