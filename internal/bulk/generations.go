package bulk

import "sync"

// generations is a cache with a young and an old generation. Values that are used move to the young generation.
type generations[K comparable, V any] struct {
	limit  int64  // the maximum size of both generations together, in bytes
	forgot func() // put calls forgot after it has deleted values; may be nil

	mu    sync.RWMutex
	young map[K]sized[V]
	old   map[K]sized[V]
	bytes int64 // the size of the young generation in bytes
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

func (g *generations[K, V]) put(key K, value V, bytes int64) {
	if g.add(key, value, bytes) && g.forgot != nil {
		g.forgot()
	}
}

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

func (g *generations[K, V]) clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.old, g.young, g.bytes = nil, nil, 0
}
