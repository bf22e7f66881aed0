package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/zstandard"
)

// Version is the version of the format that this package writes, and the only one that it reads.
const Version = 1

// MaxBody is the largest body that an archive keeps, in octets; MaxURL is the longest URL.
const (
	MaxBody = zstandard.MaxBody
	MaxURL  = 8 << 10
)

// Errors of archives, which are wrapped with what was found.
var (
	ErrNotArchive = errors.New("not an archive of heed compile")
	ErrVersion    = errors.New("wrong version of the format")
	ErrDamaged    = errors.New("the archive is damaged")
)

const (
	magic      = "HEEDARC" // the octet after it is the version, in all versions
	headerSize = 100
	bodyHeader = 16

	// A block is written when it has blockSize octets, so it is larger by an entry at most. An entry has
	// a URL, a Location, and less than 100 octets of other data. A block with children has at least two,
	// each with a URL.
	blockSize = 4 << 10
	maxBlock  = blockSize + 2*MaxURL + 100 + checksumSize
	maxLevel  = 32

	checksumSize = 4
	minBlock     = 1 + checksumSize // the level and the checksum
)

// IsArchive reports whether a file with the given beginning, of at least eight octets, is an archive,
// perhaps of another version.
func IsArchive(beginning []byte) bool {
	return len(beginning) > len(magic) && string(beginning[:len(magic)]) == magic
}

// Info is what the header of an archive says.
type Info struct {
	URLs        int64     // with captures
	Captures    int64     // each is counted once if it was added several times
	WithBody    int64     // captures whose body is not empty
	Bodies      int64     // distinct ones that are not empty
	BodyOctets  int64     // of distinct bodies, before compression
	FileOctets  int64     // of the whole archive
	First, Last time.Time // of captures; zero: no capture has a time
}

// header is the header of an archive.
type header struct {
	Info
	tree int64 // offset of the first block, where the bodies end
	root child // length 0: there are no captures
}

// child is where a block is.
type child struct {
	last   string // the last URL in the block or below it
	offset int64
	length int64
	level  byte // 0: it has captures; others have children of the level below
}

// end is the offset after the block.
func (c *child) end() int64 { return c.offset + c.length }

var (
	little     = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// checksum returns the checksum of data at an offset of the file. The offset is a part of it, so that
// data which were moved are damaged.
func checksum(offset int64, data []byte) uint32 {
	var at [8]byte
	little.PutUint64(at[:], uint64(offset))
	return crc32.Update(crc32.Checksum(at[:], castagnoli), castagnoli, data)
}

func (h *header) encode() []byte {
	b := append(make([]byte, 0, headerSize), magic...)
	b = append(b, Version)
	for _, n := range []int64{h.FileOctets, h.tree, h.root.offset} {
		b = little.AppendUint64(b, uint64(n))
	}
	b = little.AppendUint32(b, uint32(h.root.length))
	b = little.AppendUint32(b, uint32(h.root.level))
	for _, n := range []int64{h.URLs, h.Captures, h.WithBody, h.Bodies, h.BodyOctets, unixOf(h.First), unixOf(h.Last)} {
		b = little.AppendUint64(b, uint64(n))
	}
	return little.AppendUint32(b, checksum(0, b))
}

// readHeader reads the header of a file of the given size.
func readHeader(b []byte, size int64) (*header, error) {
	switch {
	case !IsArchive(b):
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrNotArchive, magic)
	case b[len(magic)] != Version:
		return nil, fmt.Errorf("%w: it is version %d, and this heed reads version %d: compile the archive again with this heed, or use the heed that made it",
			ErrVersion, b[len(magic)], Version)
	case len(b) < headerSize:
		return nil, fmt.Errorf("%w: it is cut after %d octets", ErrDamaged, size)
	case little.Uint32(b[headerSize-checksumSize:]) != checksum(0, b[:headerSize-checksumSize]):
		return nil, fmt.Errorf("%w: wrong checksum of the header", ErrDamaged)
	}
	n := func(at int) int64 { return int64(little.Uint64(b[at:])) }
	h := &header{tree: n(16), root: child{offset: n(24), length: int64(little.Uint32(b[32:])), level: b[36]}}
	h.Info = Info{FileOctets: n(8), URLs: n(40), Captures: n(48), WithBody: n(56), Bodies: n(64), BodyOctets: n(72),
		First: timeOf(n(80)), Last: timeOf(n(88))}
	switch {
	case h.FileOctets != size:
		return nil, fmt.Errorf("%w: expected %d octets, found %d", ErrDamaged, h.FileOctets, size)
	case h.tree < headerSize || h.tree > size || h.root.offset < h.tree || h.root.end() != size ||
		h.root.length != 0 && h.root.length < minBlock || h.root.length > maxBlock ||
		little.Uint32(b[36:]) > maxLevel:
		return nil, fmt.Errorf("%w: the header contradicts itself", ErrDamaged)
	}
	return h, nil
}

