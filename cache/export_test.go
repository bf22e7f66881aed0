package cache

// Settle waits for what goes on in the background.
func (c *Cache) Settle() {
	c.once.Do(c.init)
	c.working.Wait()
}
