// Package lines reads the lines of large inputs, so that several goroutines can work on them.
package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"unsafe"
)

// A Block has whole lines of an input, or whole records if the Reader has Records.
type Block struct {
	Text   string
	First  int
	Lines  int
	Offset int64 // the offset in the input at which the block ends
	Wrong  error // if not nil, the block is one line that cannot be used, and Text is the start of this line

	max    int
	buffer []byte
}

const (
	blockSize = 256 << 10
	shown     = 2 << 10 // a Block has at most this many bytes of a line that is too long
)

// A Reader divides an input into blocks. It never waits for a full block, so each line of a pipe gets its answer.
type Reader struct {
	in   io.Reader
	name string // the name of the input in errors; "": errors name neither the input nor the line
	max  int

	// Records finds records that may have several lines. Nil means that each line is a record.
	Records Records
	// If Recycles is true, the Text of a Block is valid only until Block.Recycle. If Recycles is
	// false, the Text is a copy.
	Recycles bool
	Offset   int64 // the offset of the next block in the input; may be set before the first block
	Line     int   // the number of the first line of the next block; may be set before the first block

	buffer []byte
	err    error
}

// Records finds the records of an input. The maximum length of a line also limits a record.
type Records interface {
	Whole(text string, isEnd bool) int // returns the length of all whole records at the start of a text
	Reset()                            // forgets the text so far: a record begins with the next byte
}

// New returns a Reader. A line with more than max bytes becomes a Block with the error Wrong.
func New(in io.Reader, name string, max int) *Reader {
	return &Reader{in: in, name: name, max: max, Line: 1}
}

func (r *Reader) Next() (Block, bool) {
	seen := 0 // the number of bytes at the start of the buffer that have no line end
	for {
		if n := r.wholeLines(seen); n > 0 {
			return r.take(n), true
		}
		seen = len(r.buffer)
		switch {
		case len(r.buffer) > r.max:
			return r.tooLong(), true
		case r.err != nil && len(r.buffer) > 0:
			return r.lastBlock(), true
		case r.err != nil:
			return Block{}, false
		}
		r.read()
	}
}

// The first searchedLength bytes are known to have no line end.
func (r *Reader) wholeLines(searchedLength int) int {
	if r.Records != nil {
		return r.Records.Whole(asString(r.buffer), r.err == io.EOF)
	}
	i := bytes.LastIndexByte(r.buffer[searchedLength:], '\n')
	if i < 0 {
		return 0
	}
	return searchedLength + i + 1
}

func (r *Reader) read() {
	switch {
	case r.buffer == nil:
		r.buffer = r.newBuffer()
	case len(r.buffer) == cap(r.buffer):
		r.buffer = append(make([]byte, 0, max(2*len(r.buffer), blockSize)), r.buffer...)
	}
	n, err := r.in.Read(r.buffer[len(r.buffer):cap(r.buffer)])
	r.buffer, r.err = r.buffer[:len(r.buffer)+n], err
}

func asString(buffer []byte) string { return unsafe.String(unsafe.SliceData(buffer), len(buffer)) }

func (r *Reader) take(n int) Block {
	b := Block{First: r.Line, Lines: bytes.Count(r.buffer[:n], []byte("\n")), max: r.max}
	if r.buffer[n-1] != '\n' {
		b.Lines++
	}
	rest := r.buffer[n:]
	switch {
	case !r.Recycles:
		b.Text = string(r.buffer[:n])
		if cap(r.buffer) > 2*blockSize {
			r.buffer = nil // the buffer grew for a long line
		}
		r.buffer = append(r.buffer[:0], rest...)
	case len(rest) <= n: // copy the smaller of the two parts, so that little is copied even if rest is long
		b.buffer, r.buffer = r.buffer[:n], append(r.newBuffer(), rest...)
	default:
		b.buffer, r.buffer = append(r.newBuffer(), r.buffer[:n]...), rest
	}
	if r.Recycles {
		b.Text = asString(b.buffer)
	}
	r.Line += b.Lines
	r.Offset += int64(n)
	b.Offset = r.Offset
	return b
}

// ErrCut is the error of the last line if it has no line end because the input could not be read further. Reader.Err says why.
var ErrCut = errors.New("the input ends too early, in the middle of this line, so get it again")

func (r *Reader) lastBlock() Block {
	b := r.take(len(r.buffer))
	if r.err != io.EOF {
		b.Text, b.Wrong = Trim(b.Text), ErrCut
	}
	return b
}

