// Package input opens files and streams of lines, which may be compressed with gzip, zstd or bzip2.
package input

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

type Input struct {
	io.Reader // returns the decompressed content
	Name      string
	File      *os.File // the open file; nil for an input such as standard input
	plain     bool
	raw       *counting
	close     []func()
}

type counting struct {
	io.Reader
	at  int64
	all *atomic.Int64 // the number of bytes of all inputs so far
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.add(int64(n))
	return n, err
}

func (c *counting) add(n int64) {
	c.at += n
	c.all.Add(n)
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	bzipMagic = []byte("BZh")
)

// maxWindow limits the memory of a Zstandard decoder, in bytes. Files of "zstd --long=31" need this much.
const maxWindow = 2 << 30

const StandardInput = "standard input"

func NameOf(input string) string {
	if input == "-" {
		return StandardInput
	}
	return input
}

// Open opens an input; "-" is stdin. Each Read adds the number of bytes to the counter, before decompression.
func Open(name string, stdin io.Reader, counter *atomic.Int64) (*Input, error) {
	if name == "-" {
		return Decompressed(StandardInput, stdin, counter)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	in, err := Decompressed(name, f, counter)
	if err != nil {
		f.Close()
		return nil, err
	}
	in.File = f
	in.close = append(in.close, func() { f.Close() })
	return in, nil
}

// Decompressed recognises compression by the first bytes.
func Decompressed(name string, from io.Reader, counter *atomic.Int64) (*Input, error) {
	in := &Input{Name: name, raw: &counting{Reader: from, all: counter}}
	buffered := bufio.NewReaderSize(in.raw, 256<<10)
	begin, _ := buffered.Peek(len(zstdMagic))
	switch {
	case bytes.HasPrefix(begin, gzipMagic):
		in.Reader = &member{&gzipReader{from: buffered}, in.raw}
	case bytes.Equal(begin, zstdMagic):
		frames, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		in.close = append(in.close, frames.Close)
		in.Reader = &member{frames, in.raw}
	case len(begin) > 3 && bytes.HasPrefix(begin, bzipMagic) && begin[3] >= '1' && begin[3] <= '9':
		in.Reader = &member{bzip2.NewReader(buffered), in.raw}
	default:
		in.plain, in.Reader = true, buffered
	}
	return in, nil
}

// Close closes the input. It must not be called while another goroutine reads: a decoder would panic.
func (in *Input) Close() {
	for _, f := range in.close {
		f()
	}
}

type gzipReader struct {
	gzip.Reader
	from io.Reader // the compressed input; nil after the first Read
}

func (g *gzipReader) Read(p []byte) (int, error) {
	if from := g.from; from != nil {
		g.from = nil
		if err := g.Reset(from); err != nil {
			return 0, err
		}
	}
	return g.Reader.Read(p)
}

// A member adds the offset in the compressed input to each error.
type member struct {
	io.Reader
	raw *counting
}

func (m *member) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return n, fmt.Errorf("the compressed input ends too early, at byte %d, so get it again: %w", m.raw.at, err)
	}
	return n, fmt.Errorf("the compressed input is damaged before byte %d, so get it again: %w", m.raw.at, err)
}

// Skip goes to an offset of the decompressed input. The parameter buffered must be a new reader of this input.
func (in *Input) Skip(buffered *bufio.Reader, offset int64) error {
	if in.plain && in.File != nil {
		if _, err := in.File.Seek(offset, io.SeekStart); err == nil {
			in.raw.add(offset - in.raw.at)
			buffered.Reset(in.raw)
			return nil
		}
	}
	n, err := io.CopyN(io.Discard, buffered, offset)
	if err == io.EOF {
		return fmt.Errorf("%s has %d bytes, but the interrupted run read %d bytes: give the input of that run, or leave --resume out", in.Name, n, offset)
	}
	return err
}
