// Package csvrecords finds the records of CSV in a text, and their fields.
package csvrecords

import (
	"fmt"
	"iter"
	"strings"

	"github.com/heed-robots/heed/internal/lines"
)

// Wrong is the error of a line that Next calls wrong.
func Wrong(max int) error {
	return fmt.Errorf("a field begins with a quotation mark, and none in front of a comma or a line end closes it within %d bytes", max)
}

// Records finds the records of CSV in a text. A quotation mark at the beginning of a field opens it; in the
// field two of them are one character, and one in front of a comma or of the end of a line closes it. In
// a field that is not opened so, a quotation mark is a character like others. If a record has another
// character behind the quotation mark that closes, or does not end within max bytes, its first line is
// wrong, and the next record begins behind that line.
//
// So behind any line a record begins, or a field is open, and what an open field does in a line depends on that
// line only. Therefore lines that were looked at for one record are not looked at again for the next: the
// time is linear, also if every line is wrong. All offsets are from the beginning of the record.
type Records struct {
	comma byte // between fields
	max   int  // bytes of a record without its last "\n"

	plain int // bytes without a quotation mark
	first int // the length of the first line, which leaves a field open; 0: it was not looked at yet

	// In an open field, lines that begin from from to before to leave it open. The next one, if it is
	// known (end > 0), ends there, and ends the record unless it isWrong.
	from, to, end int
	isWrong       bool

	tail, searched int // the line from tail has no end before searched

	looked int // how many bytes were looked at, for the test that the time is linear
}

// New returns Records of at most max bytes. comma is what is between fields, such as a tab.
func New(comma byte, max int) *Records { return &Records{comma: comma, max: max} }

// Next returns the length of the first record, with its line end, or of the line that is wrong; 0: more
// of the text is needed. isEnd means that there is no more.
func (r *Records) Next(text string, isEnd bool) (n int, wrong bool) {
	n, wrong = r.find(text, isEnd)
	if n > 0 {
		r.skip(n)
	}
	return n, wrong
}

// skip begins the next record after n bytes.
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

// lineEnd returns the end of the line that begins at an offset; 0: it is not there yet.
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

// What a line does.
const (
	closed   = iota // the record ends
	unclosed        // it leaves a field open
	broken          // there is a character behind the quotation mark that closes a field
)

// line returns what a line does, which begins in an open field or with a record.
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

// Whole implements lines.Records: it returns the length of all records and wrong lines with which a text begins.
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

// Reset implements lines.Records.
func (r *Records) Reset() { *r = Records{comma: r.comma, max: r.max} }

// withoutQuotes returns the length of the lines with which a text begins that have no quotation mark.
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

// Lines yields the records of a block that Records of a Reader made, each with the number of its first line.
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
