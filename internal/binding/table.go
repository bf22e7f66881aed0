package binding

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/heed-robots/heed/robotstxt"
)

// A Handle is the number of an object in a Table; 0 means none. Numbers are never used twice, and are below 1<<53, because a
// float64 must hold them exactly.
type Handle uint64

// A handle has two parts: an index, in the lower bits, and a generation. The generation says how
// often the index was used before.
const (
	indexBits      = 28 // for 1<<indexBits objects at the same time
	generationBits = 25 // for 1<<generationBits objects with one index, one after the other
	firstChunk     = 1024
	chunks         = 19 // enough for each index
)

// A Table has files and policies, each with a Handle. It is safe for concurrent use.
type Table struct {
	// Limit is the approximate maximum memory in bytes. 0 means no limit. If the objects need more memory, the objects
	// that were unused for the longest time are closed.
	Limit int

	// A chunk never moves, so an object is read without a lock. Each chunk is twice as large as the one before it.
	chunks [chunks]atomic.Pointer[[]atomic.Pointer[object]]

	puts atomic.Uint64 // how many objects were put into the table; file.lastUse uses this number as a time

	mu   sync.Mutex
	free []Handle // for each index that is free, the handle of its next object
	size uint64   // the number of indexes that were used
	held int      // the approximate size of all objects in bytes
}

type object struct {
	handle Handle
	*file
	policy *robotstxt.Policy // nil if the object is a file
	tokens []string
	given  []string // as the caller wrote the tokens; other dialects may read them differently
}

type file struct {
	file    *robotstxt.File
	body    string
	lastUse atomic.Uint64 // Table.puts when the file or one of its policies was last used

	// Table.mu must be locked for the following fields.
	objects int // how many objects share this file
	held    int // the size of these objects, about
}

func chunkOf(index uint64) (chunk int, at uint64) {
	chunk = bits.Len64(index/firstChunk+1) - 1
	return chunk, index - firstChunk*(1<<chunk-1)
}

func (t *Table) slot(h Handle) *atomic.Pointer[object] {
	chunk, at := chunkOf(uint64(h) & (1<<indexBits - 1))
	if objects := t.chunks[chunk].Load(); objects != nil {
		return &(*objects)[at]
	}
	return nil
}

func (t *Table) object(h Handle) (*object, error) {
	if s := t.slot(h); s != nil {
		if o := s.Load(); o != nil && o.handle == h {
			if now := t.puts.Load(); t.Limit > 0 && o.lastUse.Load() != now {
				o.lastUse.Store(now)
			}
			return o, nil
		}
	}
	return nil, errClosed
}

func (t *Table) policyOf(h Handle) (*object, error) {
	o, err := t.object(h)
	if err == nil && o.policy == nil {
		return nil, errNoPolicy
	}
	return o, err
}

func (t *Table) fileOf(h Handle) (*object, error) {
	o, err := t.object(h)
	if err == nil && o.policy != nil {
		return nil, errNoFile
	}
	return o, err
}

func (t *Table) put(o *object, size int) (Handle, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Limit > 0 && t.held+size > t.Limit {
		t.shrink()
	}
	if n := len(t.free); n > 0 {
		o.handle, t.free = t.free[n-1], t.free[:n-1]
	} else if t.size < 1<<indexBits {
		o.handle = Handle(1<<indexBits | t.size)
		if chunk, at := chunkOf(t.size); at == 0 {
			objects := make([]atomic.Pointer[object], firstChunk<<chunk)
			t.chunks[chunk].Store(&objects)
		}
		t.size++
	} else {
		return 0, errFull
	}
	o.lastUse.Store(t.puts.Add(1))
	if o.objects++; o.objects == 1 { // also for a policy whose file was closed before
		t.held += o.held
	}
	o.held += size
	t.held += size
	t.slot(o.handle).Store(o)
	return o.handle, nil
}

// Close closes a file or a policy. The policies of a closed file can still be used.
func (t *Table) Close(h Handle) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	o, err := t.object(h)
	if err == nil {
		t.remove(o)
	}
	return err
}

func (t *Table) remove(o *object) {
	t.slot(o.handle).Store(nil)
	if next := o.handle + 1<<indexBits; next < 1<<(indexBits+generationBits) {
		t.free = append(t.free, next)
	}
	if o.objects--; o.objects == 0 {
		t.held -= o.held
	}
}

func (t *Table) shrink() {
	objects := map[*file][]*object{}
	for index := range t.size {
		if o := t.slot(Handle(index)).Load(); o != nil {
			objects[o.file] = append(objects[o.file], o)
		}
	}
	files := slices.SortedStableFunc(maps.Keys(objects), func(a, b *file) int { return cmp.Compare(a.lastUse.Load(), b.lastUse.Load()) })
	for _, f := range files {
		if t.held <= t.Limit/2 {
			return
		}
		for _, o := range objects[f] {
			t.remove(o)
		}
	}
}
