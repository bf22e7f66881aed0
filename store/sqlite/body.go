package sqlite

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/zstandard"
)

// A body is a robots.txt that is being written to the database.
type body struct {
	hash   []byte
	text   []byte
	packed []byte // nil: not compressed yet
}

func newBody(text []byte) (*body, error) {
	if len(text) > zstandard.MaxBody {
		return nil, fmt.Errorf("the robots.txt has %d bytes; at most %d can be kept", len(text), zstandard.MaxBody)
	}
	hash := sha256.Sum256(text)
	return &body{hash: hash[:], text: text}, nil
}

// A packer compresses and decompresses bodies.
type packer struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func newPacker() *packer {
	return &packer{
		encoder: zstandard.NewEncoder(
			zstd.WithEncoderConcurrency(1), // a Store has one writer
			zstd.WithLowerEncoderMem(true),
			zstd.WithEncoderCRC(false)), // the hash is the checksum
		decoder: zstandard.NewDecoder(
			zstd.WithDecoderConcurrency(readers),
			zstd.WithDecoderLowmem(true),
			zstd.WithDecodeAllCapLimit(true)),
	}
}

func (p *packer) pack(b *body) {
	if b.packed == nil {
		b.packed = p.encoder.EncodeAll(b.text, nil)
	}
}

// A row has the columns of a body.
type row struct {
	hash, data []byte
	size       *int64 // nil: there is no row
}

// unpack returns the body of a row, which is never nil. If the row is corrupt, the error is
// an ErrWrongRecord.
func (p *packer) unpack(r row) ([]byte, error) {
	if r.size == nil {
		return nil, fmt.Errorf("%w: its body is missing", cache.ErrWrongRecord)
	}
	if *r.size < 0 || *r.size > zstandard.MaxBody {
		return nil, fmt.Errorf("%w: the size of its body is %d", cache.ErrWrongRecord, *r.size)
	}
	// The capacity is the limit of the decoder: it returns an error for data of a larger body.
	text, err := p.decoder.DecodeAll(r.data, make([]byte, 0, *r.size))
	if err != nil {
		return nil, fmt.Errorf("%w: its body: %v", cache.ErrWrongRecord, err)
	}
	if hash := sha256.Sum256(text); !bytes.Equal(hash[:], r.hash) || int64(len(text)) != *r.size {
		return nil, fmt.Errorf("%w: the hash or the size of its body does not match", cache.ErrWrongRecord)
	}
	return text, nil
}
