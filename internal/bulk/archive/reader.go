package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/zstandard"
)

// A Reader answers from an archive. It implements capture.Archive; Open returns one. The bodies and
// blocks that it has read are not kept, apart from the upper blocks of the index.
type Reader struct {
	header
	name    string
	file    io.ReaderAt
	close   func() error
	upper   [1 << 10]atomic.Pointer[upperBlock] // by a hash of the offset
	buffers sync.Pool                           // of *[]byte
}

var _ capture.Archive = (*Reader)(nil)

// upperBlock is a block that has children.
type upperBlock struct {
	offset   int64
	children []child
}

// Open opens an archive. The error is ErrNotArchive, ErrVersion or ErrDamaged, or that of the file.
func Open(path string) (*Reader, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w: it is no regular file", path, ErrNotArchive)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	size, err := f.Seek(0, io.SeekEnd) // not info.Size: path may be another file now
	if err == nil {
		var r *Reader
		if r, err = newReader(f, size, path); err == nil {
			r.close = f.Close
			return r, nil
		}
	}
	f.Close()
	return nil, err
}

func newReader(file io.ReaderAt, size int64, name string) (*Reader, error) {
	b := make([]byte, headerSize)
	n, err := file.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	h, err := readHeader(b[:n], size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Reader{header: *h, name: name, file: file, buffers: sync.Pool{New: func() any { return new([]byte) }}}, nil
}

// Info returns what the header of the archive says.
func (r *Reader) Info() Info { return r.header.Info }

// Close closes the file. The Reader cannot be used any more.
func (r *Reader) Close() error { return r.close() }

// decoder decodes for all Readers.
var decoder = sync.OnceValue(func() *zstd.Decoder {
	return zstandard.NewDecoder(zstd.WithDecoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithDecodeAllCapLimit(true))
})

// damaged returns an ErrDamaged.
func (r *Reader) damaged(what string, offset int64) error {
	return fmt.Errorf("%s: %w: %s at octet %d", r.name, ErrDamaged, what, offset)
}

// read fills b from the file.
func (r *Reader) read(b []byte, offset int64) error {
	_, err := r.file.ReadAt(b, offset)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		return r.damaged("the file was cut", offset)
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// buffer returns a buffer of a length, which the caller releases.
func (r *Reader) buffer(length int) *[]byte {
	b := r.buffers.Get().(*[]byte)
	if cap(*b) < length {
		*b = make([]byte, length)
	}
	*b = (*b)[:length]
	return b
}

func (r *Reader) release(b *[]byte) {
	const most = 1 << 20 // octets that are kept for the next answer
	if cap(*b) <= most {
		r.buffers.Put(b)
	}
}

// Entries implements capture.Archive.
func (r *Reader) Entries(key string) (entries []capture.Entry, err error) {
	if r.root.length == 0 || len(key) > MaxURL {
		return nil, nil
	}
	err = r.find(&r.root, r.tree, key, func(p *parser) {
		for len(p.rest) > 0 && !p.wrong && string(p.key) <= key {
			if p.readKey(); p.wrong {
				return
			}
			found := string(p.key) == key
			if e := p.entry(found); found {
				entries = append(entries, e)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// find calls do with the blocks of captures below c that may have a key. They are after the offset from.
func (r *Reader) find(c *child, from int64, key string, do func(*parser)) error {
	if c.level == 0 {
		return r.captures(c, do)
	}
	children, err := r.children(c, from)
	if err != nil {
		return err
	}
	i, _ := slices.BinarySearchFunc(children, key, func(c child, key string) int { return strings.Compare(c.last, key) })
	for ; i < len(children); i++ { // from the first child that may have the key
		if i > 0 {
			from = children[i-1].end()
		}
		if err := r.find(&children[i], from, key, do); err != nil {
			return err
		}
		if children[i].last != key { // the next one begins after it
			return nil
		}
	}
	return nil
}

// captures calls do with a block of captures, and checks it.
func (r *Reader) captures(c *child, do func(*parser)) error {
	buffer := r.buffer(int(c.length))
	defer r.release(buffer)
	payload, err := r.block(c, *buffer)
	if err != nil {
		return err
	}
	p := parser{rest: payload}
	if do(&p); p.wrong {
		return r.damaged("a block of captures is wrong", c.offset)
	}
	return nil
}

// block reads a block into b, and returns what is between its level and its checksum.
func (r *Reader) block(c *child, b []byte) ([]byte, error) {
	if err := r.read(b, c.offset); err != nil {
		return nil, err
	}
	end := len(b) - checksumSize
	if little.Uint32(b[end:]) != checksum(c.offset, b[:end]) || b[0] != c.level {
		return nil, r.damaged("wrong checksum of a block", c.offset)
	}
	return b[1:end], nil
}

// children returns the children of a block. They are between the offset from and the block, one after
// the other, so that no file can have more of them than it has room.
func (r *Reader) children(c *child, from int64) ([]child, error) {
	slot := &r.upper[uint64(c.offset)*0x9E3779B97F4A7C15>>54]
	if known := slot.Load(); known != nil && known.offset == c.offset {
		return known.children, nil
	}
	payload, err := r.block(c, make([]byte, c.length))
	if err != nil {
		return nil, err
	}
	var children []child
	for p := (parser{rest: payload}); len(p.rest) > 0; {
		p.readKey()
		next := child{offset: int64(p.uint()), length: int64(p.uint()), level: c.level - 1}
		if p.wrong || next.offset < from || next.offset > c.offset || next.length < minBlock || next.length > maxBlock || next.end() > c.offset {
			return nil, r.damaged("a block of the index is wrong", c.offset)
		}
		next.last, from = string(p.key), next.end()
		children = append(children, next)
	}
	slot.Store(&upperBlock{c.offset, children})
	return children, nil
}

// Body implements capture.Archive.
func (r *Reader) Body(id capture.BodyID) (string, error) {
	if id == 0 {
		return "", nil
	}
	at := int64(id)
	if at < headerSize || at > r.tree-bodyHeader {
		return "", r.damaged("no body", at)
	}
	var head [bodyHeader]byte
	if err := r.read(head[:], at); err != nil {
		return "", err
	}
	size, length, ok := readBodyHeader(head[:], at, r.tree)
	if !ok {
		return "", r.damaged("wrong checksum of a body", at)
	}
	stored := r.buffer(length)
	defer r.release(stored)
	if err := r.read(*stored, at+bodyHeader); err != nil {
		return "", err
	}
	body, ok := r.decode(head[:], *stored, at, size)
	if !ok {
		return "", r.damaged("wrong checksum of a body", at)
	}
	return body, nil
}

// readBodyHeader returns the size of a body, and the length of what is stored of it after the header. ok
// is false if the header, at an offset of a file whose bodies end at the offset end, is wrong.
func readBodyHeader(head []byte, at, end int64) (size, length int, ok bool) {
	s, l := little.Uint32(head), little.Uint32(head[4:])
	ok = little.Uint32(head[12:]) == checksum(at, head[:12]) &&
		s <= MaxBody && l <= s && at+bodyHeader+int64(l) <= end
	return int(s), int(l), ok
}

// decode returns the body that is stored after a header that is right.
func (r *Reader) decode(head, stored []byte, at int64, size int) (body string, ok bool) {
	if little.Uint32(head[8:]) != checksum(at+bodyHeader, stored) {
		return "", false
	}
	if len(stored) == size {
		return string(stored), true
	}
	buffer := r.buffer(size)
	defer r.release(buffer)
	text, err := decoder().DecodeAll(stored, (*buffer)[:0:size])
	return string(text), err == nil && len(text) == size
}
