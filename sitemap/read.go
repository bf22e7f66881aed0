package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Read yields the entries of one file, which is read from in; name stands for
// it in entries and errors. An error is an *Error; where it is about one entry,
// the entries behind it follow. Of an index the entries are sitemaps.
func Read(in io.Reader, name string, l Limits) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f := file{name: name, limits: l.withDefaults(), yield: yield}
		if err := f.read(in); err != nil && !errors.Is(err, errStopped) {
			yield(Entry{}, f.failure(err))
		}
	}
}

// file is one file that is read.
type file struct {
	name   string
	limits Limits
	yield  func(Entry, error) bool
	count  int // entries so far, wrong ones too
	line   int // that is read
}

// errStopped ends the reading of a file: nobody wants the other entries.
var errStopped = errors.New("stopped")

func (f *file) failure(err error) error { return &Error{f.name, f.line, err} }

// entry yields an entry, or what is wrong with it. The error ends the file.
func (f *file) entry(e Entry, wrong error) error {
	if f.count++; f.count > f.limits.Entries {
		return limitError("more than %d URLs in one file; split it, and name the parts in an index", f.limits.Entries)
	}
	e.File = f.name
	if wrong == nil {
		wrong = checkURL(e.URL)
	}
	if wrong != nil {
		e, wrong = Entry{}, &Error{f.name, e.Line, wrong}
	}
	if !f.yield(e, wrong) {
		return errStopped
	}
	return nil
}

func (f *file) read(in io.Reader) error {
	packed := bufio.NewReader(in)
	var plain io.Reader = packed
	if magic, _ := packed.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			return fmt.Errorf("compressed with gzip: %w", err)
		}
		plain = unpacked
	}
	plain = &limited{in: plain, most: f.limits.Bytes, left: f.limits.Bytes}
	text := bufio.NewReader(transform.NewReader(plain, unicode.BOMOverride(transform.Nop)))
	head, _ := text.Peek(1024) // an error comes again
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<")) {
		return f.readXML(text)
	}
	return f.readList(text)
}

// limited reads a file up to the limit, behind which there must be nothing.
type limited struct {
	in         io.Reader
	most, left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left == 0 {
		if n, err := l.in.Read(make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, limitError("more than %d bytes in one file, after decompression", l.most)
	}
	n, err := l.in.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// readList reads a text with one URL on each line.
func (f *file) readList(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxToken)
	for lines.Scan() {
		f.line++
		if !isText(lines.Bytes()) {
			return errors.New("neither XML nor a text with one URL on each line")
		}
		url := strings.TrimSpace(lines.Text())
		if url == "" {
			continue
		}
		if err := f.entry(Entry{URL: url, Line: f.line}, nil); err != nil {
			return err
		}
	}
	if lines.Err() != nil {
		f.line++
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return limitError("a line of more than %d bytes", maxToken)
	}
	return describe(lines.Err())
}

// isText reports whether a line has no bytes that only binary files have.
func isText(line []byte) bool {
	isControl := func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' || r == 0x7f }
	return utf8.Valid(line) && bytes.IndexFunc(line, isControl) < 0
}

// describe says in words why a file ends too early.
func describe(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends too early: %w", err)
	}
	return err
}
