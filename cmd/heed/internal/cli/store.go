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
	"github.com/heed-robots/heed/store/redis"
	"github.com/heed-robots/heed/store/sqlite"
)

func storeFlag(c *cobra.Command, value *string) {
	c.Flags().StringVar(value, "store", "",
		`where robots.txt files are remembered: a folder, or a URL of Redis, such as redis://localhost:6379
(default "heed" in the user's cache folder)`)
}

// storeFile is the database in a store's folder.
const storeFile = "robots.sqlite"

func isURL(where string) bool { return strings.Contains(where, "://") }

// openStore opens what a --store flag says, and returns what closes it. Where there
// is no database, it makes one or, if that is not wanted, says so; the default
// one is then as good as empty.
func openStore(where string, create bool) (cache.Store, func() error, error) {
	if isURL(where) {
		scheme, _, _ := strings.Cut(where, "://")
		switch scheme {
		case "redis", "rediss", "unix":
			s, err := redis.Open(where, redis.Options{})
			if err != nil {
				return nil, nil, err
			}
			return s, func() error { s.Close(); return nil }, nil
		}
		return nil, nil, fmt.Errorf("--store: %q is unknown; expected a folder, or a URL of redis, rediss or unix", scheme+"://")
	}
	folder := where
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, nil, fmt.Errorf("no cache folder: %w; give one with --store", err)
		}
		folder = filepath.Join(user, "heed")
	}
	file := filepath.Join(folder, storeFile)
	if _, err := os.Stat(file); !create && errors.Is(err, fs.ErrNotExist) {
		if where == "" {
			return cache.NewMemory(0, 0), func() error { return nil }, nil
		}
		return nil, nil, fmt.Errorf("--store %s: nothing is remembered there: %w", where, err)
	}
	s, err := sqlite.Open(file, sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}
