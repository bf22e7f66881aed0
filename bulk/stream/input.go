package stream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
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
		guarded := &closable{frames: frames}
		in.close = append(in.close, guarded.close)
		in.Reader = &member{guarded, read}
	default:
		in.plain, in.Reader = true, buffered
	}
	return in, nil
}

// Close closes the input.
func (in *input) Close() {
	for _, f := range in.close {
		f()
	}
}

// A closable is a decoder that can be closed while it reads, such as after an interrupt, while standard
// input has no more data yet. The decoder itself would panic.
type closable struct {
	mu     sync.Mutex // is held while frames is used
	frames *zstd.Decoder
	closed atomic.Bool
}

// Read reads from the decoder, until it is closed.
func (c *closable) Read(p []byte) (n int, err error) {
	c.mu.Lock()
	if c.closed.Load() {
		c.mu.Unlock()
		return 0, os.ErrClosed
	}
	n, err = c.frames.Read(p)
	c.mu.Unlock()
	if c.closed.Load() {
		c.close()
	}
	return n, err
}

// close closes the decoder, or lets the Read do it that uses it.
func (c *closable) close() {
	c.closed.Store(true)
	if c.mu.TryLock() {
		c.frames.Close()
		c.mu.Unlock()
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
