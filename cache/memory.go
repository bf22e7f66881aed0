package cache

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/heed-robots/heed/internal/defaults"
	"github.com/heed-robots/heed/origin"
)

// A memory is the Store that NewMemory returns.
type memory struct {
	records  *bounded[*memoryItem]
	versions int
	notes    memoryNotes
}

// A memoryItem has what a memory keeps of one origin. A memoryItem is never changed after it is made.
type memoryItem struct {
	record  *Record
	history []Version // the newest version first
}

// NewMemory returns a Store in memory, whose records are lost when the process ends. A Cache also works without a Store, but
// this Store keeps a history, and several Caches can share it. bytes limits the memory that the records take, approximately; 0
// or less means 64 MiB. The record that was put last is kept, even beyond the limit. versions is how many versions of each
// origin are kept; 0 or less means 16.
//
// The Store is a Noter too. Its notes have a separate limit, which is also bytes. Notes are not evicted: if a note does
// not fit, PutNote returns an error.
func NewMemory(bytes int64, versions int) Store {
	bytes = defaults.Positive(bytes, defaultMemoryBytes)
	return &memory{records: newBounded(bytes, memoryItemBytes), versions: defaults.Positive(versions, defaultVersions), notes: memoryNotes{limit: bytes}}
}

var _ Noter = (*memory)(nil)

const defaultVersions = 16

// Get returns the record of an origin, or ErrNotFound.
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

// Put replaces the record of an origin, and keeps the history.
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

// addVersion adds the answer v of a retrieval to a history, and returns the new history, with the newest version first. The
// history has at most limit versions.
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

// Delete deletes the record and the history of an origin.
func (m *memory) Delete(ctx context.Context, o origin.Origin) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.records.remove(o)
	return nil
}

// Origins returns the origins of all records.
func (m *memory) Origins(ctx context.Context) iter.Seq2[origin.Origin, error] {
	return func(yield func(origin.Origin, error) bool) {
		for _, o := range m.records.origins() {
			if err := ctx.Err(); !yield(o, err) || err != nil {
				return
			}
		}
	}
}

// History returns the versions of an origin, the newest first.
func (m *memory) History(ctx context.Context, o origin.Origin) ([]Version, error) {
	found := m.records.get(o)
	if err := ctx.Err(); err != nil || found == nil {
		return nil, err
	}
	return found.history, nil
}

// memoryItemBytes returns the size of what a memory keeps of an origin.
func memoryItemBytes(m *memoryItem) int {
	bytes := recordBytes(m.record)
	for _, v := range m.history {
		bytes += versionSize + len(v.Body)
	}
	return bytes
}
