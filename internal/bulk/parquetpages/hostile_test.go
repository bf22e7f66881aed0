package parquetpages

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// A few bytes that announce billions of values or bytes are errors, before memory is taken for them.
func TestBombs(t *testing.T) {
	run := append(binary.AppendUvarint(nil, 1<<32), 0)
	if err := eachRun(run, 1, 100, skipRun); err == nil {
		t.Error("a run of 2 billion values is taken")
	}
	delta := []byte{}
	for _, n := range []uint64{128, 4, 1 << 31, 0} {
		delta = binary.AppendUvarint(delta, n)
	}
	if _, err := readDelta(delta, 100, 64, func(int64) {}); err == nil {
		t.Error("2 billion deltas are taken")
	}
	if _, err := decode(append([]byte{0x19, 0xfc}, binary.AppendUvarint(nil, 1<<30)...), new(format.FileMetaData)); err == nil {
		t.Error("a list of a billion structs is taken")
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := encoder.EncodeAll(make([]byte, 64<<20), nil)
	if err := NewDecompressor().decompressInto(make([]byte, 100), bomb, format.Zstd); err == nil {
		t.Error("a page of 64 MiB is decompressed into 100 bytes")
	}
	gzip, err := parquet.Gzip.Encode(nil, make([]byte, 101))
	if err != nil {
		t.Fatal(err)
	}
	if err := NewDecompressor().decompressInto(make([]byte, 100), gzip, format.Gzip); err != errOtherSize {
		t.Error(err)
	}
}

// Structs that are too deep in each other, a map, and what ends too early are errors.
func TestStructs(t *testing.T) {
	for want, data := range map[string][]byte{
		"the header of a page has more than 16 levels": bytes.Repeat([]byte{0x1c}, 100),
		"a map":           {0x1b, 0},
		"unknown type 14": {0x1e},
		"unexpected EOF":  {0x15},
	} {
		if _, err := decode(data, new(format.FileMetaData)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// deltas writes numbers in DELTA_BINARY_PACKED, in one block whose parts have a width in bits, a multiple of 8.
func deltas(width byte, numbers ...int64) (out []byte) {
	for _, n := range []uint64{128, 4, uint64(len(numbers))} {
		out = binary.AppendUvarint(out, n)
	}
	out = binary.AppendVarint(out, numbers[0])
	least := numbers[1] - numbers[0]
	for i := 1; i < len(numbers); i++ {
		least = min(least, numbers[i]-numbers[i-1])
	}
	out = append(binary.AppendVarint(out, least), width, 0, 0, 0)
	part := make([]byte, 32*int(width)/8)
	for i := 1; i < len(numbers); i++ {
		d := uint64(numbers[i] - numbers[i-1] - least)
		for j := range int(width) / 8 {
			part[(i-1)*int(width)/8+j] = byte(d >> (8 * j))
		}
	}
	return append(out, part...)
}

// parquet-go adds lengths of values in 32 bits, and would write beyond its memory.
func TestLengthsOfDeltas(t *testing.T) {
	zeros, ones, text := deltas(8, 0, 0, 0), deltas(8, 1, 1, 1), []byte("abc")
	for name, c := range map[string]struct {
		encoding format.Encoding
		body     []byte
		isRight  bool
	}{
		"values":                    {format.DeltaByteArray, slices.Concat(zeros, ones, text), true},
		"lengths":                   {format.DeltaLengthByteArray, slices.Concat(ones, text), true},
		"a suffix below 0":          {format.DeltaByteArray, slices.Concat(zeros, deltas(8, 1, -1, 3), text), false},
		"a large suffix":            {format.DeltaByteArray, slices.Concat(zeros, deltas(32, 1, 1<<31-1, 0), text), false},
		"suffixes longer than text": {format.DeltaByteArray, slices.Concat(zeros, deltas(8, 1, 1, 2), text), false},
		"a prefix below 0":          {format.DeltaByteArray, slices.Concat(deltas(8, 0, -1, 1), ones, text), false},
		"large prefixes":            {format.DeltaByteArray, slices.Concat(deltas(32, 0, maxPageSize, maxPageSize), ones, text), false},
		"fewer prefixes":            {format.DeltaByteArray, slices.Concat(deltas(8, 0, 0), ones, text), false},
		"more than 32 bits":         {format.DeltaByteArray, slices.Concat(zeros, deltas(40, 1, 1, 1), text), false},
		"a length below 0":          {format.DeltaLengthByteArray, slices.Concat(deltas(8, 1, -1, 3), text), false},
		"lengths beyond the text":   {format.DeltaLengthByteArray, slices.Concat(deltas(8, 1, 1, 2), text), false},
	} {
		if err := checkValues(c.body, 3, c.encoding, nil); (err == nil) != c.isRight {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A schema of many groups in each other takes memory of the square of its depth.
func TestDeepSchema(t *testing.T) {
	for depth, isRight := range map[int]bool{maxSchemaDepth: true, maxSchemaDepth + 1: false} {
		f := &File{}
		for range depth {
			var group format.SchemaElement
			group.NumChildren.V, group.NumChildren.Valid = 1, true
			f.Meta.Schema = append(f.Meta.Schema, group)
		}
		f.Meta.Schema = append(f.Meta.Schema, format.SchemaElement{})
		if err := f.checkSchema(1); (err == nil) != isRight {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
	if (&File{Meta: format.FileMetaData{Schema: make([]format.SchemaElement, 1)}}).checkSchema(maxLeaves+1) == nil {
		t.Error("too many columns are taken")
	}
}

// If the levels of a page say that other rows are null, its values would go to the wrong rows.
func TestFlippedLevels(t *testing.T) {
	type row struct {
		URL *string `parquet:"url,plain"`
	}
	url := "https://a.example/"
	f := opened(t, row{&url}, row{nil}, row{&url}, row{&url}, row{nil}, row{nil}, row{&url}, row{nil})
	values := slices.Repeat(append([]byte{byte(len(url)), 0, 0, 0}, url...), 4)
	levels := []byte{1<<1 | 1, 0b01001101} // a run of 8 levels of a bit
	for version, head := range [][]byte{{2, 0, 0, 0}, {}} {
		h := &format.PageHeader{Type: format.DataPage}
		h.DataPageHeader.V = format.DataPageHeader{NumValues: 8, Encoding: format.Plain}
		if version == 1 {
			h = &format.PageHeader{Type: format.DataPageV2}
			h.DataPageHeaderV2.V = format.DataPageHeaderV2{NumValues: 8, NumNulls: 4, DefinitionLevelsByteLength: 2, Encoding: format.Plain}
		}
		body := slices.Concat(head, levels, values)
		if _, err := checkEncoded(h, body, f.Columns[0]); err != nil {
			t.Fatalf("version %d: %v", version+1, err)
		}
		for bit := range 8 * (len(head) + len(levels)) {
			body[bit/8] ^= 1 << (bit % 8)
			if _, err := checkEncoded(h, body, f.Columns[0]); err == nil {
				t.Errorf("version %d: with bit %d flipped the page is read", version+1, bit)
			}
			body[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// A footer of many small structs takes the memory of large ones.
func TestManyStructs(t *testing.T) {
	of := func(n int) []byte { // a list of empty structs, as field 4
		list := append(binary.AppendUvarint([]byte{0x49, 0xfc}, uint64(n)), make([]byte, minStructSize*n)...)
		return append(list, 0)
	}
	if _, err := decode(of(maxStructs-1), new(struct{})); err != nil {
		t.Error(err)
	}
	if _, err := decode(of(maxStructs), new(struct{})); err == nil {
		t.Error("more structs are taken")
	}
}

// Columns are open at the same time, each with a page: together they may not take more than two of the largest.
func TestPagesOfAllColumns(t *testing.T) {
	f := &File{}
	header := &format.PageHeader{UncompressedPageSize: maxPageSize - 1<<10}
	a, b, c := &Column{f: f}, &Column{f: f}, &Column{f: f}
	for _, column := range []*Column{a, b, a} {
		if _, err := column.place(header); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.place(header); err == nil {
		t.Error("a third large page is taken")
	}
	a.Close()
	if _, err := c.place(header); err != nil {
		t.Error(err)
	}
}

// Runs behind the last value are bounded together, and not each: else a page of megabytes has billions of values.
func TestRunsBehindTheEnd(t *testing.T) {
	run := append(binary.AppendUvarint(nil, 500<<1), 1) // 500 times the number 1
	if err := eachRun(run, 1, 100, skipRun); err != nil {
		t.Error(err) // as some writers fill up the last run
	}
	if err := eachRun(bytes.Repeat(run, 2), 1, 100, skipRun); err == nil {
		t.Error("1,000 values are taken for 100")
	}
}

// opened returns a file with some rows.
func opened[Row any](t *testing.T, rows ...Row) *File {
	t.Helper()
	var file bytes.Buffer
	w := parquet.NewGenericWriter[Row](&file)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A column without nulls has no levels, but a page of version 2 may say that it has: they are checked too.
func TestLevelsOfAColumnWithoutNulls(t *testing.T) {
	type row struct {
		Status int32 `parquet:"status"`
	}
	f := opened(t, row{200})
	levels := binary.AppendUvarint(nil, 1<<40)
	h := &format.PageHeader{Type: format.DataPageV2}
	h.DataPageHeaderV2.V = format.DataPageHeaderV2{NumValues: 1, DefinitionLevelsByteLength: int32(len(levels)), Encoding: format.Plain}
	if _, err := checkEncoded(h, append(levels, 200, 0, 0, 0), f.Columns[0]); err == nil {
		t.Error("a run of billions of levels is taken")
	}
}
