package bulk

import "sync"

// generations is a cache with a limit. It has two generations: what is used moves to the young one, and
// when that is half of the limit, it becomes the old one and what was not used since is forgotten.
type generations[K comparable, V any] struct {
	limit  int64  // bytes of both generations
	forgot func() // is called after some values were forgotten; nil: nothing is

	mu    sync.RWMutex
	young map[K]sized[V]
	old   map[K]sized[V]
	bytes int64 // of young
}

type sized[V any] struct {
	value V
	bytes int64
}

func (g *generations[K, V]) get(key K) (V, bool) {
	g.mu.RLock()
	found, ok := g.young[key]
	isOld := false
	if !ok {
		found, isOld = g.old[key]
	}
	g.mu.RUnlock()
	if isOld {
		g.put(key, found.value, found.bytes)
	}
	return found.value, ok || isOld
}

// put adds a value.
func (g *generations[K, V]) put(key K, value V, bytes int64) {
	if g.add(key, value, bytes) && g.forgot != nil {
		g.forgot()
	}
}

// add adds a value, and returns whether others were forgotten.
func (g *generations[K, V]) add(key K, value V, bytes int64) (forgot bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.young == nil {
		g.young = map[K]sized[V]{}
	}
	if before, ok := g.young[key]; ok {
		g.bytes -= before.bytes
	}
	g.young[key] = sized[V]{value, bytes}
	if g.bytes += bytes; g.bytes > g.limit/2 {
		forgot = len(g.old) > 0
		g.old, g.young, g.bytes = g.young, nil, 0
	}
	return forgot
}

// clear forgets all values.
func (g *generations[K, V]) clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.old, g.young, g.bytes = nil, nil, 0
}
