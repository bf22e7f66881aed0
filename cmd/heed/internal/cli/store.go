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

// storeFile is the name of the database in the folder of --store.
const storeFile = "robots.sqlite"

func isURL(where string) bool { return strings.Contains(where, "://") }

// defaultMaxBytes limits the database in the user's cache folder, because nobody watches its
// size. It is enough for about 50,000 sites.
const defaultMaxBytes = 256 << 20

// openStore opens the store of --store, and returns a function that closes it. If there is no
// database, the result depends on create: true makes one; false is an error for a folder that
// is given, and an empty store for the default folder. A corrupt database is replaced by a
// new one, with a notice.
func (a *app) openStore(where string, create bool) (cache.Store, func() error, error) {
	return a.openStoreWith(where, create, nil)
}

// openStoreWith is openStore with a function for the trouble of a database, or nil: see
// sqlite.Options.Trouble.
func (a *app) openStoreWith(where string, create bool, trouble func(error)) (cache.Store, func() error, error) {
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
	folder, options := where, sqlite.Options{Trouble: trouble, SetAside: func(name string, why error) {
		a.notice(fmt.Sprintf("the cache is corrupt, so heed begins a new one: %v; the old file is now %s", why, name))
	}}
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, nil, fmt.Errorf("no cache folder: %w; give one with --store", err)
		}
		folder, options.MaxBytes = filepath.Join(user, "heed"), defaultMaxBytes
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

// open makes the cache, and returns a function that closes it. If the store does not work,
// the cache works without it, with a notice.
func (l *liveSites) open(d *robotstxt.Dialect) (closeAll func(), err error) {
	statuses := l.pages.statuses(d)
	l.cache = &cache.Cache{Fetcher: &l.fetcher, Dialect: d, Statuses: &statuses, Events: cache.Events{
		Fetched:     l.fetched,
		StoreFailed: func(_ string, _ origin.Origin, err error) { l.noticeStoreFailure(err) },
		WrongRecord: func(o origin.Origin, err error) {
			l.notice(fmt.Sprintf("the cached robots.txt of %s is not used: %v", o, err))
		},
	}}
	store, closeStore, err := l.openStoreOrNone(nil)
	if err != nil {
		return nil, err
	}
	l.cache.Store = store
	return func() {
		l.cache.Close() // reports an error to StoreFailed
		if err := closeStore(); err != nil {
			l.noticeStoreFailure(err)
		}
	}, nil
}

// openStoreOrNone opens the store of --store. If it cannot be opened, there is none, with a
// notice, unless trouble is told of it and it is tried again; a URL that is wrong is an error.
func (l *liveSites) openStoreOrNone(trouble func(error)) (cache.Store, func() error, error) {
	store, closeStore, err := l.openStoreWith(l.store, true, trouble)
	switch {
	case err == nil:
		return store, closeStore, nil
	case isURL(l.store):
		return nil, nil, err // openStore does not connect to the server
	}
	l.noticeStoreFailure(err)
	return nil, func() error { return nil }, nil
}

// noticeStoreFailure prints a notice, once, that the store does not work.
func (l *liveSites) noticeStoreFailure(err error) {
	l.storeNotice.Do(func() { l.notice(fmt.Sprintf("the cache does not work: %v", err)) })
}
