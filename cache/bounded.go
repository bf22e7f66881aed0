package cache

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/maypok86/otter/v2"

	"github.com/heed-robots/heed/origin"
)

// A boundedMap is a map from origins to values, with limited memory. The otter cache may refuse to keep a large value,
// so large values are also in a list.
type boundedMap[V comparable] struct {
	values *otter.Cache[origin.Origin, V]
	size   func(V) int
	bytes  int

	evicted atomic.Uint64

	mu    sync.Mutex
	large []large[V] // the newest first; at most one for each origin
}

type large[V any] struct {
	origin origin.Origin
	value  V
}

func newBounded[V comparable](bytes int64, size func(V) int) *boundedMap[V] {
	b := &boundedMap[V]{bytes: int(bytes)}
	b.size = func(v V) int { return allocatedBytes(size(v)) }
	b.values = otter.Must(&otter.Options[origin.Origin, V]{
		MaximumWeight: uint64(max(bytes-bytes/largeListShare, 1)),
		Weigher:       func(_ origin.Origin, v V) uint32 { return uint32(b.size(v)) },
		OnAtomicDeletion: func(e otter.DeletionEvent[origin.Origin, V]) {
			if e.WasEvicted() {
				b.evicted.Add(1)
			}
		},
	})
	return b
}

func (b *boundedMap[V]) get(o origin.Origin) V {
	if v, ok := b.values.GetIfPresent(o); ok {
		return v
	}
	return b.getLarge(o)
}

// update replaces the value of an origin by the result of the function replace. If the origin has no value, this function
// gets the zero V. If it returns the zero V, update removes the value.
func (b *boundedMap[V]) update(o origin.Origin, replace func(V) V) V {
	var none, now V
	b.values.Compute(o, func(held V, found bool) (V, otter.ComputeOp) {
		if !found {
			held = b.getLarge(o)
		}
		switch now = replace(held); now {
		case held:
			return held, otter.CancelOp
		case none:
			b.setLarge(o, none)
			return none, otter.InvalidateOp
		}
		b.setLarge(o, now)
		return now, otter.WriteOp
	})
	return now
}

func (b *boundedMap[V]) set(o origin.Origin, v V) { b.update(o, func(V) V { return v }) }

func (b *boundedMap[V]) remove(o origin.Origin) {
	b.update(o, func(V) (none V) { return none })
}

// weigh measures the size of v again, because v has grown. If v was evicted meanwhile, weigh must not put it back.
func (b *boundedMap[V]) weigh(o origin.Origin, v V) {
	b.values.Compute(o, func(now V, found bool) (V, otter.ComputeOp) {
		if !found && b.getLarge(o) != v || found && now != v {
			return now, otter.CancelOp
		}
		b.setLarge(o, v)
		return v, otter.WriteOp
	})
}

// An origin with a large value may be in the result twice.
func (b *boundedMap[V]) origins() []origin.Origin {
	all := slices.Collect(b.values.Keys())
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.large {
		all = append(all, l.origin)
	}
	return all
}

func (b *boundedMap[V]) getLarge(o origin.Origin) (none V) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.large {
		if l.origin == o {
			return l.value
		}
	}
	return none
}

func (b *boundedMap[V]) setLarge(o origin.Origin, v V) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.large = slices.DeleteFunc(b.large, func(l large[V]) bool { return l.origin == o })
	var none V
	if v == none || b.size(v) <= b.bytes/largeShare {
		return
	}
	b.large = slices.Insert(b.large, 0, large[V]{o, v})
	room := b.bytes / largeListShare
	for i, l := range b.large {
		if room -= b.size(l.value); i > 0 && room < 0 {
			b.large = slices.Delete(b.large, i, len(b.large))
			return
		}
	}
}
