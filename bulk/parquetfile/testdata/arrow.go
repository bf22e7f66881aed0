//go:build ignore

// Writes arrow-*.parquet with arrow-go, and for duckdb.mjs the same rows as JSON lines. It needs a module of
// its own, so that Heed's modules do not have arrow-go:
//
//	cp arrow.go EMPTY && cd EMPTY && go mod init arrow && go get github.com/apache/arrow-go/v18@v18.8.0
//	go run arrow.go FOLDER
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// row is row i as ../others_test.go expects it.
func row(i int) []any {
	all := []any{
		fmt.Sprintf("https://www%d.example.com/%s/%d", i%3, []string{"page", "cart"}[i%2], i),
		[]int32{200, 404}[i%4/3],
		fmt.Sprintf("User-agent: *\nDisallow: /%d\n", i*i%17),
		1_700_000_000_000_000 + int64(i)*1_000_003,
		int64(i) * 1_000_000_000_000_037,
		int64(uint64(i) * 0x9e3779b97f4a7c15),
		int32(uint32(i) * 0x9e3779b9),
		"one",
		nil,
		i%3 == 0,
		float64(i) / 4,
		fmt.Sprintf("%016d", i),
		[]string{"a", "b", "c"}[:i%4],
	}
	switch i % 10 {
	case 3:
		all[3], all[4] = int64(9_200_000_000_000_000_000)-int64(i), int64(math.MaxInt64)
	case 4:
		all[3], all[4] = int64(-9_000_000_000_000_000)-int64(i), int64(math.MinInt64)
	case 5:
		all[0], all[2], all[4], all[11] = nil, nil, nil, nil
	case 6:
		all[3], all[5], all[6], all[9], all[10] = nil, nil, nil, nil, nil
	}
	return all
}

var codecs = []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Zstd, compress.Codecs.Brotli, compress.Codecs.Lz4Raw}

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "url", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "status", Type: arrow.PrimitiveTypes.Int32},
	{Name: "body", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "fetched", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, Nullable: true},
	{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "hash", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "small", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "one", Type: arrow.BinaryTypes.String},
	{Name: "none", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "third", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "quarter", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "key", Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}, Nullable: true},
	{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
}, nil)

// encodings are of the columns without a dictionary; "one" and "tags" have one.
var encodings = map[string]parquet.Encoding{
	"url": parquet.Encodings.DeltaByteArray, "body": parquet.Encodings.DeltaLengthByteArray, "key": parquet.Encodings.ByteStreamSplit,
	"status": parquet.Encodings.DeltaBinaryPacked, "fetched": parquet.Encodings.DeltaBinaryPacked, "id": parquet.Encodings.DeltaBinaryPacked,
	"hash": parquet.Encodings.DeltaBinaryPacked, "small": parquet.Encodings.DeltaBinaryPacked, "none": parquet.Encodings.DeltaBinaryPacked,
	"third": parquet.Encodings.RLE, "quarter": parquet.Encodings.ByteStreamSplit,
}

// write writes rows 0 to 199 in two row groups. The compression of a column is another in each column.
func write(name string, version parquet.DataPageVersion, shift int) {
	options := []parquet.WriterProperty{parquet.WithDataPageVersion(version), parquet.WithVersion(parquet.V2_LATEST), parquet.WithDataPageSize(600), parquet.WithBatchSize(16)}
	for i, field := range schema.Fields() {
		options = append(options, parquet.WithCompressionFor(field.Name, codecs[(i+shift)%len(codecs)]))
		if encoding, ok := encodings[field.Name]; ok {
			options = append(options, parquet.WithDictionaryFor(field.Name, false), parquet.WithEncodingFor(field.Name, encoding))
		}
	}
	f := must(os.Create(name))
	w := must(pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(options...), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())))
	for _, group := range [][2]int{{0, 150}, {150, 200}} {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i := group[0]; i < group[1]; i++ {
			for column, value := range row(i) {
				add(b.Field(column), value)
			}
		}
		check(w.Write(b.NewRecordBatch()))
	}
	check(w.Close())
}

func add(to array.Builder, value any) {
	switch v := value.(type) {
	case nil:
		to.AppendNull()
	case int32:
		to.(*array.Int32Builder).Append(v)
	case bool:
		to.(*array.BooleanBuilder).Append(v)
	case float64:
		to.(*array.Float64Builder).Append(v)
	case int64:
		if at, ok := to.(*array.TimestampBuilder); ok {
			at.Append(arrow.Timestamp(v))
		} else {
			to.(*array.Int64Builder).Append(v)
		}
	case string:
		if key, ok := to.(*array.FixedSizeBinaryBuilder); ok {
			key.Append([]byte(v))
		} else {
			to.(*array.StringBuilder).Append(v)
		}
	case []string:
		list := to.(*array.ListBuilder)
		list.Append(true)
		for _, s := range v {
			list.ValueBuilder().(*array.StringBuilder).Append(s)
		}
	}
}

func main() {
	folder := os.Args[1] + "/"
	write(folder+"arrow-v1.parquet", parquet.DataPageV1, 0)
	write(folder+"arrow-v2.parquet", parquet.DataPageV2, 1)
	lines := must(os.Create(folder + "rows.jsonl"))
	for i := range 60 {
		object := map[string]any{"i": i}
		for column, value := range row(i) {
			object[schema.Field(column).Name] = value
		}
		check(json.NewEncoder(lines).Encode(object))
	}
	check(lines.Close())
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
