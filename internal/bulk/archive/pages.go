package archive

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// empty is an archive without captures, made from schema.sql. A Reader refuses files with another first page.
//
//go:embed empty.heed
var empty []byte

// An error about a wrong archive wraps one of these.
var (
	ErrNotArchive = errors.New("the file is not an archive; expected one that heed compile made")
	ErrVersion    = errors.New("heed cannot read this version of an archive: make it again with heed compile")
	ErrDamaged    = errors.New("the archive is damaged: make it again from its sources with heed compile")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

const (
	pageSize   = 4 << 10
	usableSize = pageSize - 4

	// HeadSize is the number of bytes at the start of a file that IsArchive needs.
	HeadSize = 72
)

// The names with "at" are offsets in the first page.
const (
	// SQLite uses the number of pages (at atPages) only if the numbers at atValid and atChanges are equal.
	atChanges, atPages, atVersion, atApplication, atValid = 24, 28, 60, 68, 92
	begin, oldBegin                                       = "SQLite format 3", "HEEDARC" // a file of version 1 was not a database
)

var big = binary.BigEndian

func version(b []byte) uint32 {
	switch {
	case bytes.HasPrefix(b, []byte(oldBegin)):
		return 1
	case len(b) >= HeadSize && bytes.HasPrefix(b, []byte(begin)) && bytes.Equal(b[atApplication:HeadSize], empty[atApplication:HeadSize]):
		return big.Uint32(b[atVersion:])
	}
	return 0
}

func IsArchive(begin []byte) bool { return version(begin) > 0 }

type page struct {
	number uint32
	data   [pageSize]byte
}

func (r *Reader) read(number uint32, p *page) error {
	p.number = number
	offset := (int64(number) - 1) * pageSize
	if n, err := r.file.ReadAt(p.data[:], offset); n < pageSize {
		return damaged("heed cannot read byte %d: %v", offset, err)
	}
	if big.Uint32(p.data[usableSize:]) != sumOf(number, p.data[:]) {
		return damaged("the checksum of the page at byte %d is wrong", offset)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The checksum includes the number of the page, so a page in a wrong place is found.
func sumOf(number uint32, page []byte) uint32 {
	at := big.AppendUint32(nil, number)
	return crc32.Update(crc32.Checksum(at, castagnoli), castagnoli, page[:usableSize])
}

func (r *Reader) checkHead(size int64) error {
	var first page
	n, err := r.file.ReadAt(first.data[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	found, ours := version(first.data[:n]), version(empty)
	said := int64(big.Uint32(first.data[atPages:])) * pageSize
	switch {
	case found == 0:
		return ErrNotArchive
	case found != ours:
		return fmt.Errorf("the archive has version %d; expected version %d: %w", found, ours, ErrVersion)
	case n < pageSize:
		return damaged("the file ends after %d bytes, which is too early", size)
	}
	if err := r.read(1, &first); err != nil {
		return err
	}
	if said != size {
		return damaged("expected a file of %d bytes, found %d", said, size)
	}
	for _, part := range [][2]int{{0, 24}, {32, 92}, {100, usableSize}} {
		if !bytes.Equal(first.data[part[0]:part[1]], empty[part[0]:part[1]]) {
			return fmt.Errorf("the file is an SQLite database with other tables: %w", ErrNotArchive)
		}
	}
	return nil
}
