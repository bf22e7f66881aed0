package cache

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/heed-robots/heed/internal/defaults"
	"github.com/heed-robots/heed/origin"
)

// Memory is a Store in memory. A Cache works without one; a Memory has a history, and can be
// shared by several Caches. The zero Memory is empty, with the limits of NewMemory(0, 0). It
// must not be copied.
type Memory struct {
	once     sync.Once
	bytes    int64
	versions int
	made     *bounded[*memorized] // by records
}

// memorized is what a Memory has of an origin. It is not changed.
type memorized struct {
	record  *Record
	history []Version // the newest first
}

// NewMemory returns a Memory that holds about so many bytes, but at least the record that was
// put last, and so many versions of each origin; 0 or less means 64 MiB and 16 versions.
func NewMemory(bytes int64, versions int) *Memory {
	return &Memory{bytes: bytes, versions: versions}
}

// records returns the map of all origins.
func (m *Memory) records() *bounded[*memorized] {
	m.once.Do(func() { m.made = newBounded(defaults.Positive(m.bytes, defaultMemoryBytes), memorizedBytes) })
	return m.made
}

const defaultVersions = 16

// Get implements Store.
func (m *Memory) Get(ctx context.Context, o origin.Origin) (*Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := m.records().get(o)
	if found == nil {
		return nil, fmt.Errorf("%s: %w", o, ErrNotFound)
	}
	return found.record, nil
}

// Put implements Store.
func (m *Memory) Put(ctx context.Context, r *Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.records().update(r.Origin, func(old *memorized) *memorized {
		next := &memorized{record: r}
		if old != nil {
			next.history = old.history
		}
		if v, ok := r.Version(); ok {
			next.history = addVersion(next.history, v, defaults.Positive(m.versions, defaultVersions))
		}
		return next
	})
	return nil
}

// addVersion returns a history, the newest first, after a retrieval that saw a version. It
// keeps so many versions.
func addVersion(history []Version, v Version, most int) []Version {
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
	m.records().remove(o)
	return nil
}

// Origins implements Store.
func (m *Memory) Origins(ctx context.Context) iter.Seq2[origin.Origin, error] {
	return func(yield func(origin.Origin, error) bool) {
		for _, o := range m.records().origins() {
			if err := ctx.Err(); !yield(o, err) || err != nil {
				return
			}
		}
	}
}

// History implements Store.
func (m *Memory) History(ctx context.Context, o origin.Origin) ([]Version, error) {
	found := m.records().get(o)
	if err := ctx.Err(); err != nil || found == nil {
		return nil, err
	}
	return found.history, nil
}
