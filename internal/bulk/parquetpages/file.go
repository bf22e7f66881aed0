// Package parquetpages reads the pages of Parquet files that may be damaged or hostile.
//
// The library parquet-go trusts a file: a few bytes can make it take memory for billions of values, panic, or read wrong
// addresses. So this package first checks the footer, the headers of pages, and the sizes in the encodings. A
// decompressed page has at most 256 MiB, and the pages of all open columns 512 MiB. parquet-go only decodes values, from
// one decompressed column at a time.
//
// The package cannot read encrypted files, or pages that are compressed with LZO or the LZ4 of Hadoop.
package parquetpages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	// Magic is at the beginning and at the end of a file.
	Magic = "PAR1"

	maxGroups    = math.MaxInt16
	maxPageSize  = 256 << 20
	maxOpenPages = 2 * maxPageSize
	maxValues    = 1 << 24
)

// A File has a footer that was read and checked.
type File struct {
	In      io.ReaderAt
	Meta    format.FileMetaData
	Top     *parquet.Column
	Columns []*parquet.Column // the columns that have values, in the order of the file

	end    int64        // the offset at which the pages end and the footer begins
	open   atomic.Int64 // the size in bytes of the pages of all open columns, which several goroutines may read
	decode []*parquet.FileColumnChunk
}

// The memory and time that parquet-go needs grow with the square of the depth.
const (
	maxSchemaDepth = 100
	maxLeaves      = 1 << 15
)

func (f *File) checkSchema(leaves int) error {
	if leaves > maxLeaves {
		return fmt.Errorf("the Parquet file has more than %d columns; write it again with fewer", maxLeaves)
	}
	var open []int32 // for each group around an element, the number of its children that still follow
	for i := range f.Meta.Schema {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			open[len(open)-1]--
		}
		if n := f.Meta.Schema[i].NumChildren; n.Valid && n.V > 0 {
			open = append(open, n.V)
		}
		if len(open) > maxSchemaDepth {
			return fmt.Errorf("the columns of the Parquet file are nested more than %d levels deep; write it again with fewer levels", maxSchemaDepth)
		}
	}
	return nil
}

// Open reads and checks the footer of a Parquet file.
func Open(in io.ReaderAt, size int64) (f *File, err error) {
	defer Caught(&err)()
	footer, start, err := readFooter(in, size)
	if err != nil {
		return nil, err
	}
	f = &File{In: in, end: start}
	if _, err := decode(footer, &f.Meta); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	model, err := model(f.Meta.Schema, nil)
	if err != nil {
		return nil, err
	}
	f.Top = model.Root()
	f.Columns = leaves(f.Top, nil)
	for _, c := range f.Columns {
		c.Type().Kind() // panics if a column with values has the type of a group; Caught returns this as an error
	}
	for _, c := range model.RowGroups()[0].ColumnChunks() {
		f.decode = append(f.decode, c.(*parquet.FileColumnChunk))
	}
	return f, nil
}

// Damaged returns an error that says that the Parquet file is damaged, and where.
func Damaged(format string, args ...any) error {
	return fmt.Errorf("the Parquet file is damaged, so get or write it again: %w", fmt.Errorf(format, args...))
}

func readFooter(in io.ReaderAt, size int64) (footer []byte, start int64, err error) {
	const least = 2*len(Magic) + 4
	var first [4]byte
	var last [8]byte
	if size < int64(least) {
		return nil, 0, fmt.Errorf("expected a Parquet file, which has at least %d bytes; this file has %d", least, size)
	}
	if err := readAt(in, first[:], 0); err != nil {
		return nil, 0, err
	}
	if err := readAt(in, last[:], size-8); err != nil {
		return nil, 0, err
	}
	switch {
	case string(first[:]) == "PARE" || string(last[4:]) == "PARE":
		return nil, 0, errors.New("the Parquet file is encrypted, and heed cannot decrypt it; decrypt it first")
	case string(first[:]) != Magic:
		return nil, 0, fmt.Errorf("expected a Parquet file, which begins with %q; this file begins with %q", Magic, first[:])
	case string(last[4:]) != Magic:
		return nil, 0, Damaged("it ends with %q; expected %q", last[4:], Magic)
	}
	length := int64(binary.LittleEndian.Uint32(last[:]))
	if length > size-int64(least) {
		return nil, 0, Damaged("its last bytes say that the footer has %d bytes, but the whole file is smaller", length)
	}
	footer = make([]byte, length)
	start = size - 8 - length
	return footer, start, readAt(in, footer, start)
}

