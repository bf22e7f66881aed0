package cache_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
)

// FuzzReadRecord: no bytes make it panic, and what it reads is written as it was.
func FuzzReadRecord(f *testing.F) {
	r := storetest.Answer(storetest.Site(1), time.Unix(1, 0).UTC(), "User-agent: *\n")
	f.Add(r.Head(), r.Body())
	f.Add([]byte(`1 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a {}`), []byte(nil))
	f.Add([]byte("2 x"), []byte("y"))
	f.Fuzz(func(t *testing.T, head, body []byte) {
		r, err := cache.ReadRecord(head, body)
		if err != nil {
			if !errors.Is(err, cache.ErrWrongRecord) || r != nil {
				t.Errorf("%v, %v", r, err)
			}
			return
		}
		again, err := cache.ReadRecord(r.Head(), r.Body())
		if err != nil || !bytes.Equal(again.Head(), r.Head()) || !bytes.Equal(again.Body(), r.Body()) {
			t.Errorf("%q is written as %q: %v", head, r.Head(), err)
		}
	})
}

// A record with any bit flipped is refused.
func TestFlippedBits(t *testing.T) {
	r := storetest.Answer(storetest.Site(1), time.Unix(1, 0).UTC(), "User-agent: *\n")
	for _, part := range [][]byte{r.Head(), r.Body()} {
		for i := range 8 * len(part) {
			head, body := r.Head(), bytes.Clone(r.Body())
			if len(part) == len(head) {
				head[i/8] ^= 1 << (i % 8)
			} else {
				body[i/8] ^= 1 << (i % 8)
			}
			if got, err := cache.ReadRecord(head, body); !errors.Is(err, cache.ErrWrongRecord) {
				t.Fatalf("bit %d: %v, %v", i, got, err)
			}
		}
	}
}
