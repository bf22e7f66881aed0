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

	"github.com/heed-robots/heed/internal/printable"
)

// read yields the entries of one file. Every error is an *Error. After an error about one entry, more entries follow.
func read(in io.Reader, name string, l limits) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f := file{name: name, limits: l, yield: yield}
		if err := f.read(in); err != nil && !errors.Is(err, errStopped) {
			yield(Entry{}, f.failure(err))
		}
	}
}

type file struct {
	name   string
	limits limits
	yield  func(Entry, error) bool
	count  int // entries so far, also wrong ones
	line   int // counted from 1
}

var errStopped = errors.New("heed needs no more URLs of this sitemap, so it stops reading")

func (f *file) failure(err error) error { return &Error{File: f.name, Line: f.line, Err: err} }

func (f *file) entry(e Entry, err error) error {
	if f.count++; f.count > f.limits.Entries {
		return limitError("more than %d URLs in one file; split it, and name the parts in an index", f.limits.Entries)
	}
	e.File = f.name
	if err == nil {
		err = checkURL(e.URL)
	}
	if err != nil {
		e, err = Entry{}, &Error{File: f.name, Line: e.Line, Err: err, IsOneURL: true}
	}
	if !f.yield(e, err) {
		return errStopped
	}
	return nil
}

func (f *file) read(in io.Reader) error {
	raw := bufio.NewReader(in)
	var plain io.Reader = raw
	if magic, _ := raw.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		decompressed, err := gzip.NewReader(raw)
		if err != nil {
			return fmt.Errorf("the file cannot be decompressed with gzip, so get it again: %w", err)
		}
		plain = decompressed
	}
	plain = &limited{in: plain, limit: f.limits.Bytes, left: f.limits.Bytes}
	text := bufio.NewReader(transform.NewReader(plain, unicode.BOMOverride(transform.Nop)))
	head, _ := text.Peek(1024) // an error comes again from the next read
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<")) {
		return f.readXML(text)
	}
	return f.readList(text)
}

type limited struct {
	in          io.Reader
	limit, left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left == 0 {
		if n, err := l.in.Read(make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, limitError("more than %d bytes in one file, after decompression", l.limit)
	}
	n, err := l.in.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

func (f *file) readList(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxToken)
	for lines.Scan() {
		f.line++
		if !isText(lines.Bytes()) {
			return errors.New("the file is not a sitemap; expected XML, or a text with one URL in each line")
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

func isText(line []byte) bool {
	isControl := func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' || r == 0x7f }
	return utf8.Valid(line) && bytes.IndexFunc(line, isControl) < 0
}

func describe(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the sitemap ends too early, so get it again: %w", err)
	}
	return err
}

// All yields the entries of a sitemap, or of all sitemaps of an index. Every error is an *Error. After an error, more
// entries may follow.
func All(open func(name string) (io.ReadCloser, error), name string) iter.Seq2[Entry, error] {
	return all(open, name, usual)
}

func all(open func(name string) (io.ReadCloser, error), name string, l limits) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		w := walk{open: open, limits: l, yield: yield, seen: map[string]bool{name: true}}
		w.file(name, &Error{File: name}, 0)
	}
}

type walk struct {
	open   func(name string) (io.ReadCloser, error)
	limits limits
	yield  func(Entry, error) bool
	seen   map[string]bool // the files that were opened
	total  int             // entries so far
}

// file returns false if the caller must stop. parent is the line of the index that names the file.
func (w *walk) file(name string, parent *Error, nesting int) bool {
	in, err := w.open(name)
	if err != nil {
		if parent.Line > 0 {
			err = fmt.Errorf("heed cannot open the sitemap %s: %w", printable.Quote(name), err)
		}
		return w.yield(Entry{}, &Error{File: parent.File, Line: parent.Line, Err: err})
	}
	sitemaps, ok := w.entries(in, name)
	in.Close()
	return ok && w.index(sitemaps, nesting+1)
}

// entries yields the pages of a file, and returns its sitemaps. If ok is false, the caller must stop.
func (w *walk) entries(in io.Reader, name string) (sitemaps []Entry, ok bool) {
	for entry, err := range read(in, name, w.limits) {
		switch {
		case err == nil && entry.Index:
			sitemaps = append(sitemaps, entry)
			continue
		case err == nil && w.total == w.limits.Total:
			w.yield(Entry{}, &Error{File: entry.File, Line: entry.Line, Err: limitError("more than %d URLs in all", w.limits.Total)})
			return nil, false
		case err == nil:
			w.total++
		}
		if !w.yield(entry, err) {
			return nil, false
		}
	}
	return sitemaps, true
}

func (w *walk) index(sitemaps []Entry, nesting int) bool {
	for _, s := range sitemaps {
		at := &Error{File: s.File, Line: s.Line}
		switch {
		case w.seen[s.URL]:
			continue
		case nesting > w.limits.Nesting:
			at.Err = limitError("sitemap indexes are nested more than %d levels deep", w.limits.Nesting)
			return w.yield(Entry{}, at)
		case len(w.seen) == w.limits.Files:
			at.Err = limitError("more than %d files", w.limits.Files)
			w.yield(Entry{}, at)
			return false
		}
		w.seen[s.URL] = true
		if !w.file(s.URL, at, nesting) {
			return false
		}
	}
	return true
}
