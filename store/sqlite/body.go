package sqlite

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/cache"
)

// maxBody is how long a body may be, so that one whose size is spoilt cannot
// take all memory. It is far beyond what anybody reads of a robots.txt.
const maxBody = 64 << 20

// A body is a robots.txt on its way to the database.
type body struct {
	hash   []byte
	text   []byte
	packed []byte // nil: not yet
}

func newBody(text []byte) (*body, error) {
	if len(text) > maxBody {
		return nil, fmt.Errorf("the robots.txt has %d bytes; at most %d can be kept", len(text), maxBody)
	}
	hash := sha256.Sum256(text)
	return &body{hash: hash[:], text: text}, nil
}

// A packer compresses bodies.
type packer struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func newPacker() *packer {
	encoder, err := zstd.NewWriter(nil,
		zstd.WithEncoderConcurrency(1), // there is one writer
		zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderCRC(false), // there is the hash
		zstd.WithZeroFrames(true))  // an empty body is a frame too
	if err != nil {
		panic(err) // the options are wrong
	}
	decoder, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(readers),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxBody),
		zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err)
	}
	return &packer{encoder, decoder}
}

func (p *packer) pack(b *body) {
	if b.packed == nil {
		b.packed = p.encoder.EncodeAll(b.text, nil)
	}
}

// A row is what the database holds of a body.
type row struct {
	hash, data []byte
	size       *int64 // nil: there is no row
}

// unpack returns the body of a row, which is not nil. Its error is an
// ErrWrongRecord.
func (p *packer) unpack(r row) ([]byte, error) {
	if r.size == nil {
		return nil, fmt.Errorf("%w: its body is not there", cache.ErrWrongRecord)
	}
	if *r.size < 0 || *r.size > maxBody {
		return nil, fmt.Errorf("%w: the size of its body is %d", cache.ErrWrongRecord, *r.size)
	}
	// No more than the size is decompressed, whatever the data say.
	text, err := p.decoder.DecodeAll(r.data, make([]byte, 0, *r.size))
	if err != nil {
		return nil, fmt.Errorf("%w: its body: %v", cache.ErrWrongRecord, err)
	}
	if hash := sha256.Sum256(text); !bytes.Equal(hash[:], r.hash) || int64(len(text)) != *r.size {
		return nil, fmt.Errorf("%w: its body is not what was written", cache.ErrWrongRecord)
	}
	return text, nil
}
