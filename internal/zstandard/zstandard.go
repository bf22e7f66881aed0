// Package zstandard makes the encoders and decoders of Zstandard with which the stores compress robots.txt files.
package zstandard

import "github.com/klauspost/compress/zstd"

// MaxBody is the size of the largest body that a store or an archive keeps, in bytes before compression. A larger
// body is an error. Crawlers read a much smaller part of a robots.txt. Decoders have this limit too, so that damaged
// data cannot take all memory.
const MaxBody = 64 << 20

// NewEncoder returns an encoder with the given options. It writes a frame even for an empty body, so that an empty
// body differs from a missing one. It panics if the options are wrong.
func NewEncoder(options ...zstd.EOption) *zstd.Encoder {
	return must(zstd.NewWriter(nil, append(options, zstd.WithZeroFrames(true))...))
}

// NewDecoder returns a decoder of at most MaxBody bytes with the given options. It panics if the options are wrong.
func NewDecoder(options ...zstd.DOption) *zstd.Decoder {
	return must(zstd.NewReader(nil, append(options, zstd.WithDecoderMaxMemory(MaxBody))...))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