func (r *Reader) tooLong() Block {
	b := Block{First: r.Line, Lines: 1, Text: string(r.buffer[:min(len(r.buffer), shown)]), Wrong: Long(r.max)}
	end := -1
	for end < 0 && r.err == nil {
		r.Offset += int64(len(r.buffer))
		r.buffer = r.buffer[:0]
		r.read()
		end = bytes.IndexByte(r.buffer, '\n')
	}
	n := end + 1
	if end < 0 {
		n = len(r.buffer)
	}
	r.Offset += int64(n)
	r.buffer = append(r.buffer[:0], r.buffer[n:]...)
	r.Line++
	b.Offset = r.Offset
	if r.Records != nil {
		r.Records.Reset()
	}
	return b
}

func Long(max int) error {
	return fmt.Errorf("the line is longer than %d bytes; expected a shorter line", max)
}

func IsLong(line string, max int) bool { return len(strings.TrimSuffix(line, "\n")) > max }

func (r *Reader) Blocks(yield func(Block) bool) {
	for b, ok := r.Next(); ok && yield(b); b, ok = r.Next() {
	}
}

// Err returns the error of the input, or nil if the input was read to its end.
func (r *Reader) Err() error {
	switch {
	case r.err == nil || r.err == io.EOF:
		return nil
	case r.name == "":
		return r.err
	}
	return fmt.Errorf("%s, line %d: %w", r.name, r.Line, r.err)
}

type Line struct {
	Number int
	Text   string // the line without its line end; if the line is too long, only its start
	Wrong  error  // why the line cannot be used; nil if it can be used
}

// IsBlank reports whether a line has only the white space of JSON: spaces, tabs, "\r" and "\n".
func (l *Line) IsBlank() bool { return l.Wrong == nil && strings.TrimLeft(l.Text, " \t\r\n") == "" }

func (r *Reader) All() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for b := range r.Blocks {
			for l := range b.All() {
				if !yield(l) {
					return
				}
			}
		}
	}
}

func (b *Block) All() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		if b.Wrong != nil {
			yield(Line{b.First, Trim(b.Text), b.Wrong})
			return
		}
		l := Line{Number: b.First}
		for text := range strings.Lines(b.Text) {
			if l.Text, l.Wrong = Trim(text), nil; IsLong(text, b.max) {
				l.Text, l.Wrong = text[:min(len(text), shown)], Long(b.max)
			}
			if !yield(l) {
				return
			}
			l.Number++
		}
	}
}

// MaxURL is the maximum length of a line in a list of URLs, in bytes.
const MaxURL = 1 << 20

// ByteOrderMark is at the start of some files. In a file that was joined from several files, it also starts lines in the
// middle.
const ByteOrderMark = "\ufeff"

func Trim(line string) string { return strings.TrimPrefix(TrimEnd(line), ByteOrderMark) }

func TrimEnd(line string) string { return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r") }

// Text returns the content of a line of a list; "" for a blank line or a comment. White space that is not ASCII may be a
// part of a URL, so Text keeps it.
func Text(line string) string { return TrimSpace(WithoutComment(line)) }

// TrimSpace removes the ASCII white space around a text.
func TrimSpace(text string) string { return strings.TrimFunc(text, isSpace) }

// BlankLines returns the length of the blank lines at the start of a text. These lines have only ASCII white space. A byte
// order mark may come before the white space.
func BlankLines(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		content := bytes.TrimLeftFunc(bytes.TrimPrefix(line, []byte(ByteOrderMark)), isSpace)
		if len(content) > 0 || line[len(line)-1] != '\n' {
			break
		}
		n += len(line)
	}
	return n
}

// WithoutComment returns a line without its comment. A "#" inside a word, as in "/a#b", begins no comment.
func WithoutComment(line string) string {
	for i := strings.IndexByte(line, '#'); i >= 0 && i < len(line); i++ {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

func isSpace(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }

func (r *Reader) newBuffer() []byte {
	if r.Recycles {
		if b := blocks.get(); cap(b) >= blockSize {
			return b
		}
	}
	return make([]byte, 0, min(blockSize, r.max+len("\n")))
}

// Recycle gives the memory of a block to later blocks. The old Text of the block must not be used any more.
func (b *Block) Recycle() {
	if b.buffer != nil {
		blocks.put(b.buffer)
	}
	b.Text, b.buffer = "", nil
}

// NewBuffer returns an empty buffer for the output about a block. It returns nil if no buffer was
// recycled.
func NewBuffer() []byte { return answers.get() }

// Recycle makes a buffer available to NewBuffer. The buffer must not be used any more.
func Recycle(buf []byte) { answers.put(buf) }

var blocks, answers buffers

type buffers struct{ pool sync.Pool }

func (b *buffers) get() []byte {
	if recycled, ok := b.pool.Get().(*[]byte); ok {
		return (*recycled)[:0]
	}
	return nil
}

func (b *buffers) put(buf []byte) {
	if cap(buf) <= 4<<20 {
		b.pool.Put(&buf)
	}
}
