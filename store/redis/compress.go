package redis

import (
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/cache"
)

// mostBody is how large a body may be. It bounds what a spoilt one can claim.
const mostBody = 64 << 20

// mostPacked is how large, in zstd, a record may be, and the bodies of a history
// together. All calls share a connection, and a gigabit link carries this much in
// 35 ms, less than the 50 ms that a call has. A robots.txt is 500 KiB at most
// where nobody says otherwise, and a tenth of that in zstd.
const mostPacked = 4 << 20

var (
	encoder = must(zstd.NewWriter(nil,
		zstd.WithWindowSize(1<<20), // the size of most is below, and an encoder holds several of them
		zstd.WithZeroFrames(true),  // an empty body is not the same as none
	))
	decoder = must(zstd.NewReader(nil, zstd.WithDecoderMaxMemory(mostBody), zstd.WithDecoderConcurrency(0)))
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err) // the options above are wrong
	}
	return value
}

func compress(body []byte) string { return string(encoder.EncodeAll(body, nil)) }

// decompress never returns nil without an error: there is a body.
func decompress(packed string) ([]byte, error) {
	body, err := decoder.DecodeAll([]byte(packed), []byte{})
	if err != nil || packed == "" {
		return nil, fmt.Errorf("%w: its body is not zstd: %v", cache.ErrWrongRecord, err)
	}
	return body, nil
}
