package cache

import (
	"context"

	"github.com/heed-robots/heed/origin"
)

// Settle waits for the work in the background: refreshes and writes.
func (c *Cache) Settle() {
	c.once.Do(c.init)
	c.working.Wait()
	if c.writes != nil {
		c.writes.wait(context.Background())
	}
}

// Waiting returns the size of the records that wait to be written.
func (c *Cache) Waiting() int {
	c.writes.mu.Lock()
	defer c.writes.mu.Unlock()
	return c.writes.bytes
}

// CountedBytes returns how many bytes the entries take by the count of the Cache.
func (c *Cache) CountedBytes() (bytes uint64) {
	for _, o := range c.memory.origins() {
		if e, ok := c.memory.values.GetEntryQuietly(o); ok {
			bytes += uint64(e.Weight)
		}
	}
	return bytes
}

// NoteBytes returns the size that a store in memory counts for a note.
func NoteBytes(o origin.Origin, name string, size int) int {
	return int(noteBytes(noteKey{o, name}, make([]byte, size)))
}
