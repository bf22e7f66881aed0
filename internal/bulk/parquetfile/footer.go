package parquetfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	magic       = "PAR1"
	maxGroups   = math.MaxInt16
	maxRows     = 1 << 28 // of a row group
	maxPageSize = 256 << 20
	maxValues   = 1 << 24 // of a page
)

// A file is a Parquet file whose footer has been read.
type file struct {
	in      io.ReaderAt
	end     int64 // of the pages: the offset of the footer
	meta    format.FileMetaData
	top     *parquet.Column
	columns []*parquet.Column // the leaves, in the order of the file
	decode  []*parquet.FileColumnChunk
}

// open reads the footer.
func open(in io.ReaderAt, size int64) (f *file, err error) {
	defer caught(&err)
	footer, start, err := readFooter(in, size)
	if err != nil {
		return nil, err
	}
	f = &file{in: in, end: start}
	n, err := structLen(footer)
	if err == nil {
		err = thrift.Unmarshal(new(thrift.CompactProtocol), footer[:n], &f.meta)
	}
	if err != nil {
		return nil, fmt.Errorf("the footer at offset %d is damaged: %w", start, err)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	decode, err := model(f.meta.Schema, nil)
	if err != nil {
		return nil, err
	}
	f.top = decode.Root()
	f.columns = leaves(f.top, nil)
	for _, c := range f.columns {
		c.Type().Kind() // panics for types of groups
	}
	for _, c := range decode.RowGroups()[0].ColumnChunks() {
		f.decode = append(f.decode, c.(*parquet.FileColumnChunk))
	}
	return f, nil
}

func readFooter(in io.ReaderAt, size int64) (footer []byte, start int64, err error) {
	const least = 2*len(magic) + 4
	var first [4]byte
	var last [8]byte
	if size < int64(least) {
		return nil, 0, fmt.Errorf("it is no Parquet file: it has %d bytes, and the smallest has %d", size, least)
	}
	if err := readAt(in, first[:], 0); err != nil {
		return nil, 0, err
	}
	if err := readAt(in, last[:], size-8); err != nil {
		return nil, 0, err
	}
	switch {
	case string(first[:]) == "PARE" || string(last[4:]) == "PARE":
		return nil, 0, errors.New("it is encrypted")
	case string(first[:]) != magic:
		return nil, 0, fmt.Errorf("it is no Parquet file: it begins with %q, not with %q", first[:], magic)
	case string(last[4:]) != magic:
		return nil, 0, fmt.Errorf("it has no footer: it ends with %q, not with %q; the end of the file is missing or damaged", last[4:], magic)
	}
	length := int64(binary.LittleEndian.Uint32(last[:]))
	if length > size-int64(least) {
		return nil, 0, fmt.Errorf("its footer should have %d bytes, more than the file", length)
	}
	footer = make([]byte, length)
	start = size - 8 - length
	return footer, start, readAt(in, footer, start)
}

// check checks what is used of the footer later.
func (f *file) check() error {
	if f.meta.EncryptionAlgorithm.Value != nil {
		return errors.New("it is encrypted")
	}
	if len(f.meta.RowGroups) > maxGroups {
		return fmt.Errorf("it has %d row groups; the most are %d", len(f.meta.RowGroups), maxGroups)
	}
	leaves := 0
	for i := range f.meta.Schema {
		if f.meta.Schema[i].Type.Valid {
			leaves++
		}
		if n := f.meta.Schema[i].TypeLength; n.Valid && (n.V < 0 || n.V > 1<<20) {
			return fmt.Errorf("its column %q has values of %d bytes", f.meta.Schema[i].Name, n.V)
		}
	}
	if leaves == 0 {
		return errors.New("its schema has no columns")
	}
	var rows int64
	for i := range f.meta.RowGroups {
		g := &f.meta.RowGroups[i]
		if len(g.Columns) != leaves {
			return fmt.Errorf("its row group %d has %d columns, but the schema has %d", i, len(g.Columns), leaves)
		}
		if g.NumRows < 0 || g.NumRows > math.MaxInt64-rows {
			return fmt.Errorf("its row group %d says that it has %d rows", i, g.NumRows)
		}
		rows += g.NumRows
	}
	if rows != f.meta.NumRows {
		return fmt.Errorf("its footer says that it has %d rows, but its row groups have %d", f.meta.NumRows, rows)
	}
	return nil
}

// model returns a file of parquet-go with a schema and one row group, whose pages have no
// compression. So parquet-go never sees the offsets and sizes of a file. encodings are those of
// the columns; nil: those of parquet-go.
func model(schema []format.SchemaElement, encodings [][]format.Encoding) (*parquet.File, error) {
	meta := format.FileMetaData{Version: 2, Schema: schema, RowGroups: []format.RowGroup{{}}}
	for i := range schema {
		if !schema[i].Type.Valid {
			continue
		}
		chunk := format.ColumnChunk{MetaData: format.ColumnMetaData{
			Type: schema[i].Type.V, Codec: format.Uncompressed,
			DataPageOffset: int64(len(magic)), TotalCompressedSize: math.MaxInt64 - int64(len(magic)),
		}}
		if columns := meta.RowGroups[0].Columns; encodings != nil {
			chunk.MetaData.Encoding = encodings[len(columns)]
		}
		meta.RowGroups[0].Columns = append(meta.RowGroups[0].Columns, chunk)
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		return nil, fmt.Errorf("its schema cannot be used: %w", err)
	}
	all := append([]byte(magic), footer...)
	all = binary.LittleEndian.AppendUint32(all, uint32(len(footer)))
	all = append(all, magic...)
	model, err := parquet.OpenFile(bytes.NewReader(all), int64(len(all)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(64<<10))
	if err != nil {
		return nil, fmt.Errorf("its schema cannot be used: %w", err)
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
	return fmt.Errorf("reading %d bytes at offset %d: %w", len(data), offset, err)
}

// caught turns a panic of parquet-go into an error.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the data are not as they must be: %v", p)
	}
}

// encodings returns those of the columns for a writer: dictionaries where the first row group has them.
func (f *file) encodings() [][]format.Encoding {
	all := make([][]format.Encoding, len(f.columns))
	for i := range all {
		all[i] = []format.Encoding{format.Plain}
		if len(f.meta.RowGroups) == 0 {
			continue
		}
		in := f.meta.RowGroups[0].Columns[i].MetaData.Encoding
		if slices.Contains(in, format.RLEDictionary) || slices.Contains(in, oldDictionary) {
			all[i] = []format.Encoding{format.RLEDictionary}
		}
	}
	return all
}

// schemaOf returns a schema for a writer.
func schemaOf(elements []format.SchemaElement, encodings [][]format.Encoding) (*parquet.Schema, error) {
	model, err := model(elements, encodings)
	if err != nil {
		return nil, err
	}
	return parquet.NewSchema(model.Root().Name(), anyCodec{model.Root()}), nil
}

// joined returns a schema with more columns behind the others.
func joined(schema, added []format.SchemaElement) []format.SchemaElement {
	all := append(slices.Clone(schema), added...)
	all[0].NumChildren.Set(all[0].NumChildren.V + int32(len(added)))
	return all
}

// anyCodec is a column whose compression the writer chooses.
type anyCodec struct{ parquet.Field }

func (c anyCodec) Compression() compress.Codec { return nil }

func (c anyCodec) Fields() (fields []parquet.Field) {
	for _, f := range c.Field.Fields() {
		fields = append(fields, anyCodec{f})
	}
	return fields
}
