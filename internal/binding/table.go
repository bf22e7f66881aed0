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

// A Handle is the number of a file or a policy in a Table. 0 means no object. No number is used twice, so the handle of
// a closed object is an error and never means another object. Handles are less than 1<<53, so a float64 can represent
// them exactly.
type Handle uint64

// A handle consists of a generation and an index.
const (
	indexBits      = 28 // 1<<indexBits objects are possible at the same time
	generationBits = 25 // 1<<generationBits objects are possible one after the other with the same index
	firstChunk     = 1024
	chunks         = 19 // so many chunks have a place for each index
)

// A Table has files and policies, each with a Handle. It is safe for concurrent use. The zero Table is empty and has no
// limit.
type Table struct {
	// Limit is about how many bytes of memory the objects may take; 0: no limit. If they take more, the objects
	// that were not used for the longest time are closed.
	Limit int

	// chunks has the objects by index. Each chunk is twice as large as the one before. A chunk never moves, so
	// reading needs no lock.
	chunks [chunks]atomic.Pointer[[]atomic.Pointer[object]]

	puts atomic.Uint64 // how many objects were ever put into the table; this is the clock of file.used

	mu   sync.Mutex
	free []Handle // the next handle of each free index
	size uint64   // how many indexes there are
	held int      // about how many bytes the objects take
}

// An object is a file, or a policy of a file.
type object struct {
	handle Handle
	*file
	policy *robotstxt.Policy // nil: the object is a file
	tokens []string          // the product tokens of the crawler of the policy
}

// A file has what the object of a file and the objects of its policies share.
type file struct {
	file *robotstxt.File
	body string
	used atomic.Uint64 // the value of Table.puts when one of the objects was last used

	// Guarded by Table.mu:
	objects int // how many objects share it
	held    int // about how many bytes they take
}

// place returns the chunk that has an index, and where the index is in this chunk.
func place(index uint64) (chunk int, at uint64) {
	chunk = bits.Len64(index/firstChunk+1) - 1
	return chunk, index - firstChunk*(1<<chunk-1)
}

func (t *Table) slot(index uint64) *atomic.Pointer[object] {
	chunk, at := place(index)
	if objects := t.chunks[chunk].Load(); objects != nil {
		return &(*objects)[at]
	}
	return nil
}

// object returns the object with a handle.
func (t *Table) object(h Handle) (*object, error) {
	if s := t.slot(uint64(h) & (1<<indexBits - 1)); s != nil {
		if o := s.Load(); o != nil && o.handle == h {
			if now := t.puts.Load(); t.Limit > 0 && o.used.Load() != now {
				o.used.Store(now)
			}
			return o, nil
		}
	}
	return nil, errClosed
}

// policyOf returns the policy with a handle.
func (t *Table) policyOf(h Handle) (*object, error) {
	o, err := t.object(h)
	if err == nil && o.policy == nil {
		return nil, errNoPolicy
	}
	return o, err
}

// fileOf returns the file with a handle.
func (t *Table) fileOf(h Handle) (*object, error) {
	o, err := t.object(h)
	if err == nil && o.policy != nil {
		return nil, errNoFile
	}
	return o, err
}

// put adds an object and returns its handle. grown is the number of bytes of memory that the object needs.
func (t *Table) put(o *object, grown int) (Handle, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Limit > 0 && t.held+grown > t.Limit {
		t.shrink()
	}
	if n := len(t.free); n > 0 {
		o.handle, t.free = t.free[n-1], t.free[:n-1]
	} else if t.size < 1<<indexBits {
		o.handle = Handle(1<<indexBits | t.size)
		if chunk, at := place(t.size); at == 0 {
			objects := make([]atomic.Pointer[object], firstChunk<<chunk)
			t.chunks[chunk].Store(&objects)
		}
		t.size++
	} else {
		return 0, errFull
	}
	o.used.Store(t.puts.Add(1))
	if o.objects++; o.objects == 1 { // the first object of the file, or a policy whose file was closed meanwhile
		t.held += o.held
	}
	o.held += grown
	t.held += grown
	t.slot(uint64(o.handle) & (1<<indexBits - 1)).Store(o)
	return o.handle, nil
}

// Close closes a file or a policy. The policies of a file that is closed can still be used.
func (t *Table) Close(h Handle) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	o, err := t.object(h)
	if err == nil {
		t.remove(o)
	}
	return err
}

// remove takes an object out of the table. An index whose handles were all used is not used again.
func (t *Table) remove(o *object) {
	t.slot(uint64(o.handle) & (1<<indexBits - 1)).Store(nil)
	if next := o.handle + 1<<indexBits; next < 1<<(indexBits+generationBits) {
		t.free = append(t.free, next)
	}
	if o.objects--; o.objects == 0 {
		t.held -= o.held
	}
}

// shrink closes the files that were not used for the longest time, with their policies, until the rest takes at most
// half of the limit. It looks at all objects, but makes room for many new ones, so it is rarely needed.
func (t *Table) shrink() {
	objects := map[*file][]*object{}
	for index := range t.size {
		if o := t.slot(index).Load(); o != nil {
			objects[o.file] = append(objects[o.file], o)
		}
	}
	files := slices.SortedFunc(maps.Keys(objects), func(a, b *file) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
	for _, f := range files {
		if t.held <= t.Limit/2 {
			return
		}
		for _, o := range objects[f] {
			t.remove(o)
		}
	}
}
