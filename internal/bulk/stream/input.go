package stream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// An input is an open list of URLs.
type input struct {
	io.Reader // decompressed
	name      string
	file      *os.File // nil: standard input
	plain     bool     // it is not compressed
	read      *atomic.Int64
	close     []func()
}

// counting counts the octets that are read.
type counting struct {
	from io.Reader
	n    *atomic.Int64
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n.Add(int64(n))
	return n, err
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// maxWindow limits the memory of a Zstandard decoder. "zstd --long=31" needs that much.
const maxWindow = 2 << 30

// open opens an input; "-" is stdin. read counts the octets that are read from it, before decompression.
func open(name string, stdin io.Reader, read *atomic.Int64) (*input, error) {
	if name == "-" {
		return decompressed("standard input", stdin, read)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	in, err := decompressed(name, f, read)
	if err != nil {
		f.Close()
		return nil, err
	}
	in.file = f
	in.close = append(in.close, func() { f.Close() })
	return in, nil
}

// decompressed returns an input. It sees by the content whether it is compressed.
func decompressed(name string, from io.Reader, read *atomic.Int64) (*input, error) {
	in := &input{name: name, read: read}
	buffered := bufio.NewReaderSize(counting{from, read}, 256<<10)
	begin, _ := buffered.Peek(len(zstdMagic))
	switch {
	case bytes.HasPrefix(begin, gzipMagic):
		members, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		in.Reader = &member{members, read}
	case bytes.Equal(begin, zstdMagic):
		frames, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		in.close = append(in.close, frames.Close)
		in.Reader = &member{frames, read}
	default:
		in.plain, in.Reader = true, buffered
	}
	return in, nil
}

// Close closes the input. Nobody may be reading it: a decoder would panic.
func (in *input) Close() {
	for _, f := range in.close {
		f()
	}
}

// A member is a compressed input. Its errors say where they are.
type member struct {
	io.Reader
	read *atomic.Int64
}

func (m *member) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return n, fmt.Errorf("the compressed input is cut at octet %d: %w", m.read.Load(), err)
	}
	return n, fmt.Errorf("the compressed input is damaged before octet %d: %w", m.read.Load(), err)
}

// skip goes to an offset of the decompressed input. buffered is the reader of it.
func (in *input) skip(buffered *bufio.Reader, offset int64) error {
	if in.plain && in.file != nil {
		if _, err := in.file.Seek(offset, io.SeekStart); err == nil {
			in.read.Store(offset)
			buffered.Reset(counting{in.file, in.read})
			return nil
		}
	}
	n, err := io.CopyN(io.Discard, buffered, offset)
	if err == io.EOF {
		return fmt.Errorf("%s: it has %d octets, but the checkpoint is at %d: it is not the input of the run before", in.name, n, offset)
	}
	return err
}
