// Package csvrecords finds the records of CSV in a text, and their fields.
package csvrecords

import (
	"fmt"
	"iter"
	"strings"

	"github.com/heed-robots/heed/internal/lines"
)

// Wrong returns the error for a wrong record; see Records.
func Wrong(max int) error {
	return fmt.Errorf("a value begins with a quotation mark, but no closing quotation mark follows within %d bytes", max)
}

// Records finds the records of CSV in a text. A quotation mark at the start of a field opens the field. A quotation
// mark before a comma or a line end closes it. In an open field, two quotation marks mean one. Elsewhere a quotation
// mark has no special meaning.
//
// A record is wrong if another character follows a closing quotation mark, or if the record does not end within max
// bytes. Then only its first line is skipped, and the next record begins with the second line. A simple reader would
// then read the same lines again and again. So Records remembers what each line does to an open field, and never reads a
// line twice. All offsets are from the start of the record.
type Records struct {
	comma byte // the byte between two fields, such as ',' or a tab
	max   int  // the maximum length of a record in bytes, without the "\n" at its end

	plain int // the number of bytes at the start of the text that have no quotation mark
	first int // the length of the first line if a field is still open at its end; 0: the first line was not read yet

	// The fields from, to and end are offsets. If a field of the record is open at the offset from, it is still open at
	// the offset to. If end > 0, the line from there to the offset end was read too: it closes the record, or it is
	// wrong.
	from, to, end int
	isWrong       bool

	tail, searched int // the line that begins at offset tail has no line end before offset searched

	looked int // the number of bytes that were read; for the test that the time is linear
}

// New returns Records that have at most max bytes each. The parameter comma is the separator of fields, such as a tab.
func New(comma byte, max int) *Records { return &Records{comma: comma, max: max} }

// Next returns the length of the first record of a text, with its line end, or the length of its first line if the
// record is wrong. It returns 0 if it needs more of the text. The parameter isEnd says that there is no more text.
func (r *Records) Next(text string, isEnd bool) (n int, wrong bool) {
	n, wrong = r.find(text, isEnd)
	if n > 0 {
		r.skip(n)
	}
	return n, wrong
}

func (r *Records) skip(n int) {
	r.plain, r.first = 0, 0
	r.from, r.to, r.end = r.from-n, r.to-n, r.end-n
	r.tail, r.searched = r.tail-n, r.searched-n
}

func (r *Records) find(text string, isEnd bool) (n int, wrong bool) {
	if r.first == 0 {
		n = r.lineEnd(text, 0, isEnd)
		if n == 0 || lines.IsLong(text[:n], r.max) {
			return n, true
		}
		is := r.line(lines.Trim(text[:n]), false)
		if is != unclosed {
			return n, is == broken
		}
		r.first = n
	}
	if r.first < r.from || r.first > r.to {
		r.from, r.to, r.end = r.first, r.first, 0
	}
	for r.end <= 0 {
		n := r.lineEnd(text, r.to, isEnd)
		if n == 0 {
			break
		}
		switch r.line(lines.TrimEnd(text[r.to:n]), true) {
		case unclosed:
			r.to = n
		case closed:
			r.end, r.isWrong = n, false
		case broken:
			r.end, r.isWrong = n, true
		}
	}
	switch {
	case r.end > 0 && !r.isWrong && !lines.IsLong(text[:r.end], r.max):
		return r.end, false
	case r.end > 0 || isEnd || len(text) > r.max:
		return r.first, true
	}
	return 0, false
}

// lineEnd returns the end of the line that begins at the offset begin, or 0 if the text does not have the end yet.
func (r *Records) lineEnd(text string, begin int, isEnd bool) int {
	from := begin
	if begin == r.tail {
		from = max(begin, r.searched)
	}
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		r.looked += i + 1
		return from + i + 1
	}
	r.looked += len(text) - from
	if isEnd && begin < len(text) {
		return len(text)
	}
	r.tail, r.searched = begin, len(text)
	return 0
}

const (
	closed   = iota // the record ends with the line
	unclosed        // a field is still open at the end of the line
	broken          // a wrong character follows a closing quotation mark
)

// The method line returns the state of the record after a line: the constant closed, unclosed or broken. The parameter
// isOpen says whether a field is open before the line; otherwise a record begins with the line.
func (r *Records) line(line string, isOpen bool) int {
	r.looked += len(line)
	for at := 0; ; {
		i := strings.IndexByte(line[at:], '"')
		if i < 0 {
			break
		}
		at += i + 1
		switch {
		case !isOpen:
			isOpen = at == 1 || line[at-2] == r.comma
		case at == len(line):
			return closed
		case line[at] == '"':
			at++
		case line[at] == r.comma:
			isOpen = false
		default:
			return broken
		}
	}
	if isOpen {
		return unclosed
	}
	return closed
}

// Whole implements lines.Records. It treats wrong lines like records.
func (r *Records) Whole(text string, isEnd bool) (n int) {
	for n < len(text) {
		k := r.withoutQuotes(text[n:])
		if k == 0 {
			if k, _ = r.Next(text[n:], isEnd); k == 0 {
				break
			}
		}
		n += k
	}
	return n
}

func (r *Records) Reset() { *r = Records{comma: r.comma, max: r.max} }

// withoutQuotes returns the length of the lines at the start of a text, up to the first line with a quotation mark.
func (r *Records) withoutQuotes(text string) int {
	before := r.plain
	if i := strings.IndexByte(text[before:], '"'); i >= 0 {
		r.plain += i
	} else {
		r.plain = len(text)
	}
	r.looked += r.plain - before
	n := strings.LastIndexByte(text[before:r.plain], '\n') + 1
	if n > 0 {
		n += before
		r.skip(n)
	}
	return n
}

// Lines yields the records of a block, each with the number of its first line. The lines.Reader of the block must use Records.
func Lines(b *lines.Block, comma byte, max int) iter.Seq[lines.Line] {
	return func(yield func(lines.Line) bool) {
		if b.Wrong != nil {
			yield(lines.Line{Number: b.First, Text: lines.Trim(b.Text), Wrong: b.Wrong})
			return
		}
		all, number := New(comma, max), b.First
		for text := b.Text; text != ""; {
			n, wrong := all.Next(text, true)
			l := lines.Line{Number: number, Text: lines.Trim(text[:n])}
			switch {
			case lines.IsLong(text[:n], max):
				l.Wrong = lines.Long(max)
			case wrong:
				l.Wrong = Wrong(max)
			}
			if !yield(l) {
				return
			}
			number += 1 + strings.Count(text[:n-1], "\n")
			text = text[n:]
		}
	}
}
