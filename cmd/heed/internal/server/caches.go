package server

import (
	"context"
	"errors"
	"iter"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// Caches has a cache of live sites for each dialect. All these caches share a fetcher and a store.
type Caches struct {
	byDialect map[*robotstxt.Dialect]*cache.Cache
}

// NewCaches calls newCache for each dialect. All caches must share a Fetcher, so that its limits apply to the whole daemon.
func NewCaches(newCache func(*robotstxt.Dialect) *cache.Cache) *Caches {
	c := &Caches{byDialect: map[*robotstxt.Dialect]*cache.Cache{}}
	for _, d := range robotstxt.Dialects() {
		c.byDialect[d] = newCache(d)
	}
	return c
}

func (c *Caches) In(d *robotstxt.Dialect) *cache.Cache { return c.byDialect[d] }

func (c *Caches) all() (all []*cache.Cache) {
	for _, d := range robotstxt.Dialects() {
		all = append(all, c.In(d))
	}
	return all
}

func (c *Caches) store() cache.Store { return c.In(robotstxt.RFC9309).Store }

// origins returns all origins in memory and in the store. One origin may come several times.
func (c *Caches) origins(ctx context.Context) iter.Seq2[origin.Origin, error] {
	return func(yield func(origin.Origin, error) bool) {
		for _, one := range c.all() {
			for _, o := range one.Held() {
				if !yield(o, nil) {
					return
				}
			}
		}
		if c.store() == nil {
			return
		}
		for o, err := range c.store().Origins(ctx) {
			if !yield(o, err) {
				return
			}
		}
	}
}

// Statuses returns what each HTTP status means in a dialect.
func (c *Caches) Statuses(d *robotstxt.Dialect) fetch.Statuses {
	if s := c.In(d).Statuses; s != nil {
		return *s
	}
	return fetch.StatusesOf(d)
}

// Close closes the caches. It does not close their store.
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
