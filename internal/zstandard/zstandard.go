// Package zstandard makes the encoders and decoders of Zstandard with which the stores compress robots.txt files.
package zstandard

import "github.com/klauspost/compress/zstd"

// MaxBody limits a body before compression, in bytes. Decoders use it too: damaged data must not take all memory.
const MaxBody = 64 << 20

// NewEncoder returns an encoder that writes a frame even for an empty body. So an empty body is not the same as a missing
// body.
func NewEncoder(options ...zstd.EOption) *zstd.Encoder {
	return must(zstd.NewWriter(nil, append(options, zstd.WithZeroFrames(true))...))
}

// NewDecoder returns a decoder with the given options. The decoder fails if the result is larger than MaxBody bytes.
// NewDecoder panics if the options are wrong.
func NewDecoder(options ...zstd.DOption) *zstd.Decoder {
	return must(zstd.NewReader(nil, append(options, zstd.WithDecoderMaxMemory(MaxBody))...))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
