package verdicts

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"strings"

	"github.com/heed-robots/heed/internal/bulk/stream"
)

// What is sent between workers is text, numbers, and captures and lines as the bytes of encoding/gob: of these
// every runner knows the form.

var errSent = errors.New("a capture or a block of lines arrived damaged")

// sent returns a value as it is sent between workers.
func sent(value any) []byte {
	var to bytes.Buffer
	if err := gob.NewEncoder(&to).Encode(value); err != nil {
		panic(err) // cannot happen: gob can represent all that is sent
	}
	return to.Bytes()
}

// received is the reverse of sent.
func received[T any](octets []byte) (value T, err error) {
	if gob.NewDecoder(bytes.NewReader(octets)).Decode(&value) != nil {
		return value, errSent
	}
	return value, nil
}

// A block is some lines about one host.
type block struct {
	host   string
	most   int // lines
	lines  []sentLine
	octets int // of the lines, about
}

// A sentLine is what is sent of a stream.Line. Text is "" if it is the URL, or if the output does not need it.
type sentLine struct {
	Format    stream.Format
	URL, Text string
}

const lineOverhead = 48 // bytes of a sentLine beside its texts

// add adds a line. The memory of the line is used again, so its texts are copied.
func (b *block) add(l *stream.Line, withText bool) {
	s := sentLine{Format: l.Format, URL: strings.Clone(l.URL)}
	if withText && l.Text != l.URL {
		s.Text = strings.Clone(l.Text)
	}
	b.lines = append(b.lines, s)
	b.octets += lineOverhead + len(s.URL) + len(s.Text)
}

// line returns the line for the output.
func (s *sentLine) line() stream.Line {
	return stream.Line{Format: s.Format, URL: s.URL, Text: cmp.Or(s.Text, s.URL)}
}
