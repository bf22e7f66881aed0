package parquetpages

import (
	"bytes"
	"encoding/binary"
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
	if _, err := readDelta(delta, 100, func(int64) {}); err == nil {
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
