package sites

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/claim"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/store/redis"
	"github.com/heed-robots/heed/store/sqlite"
)

// StoreFlag adds --store. Other users can see a password in the arguments of a process. So the default of --store may
// come from HEED_STORE.
func StoreFlag(c *cobra.Command, value *string) {
	c.Flags().StringVar(value, "store", "",
		`where the cache is: a folder, or a URL of Redis, such as redis://localhost:6379
(default: $HEED_STORE, or else "heed" in the user's cache folder, at most 256 MiB)`)
	*value = os.Getenv("HEED_STORE")
}

const StoreFile = "robots.sqlite"

// defaultMaxBytes limits the database in the default folder, because users seldom look into this folder. 256 MiB is enough
// for about 50,000 sites.
const defaultMaxBytes = 256 << 20

// OpenStore opens the store of --store. Usually, the store is on the disk or on a server. The store is in memory only
// if --store is missing, mayCreate is false, and the default folder has no database.
func OpenStore(a *term.Terminal, store string, mayCreate bool, onTrouble func(error)) (cache.Store, func() error, error) {
	if isServer(store) {
		switch {
		case bulksource.HasStoreScheme(store):
			return withClose(redis.Open(store, redis.Options{}))
		case strings.Contains(store, "@"): // do not print it, because it may have a password
			return nil, nil, errors.New("--store: expected a folder, or a URL of Redis, such as redis://user:password@127.0.0.1:6379")
		case !flags.IsURL(store):
			return nil, nil, fmt.Errorf("--store %s: expected a folder, or a URL of Redis, such as redis://%s", store, store)
		}
		scheme, _, _ := strings.Cut(store, ":")
		return nil, nil, fmt.Errorf("--store: a URL cannot begin with %q; expected a folder, or a URL with the scheme redis, rediss or unix", scheme+"://")
	}
	folder, err := storeFolder(store)
	if err != nil {
		return nil, nil, err
	}
	options := sqlite.Options{Trouble: onTrouble, SetAside: func(name string, why error) {
		a.Notice(fmt.Sprintf("the cache is corrupt, so heed starts a new one: %v; the old file is now %s", why, name))
	}}
	if store == "" {
		options.MaxBytes = defaultMaxBytes
	}
	if info, err := os.Stat(folder); onTrouble == nil && err == nil && !info.IsDir() { // with onTrouble, the folder may be made later
		return nil, nil, fmt.Errorf("--store %s is a file: expected the folder that has it; in this folder, heed uses the file %s", store, StoreFile)
	}
	file := filepath.Join(folder, StoreFile)
	if _, err := os.Stat(file); !mayCreate && errors.Is(err, fs.ErrNotExist) {
		if store == "" {
			return cache.NewMemory(0, 0), func() error { return nil }, nil
		}
		what := "has no cache"
		if _, err := os.Stat(folder); err != nil {
			what = "does not exist"
		}
		return nil, nil, fmt.Errorf(`--store %s: this folder %s: expected a folder in which heed has stored the file %s, for example with "heed check --store %s -a Googlebot URL"`, store, what, StoreFile, store)
	}
	return withClose(sqlite.Open(file, options))
}

