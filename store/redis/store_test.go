package redis_test

import (
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/redis"
)

// patient is a timeout for tests that are not about time, on a slow machine.
const patient = 10 * time.Second

func TestStore(t *testing.T) {
	s := startServer(t)
	for _, field := range []string{"head", "body"} {
		t.Run(field, func(t *testing.T) { prove(t, s.url(), s.raw(), "spoil-"+field+":", field) })
	}
}

// prove runs the contract; what Spoil spoils is a field of the record.
func prove(t *testing.T, url string, raw rueidis.Client, prefix, field string) {
	storetest.Run(t, storetest.Setup{
		Open: func(t *testing.T, name string) cache.Store {
			return open(t, url, redis.Options{Versions: 5, Prefix: prefix + name + ":", Timeout: patient})
		},
		Versions: 5,
		Spoil: func(t *testing.T, name string, o origin.Origin) {
			spoil(t, raw, prefix+name+":{"+o.String()+"}", field)
		},
	})
}

// spoil flips a bit in a field of a hash.
func spoil(t *testing.T, raw rueidis.Client, key, field string) {
	t.Helper()
	value := []byte(do(t, raw, "HGET", key, field))
	value[len(value)/2] ^= 1
	do(t, raw, "HSET", key, field, string(value))
}
