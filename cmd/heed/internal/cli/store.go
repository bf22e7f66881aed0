package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/store/redis"
	"github.com/heed-robots/heed/store/sqlite"
)

func storeFlag(c *cobra.Command, value *string) {
	c.Flags().StringVar(value, "store", "",
		`where the cache is: a folder, or a URL of Redis, such as redis://localhost:6379
(default: "heed" in the user's cache folder, at most 256 MiB)`)
}

// storeFile is the database in a store's folder.
const storeFile = "robots.sqlite"

func isURL(where string) bool { return strings.Contains(where, "://") }

// ownBytes bounds the default database, since nobody watches its size: it is enough for
// some 50,000 sites.
const ownBytes = 256 << 20

// openStore opens what a --store flag says, and returns what closes it. Where there is no
// database, it makes one if create is set; else that is an error, but the default one
// then counts as empty. In the place of a damaged one it begins a new one, with a notice.
func (a *app) openStore(where string, create bool) (cache.Store, func() error, error) {
	if isURL(where) {
		scheme, _, _ := strings.Cut(where, "://")
		switch scheme {
		case "redis", "rediss", "unix":
			s, err := redis.Open(where, redis.Options{})
			if err != nil {
				return nil, nil, err
			}
			return s, s.Close, nil
		}
		return nil, nil, fmt.Errorf("--store: %q is unknown; expected a folder, or a URL of redis, rediss or unix", scheme+"://")
	}
	folder, options := where, sqlite.Options{SetAside: func(name string, why error) {
		a.notice(fmt.Sprintf("the cache is damaged, and a new one begins: %v; the old file is now %s", why, name))
	}}
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, nil, fmt.Errorf("no cache folder: %w; give one with --store", err)
		}
		folder, options.MaxBytes = filepath.Join(user, "heed"), ownBytes
	}
	file := filepath.Join(folder, storeFile)
	if _, err := os.Stat(file); !create && errors.Is(err, fs.ErrNotExist) {
		if where == "" {
			return cache.NewMemory(0, 0), func() error { return nil }, nil
		}
		return nil, nil, fmt.Errorf("--store %s: there is no cache: %w", where, err)
	}
	s, err := sqlite.Open(file, options)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// open makes the cache, and returns what closes it. Where nothing can be
// remembered, sites are asked all the same.
func (l *liveSites) open(d *robotstxt.Dialect) (closeAll func(), err error) {
	statuses := l.pages.statuses(d)
	l.cache = &cache.Cache{Fetcher: &l.fetcher, Dialect: d, Statuses: &statuses, Events: cache.Events{
		Fetched:     l.fetched,
		StoreFailed: func(_ string, _ origin.Origin, err error) { l.forgetful(err) },
		WrongRecord: func(o origin.Origin, err error) {
			l.notice(fmt.Sprintf("what is cached for %s is not used: %v", o, err))
		},
	}}
	store, closeStore, err := l.openStore(l.store, true)
	switch {
	case err != nil && isURL(l.store):
		return nil, err // a server that is down is no error yet: the flag is wrong
	case err != nil:
		l.forgetful(err)
		return func() { l.cache.Close() }, nil
	}
	l.cache.Store = store
	return func() {
		l.cache.Close() // what it loses, it has told
		if err := closeStore(); err != nil {
			l.forgetful(err)
		}
	}, nil
}

// forgetful says, once, that the store does not work.
func (l *liveSites) forgetful(err error) {
	l.complains.Do(func() { l.notice(fmt.Sprintf("the cache does not work: %v", err)) })
}
