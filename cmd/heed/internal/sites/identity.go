package sites

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/identity"
)

func IdentityUntilFlag(c *cobra.Command, name string, to *time.Time) {
	flags.TimeFlag(c, name, to, "`TIME` until which all keys except the first are in the directory: a day (its end in UTC), or a time such as 2026-12-01T15:00:00Z")
}

// If expiry is not zero, it is the time at which all keys except the first one expire.
func ReadKeys(files []string, expiry time.Time) (keys []*identity.Key, err error) {
	for i, file := range files {
		k, err := identity.ReadKey(file)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			k.Expires = expiry
		}
		keys = append(keys, k)
	}
	return keys, nil
}
