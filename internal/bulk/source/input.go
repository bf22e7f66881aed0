package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/internal/warc"
)

// An input is an open file.
type input struct {
	kind Kind
	file *os.File
	text *bufio.Reader // of what is in the file, after decompression
	raw  *counted      // the file as it is
	zstd *zstd.Decoder // nil: not used
	gzip bool

	columns *saved.Columns
	ending  *ending // of the records; nil: not used
}

// open opens a file and looks at its begin. counter gets the number of bytes that are read; it may
// be nil. If the file is of no kind, the kind is 0.
func open(path string, counter *atomic.Int64, columns *saved.Columns) (*input, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in := &input{file: file, raw: &counted{file: file, counter: counter}, columns: columns}
	if err := in.look(); err != nil {
		in.close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return in, nil
}

// lines returns the lines of a file of JSON lines, or the records of a table.
func (in *input) lines(name string) (*saved.Lines, error) {
	if in.kind == JSONLines {
		return in.columns.Lines(in.text, name, "")
	}
	begin, _ := in.text.Peek(maxBegin) // the error comes again
	return in.columns.Lines(in.text, name, firstLine(begin))
}

func (in *input) close() {
	if in.zstd != nil {
		in.zstd.Close()
	}
	in.file.Close() // it was only read
}

// decompress finds the reader of what is in the file. It returns with which bytes the file begins.
func (in *input) decompress() (begin []byte, err error) {
	in.text = bufio.NewReaderSize(in.raw, maxBegin)
	begin, err = in.text.Peek(len(zstdMagic))
	switch {
	case strings.HasPrefix(string(begin), gzipMagic):
		err = in.openGzip()
	case string(begin) == zstdMagic:
		err = in.openZstd()
	}
	return begin, err
}

// look finds the kind, and the reader of what is in the file.
func (in *input) look() error {
	begin, err := in.decompress()
	var whole []byte
	if err == nil || err == io.EOF {
		whole, err = in.text.Peek(maxBegin)
	}
	if err != nil && err != io.EOF && !in.isCompressed() && len(begin) == 0 {
		return err
	}
	in.kind = kindOf(whole, in.columns)
	if in.isCompressed() && in.kind != WARC && in.kind != JSONLines && in.kind != Table {
		in.kind = 0
	}
	if in.kind == 0 && in.hasRecord() {
		in.kind = WARC
	}
	return nil
}

// hasRecord reports whether there is a record of WARC behind a begin that is damaged. It then goes
// back to the begin.
func (in *input) hasRecord() bool {
	if in.zstd != nil || in.rewind() != nil {
		return false
	}
	begin, err := io.ReadAll(io.LimitReader(in.raw, maxBegin))
	if err != nil || in.rewind() != nil {
		return false
	}
	for records := warc.NewReader(bytes.NewReader(begin)); ; {
		record, err := records.Next()
		if err == nil {
			return record.Header.Get("WARC-Type") != ""
		}
		if damage := (*warc.Damage)(nil); !errors.As(err, &damage) {
			return false
		}
	}
}

// rewind goes back to the begin of the file. It fails if that is a pipe.
func (in *input) rewind() error {
	_, err := in.raw.Seek(0, io.SeekStart)
	return err
}

func (in *input) isCompressed() bool { return in.gzip || in.zstd != nil }

func (in *input) openGzip() error {
	text, err := gzip.NewReader(in.text)
	if err != nil {
		return err
	}
	in.gzip, in.text = true, bufio.NewReaderSize(text, maxBegin)
	return nil
}

// maxWindow limits the memory of decompression with zstd, in bytes.
const maxWindow = 128 << 20

func (in *input) openZstd() (err error) {
	in.zstd, err = zstd.NewReader(in.text, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return err
	}
	in.text = bufio.NewReaderSize(in.zstd, maxBegin)
	return nil
}

// records returns what package warc reads: the file as it is, because that package knows gzip, and
// finds more behind a damage. Of a pipe, and with zstd, it is what is decompressed.
func (in *input) records() io.Reader {
	if in.zstd == nil && in.rewind() == nil {
		return in.raw
	}
	in.ending = &ending{from: in.text}
	return in.ending
}

// An ending is a reader that ends where an error is, so that all in front of it is read.
type ending struct {
	from io.Reader
	err  error // that was there; nil: none
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.from.Read(p)
	if err != nil && err != io.EOF {
		e.err, err = err, io.EOF
	}
	return n, err
}

// counted counts the bytes that are read of a file.
type counted struct {
	file    *os.File
	counter *atomic.Int64 // may be nil
	at, max int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.file.Read(p)
	c.at += int64(n)
	if c.at > c.max { // what is read again is not counted again
		if c.counter != nil {
			c.counter.Add(c.at - c.max)
		}
		c.max = c.at
	}
	return n, err
}

func (c *counted) Seek(offset int64, whence int) (int64, error) {
	at, err := c.file.Seek(offset, whence)
	if err == nil {
		c.at = at
	}
	return at, err
}

// ReadAt reads at a place, and counts it as if it were read in order.
func (c *counted) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.file.ReadAt(p, offset)
	if c.counter != nil {
		c.counter.Add(int64(n))
	}
	return n, err
}
