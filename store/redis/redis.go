// Package redis is a cache.Store in Redis, so that a fleet of crawlers asks each
// site for its robots.txt once. It is a cache.Leaser and a cache.Notifier too.
//
// It never makes a crawler wait: each call ends within Options.Timeout, and
// while the server is away every call answers at once with an error. Nothing
// has to be done when the server is back. An error is never ErrNotFound where
// the server was not asked.
//
// The server is away when the connection fails. After a call that was not answered in
// time, the store sends the server a short request, and the server is away when that is
// not answered in time either: one slow answer alone is no outage.
//
// A Put that fails is lost, which costs the next who asks about the origin a
// retrieval. A lease that cannot be given back is given back when the server
// answers again; up to a thousand are remembered, and all end with
// Options.LeaseTime.
//
// It is made for Redis 6 or later, and the servers that speak as it does, alone
// or as a cluster. In a cluster the store takes one node that is away for the
// cluster, until the node is back or another has taken its place.
//
// # Keys
//
// All keys begin with Options.Prefix, here "heed:". The braces keep the keys of
// an origin in one slot of a cluster.
//
//	heed:{https://a.example}            a hash: "head", a line of text (see cache.Record.Head),
//	                                    and "body", the robots.txt in zstd; without one there is none
//	heed:{https://a.example}:versions   a hash: "index", a line for each version, the newest first, of
//	                                    when it was first and last seen in nanoseconds since 1970, the
//	                                    status and the SHA-256 of the body, or "-"; and under each
//	                                    SHA-256 that body in zstd
//	heed:{https://a.example}:lease      who fetches: a random word, which ends with Options.LeaseTime
//	heed:changed                        a channel: which store changed something, and the origin
//
// So to look:
//
//	redis-cli HGET 'heed:{https://a.example}' head
//	redis-cli --raw HGET 'heed:{https://a.example}' body | head -c -1 | zstd -d
//	redis-cli --raw HGET 'heed:{https://a.example}:versions' index
//	redis-cli SUBSCRIBE heed:changed
//
// # Rights
//
// A user of the server needs the commands
//
//	HELLO PING EVAL EVALSHA GET SET DEL TYPE PTTL PEXPIRE SCAN PUBLISH SUBSCRIBE
//	HGET HMGET HGETALL HSET HDEL HKEYS HLEN HEXISTS HSTRLEN
//
// on the keys and the channel of the prefix, and ROLE and CLUSTER in a cluster.
// Without EVAL records are read, and nothing else works. A user that may not put gets
// an error for a lease too, since nobody should wait for a record that will not come:
// a store that has put nothing yet puts something under
// "heed:{https://a.example}:check" before its first lease, and deletes it at once; and it
// takes no lease as long as the last Put was refused.
//
// # Memory
//
// Every key expires, so any eviction policy of Redis suits. With maxmemory, set
// one that evicts, such as "volatile-lru": with "noeviction", the default, a full
// server refuses a Put, which then changes nothing, and it refuses leases. Each process
// then fetches for itself, so a site may be asked as often as there are processes. The
// server may use more than maxmemory by as much as one Put brings, which is 8 MiB at
// most.
//
// A record with its robots.txt in zstd is 4 MiB at most, a robots.txt before compression
// 64 MiB, and the bodies of a history are 4 MiB together: the oldest versions are
// dropped. All calls share a connection, and a larger value would block it for longer
// than Options.Timeout. So to put a larger record is an error, and a larger value in the
// server is not read: it is a cache.ErrWrongRecord, which the next Put replaces.
package redis

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/defaults"
)

// Options of Open. The zero Options are good ones.
type Options struct {
	Versions  int           // how many versions of an origin are kept, if not too large (see Memory); 0: 16
	Prefix    string        // of every key, without braces; "": "heed:"
	Timeout   time.Duration // of each call; 0: 50 ms
	Keep      time.Duration // how long an origin that nobody asks about is kept; 0: 60 days
	LeaseTime time.Duration // when a lease that is not given back ends; 0: 45 s
}

func (o Options) withDefaults() Options {
	o.Versions = defaults.Positive(o.Versions, 16)
	o.Prefix = defaults.Positive(o.Prefix, "heed:")
	o.Timeout = defaults.Positive(o.Timeout, 50*time.Millisecond)
	o.Keep = defaults.Positive(o.Keep, 60*24*time.Hour)
	o.LeaseTime = defaults.Positive(o.LeaseTime, 45*time.Second)
	return o
}

// A Store keeps records in Redis. Open returns one.
type Store struct {
	options Options
	link    *link
	name    string // by which it knows its own notices

	lastPut    atomic.Pointer[attempt] // nil: none was tried
	trying     sync.Mutex              // held while the first Put is tried
	unreturned unreturned
}

var (
	_ cache.Store    = (*Store)(nil)
	_ cache.Leaser   = (*Store)(nil)
	_ cache.Notifier = (*Store)(nil)
)

// Open returns a store in the Redis at a URL:
//
//	redis://user:password@host:port/db   user, password, port (6379) and db (0) may be left out
//	rediss://user:password@host:port/db  the same over TLS
//	redis://host1:port1?addr=host2:port2&addr=host3:port3  a cluster, by some of its nodes
//	unix://user:password@/path/to/redis.sock?db=0
//
// Other parameters are those of rueidis.ParseURL. What is not a letter or a
// digit in a password is written with "%", as in every URL.
//
// Its errors are those of the URL and the options. Open does not fail where the
// server is away or refuses the password: the calls say so, and the store tries
// again. It waits for the server a second at most.
func Open(url string, o Options) (*Store, error) {
	option, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(o.Prefix, "{}") {
		return nil, fmt.Errorf("redis: the prefix %q has a brace", o.Prefix)
	}
	s := &Store{options: o.withDefaults(), name: rand.Text()}
	s.unreturned.giveBack, s.unreturned.closed = s.giveBack, make(chan struct{})
	s.link = newLink(option, s.options.Timeout)
	return s, nil
}

var errClosed = errors.New("redis: the store is closed")

// Close ends the store and what Notify began. It tries once more to give back
// leases that could not be given back; those that are left end by themselves. Calls fail
// from then on. The error is always nil.
func (s *Store) Close() error {
	s.unreturned.close()
	s.link.close()
	return nil
}
