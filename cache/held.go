package cache

import (
	"maps"
	"slices"

	"github.com/heed-robots/heed/origin"
)

// Held returns the origins of which something is in memory, or waits to be written to the Store, in
// no particular order. An origin may come twice. Store.Origins has those in the Store.
func (c *Cache) Held() []origin.Origin {
	c.once.Do(c.init)
	held := c.memory.origins()
	if c.writes != nil {
		held = append(held, c.writes.origins()...)
	}
	return held
}

// origins returns the origins with waiting records.
func (w *writer) origins() []origin.Origin {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.queues))
}
