package archive

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
)

// empty is an archive without captures, which a test makes of schema.sql. A Writer adds to it, and a
// Reader reads no file with another head, so with other tables.
//
//go:embed empty.heed
var empty []byte

// Errors of archives, which are wrapped with what was found.
var (
	ErrNotArchive = errors.New("not an archive of heed compile")
	ErrVersion    = errors.New("wrong version of the format")
	ErrDamaged    = errors.New("the archive is damaged")
)

const (
	pageSize   = 4 << 10           // SQLite reads and writes pages
	usableSize = pageSize - 4      // of a page; SQLite leaves the rest free, which is the check sum
	oldBegin   = "HEEDARC"         // of version 1, which was no database
	begin      = "SQLite format 3" // of every database

	// HeadSize is how many octets of a file show whether it is an archive.
	HeadSize = 72
)

// version returns the version of an archive that begins so; 0: it is none.
func version(b []byte) uint32 {
	switch {
	case bytes.HasPrefix(b, []byte(oldBegin)):
		return 1
	case len(b) >= HeadSize && bytes.HasPrefix(b, []byte(begin)) && bytes.Equal(b[68:HeadSize], empty[68:HeadSize]):
		return binary.BigEndian.Uint32(b[60:])
	}
	return 0
}

// IsArchive reports whether a file that begins so is an archive, perhaps of another version.
func IsArchive(begin []byte) bool { return version(begin) > 0 }

// pages are the pages of an archive. They are the file system that SQLite reads, with one file.
type pages struct {
	file  io.ReaderAt
	size  int64
	first []byte // the first page
}

// newPages checks the head of a file, which has a size.
func newPages(file io.ReaderAt, size int64) (*pages, error) {
	p := &pages{file, size, make([]byte, pageSize)}
	n, err := file.ReadAt(p.first, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	found, ours := version(p.first[:n]), version(empty)
	said := int64(binary.BigEndian.Uint32(p.first[28:])) * pageSize
	switch {
	case found == 0:
		return nil, ErrNotArchive
	case found != ours:
		return nil, fmt.Errorf("%w: it is version %d, and this heed reads version %d: compile the archive again with this heed, or use the heed that made it",
			ErrVersion, found, ours)
	case n < pageSize:
		return nil, fmt.Errorf("%w: it is cut after %d octets", ErrDamaged, size)
	}
	if err := checkPage(0, p.first); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if said != size {
		return nil, fmt.Errorf("%w: expected %d octets, found %d", ErrDamaged, said, size)
	}
	for _, part := range [][2]int{{0, 24}, {32, 92}, {100, usableSize}} { // between them are numbers that each write changes
		if !bytes.Equal(p.first[part[0]:part[1]], empty[part[0]:part[1]]) {
			return nil, fmt.Errorf("%w: it has other tables", ErrNotArchive)
		}
	}
	return p, nil
}

// read reads a page, and checks it. The first one is number 0.
func (p *pages) read(number int64, page []byte) error {
	if n, err := p.file.ReadAt(page, number*pageSize); n < pageSize {
		return fmt.Errorf("cannot read octet %d: %v", number*pageSize, err)
	}
	return checkPage(number, page)
}

// checkPage returns what is wrong with a page.
func checkPage(number int64, page []byte) error {
	if binary.BigEndian.Uint32(page[usableSize:]) != sumOf(number, page) {
		return fmt.Errorf("wrong check sum of the page at octet %d", number*pageSize)
	}
	if !hasShortKeys(page) {
		return fmt.Errorf("a wrong key in the page at octet %d", number*pageSize)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumOf returns the check sum of a page. The number of the page is a part of it, so that a page which
// was moved is damaged.
func sumOf(number int64, page []byte) uint32 {
	at := binary.BigEndian.AppendUint64(nil, uint64(number))
	return crc32.Update(crc32.Checksum(at, castagnoli), castagnoli, page[:usableSize])
}

// maxPages limits an archive to 128 GiB. So a page with the rest of a long value, which begins with the
// number of the next one, never looks as a page of an index does.
const maxPages = 2<<24 - 1

// hasShortKeys reports whether the keys of a page of the index have at most 16 KiB: the length of each
// has at most two octets. SQLite would read longer ones into memory, up to the size of the file.
func hasShortKeys(page []byte) bool {
	const interior, leaf, more = 2, 10, 0x80
	head, child := 8, 0
	switch page[0] {
	case interior:
		head, child = 12, 4
	case leaf:
	default:
		return true
	}
	end := head + 2*int(binary.BigEndian.Uint16(page[3:]))
	for at := head; at < end; at += 2 {
		if end > usableSize {
			return false
		}
		key := child + int(binary.BigEndian.Uint16(page[at:]))
		if key+2 > usableSize || page[key] >= more && page[key+1] >= more {
			return false
		}
	}
	return true
}

// Open implements fs.FS.
func (p *pages) Open(string) (fs.File, error) { return &view{pages: p}, nil }

// view is the open file. It is the fs.FileInfo of itself, of which SQLite asks the size only.
type view struct {
	fs.FileInfo
	*pages
	offset int64
}

func (v *view) Stat() (fs.FileInfo, error) { return v, nil }
func (v *view) Size() int64                { return v.size }
func (v *view) Close() error               { return nil }

// Seek implements io.Seeker, from the start of the file.
func (v *view) Seek(offset int64, _ int) (int64, error) {
	v.offset = offset
	return offset, nil
}

// Read reads a page, or a part of the first one. It never returns io.EOF, for which SQLite would take
// zeros.
func (v *view) Read(b []byte) (int, error) {
	if v.offset < pageSize {
		return copy(b, v.first[v.offset:]), nil
	}
	if len(b) != pageSize || v.offset%pageSize != 0 {
		return 0, errors.New("not a page")
	}
	if err := v.read(v.offset/pageSize, b); err != nil {
		return 0, err
	}
	return pageSize, nil
}
