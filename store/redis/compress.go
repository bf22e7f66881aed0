package redis

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/zstandard"
)

// maxPacked is the maximum size of a compressed record, in bytes. A larger record would block the shared connection for
// longer than Options.Timeout.
const maxPacked = 4 << 20

// The encoder and the decoder are made when they are first used, so that programs that import this package start faster.
var (
	// An encoder allocates several windows, so the window is small. Nearly every robots.txt is smaller.
	encoder = sync.OnceValue(func() *zstd.Encoder { return zstandard.NewEncoder(zstd.WithWindowSize(1 << 20)) })
	decoder = sync.OnceValue(func() *zstd.Decoder { return zstandard.NewDecoder(zstd.WithDecoderConcurrency(0)) }) // 0 means one decoder for each processor
)

func compress(body []byte) string { return string(encoder().EncodeAll(body, nil)) }

// decompress never returns nil without an error, because a nil body means that there is no robots.txt.
func decompress(packed string) ([]byte, error) {
	body, err := decoder().DecodeAll([]byte(packed), []byte{})
	if err != nil || packed == "" {
		return nil, fmt.Errorf("heed ignores the data of a key in Redis, because it is not zstd: %w: %v", cache.ErrWrongRecord, err)
	}
	return body, nil
}
