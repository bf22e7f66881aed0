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

// A few octets that announce billions of values or octets are errors, before memory is taken for them.
func TestBombs(t *testing.T) {
	run := append(binary.AppendUvarint(nil, 1<<32), 0)
	if err := checkRuns(run, 1, 100); err == nil {
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
	if err := NewDecompressor().into(make([]byte, 100), bomb, format.Zstd); err == nil {
		t.Error("a page of 64 MiB is decompressed into 100 bytes")
	}
	gzip, err := parquet.Gzip.Encode(nil, make([]byte, 101))
	if err != nil {
		t.Fatal(err)
	}
	if err := NewDecompressor().into(make([]byte, 100), gzip, format.Gzip); err != errOtherSize {
		t.Error(err)
	}
}

// Structs that are too deep in each other, a map, and what ends too early are errors.
func TestStructs(t *testing.T) {
	for want, data := range map[string][]byte{
		"more than 16 structs in each other": bytes.Repeat([]byte{0x1c}, 100),
		"a map":                              {0x1b, 0},
		"type 14":                            {0x1e},
		"unexpected EOF":                     {0x15},
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
		if err := checkValues(c.body, 3, c.encoding, nil, true); (err == nil) != c.isRight {
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
