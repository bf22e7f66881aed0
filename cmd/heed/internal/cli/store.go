package cli

import (
	"fmt"
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

// openStore opens what a --store flag says, and returns what closes it.
func openStore(where string) (cache.Store, func() error, error) {
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
	if where == "" {
		folder, err := os.UserCacheDir()
		if err != nil {
			return nil, nil, fmt.Errorf("no cache folder: %w; give one with --store", err)
		}
		where = filepath.Join(folder, "heed")
	}
	s, err := sqlite.Open(filepath.Join(where, storeFile), sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}
