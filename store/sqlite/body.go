package sqlite

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/zstandard"
)

type body struct {
	hash   []byte
	text   []byte
	packed []byte
}

type packer struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func newPacker() *packer {
	return &packer{
		encoder: zstandard.NewEncoder(
			zstd.WithEncoderConcurrency(1), // one is enough, because a Store has one writer
			zstd.WithLowerEncoderMem(true),
			zstd.WithEncoderCRC(false)), // no checksum, because the SHA-256 is one already
		decoder: zstandard.NewDecoder(
			zstd.WithDecoderConcurrency(readers),
			zstd.WithDecoderLowmem(true),
			zstd.WithDecodeAllCapLimit(true)),
	}
}

func (p *packer) pack(b *body) {
	if b.packed == nil {
		b.packed = p.compress(b.text)
	}
}

func (p *packer) compress(text []byte) []byte { return p.encoder.EncodeAll(text, nil) }

// decompress never returns nil without an error. The limit is needed because a corrupt size could be huge.
func (p *packer) decompress(data []byte, size, limit int64) ([]byte, error) {
	if size < 0 || size > limit {
		return nil, fmt.Errorf("the record in the database is damaged, because it has the size %d for its data; expected 0 to %d bytes", size, limit)
	}
	// The decoder returns an error if the text does not fit into the capacity.
	text, err := p.decoder.DecodeAll(data, make([]byte, 0, size))
	if err == nil && int64(len(text)) != size {
		err = fmt.Errorf("the record in the database is damaged, because its data has %d bytes; expected %d", len(text), size)
	}
	return text, err
}

type row struct {
	hash, data []byte
	size       *int64 // nil if the row does not exist
}

// unpack never returns nil without an error, because a nil body means that there is no robots.txt.
func (p *packer) unpack(r row) ([]byte, error) {
	if r.size == nil {
		return nil, fmt.Errorf("the store has the record of the site, but not its robots.txt: %w", cache.ErrWrongRecord)
	}
	text, err := p.decompress(r.data, *r.size, zstandard.MaxBody)
	if err != nil {
		return nil, fmt.Errorf("heed cannot use the stored robots.txt, and ignores it: %w: %v", cache.ErrWrongRecord, err)
	}
	if hash := sha256.Sum256(text); !bytes.Equal(hash[:], r.hash) {
		return nil, fmt.Errorf("heed cannot use the stored robots.txt, and ignores it, because its SHA-256 is wrong: %w", cache.ErrWrongRecord)
	}
	return text, nil
}