// unixOf returns a time in whole seconds; the zero time is the earliest.
func unixOf(t time.Time) int64 {
	if t.IsZero() {
		return math.MinInt64
	}
	return t.Unix()
}

func timeOf(unix int64) time.Time {
	if unix == math.MinInt64 {
		return time.Time{}
	}
	return time.Unix(unix, 0).UTC()
}

// Bits of an entry.
const (
	isFailed = 1 << iota
	isHTML
	saysNotFound
	isTruncated
	hasTime
	hasLocation
	isJSON
	allBits = 1<<iota - 1
)

// appendEntry appends an entry as it is after its URL.
func appendEntry(b []byte, e *capture.Entry) []byte {
	bits := bit(e.Failed, isFailed) | bit(e.Page == fetch.HTML, isHTML) | bit(e.Page == fetch.JSON, isJSON) | bit(e.SaysNotFound, saysNotFound) | bit(e.Truncated, isTruncated) |
		bit(!e.At.IsZero(), hasTime) | bit(e.Location != "", hasLocation)
	b = append(b, bits)
	b = binary.AppendUvarint(b, uint64(e.Status))
	if bits&hasTime != 0 {
		b = binary.AppendVarint(b, e.At.Unix())
		b = binary.AppendUvarint(b, uint64(e.At.Nanosecond()))
	}
	if bits&hasLocation != 0 {
		b = appendText(b, e.Location)
	}
	return binary.AppendUvarint(b, uint64(e.Body))
}

func bit(is bool, bit byte) byte {
	if is {
		return bit
	}
	return 0
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// appendKey appends a URL after another one.
func appendKey(b []byte, before, key string) []byte {
	shared := 0
	for shared < min(len(before), len(key)) && before[shared] == key[shared] {
		shared++
	}
	return appendText(binary.AppendUvarint(b, uint64(shared)), key[shared:])
}

// parser reads the values of a block. After an error it returns zero values.
type parser struct {
	rest  []byte
	key   []byte // the last URL
	wrong bool
}

func (p *parser) uint() uint64 {
	n, size := binary.Uvarint(p.rest)
	p.skip(size)
	return n
}

func (p *parser) int() int64 {
	n, size := binary.Varint(p.rest)
	p.skip(size)
	return n
}

// skip goes on after a number; size is not positive if it is wrong.
func (p *parser) skip(size int) {
	if p.wrong = p.wrong || size <= 0; p.wrong {
		p.rest = nil
		return
	}
	p.rest = p.rest[size:]
}

// text returns the next text, at most MaxURL octets.
func (p *parser) text() []byte {
	n := p.uint()
	if n == 0 {
		return nil
	}
	if n > min(MaxURL, uint64(len(p.rest))) {
		p.wrong, p.rest = true, nil
		return nil
	}
	text := p.rest[:n]
	p.rest = p.rest[n:]
	return text
}

// readKey sets p.key to the next URL.
func (p *parser) readKey() {
	shared := p.uint()
	rest := p.text()
	if p.wrong = p.wrong || shared > uint64(len(p.key)) || shared+uint64(len(rest)) > MaxURL; !p.wrong {
		p.key = append(p.key[:shared], rest...)
	}
}

// entry returns the next entry, after its URL; the Location only if it is wanted.
func (p *parser) entry(wanted bool) (e capture.Entry) {
	if len(p.rest) == 0 {
		p.wrong = true
		return e
	}
	bits := p.rest[0]
	p.rest = p.rest[1:]
	e.Failed, e.SaysNotFound, e.Truncated = bits&isFailed != 0, bits&saysNotFound != 0, bits&isTruncated != 0
	switch {
	case bits&isHTML != 0:
		e.Page = fetch.HTML
	case bits&isJSON != 0:
		e.Page = fetch.JSON
	}
	status := p.uint()
	if bits&hasTime != 0 {
		seconds, nanoseconds := p.int(), p.uint()
		p.wrong = p.wrong || nanoseconds >= 1e9
		e.At = time.Unix(seconds, int64(nanoseconds)).UTC()
	}
	if bits&hasLocation != 0 {
		if location := p.text(); wanted {
			e.Location = string(location)
		}
	}
	e.Status, e.Body = int(status), capture.BodyID(p.uint())
	p.wrong = p.wrong || bits > allBits || status > maxStatus
	return e
}

const maxStatus = 999