func (f *File) check() error {
	if f.Meta.EncryptionAlgorithm.Value != nil {
		return errors.New("the Parquet file is encrypted, and heed cannot decrypt it; decrypt it first")
	}
	if len(f.Meta.RowGroups) > maxGroups {
		return fmt.Errorf("the Parquet file has %d row groups, and heed reads at most %d: write it again with larger row groups", len(f.Meta.RowGroups), maxGroups)
	}
	leaves := 0
	for i := range f.Meta.Schema {
		if f.Meta.Schema[i].Type.Valid {
			leaves++
		}
		if n := f.Meta.Schema[i].TypeLength; n.Valid && (n.V < 0 || n.V > 1<<20) {
			return Damaged("the schema says that each value of the column %q has %d bytes, which is impossible", f.Meta.Schema[i].Name, n.V)
		}
	}
	if leaves == 0 {
		return errors.New("the Parquet file has no columns; expected a column with URLs or with robots.txt files")
	}
	if err := f.checkSchema(leaves); err != nil {
		return err
	}
	var rows int64
	for i := range f.Meta.RowGroups {
		g := &f.Meta.RowGroups[i]
		if len(g.Columns) != leaves {
			return Damaged("the row group %d has %d columns, but the schema has %d", i, len(g.Columns), leaves)
		}
		if g.NumRows < 0 || g.NumRows > math.MaxInt64-rows {
			return Damaged("the row group %d has %d rows, which is impossible", i, g.NumRows)
		}
		rows += g.NumRows
	}
	if rows != f.Meta.NumRows {
		return Damaged("the footer says that the file has %d rows, but its row groups have %d", f.Meta.NumRows, rows)
	}
	return nil
}

// parquet-go sees only the file that model makes in memory, and never the offsets and sizes in the real file.
func model(schema []format.SchemaElement, encodings [][]format.Encoding) (*parquet.File, error) {
	meta := format.FileMetaData{Version: 2, Schema: schema, RowGroups: []format.RowGroup{{}}}
	for i := range schema {
		if !schema[i].Type.Valid {
			continue
		}
		chunk := format.ColumnChunk{MetaData: format.ColumnMetaData{
			Type: schema[i].Type.V, Codec: format.Uncompressed,
			DataPageOffset: int64(len(Magic)), TotalCompressedSize: math.MaxInt64 - int64(len(Magic)),
		}}
		if columns := meta.RowGroups[0].Columns; encodings != nil {
			chunk.MetaData.Encoding = encodings[len(columns)]
		}
		meta.RowGroups[0].Columns = append(meta.RowGroups[0].Columns, chunk)
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		return nil, Damaged("its list of columns cannot be read: %w", err)
	}
	all := append([]byte(Magic), footer...)
	all = binary.LittleEndian.AppendUint32(all, uint32(len(footer)))
	all = append(all, Magic...)
	model, err := parquet.OpenFile(bytes.NewReader(all), int64(len(all)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(64<<10))
	if err != nil {
		return nil, Damaged("its list of columns cannot be read: %w", err)
	}
	return model, nil
}

func leaves(c *parquet.Column, found []*parquet.Column) []*parquet.Column {
	if c.Leaf() {
		return append(found, c)
	}
	for _, child := range c.Columns() {
		found = leaves(child, found)
	}
	return found
}

func readAt(in io.ReaderAt, data []byte, offset int64) error {
	n, err := in.ReadAt(data, offset)
	if n == len(data) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("heed cannot read %d bytes at offset %d of the Parquet file: %w", len(data), offset, err)
}

// Caught returns a function to defer. It turns a panic of parquet-go, or its access to a wrong address, into an error.
func Caught(err *error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			*err = Damaged("heed cannot read its values: %v", p)
		}
	}
}

// The first page of a column may be its dictionary.
func StartOf(meta *format.ColumnMetaData) int64 {
	if d := meta.DictionaryPageOffset; d > 0 && d < meta.DataPageOffset {
		return d
	}
	return meta.DataPageOffset
}

// PathOf returns the name of a column with the names of its groups, such as "page.url".
func PathOf(c *parquet.Column) string { return strings.Join(c.Path(), ".") }

// Names returns the names of all columns, also of those in groups, such as "page.url"; see PathOf.
func (f *File) Names() (names []string) {
	for _, c := range f.Columns {
		names = append(names, PathOf(c))
	}
	return names
}

// Encodings returns an encoding for each column. The encoding uses a dictionary if the first row
// group has a dictionary. If not, it is plain.
func (f *File) Encodings() [][]format.Encoding {
	all := make([][]format.Encoding, len(f.Columns))
	for i := range all {
		all[i] = []format.Encoding{format.Plain}
		if len(f.Meta.RowGroups) == 0 {
			continue
		}
		in := f.Meta.RowGroups[0].Columns[i].MetaData.Encoding
		if slices.Contains(in, format.RLEDictionary) || slices.Contains(in, oldDictionary) {
			all[i] = []format.Encoding{format.RLEDictionary}
		}
	}
	return all
}

// Schema returns the schema that a writer of parquet-go needs.
func Schema(elements []format.SchemaElement, encodings [][]format.Encoding) (s *parquet.Schema, err error) {
	defer Caught(&err)()
	model, err := model(elements, encodings)
	if err != nil {
		return nil, err
	}
	return parquet.NewSchema(model.Root().Name(), anyCodec{model.Root()}), nil
}

// anyCodec names no compression, so the writer chooses it.
type anyCodec struct{ parquet.Field }

func (c anyCodec) Compression() compress.Codec { return nil }

func (c anyCodec) Fields() (fields []parquet.Field) {
	for _, f := range c.Field.Fields() {
		fields = append(fields, anyCodec{f})
	}
	return fields
}
