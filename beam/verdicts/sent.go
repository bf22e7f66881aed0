package verdicts

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"strings"

	"github.com/heed-robots/heed/internal/bulk/stream"
)

// Every runner of Beam can encode texts, numbers and bytes, so only these are sent.

var errSent = errors.New("a capture or a block of lines was damaged on its way from one worker to another: run the pipeline again")

func sent(value any) []byte {
	var to bytes.Buffer
	if err := gob.NewEncoder(&to).Encode(value); err != nil {
		panic(err) // cannot happen: gob can encode all types that are sent
	}
	return to.Bytes()
}

func received[T any](encoded []byte) (value T, err error) {
	if gob.NewDecoder(bytes.NewReader(encoded)).Decode(&value) != nil {
		return value, errSent
	}
	return value, nil
}

type block struct {
	host  string
	most  int
	lines []sentLine
	bytes int
}

// Text is "" if it is the same as URL, or not needed.
type sentLine struct {
	Format    stream.Format
	URL, Text string
}

const lineOverhead = 48 // bytes that a sentLine needs in addition to its texts

// The memory of a line is used again, so the line is copied.
func (b *block) add(l *stream.Line, withText bool) {
	s := sentLine{Format: l.Format, URL: strings.Clone(l.URL)}
	if withText && l.Text != l.URL {
		s.Text = strings.Clone(l.Text)
	}
	b.lines = append(b.lines, s)
	b.bytes += lineOverhead + len(s.URL) + len(s.Text)
}

func (s *sentLine) line() stream.Line {
	return stream.Line{Format: s.Format, URL: s.URL, Text: cmp.Or(s.Text, s.URL)}
}
