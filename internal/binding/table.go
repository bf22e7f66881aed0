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

// A Handle is the number of an object in a Table; 0 means none. No number is used twice. All numbers are below 1<<53, so
// that a float64 can hold them exactly.
type Handle uint64

// The lower bits of a handle are an index, and the upper bits are its generation: how often the index has been used.
const (
	indexBits      = 28 // so many bits allow 1<<indexBits objects at the same time
	generationBits = 25 // an index can be used for 1<<generationBits objects, one after the other
	firstChunk     = 1024
	chunks         = 19 // with so many chunks, there is a place for each index
)

// A Table has files and policies, each with a Handle. It is safe for concurrent use.
type Table struct {
	// Limit is the approximate maximum memory in bytes; 0 means no limit. If the objects need more memory, those that were
	// unused for the longest time are closed.
	Limit int

	// chunks has the objects by index. Each chunk is twice as large as the chunk before it. A chunk never moves, so no
	// lock is needed to read an object.
	chunks [chunks]atomic.Pointer[[]atomic.Pointer[object]]

	puts atomic.Uint64 // the number of objects that were put into the table so far; file.lastUse stores this number in place of a time

	mu   sync.Mutex
	free []Handle // for each index that is free, the handle of its next object
	size uint64   // the number of indexes that were ever used
	held int      // the approximate size of all objects in bytes
}

type object struct {
	handle Handle
	*file
	policy *robotstxt.Policy // nil if the object is a file
	tokens []string          // if the object is a policy, the product tokens of its crawler
}

// A file is a parsed robots.txt. The object of the file and the objects of its policies share it.
type file struct {
	file    *robotstxt.File
	body    string
	lastUse atomic.Uint64 // the value of Table.puts when the file or one of its policies was last used

	// Use the following fields only while Table.mu is locked.
	objects int // the number of objects that share this file
	held    int // the approximate size of these objects in bytes
}

// chunkOf returns the number of the chunk that has the object with an index, and the position of the object in the
// chunk.
func chunkOf(index uint64) (chunk int, at uint64) {
	chunk = bits.Len64(index/firstChunk+1) - 1
	return chunk, index - firstChunk*(1<<chunk-1)
}

func (t *Table) slot(index uint64) *atomic.Pointer[object] {
	chunk, at := chunkOf(index)
	if objects := t.chunks[chunk].Load(); objects != nil {
		return &(*objects)[at]
	}
	return nil
}

func (t *Table) object(h Handle) (*object, error) {
	if s := t.slot(uint64(h) & (1<<indexBits - 1)); s != nil {
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

// put adds an object, and returns its handle. size is the number of bytes of memory that the object needs.
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
	if o.objects++; o.objects == 1 { // the object is the file itself, or a policy whose file was closed before this call
		t.held += o.held
	}
	o.held += size
	t.held += size
	t.slot(uint64(o.handle) & (1<<indexBits - 1)).Store(o)
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

// remove takes an object out of the table. The index of the object is used again, until all generations of this index were
// used.
func (t *Table) remove(o *object) {
	t.slot(uint64(o.handle) & (1<<indexBits - 1)).Store(nil)
	if next := o.handle + 1<<indexBits; next < 1<<(indexBits+generationBits) {
		t.free = append(t.free, next)
	}
	if o.objects--; o.objects == 0 {
		t.held -= o.held
	}
}

// shrink closes files that were unused for the longest time, until half of the limit is free. It is slow.
func (t *Table) shrink() {
	objects := map[*file][]*object{}
	for index := range t.size {
		if o := t.slot(index).Load(); o != nil {
			objects[o.file] = append(objects[o.file], o)
		}
	}
	files := slices.SortedFunc(maps.Keys(objects), func(a, b *file) int { return cmp.Compare(a.lastUse.Load(), b.lastUse.Load()) })
	for _, f := range files {
		if t.held <= t.Limit/2 {
			return
		}
		for _, o := range objects[f] {
			t.remove(o)
		}
	}
}