// isServer reports whether --store is a URL, a mistyped URL of Redis, or HOST:PORT. An existing folder with a name like
// HOST:PORT is not a server.
func isServer(store string) bool {
	user, _, _ := strings.Cut(store, "@")
	hasPassword := len(user) < len(store) && strings.Contains(user[strings.LastIndexAny(user, `/\`)+1:], ":")
	if flags.IsURL(store) || bulksource.HasStoreScheme(store) || hasPassword {
		return true
	}
	if strings.ContainsAny(store, `/\`) {
		return false
	}
	if strings.Contains(store, "@") {
		return true
	}
	host, port, err := net.SplitHostPort(store)
	if err != nil || host == "" || strings.Trim(port, "0123456789") != "" {
		return false
	}
	_, err = os.Stat(store)
	return err != nil
}

// storeFolder returns the folder of --store. It must not be a URL; "" means the default folder.
func storeFolder(folder string) (string, error) {
	if folder != "" {
		return folder, nil
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("heed does not know in which folder to cache: %w; name a folder with --store", err)
	}
	return filepath.Join(user, "heed"), nil
}

// ClaimWatch returns an error if another process watches with the same store. It checks nothing for Redis.
func ClaimWatch(store string) (release func() error, err error) {
	if isServer(store) {
		return func() error { return nil }, nil
	}
	folder, err := storeFolder(store)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	release, err = claim.File(filepath.Join(folder, "watch.lock"), "which events it has reported into the store "+folder)
	if err != nil {
		return nil, fmt.Errorf("%w; give each process its own store with --store", err)
	}
	return release, nil
}

func withClose[S interface {
	cache.Store
	Close() error
}](s S, err error) (cache.Store, func() error, error) {
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// Open opens the cache that the method Site uses.
func (l *Live) Open(d *robotstxt.Dialect) (err error) {
	l.Cache, err = l.CacheOf(d)
	return err
}

// CacheOf returns the cache of a dialect. All caches share a fetcher and a store. If the store cannot be opened, the
// caches work without a store.
func (l *Live) CacheOf(d *robotstxt.Dialect) (c *cache.Cache, err error) {
	l.opening.Lock()
	defer l.opening.Unlock()
	if l.closeStore == nil {
		if l.openStore, l.closeStore, err = l.OpenStoreOrNone(nil); err != nil {
			return nil, err
		}
		l.caches = map[*robotstxt.Dialect]*cache.Cache{}
	}
	if c := l.caches[d]; c != nil {
		return c, nil
	}
	statuses := l.Statuses(d)
	l.caches[d] = &cache.Cache{Fetcher: &l.Fetcher, Store: l.openStore, Dialect: d, Statuses: &statuses, Events: cache.Events{
		Fetched:     func(r *fetch.Result) { l.fetched(r, statuses) },
		StoreFailed: func(_ string, _ origin.Origin, err error) { l.noticeStoreFailure(err) },
		WrongRecord: func(o origin.Origin, err error) {
			l.Term.Notice(fmt.Sprintf("the cached robots.txt of %s is not used: %v", o, err))
		},
	}}
	return l.caches[d], nil
}

func (l *Live) Close() {
	for _, c := range l.caches {
		c.Close() // reports an error by calling StoreFailed
	}
	if l.tdmreps.cache != nil {
		l.tdmreps.cache.Close()
	}
	if l.closeStore != nil {
		if err := l.closeStore(); err != nil {
			l.noticeStoreFailure(err)
		}
	}
	l.closeStore = nil
	if l.sitemaps != nil {
		l.sitemaps.CloseIdleConnections()
	}
}

// OpenStoreOrNone opens the store of --store. If the folder of the store cannot be opened, OpenStoreOrNone prints a
// notice and returns a nil Store.
func (l *Live) OpenStoreOrNone(onTrouble func(error)) (cache.Store, func() error, error) {
	store, closeStore, err := OpenStore(l.Term, l.Store, true, onTrouble)
	switch {
	case err == nil:
		return store, closeStore, nil
	case isServer(l.Store):
		return nil, nil, err // the URL is wrong; OpenStore has not connected to the server yet
	}
	l.noticeStoreFailure(err)
	return nil, func() error { return nil }, nil
}

func (l *Live) noticeStoreFailure(err error) {
	l.storeNotice.Do(func() { l.Term.Notice(fmt.Sprintf("the cache does not work: %v", err)) })
}

// The returned function opens a store for reading. Its parameter is the path of an SQLite database, or a URL of Redis.
func OpenStoreSource(a *term.Terminal) func(name string) (cache.Store, func() error, error) {
	return func(name string) (cache.Store, func() error, error) {
		if flags.IsURL(name) {
			return OpenStore(a, name, false, nil)
		}
		return withClose(sqlite.Open(name, sqlite.Options{}))
	}
}
