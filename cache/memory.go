package cache

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/maypok86/otter/v2"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// Memory is a Store that ends with the process. A Cache needs none to remember,
// but it has a history and can be shared by several Caches.
type Memory struct {
	versions int
	records  *otter.Cache[origin.Origin, *memorized]
}

// memorized is what a Memory holds of an origin. It is not changed.
type memorized struct {
	record  *Record
	history []Version // the newest first
}

// NewMemory returns a Memory that holds so many bytes, about, and so many
// versions of an origin; 0 or less means 64 MiB and 16.
func NewMemory(bytes int64, versions int) *Memory {
	return &Memory{
		versions: positive(versions, defaultVersions),
		records: newBounded(positive(bytes, defaultMemoryBytes), func(m *memorized) int {
			size := recordSize(m.record)
			for _, v := range m.history {
				size += versionSize + len(v.Body)
			}
			return size
		}),
	}
}

const (
	defaultVersions    = 16
	defaultMemoryBytes = 64 << 20
)

// newBounded returns a map that is bounded by the sizes of its values.
func newBounded[V any](bytes int64, size func(V) int) *otter.Cache[origin.Origin, V] {
	return otter.Must(&otter.Options[origin.Origin, V]{
		MaximumWeight: uint64(max(bytes, 1)),
		Weigher: func(_ origin.Origin, v V) uint32 {
			n := uint32(size(v))
			return n + n/6 // what allocations are rounded up by
		},
	})
}

// What things take in memory beside their bytes, measured (see TestMemory).
const (
	slotSize    = 400 // a place in the map, and its key
	resultSize  = 400
	valueSize   = 120 // a header or a hop
	versionSize = 100
)

// recordSize is about what a record takes in memory.
func recordSize(r *Record) int {
	size := slotSize + resultBytes(r.Known) + resultBytes(r.Failed)
	if r.Copy != r.Known {
		size += resultBytes(r.Copy)
	}
	return size
}

// resultBytes is about what a result takes in memory: a server chooses the size
// of most of it.
func resultBytes(r *fetch.Result) int {
	if r == nil {
		return 0
	}
	size := resultSize + len(r.Body)
	for _, h := range r.Hops {
		size += valueSize + len(h.URL) + len(h.Location)
	}
	for _, values := range r.Header {
		for _, v := range values {
			size += valueSize + len(v)
		}
	}
	if r.Err != nil {
		size += len(r.Err.Error())
	}
	return size
}

// Get implements Store.
func (m *Memory) Get(ctx context.Context, o origin.Origin) (*Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found, ok := m.records.GetIfPresent(o)
	if !ok {
		return nil, fmt.Errorf("%s: %w", o, ErrNotFound)
	}
	return found.record, nil
}

// Put implements Store.
func (m *Memory) Put(ctx context.Context, r *Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.records.Compute(r.Origin, func(old *memorized, found bool) (*memorized, otter.ComputeOp) {
		next := &memorized{record: r}
		if found {
			next.history = old.history
		}
		if v, ok := r.Version(); ok {
			next.history = AddVersion(next.history, v, m.versions)
		}
		return next, otter.WriteOp
	})
	return nil
}

// AddVersion returns a history, the newest first, with one more version seen,
// of which it keeps so many.
func AddVersion(history []Version, v Version, most int) []Version {
	if len(history) > 0 && history[0].Same(v) {
		history = slices.Clone(history)
		if v.Last.After(history[0].Last) {
			history[0].Last = v.Last
		}
		return history
	}
	history = slices.Insert(slices.Clone(history), 0, v)
	return history[:min(len(history), most)]
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, o origin.Origin) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.records.Invalidate(o)
	return nil
}

// Origins implements Store.
func (m *Memory) Origins(ctx context.Context) iter.Seq2[origin.Origin, error] {
	return func(yield func(origin.Origin, error) bool) {
		for o := range m.records.Keys() {
			if err := ctx.Err(); !yield(o, err) || err != nil {
				return
			}
		}
	}
}

// History implements Store.
func (m *Memory) History(ctx context.Context, o origin.Origin) ([]Version, error) {
	found, ok := m.records.GetIfPresent(o)
	if err := ctx.Err(); err != nil || !ok {
		return nil, err
	}
	return found.history, nil
}

// positive returns a number of a setting, or the default where it says none.
func positive[T int | int64](value, byDefault T) T {
	if value <= 0 {
		return byDefault
	}
	return value
}
