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

type input struct {
	kind Kind
	file *os.File
	text *bufio.Reader // the decompressed content of the file
	raw  *countingReader
	zstd *zstd.Decoder
	gzip bool

	columns *saved.Columns
	lenient *lenientReader
}

func open(path string, counter *atomic.Int64, columns *saved.Columns) (*input, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in := &input{file: file, raw: &countingReader{file: file, counter: counter}, columns: columns}
	if err := in.findKind(); err != nil {
		in.close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return in, nil
}

func (in *input) lines(name string) (*saved.Lines, error) {
	if in.kind == JSONLines {
		return in.columns.Lines(in.text, name, "")
	}
	begin, _ := in.text.Peek(maxBegin) // an error can be ignored here, because it comes again when the lines are read
	return in.columns.Lines(in.text, name, firstLine(begin))
}

func (in *input) close() {
	if in.zstd != nil {
		in.zstd.Close()
	}
	in.file.Close() // an error can be ignored, because the file was only read
}

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

func (in *input) findKind() error {
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

// If the start of a WARC file is damaged, a record may still follow within the first maxBegin bytes.
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

// Without a limit, a file could make decompression take any amount of memory.
const maxWindow = 128 << 20

func (in *input) openZstd() (err error) {
	in.zstd, err = zstd.NewReader(in.text, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return err
	}
	in.text = bufio.NewReaderSize(in.zstd, maxBegin)
	return nil
}

// Package warc decompresses gzip itself, so that it can skip damage.
func (in *input) records() io.Reader {
	if in.zstd == nil && in.rewind() == nil {
		return in.raw
	}
	in.lenient = &lenientReader{from: in.text}
	return in.lenient
}

// A lenientReader hides errors as io.EOF, so that all data before an error are used.
type lenientReader struct {
	from io.Reader
	err  error // the error of from; nil if there was none so far
}

func (r *lenientReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && err != io.EOF {
		r.err, err = err, io.EOF
	}
	return n, err
}

type countingReader struct {
	file    *os.File
	counter *atomic.Int64
	at, max int64 // the offset of the next byte, and the highest such offset so far
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.file.Read(p)
	c.at += int64(n)
	if c.at > c.max { // bytes that are read a second time are not counted again
		if c.counter != nil {
			c.counter.Add(c.at - c.max)
		}
		c.max = c.at
	}
	return n, err
}

func (c *countingReader) Seek(offset int64, whence int) (int64, error) {
	at, err := c.file.Seek(offset, whence)
	if err == nil {
		c.at = at
	}
	return at, err
}

// ReadAt counts all bytes, even those that were read before.
func (c *countingReader) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.file.ReadAt(p, offset)
	if c.counter != nil {
		c.counter.Add(int64(n))
	}
	return n, err
}
