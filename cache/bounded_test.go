package cache

import (
	"testing"

	"github.com/heed-robots/heed/origin"
)

// What is held beside the map because it is large is weighed again when it grows.
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
	b.values.Invalidate(last) // the map may let go of it at any time
	*value = bytes
	b.weigh(last, value)
	if len(b.large) != 1 || b.large[0].value != value {
		t.Errorf("%d values are held beside one that takes all the room", len(b.large))
	}
}
