package stream

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// A Line is a line of an input, or a record of CSV.
type Line struct {
	Number int // of its first line, from 1
	Format Format
	Text   string // without the line end; of a line that is too long, the beginning
	URL    string
	Err    error  // why it has no URL; nil: it has one
	Clash  string // the member that the output has too, if Writer.Append found one

	isHeader bool // of CDX
}

// Shown returns what of a line is told if it cannot be used. It does not cut a character of UTF-8.
func (l *Line) Shown() string {
	n := min(len(l.Text), shown)
	for n < len(l.Text) && n > shown-utf8.UTFMax && !utf8.RuneStart(l.Text[n]) {
		n--
	}
	return l.Text[:n]
}

// Lines reads an input, which may be compressed, and calls each with all its lines but the header; the
// Line is valid until the call ends. So programs that give the lines to several machines read them
// as Run does. The format "" means that the first line decides. If the error is not nil, the lines before
// it were read. name is that of the input, for errors.
func Lines(name string, from io.Reader, format Format, fields Fields, each func(*Line)) error {
	in, err := decompressed(name, from, new(atomic.Int64))
	if err != nil {
		return err
	}
	defer in.Close()
	begin, err := begin(in, format, fields)
	if err != nil || begin == nil {
		return err
	}
	begin.text.Discard(begin.header)
	all := newBlocks(begin.text, begin.reading.format, 0, begin.line)
	for b := range all.all {
		begin.reading.lines(&b, func(l *Line) {
			if !l.isHeader {
				each(l)
			}
		})
		b.recycle()
	}
	if all.err == io.EOF {
		return nil
	}
	return all.err
}

// A beginning is how an input begins.
type beginning struct {
	reading *reading
	text    *bufio.Reader // at the begin
	header  int           // octets in front of the data: a line with the names of columns
	line    int           // the number of the first line with data
}

// begin looks at the first line of an input; nil: the input is empty.
func begin(in io.Reader, format Format, fields Fields) (*beginning, error) {
	text := bufio.NewReaderSize(in, maxLine)
	first, err := firstLine(text)
	if err != nil || len(first) == 0 {
		return nil, err
	}
	r, err := newReading(string(first), format, fields)
	if err != nil {
		return nil, err
	}
	b := &beginning{r, text, len(r.header), 1}
	if r.header != "" {
		b.line = 2
	}
	return b, nil
}

// firstLine returns the first line of an input with its line end, or the first maxLine octets of it.
func firstLine(from *bufio.Reader) ([]byte, error) {
	for {
		begin, _ := from.Peek(from.Buffered())
		if i := bytes.IndexByte(begin, '\n'); i >= 0 {
			return begin[:i+1], nil
		}
		more, err := from.Peek(from.Buffered() + 1)
		switch {
		case err == io.EOF || err == bufio.ErrBufferFull:
			return more, nil
		case err != nil && len(more) == 0:
			return nil, err
		case err != nil:
			return more, nil // the error comes again
		}
	}
}

// lines calls each with the lines of a block. The Line is valid until the call ends.
func (r *reading) lines(b *block, each func(*Line)) {
	l := &Line{Number: b.first, Format: r.format}
	if b.wrong != nil {
		l.Text, l.Err = strings.TrimPrefix(b.text, byteOrderMark), b.wrong
		each(l)
		return
	}
	var quoted *records
	if r.format == CSV && strings.IndexByte(b.text, '"') >= 0 {
		quoted = &records{}
	}
	for text := b.text; text != ""; {
		n, wrong := next(text, quoted)
		l.Text = strings.TrimPrefix(trimEnd(text[:n]), byteOrderMark)
		l.isHeader = r.format == CDX && isCDXHeader(l.Text)
		switch {
		case isTooLong(text[:n]):
			l.URL, l.Err = "", errLong
		case wrong:
			l.URL, l.Err = "", errQuote
		default:
			l.URL, l.Err = r.url(l.Text)
		}
		each(l)
		l.Number++
		if quoted != nil {
			l.Number += strings.Count(text[:n-1], "\n")
		}
		text = text[n:]
	}
}

// isTooLong reports whether a line with its end is one that blocks.tooLong would cut.
func isTooLong(line string) bool { return len(strings.TrimSuffix(line, "\n")) > maxLine }

// next returns the length of the next line of a block, with its line end, or of the next record of CSV with
// quotation marks, and whether it is wrong. Without quotation marks each line is a record.
func next(text string, quoted *records) (n int, wrong bool) {
	if quoted != nil {
		return quoted.next(text, true)
	}
	if n = strings.IndexByte(text, '\n') + 1; n == 0 {
		n = len(text)
	}
	return n, false
}
