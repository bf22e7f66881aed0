package cli

import (
	"sync"

	"github.com/heed-robots/heed/robotstxt"
)

// liveDialects are sites that are asked in several dialects: each reads what is
// remembered in its own way, so each has a cache of its own over the one store. It opens
// one when it is needed.
type liveDialects struct {
	first *liveSites // with the flags

	mu   sync.Mutex
	open map[*robotstxt.Dialect]func() (*liveSites, error)
	shut []func()
}

// in returns the sites as a dialect reads them.
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
	sites.cache.Fetcher = &flags.fetcher // whose turns are for all
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shut = append(l.shut, shut)
	return sites, nil
}

// close closes all that was opened.
func (l *liveDialects) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, shut := range l.shut {
		shut()
	}
}
