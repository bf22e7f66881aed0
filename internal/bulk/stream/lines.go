package stream

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/csvrecords"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/lines"
)

const (
	maxLine = lines.MaxURL
	shown   = 1 << 10
)

var errLong = lines.Long(maxLine)

// ErrNothing is the Err of a blank line or a comment. Such a line is not a Rejection.
var ErrNothing = errors.New("the line is blank or a comment, so it has no URL")

// A Line is a line of an input, or a record of CSV.
type Line struct {
	Number int // the number of the line, or of the first line of the record, counted from 1
	Format Format
	Text   string // the line without its line end; only the start if the line is too long
	URL    string
	Err    error // the reason if the line has no URL; else nil

	isHeader bool // true if the line is a header of CDX
	hasCR    bool // the line end is "\r\n", and not "\n"
}

// Shown returns the line, or its first 1 KiB. A shortened line has "…" at the end. So a part of a
// URL does not look like the whole URL.
func (l *Line) Shown() string {
	if len(l.Text) <= shown {
		return l.Text
	}
	n := shown
	for n > shown-utf8.UTFMax && !utf8.RuneStart(l.Text[n]) {
		n--
	}
	return l.Text[:n] + "…"
}

// Lines calls useLine for every line except the header. The Line is valid until useLine returns.
func Lines(name string, from io.Reader, format Format, fields Fields, useLine func(*Line)) error {
	in, err := input.Decompressed(name, from, new(atomic.Int64))
	if err != nil {
		return err
	}
	defer in.Close()
	begin, err := readBeginning(in, format, fields)
	if err != nil || begin == nil {
		return err
	}
	begin.text.Discard(begin.header)
	all := begin.finder.reader(begin.text, 0, begin.line)
	for b := range all.Blocks {
		begin.finder.lines(&b, func(l *Line) {
			if !l.isHeader {
				useLine(l)
			}
		})
		b.Recycle()
	}
	return all.Err()
}

type beginning struct {
	finder *urlFinder
	text   *bufio.Reader // reads the input from its start
	header int
	line   int // the number of the first line after the header
}

// The text of the result still has the first line. If the input is empty, the result is nil.
func readBeginning(in io.Reader, format Format, fields Fields) (*beginning, error) {
	text := bufio.NewReaderSize(in, maxLine)
	first, err := firstLine(text)
	if err != nil || len(first) == 0 {
		return nil, err
	}
	blank := lines.BlankLines(first)
	r, err := newURLFinder(string(first[blank:]), format, fields)
	if err != nil {
		return nil, err
	}
	b := &beginning{finder: r, text: text, line: 1}
	if r.header != "" {
		b.header, b.line = len(first), 2+bytes.Count(first[:blank], []byte("\n"))
	}
	return b, nil
}

// firstLine returns the first line that is not blank, and the blank lines before it. It only peeks at the text, so a later
// read still gets this text.
func firstLine(from *bufio.Reader) ([]byte, error) {
	for {
		begin, _ := from.Peek(from.Buffered())
		blank := lines.BlankLines(begin)
		if i := bytes.IndexByte(begin[blank:], '\n'); i >= 0 {
			return begin[:blank+i+1], nil
		}
		more, err := from.Peek(from.Buffered() + 1)
		switch {
		case err == io.EOF || err == bufio.ErrBufferFull:
			return more, nil
		case err != nil && len(more) == 0:
			return nil, err
		case err != nil:
			return more, nil // the error comes again when the caller reads on
		}
	}
}

func (r *urlFinder) reader(rest io.Reader, offset int64, line int) *lines.Reader {
	all := lines.New(rest, "", maxLine)
	all.Recycles, all.Offset, all.Line = true, offset, line
	if r.format == CSV {
		all.Records = csvrecords.New(',', maxLine)
	}
	return all
}

func (r *urlFinder) lines(b *lines.Block, useLine func(*Line)) {
	l := &Line{Number: b.First, Format: r.format}
	if b.Wrong != nil {
		l.Text, l.Err = lines.Trim(b.Text), b.Wrong
		useLine(l)
		return
	}
	var quoted *csvrecords.Records
	if r.format == CSV && strings.IndexByte(b.Text, '"') >= 0 {
		quoted = csvrecords.New(',', maxLine)
	}
	for text := b.Text; text != ""; {
		n, wrong := next(text, quoted)
		l.Text, l.hasCR = lines.Trim(text[:n]), strings.HasSuffix(text[:n], "\r\n")
		l.isHeader = r.format == CDX && isCDXHeader(l.Text)
		switch {
		case l.isHeader && urlColumn(l.Text, r.column) != r.column:
			l.URL, l.Err, l.isHeader = "", errOtherColumns, false
		case lines.IsLong(text[:n], maxLine):
			l.URL, l.Err = "", errLong
		case wrong != nil:
			l.URL, l.Err = "", wrong
		default:
			l.URL, l.Err = r.url(l.Text)
		}
		useLine(l)
		l.Number++
		if quoted != nil {
			l.Number += strings.Count(text[:n-1], "\n")
		}
		text = text[n:]
	}
}

// A record of CSV may have several lines, so quoted finds its end.
func next(text string, quoted *csvrecords.Records) (n int, wrong error) {
	if quoted != nil {
		return quoted.Next(text, true)
	}
	if n = strings.IndexByte(text, '\n') + 1; n == 0 {
		n = len(text)
	}
	return n, nil
}
