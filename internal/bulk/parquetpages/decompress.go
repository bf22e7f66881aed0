package parquetpages

import (
	"bytes"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// A Decompressor never writes more than the given size. Only one goroutine may use it.
type Decompressor struct {
	zstd   *zstd.Decoder
	gzip   gzip.Reader
	brotli brotli.Reader
}

func NewDecompressor() *Decompressor {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err)
	}
	return &Decompressor{zstd: z}
}

func (d *Decompressor) Close() { d.zstd.Close() }

var errOtherSize = Damaged("after decompression, the page does not have the size that its header says")

func (d *Decompressor) decompressInto(dst, data []byte, codec format.CompressionCodec) error {
	var out []byte
	var err error
	switch codec {
	case format.Uncompressed:
		if len(data) != len(dst) {
			return errOtherSize
		}
		copy(dst, data)
		return nil
	case format.Zstd:
		out, err = d.zstd.DecodeAll(data, dst[:0:len(dst)])
	case format.Snappy:
		if n, err := snappy.DecodedLen(data); err != nil || n != len(dst) {
			return errOtherSize
		}
		out, err = snappy.Decode(dst, data)
	case format.Gzip:
		if err = d.gzip.Reset(bytes.NewReader(data)); err == nil {
			return fill(dst, &d.gzip)
		}
	case format.Brotli:
		if err = d.brotli.Reset(bytes.NewReader(data)); err == nil {
			return fill(dst, &d.brotli)
		}
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(data, dst) // used because parquet-go's own code takes more and more memory for a damaged page
		if err != nil || n != len(dst) {
			return errOtherSize
		}
		return nil
	default:
		return fmt.Errorf("heed cannot read the compression %v: write the Parquet file again with another one, such as ZSTD", codec)
	}
	if err != nil {
		return Damaged("the page cannot be decompressed: %w", err)
	}
	if len(out) != len(dst) {
		return errOtherSize
	}
	if len(out) > 0 && &out[0] != &dst[0] {
		copy(dst, out)
	}
	return nil
}

func fill(dst []byte, r io.Reader) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return errOtherSize
	}
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 || err != io.EOF {
		return errOtherSize
	}
	return nil
}
