package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Record is one record. It is valid until the next call of Reader.Next.
type Record struct {
	Version string // such as "1.0"
	Header  Header
	Length  int64 // the size of Block in bytes, according to Content-Length
	Offset  int64 // the offset in the file at which the record begins; in a compressed file, at which its gzip member begins
	// Block is the content. If it is shorter than Length, reading it ends with io.ErrUnexpectedEOF or an error of gzip.
	Block io.Reader
}

// A Damage is a part of a file that cannot be read.
type Damage struct {
	Offset int64 // the same as Record.Offset
	Err    error
}

func (d *Damage) Error() string { return fmt.Sprintf("at offset %d: %v", d.Offset, d.Err) }

func (d *Damage) Unwrap() error { return d.Err }

type Reader struct {
	file   *file
	part   *part
	block  *block
	isLost bool // a part was damaged, so Next skips lines until a record begins
}

// NewReader returns a Reader of a file. If the parameter from is an io.Seeker, more records are found after a damaged
// gzip member.
func NewReader(from io.Reader) *Reader { return &Reader{file: newFile(from)} }

// Next returns the next record, or io.EOF. After a *Damage, Next continues after the damaged part. Other errors are final.
func (r *Reader) Next() (*Record, error) {
	for {
		if r.file.err != nil {
			return nil, r.file.err
		}
		if r.part == nil {
			if err := r.open(); err != nil {
				return nil, err
			}
		}
		record, err := r.next()
		switch {
		case err == io.EOF: // the part has ended; the file may have more parts
			r.part = nil
		case err != nil:
			return nil, r.damaged(err)
		default:
			return record, nil
		}
	}
}

func (r *Reader) open() (err error) {
	r.part, err = r.file.open()
	if err == nil || err == io.EOF || r.file.err != nil {
		return err
	}
	d := &Damage{r.file.partAt, err}
	r.file.skip()
	return d
}

func (r *Reader) next() (*Record, error) {
	if err := r.finish(); err != nil {
		return nil, err
	}
	if err := r.find(); err != nil {
		return nil, err
	}
	return r.read()
}

func (r *Reader) finish() error {
	b := r.block
	if b == nil {
		return nil
	}
	_, err := io.Copy(io.Discard, b)
	r.block = nil
	return err
}

func (r *Reader) damaged(err error) error {
	r.block = nil
	if r.file.err != nil {
		return r.file.err
	}
	d := &Damage{r.part.offset(), err}
	if r.part.isBroken {
		r.part = nil
		r.file.skip()
	} else {
		r.isLost = true
	}
	return d
}

const (
	magic    = "WARC/"
	maxLine  = 64 << 10
	maxLines = 1000
)

var (
	errNoRecord = errors.New(`expected the beginning of a WARC record, which is "WARC/"`)
	errLine     = fmt.Errorf("the WARC record is damaged, so get the file again: a line of its header has more than %d bytes", maxLine)
	errLines    = fmt.Errorf("the WARC record is damaged, so get the file again: its header has more than %d lines", maxLines)
	errCut      = errors.New("the WARC file ends in the header of a record, so get it again")
	errLength   = errors.New("the WARC record is damaged, so get the file again: it does not end where its header Content-Length says")
)

func (r *Reader) find() error {
	for {
		begin, err := r.part.text.Peek(len(magic))
		switch {
		case string(begin) == magic:
			r.isLost = false
			r.part.recordAt = r.part.position()
			return nil
		case len(begin) == 0:
			return err
		}
		isEmpty := begin[0] == '\r' || begin[0] == '\n'
		if !isEmpty && !r.isLost {
			r.part.recordAt = r.part.position()
			return errNoRecord
		}
		if err := r.part.skipLine(); err != nil {
			return err
		}
	}
}

func (r *Reader) read() (*Record, error) {
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	record := &Record{Version: string(line[len(magic):]), Offset: r.part.offset()}
	for range maxLines {
		line, err := r.line()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			if record.Length, err = record.Header.length(); err != nil {
				return nil, err
			}
			r.block = &block{from: r.part.text, left: record.Length}
			record.Block = r.block
			return record, nil
		}
		if err := record.Header.add(line); err != nil {
			return nil, err
		}
	}
	return nil, errLines
}

func (r *Reader) line() ([]byte, error) {
	line, err := r.part.text.ReadSlice('\n')
	switch err {
	case nil:
		return bytes.TrimRight(line, "\r\n"), nil
	case bufio.ErrBufferFull:
		return nil, errLine
	case io.EOF:
		return nil, errCut
	}
	return nil, err
}

type block struct {
	from *bufio.Reader
	left int64
}

func (b *block) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, b.checkEnd()
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err == io.EOF && b.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// The Peek also makes gzip verify its check sum.
func (b *block) checkEnd() error {
	behind, err := b.from.Peek(32) // two line ends follow a record, but more are allowed
	if err != nil && err != io.EOF {
		return err
	}
	next := bytes.TrimLeft(behind, "\r\n")
	if len(next) == len(behind) && len(behind) > 0 || !strings.HasPrefix(magic, string(next[:min(len(next), len(magic))])) {
		return errLength
	}
	return io.EOF
}

type Field struct{ Name, Value string }

// A Header is the named fields of a record, in the order of the file.
type Header []Field

// Get returns the value of the first field with a name, in any letter case, or "" if there is none.
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

func (h Header) TargetURI() string { return h.URI("WARC-Target-URI") }

// URI is like Get, but leaves out the angle brackets that some programs write around a URI.
func (h Header) URI(name string) string {
	uri := h.Get(name)
	if inner, ok := strings.CutPrefix(uri, "<"); ok {
		uri = strings.TrimSuffix(inner, ">")
	}
	return uri
}

func (h Header) length() (int64, error) {
	text := h.Get("Content-Length")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("the WARC record is damaged, so get the file again: its header Content-Length is %.40q; expected a number of bytes", text)
	}
	return n, nil
}

var errField = errors.New(`the WARC record is damaged, so get the file again: a line of its header has no ":"`)

func (h *Header) add(line []byte) error {
	if last := len(*h) - 1; last >= 0 && (line[0] == ' ' || line[0] == '\t') {
		(*h)[last].Value += " " + string(bytes.TrimSpace(line))
		return nil
	}
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return errField
	}
	*h = append(*h, Field{string(bytes.TrimSpace(name)), string(bytes.TrimSpace(value))})
	return nil
}
