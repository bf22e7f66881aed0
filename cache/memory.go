package cache

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/heed-robots/heed/internal/defaults"
	"github.com/heed-robots/heed/origin"
)

type memory struct {
	records  *boundedMap[*memoryItem]
	versions int
	notes    memoryNotes
}

// A memoryItem never changes, so readers need no lock.
type memoryItem struct {
	record  *Record
	history []Version // the newest version first
}

// NewMemory returns a Store in memory, with a history. bytes limits the records, approximately; 0 or less means 64 MiB.
// versions is how many versions each origin keeps; 0 or less means 16.
//
// The Store is a Noter with the same limit for notes. PutNote returns an error if a note does not fit.
func NewMemory(bytes int64, versions int) Store {
	bytes = defaults.Positive(bytes, defaultMemoryBytes)
	return &memory{records: newBounded(bytes, memoryItemBytes), versions: defaults.Positive(versions, defaultVersions), notes: memoryNotes{limit: bytes}}
}

var _ Noter = (*memory)(nil)

const defaultVersions = 16

func (m *memory) Get(ctx context.Context, o origin.Origin) (*Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := m.records.get(o)
	if found == nil {
		return nil, fmt.Errorf("%s: %w", o, ErrNotFound)
	}
	return found.record, nil
}

func (m *memory) Put(ctx context.Context, r *Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.records.update(r.Origin, func(old *memoryItem) *memoryItem {
		next := &memoryItem{record: r}
		if old != nil {
			next.history = old.history
		}
		if v, ok := r.Version(); ok {
			next.history = addVersion(next.history, v, m.versions)
		}
		return next
	})
	return nil
}

// addVersion does not change the given history, because readers may still use it.
func addVersion(history []Version, v Version, limit int) []Version {
	if len(history) > 0 && history[0].Same(v) {
		history = slices.Clone(history)
		if v.Last.After(history[0].Last) {
			history[0].Last = v.Last
		}
		return history
	}
	history = slices.Insert(slices.Clone(history), 0, v)
	return history[:min(len(history), limit)]
}

func (m *memory) Delete(ctx context.Context, o origin.Origin) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.records.remove(o)
	return nil
}

func (m *memory) Origins(ctx context.Context) iter.Seq2[origin.Origin, error] {
	return func(yield func(origin.Origin, error) bool) {
		for _, o := range m.records.origins() {
			if err := ctx.Err(); !yield(o, err) || err != nil {
				return
			}
		}
	}
}

func (m *memory) History(ctx context.Context, o origin.Origin) ([]Version, error) {
	found := m.records.get(o)
	if err := ctx.Err(); err != nil || found == nil {
		return nil, err
	}
	return found.history, nil
}

func memoryItemBytes(m *memoryItem) int {
	bytes := recordBytes(m.record)
	for _, v := range m.history {
		bytes += versionSize + len(v.Body)
	}
	return bytes
}
