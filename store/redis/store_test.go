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

// longTimeout is the Timeout in tests that are not about time: the machine may be slow.
const longTimeout = 10 * time.Second

func TestStore(t *testing.T) {
	s := startServer(t)
	for _, field := range []string{"head", "body"} {
		t.Run(field, func(t *testing.T) { testContract(t, s.URL(), s.raw(), "corrupt-"+field+":", field) })
	}
}

// testContract runs storetest, in which a field of the record becomes corrupt.
func testContract(t *testing.T, url string, raw rueidis.Client, prefix, field string) {
	setup := storetest.Setup{
		Open: func(t *testing.T, name string) cache.Store {
			return open(t, url, redis.Options{Versions: 5, Prefix: prefix + name + ":", Timeout: longTimeout})
		},
		Versions: 5,
		Corrupt: func(t *testing.T, name string, o origin.Origin) {
			corrupt(t, raw, prefix+name+":{"+o.String()+"}", field)
		},
		CorruptNote: func(t *testing.T, name string, o origin.Origin, note string) {
			key := prefix + name + ":{" + o.String() + "}:note:" + note
			value := []byte(runCommand(t, raw, "GET", key))
			value[len(value)-6] ^= 1 // in the text, or in the frame around it
			runCommand(t, raw, "SET", key, string(value))
		},
	}
	storetest.Run(t, setup)
	t.Run("Noter", func(t *testing.T) { storetest.RunNoter(t, setup) })
}

// corrupt flips a bit in a field of a hash.
func corrupt(t *testing.T, raw rueidis.Client, key, field string) {
	t.Helper()
	value := []byte(runCommand(t, raw, "HGET", key, field))
	value[len(value)/2] ^= 1
	runCommand(t, raw, "HSET", key, field, string(value))
}

func TestPacer(t *testing.T) { testPacer(t, startServer(t).URL()) }

func testPacer(t *testing.T, url string) {
	storetest.RunPacer(t, func(t *testing.T, name string) cache.Pacer {
		return open(t, url, redis.Options{Prefix: name + ":", Timeout: longTimeout})
	})
}
