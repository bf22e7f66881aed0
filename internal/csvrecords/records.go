// Package csvrecords finds the records of CSV in a text, and their fields.
package csvrecords

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/heed-robots/heed/internal/lines"
)

// ErrBehind is the error of a record that has text between a closing quotation mark and the next comma or line end.
var ErrBehind = errors.New("text follows the closing quotation mark of a value: a comma or a line end must come directly after this mark; to put a quotation mark into the value, write it twice")

func notClosed(max int) error {
	return fmt.Errorf("a value begins with a quotation mark, but no closing quotation mark follows within %d bytes: add this mark", max)
}

// Records finds the records of CSV in a text. A field may be in quotation marks.
//
// Of a wrong record, only the first line is skipped. Records never reads a line twice, so the time is linear even for
// hostile input. All offsets are from the start of the record.
type Records struct {
	comma byte // the byte between two fields, such as ',' or a tab
	max   int

	plain       int // the number of bytes at the start of the text that have no quotation mark
	firstLength int

	// A quoted field starts before openFrom and has no end before openTo. If lastEnd > 0, the line from openTo to lastEnd
	// was read too: there, the field ends or the record is wrong.
	openFrom, openTo, lastEnd int
	isWrong                   bool // text follows a closing quotation mark in the line before lastEnd

	tailStart, searchedTo int

	readBytes int
}

// New returns Records. Each record has at most max bytes. The parameter comma is the byte between two fields.
func New(comma byte, max int) *Records { return &Records{comma: comma, max: max} }

// Next returns the length n of the first record. It returns 0 if more text is needed. For a wrong record, n is the
// length of the first line. If this line has more than max bytes, the caller must reject it.
func (r *Records) Next(text string, isEnd bool) (n int, wrong error) {
	n, wrong = r.find(text, isEnd)
	if n > 0 {
		r.skip(n)
	}
	return n, wrong
}

func (r *Records) skip(n int) {
	r.plain, r.firstLength = 0, 0
	r.openFrom, r.openTo, r.lastEnd = r.openFrom-n, r.openTo-n, r.lastEnd-n
	r.tailStart, r.searchedTo = r.tailStart-n, r.searchedTo-n
}

func (r *Records) find(text string, isEnd bool) (n int, wrong error) {
	if r.firstLength == 0 {
		n = r.lineEnd(text, 0, isEnd)
		if n == 0 || lines.IsLong(text[:n], r.max) {
			return n, nil
		}
		switch r.stateAfter(lines.Trim(text[:n]), false) {
		case stateClosed:
			return n, nil
		case stateWrong:
			return n, ErrBehind
		}
		r.firstLength = n
	}
	if r.firstLength < r.openFrom || r.firstLength > r.openTo {
		r.openFrom, r.openTo, r.lastEnd = r.firstLength, r.firstLength, 0
	}
	for r.lastEnd <= 0 {
		n := r.lineEnd(text, r.openTo, isEnd)
		if n == 0 {
			break
		}
		switch r.stateAfter(lines.TrimEnd(text[r.openTo:n]), true) {
		case stateOpen:
			r.openTo = n
		case stateClosed:
			r.lastEnd, r.isWrong = n, false
		case stateWrong:
			r.lastEnd, r.isWrong = n, true
		}
	}
	switch {
	case r.lastEnd > 0 && !r.isWrong && !lines.IsLong(text[:r.lastEnd], r.max):
		return r.lastEnd, nil
	case r.lastEnd > 0 && r.isWrong:
		return r.firstLength, ErrBehind
	case r.lastEnd > 0 || isEnd || len(text) > r.max:
		return r.firstLength, notClosed(r.max)
	}
	return 0, nil
}

func (r *Records) lineEnd(text string, begin int, isEnd bool) int {
	from := begin
	if begin == r.tailStart {
		from = max(begin, r.searchedTo)
	}
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		r.readBytes += i + 1
		return from + i + 1
	}
	r.readBytes += len(text) - from
	if isEnd && begin < len(text) {
		return len(text)
	}
	r.tailStart, r.searchedTo = begin, len(text)
	return 0
}

const (
	stateClosed = iota // the record ends with the line
	stateOpen          // a field is still open at the end of the line
	stateWrong         // a wrong character follows a closing quotation mark
)

func (r *Records) stateAfter(line string, isOpen bool) int {
	r.readBytes += len(line)
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
			return stateClosed
		case line[at] == '"':
			at++
		case line[at] == r.comma:
			isOpen = false
		default:
			return stateWrong
		}
	}
	if isOpen {
		return stateOpen
	}
	return stateClosed
}

// Whole implements lines.Records.
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

func (r *Records) withoutQuotes(text string) int {
	before := r.plain
	if i := strings.IndexByte(text[before:], '"'); i >= 0 {
		r.plain += i
	} else {
		r.plain = len(text)
	}
	r.readBytes += r.plain - before
	n := strings.LastIndexByte(text[before:r.plain], '\n') + 1
	if n > 0 {
		n += before
		r.skip(n)
	}
	return n
}

// Lines yields the records of a block, each with the number of its first line. The lines.Reader of the block must use
// Records.
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
			if l.Wrong = wrong; lines.IsLong(text[:n], max) {
				l.Wrong = lines.Long(max)
			}
			if !yield(l) {
				return
			}
			number += 1 + strings.Count(text[:n-1], "\n")
			text = text[n:]
		}
	}
}
