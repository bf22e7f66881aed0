package cli

import (
	"sync"

	"github.com/heed-robots/heed/robotstxt"
)

// liveDialects is live sites in several dialects. A cache has one dialect, so liveDialects
// makes a cache for each dialect when it is first needed. All caches use one store.
type liveDialects struct {
	first *liveSites // has the flags

	mu   sync.Mutex
	open map[*robotstxt.Dialect]func() (*liveSites, error)
	shut []func()
}

// in returns the live sites of a dialect.
func (l *liveDialects) in(d *robotstxt.Dialect) (*liveSites, error) {
	l.mu.Lock()
	if l.open == nil {
		l.open = map[*robotstxt.Dialect]func() (*liveSites, error){}
	}
	open := l.open[d]
	if open == nil {
		open = sync.OnceValues(func() (*liveSites, error) { return l.start(d) })
		l.open[d] = open
	}
	l.mu.Unlock()
	return open()
}

func (l *liveDialects) start(d *robotstxt.Dialect) (*liveSites, error) {
	flags := l.first
	sites := &liveSites{app: flags.app, store: flags.store, offline: flags.offline, refresh: flags.refresh, pages: flags.pages, command: flags.command}
	shut, err := sites.open(d)
	if err != nil {
		return nil, err
	}
	sites.cache.Fetcher = &flags.fetcher // one fetcher limits the requests of all dialects
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shut = append(l.shut, shut)
	return sites, nil
}

// close closes the caches.
func (l *liveDialects) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, shut := range l.shut {
		shut()
	}
}
