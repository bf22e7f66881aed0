package zstandard

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/klauspost/compress/zstd"
)

// An empty body is compressed to a frame, and read as an empty body, not as nil.
func TestEmptyBody(t *testing.T) {
	frame := NewEncoder().EncodeAll(nil, nil)
	if len(frame) == 0 {
		t.Error("an empty body has no frame")
	}
	if body, err := NewDecoder().DecodeAll(frame, []byte{}); err != nil || body == nil || len(body) != 0 {
		t.Errorf("%q, %v", body, err)
	}
}

// A body of MaxBody bytes is read, and a larger one is an error.
func TestLargestBody(t *testing.T) {
	portion.Skip(t, 3)
	encoder, decoder := NewEncoder(), NewDecoder()
	for size, want := range map[int]bool{MaxBody: true, MaxBody + 1: false} {
		frame := encoder.EncodeAll([]byte(strings.Repeat("a", size)), nil)
		if body, err := decoder.DecodeAll(frame, nil); (err == nil) != want || want && len(body) != size {
			t.Errorf("%d bytes: %d bytes are read, %v", size, len(body), err)
		}
	}
}

func TestWrongOption(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewEncoder(zstd.WithWindowSize(1))
}
