package cache

import "context"

// Settle waits for what goes on in the background: refreshes, and writes.
func (c *Cache) Settle() {
	c.once.Do(c.init)
	c.working.Wait()
	if c.writes != nil {
		c.writes.wait(context.Background())
	}
}

// Waiting returns how many bytes wait to be written.
func (c *Cache) Waiting() int {
	c.writes.mu.Lock()
	defer c.writes.mu.Unlock()
	return c.writes.bytes
}

// AccountedFor returns how many bytes are accounted for in memory.
func (c *Cache) AccountedFor() (bytes uint64) {
	for _, o := range c.memory.origins() {
		if e, ok := c.memory.values.GetEntryQuietly(o); ok {
			bytes += uint64(e.Weight)
		}
	}
	return bytes
}
