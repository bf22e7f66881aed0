// Package zstandard makes the encoders and decoders of Zstandard with which the stores compress robots.txt files.
package zstandard

import "github.com/klauspost/compress/zstd"

// MaxBody limits a body before compression, in bytes. Decoders use it too: damaged data must not take all memory.
const MaxBody = 64 << 20

// NewEncoder returns an encoder that also writes a frame for an empty body, which differs from a missing body.
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
