package cache

import (
	"testing"

	"github.com/heed-robots/heed/origin"
)

// A large value in the list is measured again when it grows.
func TestLargeValueThatGrows(t *testing.T) {
	const bytes = 1 << 20
	b := newBounded(bytes, func(n *int) int { return *n })
	var last origin.Origin
	var value *int
	for _, name := range []string{"http://a.example", "http://b.example", "http://c.example"} {
		o, err := origin.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		size := bytes / 32
		last, value = o, &size
		b.set(o, value)
	}
	b.values.Invalidate(last) // otter may evict it at any time
	*value = bytes
	b.weigh(last, value)
	if len(b.large) != 1 || b.large[0].value != value {
		t.Errorf("the list has %d values, want only the one that takes all the room", len(b.large))
	}
}
