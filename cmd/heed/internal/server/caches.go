package server

import (
	"errors"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// Caches are the caches of live sites, one for each dialect, since a cache has one dialect.
// They share a fetcher and a store.
type Caches struct {
	byDialect map[*robotstxt.Dialect]*cache.Cache
}

// NewCaches returns a cache for each dialect. newCache makes one; it must give all of them the
// same Fetcher, whose limits are then those of the daemon, and the same Store.
func NewCaches(newCache func(*robotstxt.Dialect) *cache.Cache) *Caches {
	c := &Caches{map[*robotstxt.Dialect]*cache.Cache{}}
	for _, d := range robotstxt.Dialects() {
		c.byDialect[d] = newCache(d)
	}
	return c
}

// In returns the cache of a dialect.
func (c *Caches) In(d *robotstxt.Dialect) *cache.Cache { return c.byDialect[d] }

// Statuses returns what each HTTP status means in a dialect.
func (c *Caches) Statuses(d *robotstxt.Dialect) fetch.Statuses {
	if s := c.In(d).Statuses; s != nil {
		return *s
	}
	return fetch.StatusesOf(d)
}

// Close closes the caches, but not their store.
func (c *Caches) Close() error {
	errs := make(chan error)
	for _, one := range c.byDialect {
		go func() { errs <- one.Close() }()
	}
	var all []error
	for range c.byDialect {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}
