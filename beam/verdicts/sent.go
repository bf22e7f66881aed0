package verdicts

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/heed-robots/heed/bulk/stream"
)

// What is sent between workers is text, numbers and these octets, of which every runner knows the form.

var errSent = errors.New("a capture or a block of lines arrived damaged")

func appendString(to []byte, s string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(s))), s...)
}

// A reader reads what was sent.
type reader struct {
	from  []byte
	wrong bool
}

func (r *reader) take(n int) []byte {
	if n <= 0 || n > len(r.from) {
		r.wrong = r.wrong || n != 0
		return nil
	}
	taken := r.from[:n]
	r.from = r.from[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.from)
	r.take(max(n, -1))
	r.wrong = r.wrong || n <= 0
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.from)
	r.take(max(n, -1))
	r.wrong = r.wrong || n <= 0
	return v
}

func (r *reader) string() string { return string(r.take(int(min(r.uvarint(), uint64(len(r.from)+1))))) }

// appendLine appends a line of a list, as it is sent between workers. Its text is only sent if the output
// needs it.
func appendLine(to []byte, l *stream.Line, withText bool) []byte {
	to = appendString(to, l.URL)
	to = append(to, byte(slices.Index(stream.Formats, l.Format)))
	if !withText || l.Text == l.URL {
		return append(to, 0)
	}
	return appendString(append(to, 1), l.Text)
}

// line is the reverse of appendLine.
func (r *reader) line() (l stream.Line) {
	l.URL = r.string()
	if f := int(r.byte()); f < len(stream.Formats) {
		l.Format = stream.Formats[f]
	}
	if l.Text = l.URL; r.byte() != 0 {
		l.Text = r.string()
	}
	return l
}

// A block is some lines about one host.
type block struct {
	host    string
	n, most int // lines
	lines   []byte
}

func (b *block) add(l *stream.Line, withText bool) {
	b.n++
	b.lines = appendLine(b.lines, l, withText)
}

// sent returns the block as it is sent: the number of lines is at its end.
func (b *block) sent() []byte { return binary.BigEndian.AppendUint32(b.lines, uint32(b.n)) }

// linesOf returns the number of lines of a block that was sent, and a reader of them.
func linesOf(sent []byte) (n int, lines reader, err error) {
	end := len(sent) - 4
	if end < 0 {
		return 0, reader{}, errSent
	}
	return int(binary.BigEndian.Uint32(sent[end:])), reader{from: sent[:end]}, nil
}
