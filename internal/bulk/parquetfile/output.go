package parquetfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetpages"
)

type output struct {
	w      io.Writer
	offset int64
	meta   format.FileMetaData
	buffer []byte
}

// Arrow's libraries write the schema into the metadata under this key.
const arrowSchema = "ARROW:schema"

func newOutput(w io.Writer, in *format.FileMetaData, added []format.SchemaElement) (*output, error) {
	o := &output{w: w, meta: *in, buffer: make([]byte, 256<<10)}
	o.meta.RowGroups, o.meta.NumRows = nil, 0
	o.meta.KeyValueMetadata = slices.DeleteFunc(slices.Clone(in.KeyValueMetadata), func(kv format.KeyValue) bool { return kv.Key == arrowSchema })
	o.meta.Schema = joined(in.Schema, added)
	if len(in.ColumnOrders) > 0 {
		o.meta.ColumnOrders = append(in.ColumnOrders[:0:0], in.ColumnOrders...)
		for range added {
			o.meta.ColumnOrders = append(o.meta.ColumnOrders, format.ColumnOrder{Value: new(format.TypeDefinedOrder)})
		}
	}
	return o, o.write([]byte(parquetpages.Magic))
}

func (o *output) write(data []byte) error {
	n, err := o.w.Write(data)
	o.offset += int64(n)
	return err
}

func joined(schema, added []format.SchemaElement) []format.SchemaElement {
	all := append(slices.Clone(schema), added...)
	all[0].NumChildren.Set(all[0].NumChildren.V + int32(len(added)))
	return all
}

type part struct {
	meta  format.ColumnMetaData
	in    io.ReaderAt
	start int64
}

func newPart(meta *format.ColumnMetaData, in io.ReaderAt) part {
	return part{meta: *meta, in: in, start: parquetpages.StartOf(meta)}
}

func (o *output) group(parts []part, rows int64, sorting []format.SortingColumn) error {
	g := format.RowGroup{NumRows: rows, SortingColumns: sorting, FileOffset: o.offset, Ordinal: int16(len(o.meta.RowGroups))}
	for i := range parts {
		meta := parts[i].meta
		shift := o.offset - parts[i].start
		if err := o.copy(&parts[i]); err != nil {
			return err
		}
		meta.DictionaryPageOffset = 0
		if parts[i].start < meta.DataPageOffset {
			meta.DictionaryPageOffset = o.offset - meta.TotalCompressedSize
		}
		meta.DataPageOffset += shift
		meta.IndexPageOffset, meta.BloomFilterOffset, meta.BloomFilterLength = 0, 0, 0
		g.TotalByteSize += meta.TotalUncompressedSize
		g.TotalCompressedSize += meta.TotalCompressedSize
		g.Columns = append(g.Columns, format.ColumnChunk{MetaData: meta})
	}
	o.meta.RowGroups = append(o.meta.RowGroups, g)
	o.meta.NumRows += rows
	return nil
}

func (o *output) copy(p *part) error {
	data := io.NewSectionReader(p.in, p.start, p.meta.TotalCompressedSize)
	n, err := io.CopyBuffer(struct{ io.Writer }{o.w}, struct{ io.Reader }{data}, o.buffer)
	o.offset += n
	if err == nil && n != p.meta.TotalCompressedSize {
		err = parquetpages.Damaged("it ends at offset %d, before the end of a column", p.start+n)
	}
	return err
}

func (o *output) close() error {
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &o.meta)
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return o.write(append(footer, parquetpages.Magic...))
}

// A writer encodes a row group as a small Parquet file in memory, from which the pages are copied into the output.
type writer struct {
	out     *bytes.Buffer
	file    *parquet.GenericWriter[any]
	columns []*parquet.ColumnWriter
}

func newWriter(schema *parquet.Schema) (*writer, error) {
	config, err := parquet.NewWriterConfig(schema, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.PageBufferSize(1<<20), parquet.DataPageVersion(1), parquet.ColumnIndexSizeLimit(func([]string) int { return 64 }))
	if err != nil {
		return nil, err
	}
	w := &writer{out: new(bytes.Buffer)}
	w.file = parquet.NewGenericWriter[any](w.out, config)
	w.columns = w.file.ColumnWriters()
	return w, nil
}

// The writer must not be used again: parquet-go would overwrite the returned columns.
func (w *writer) finish() ([]part, error) {
	if err := w.file.Close(); err != nil {
		return nil, err
	}
	group := w.file.File().Metadata().RowGroups[0]
	in := bytes.NewReader(w.out.Bytes())
	parts := make([]part, len(w.columns))
	for i := range parts {
		parts[i] = newPart(&group.Columns[i].MetaData, in)
	}
	return parts, nil
}

type ruleTexts struct {
	last  ruleKey
	text  string
	texts map[ruleKey]string
}

type ruleKey struct {
	allow   bool
	pattern string
}

const maxRules = 1 << 14

func (r *ruleTexts) textOf(v *bulk.Verdict) string {
	key := ruleKey{v.Rule.Allow, v.Rule.Pattern}
	if key == r.last && r.text != "" {
		return r.text
	}
	text, ok := r.texts[key]
	if !ok {
		text = v.RuleText()
		if r.texts == nil || len(r.texts) == maxRules {
			r.texts = map[ruleKey]string{}
		}
		r.texts[key] = text
	}
	r.last, r.text = key, text
	return text
}

func textValue(text string, column int) parquet.Value {
	return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(text), len(text))).Level(0, 1, column)
}
