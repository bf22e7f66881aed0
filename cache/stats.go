package cache

import "sync/atomic"

// Stats are counts of what a Cache did since its first use.
type Stats struct {
	Waited  uint64 // questions that memory could not answer: each read the Store, or waited for a retrieval
	Shared  uint64 // how many of Waited joined what an earlier question had begun
	Evicted uint64 // origins that were removed from memory because of its limit
	Origins int    // in memory now, approximately
}

// Stats returns the counts up to now.
func (c *Cache) Stats() Stats {
	c.once.Do(c.init)
	return Stats{
		Waited:  c.counts.waited.Load(),
		Shared:  c.counts.shared.Load(),
		Evicted: c.memory.evicted.Load(),
		Origins: c.memory.values.EstimatedSize(),
	}
}

// counts are those of Stats that no other part of a Cache counts.
type counts struct{ waited, shared atomic.Uint64 }
