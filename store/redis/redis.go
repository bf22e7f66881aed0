// Package redis is a cache.Store in Redis, for crawlers on many machines. One retrieval is enough for
// all. The store is also a cache.Leaser, Notifier, Noter and Pacer.
//
//	store, err := redis.Open("redis://localhost:6379/0", redis.Options{})
//	defer store.Close()
//	c := &cache.Cache{Store: store} // or heed.Crawler
//	defer c.Close()
//
// Each call ends within Options.Timeout. If Options.Timeout is less than half a second, Reserve, Note and PutNote may
// take half a second.
//
// While the server is down, every call fails immediately. The error is never ErrNotFound. The store uses the server again
// when it is up.
//
// If a Put fails, its record is lost. If a lease cannot be given back, the store tries again until the server answers. It
// keeps up to a thousand such leases. All leases end after Options.LeaseTime.
//
// The store needs Redis 6 or later, or a server with the same protocol, single or as a cluster. If one node of a cluster is
// down, the whole cluster counts as down until another node has replaced it.
//
// # Keys
//
// All keys begin with Options.Prefix, here "heed:". The braces keep the keys of an origin in one slot of a cluster.
//
//	heed:{https://a.example}            a hash: "head", a line of text (see cache.Record.Head),
//	                                    and "body", the robots.txt in zstd; no field: no robots.txt
//	heed:{https://a.example}:versions   a hash: "index", a line for each version, the newest first:
//	                                    the times of its first and last retrieval in nanoseconds
//	                                    since 1970, the status, and the SHA-256 of the body or "-";
//	                                    the name of each other field is a SHA-256, with that body in zstd
//	heed:{https://a.example}:lease      a random word of the process that fetches; it expires after
//	                                    Options.LeaseTime
//	heed:{https://a.example}:turns      a sorted set, an element for each reserved turn: its score is
//	                                    when the turn begins, in microseconds since 1970 by the clock
//	                                    of the server; the element is the delay until the next turn
//	                                    in microseconds, and a random word; it expires when the last
//	                                    turn is over
//	heed:{https://a.example}:note:NAME  the note of that name: a line with cache.NoteSum in
//	                                    hexadecimal, and after it the note in zstd; it does not expire
//	heed:changed                        a channel: which store changed something, and the origin
//
// To see them:
//
//	redis-cli HGET 'heed:{https://a.example}' head
//	redis-cli --raw HGET 'heed:{https://a.example}' body | head -c -1 | zstd -d
//	redis-cli --raw HGET 'heed:{https://a.example}:versions' index
//	redis-cli --raw GET 'heed:{https://a.example}:note:NAME' | tail -n +2 | head -c -1 | zstd -d
//	redis-cli ZRANGE 'heed:{https://a.example}:turns' 0 -1 WITHSCORES
//	redis-cli SUBSCRIBE heed:changed
//
// # Rights
//
// A user of the server needs the commands
//
//	HELLO PING EVAL EVALSHA GET GETRANGE SET DEL TYPE PTTL PEXPIRE SCAN PUBLISH SUBSCRIBE
//	HGET HMGET HGETALL HSET HDEL HKEYS HLEN HEXISTS HSTRLEN TIME ZADD ZRANGE ZREM ZSCORE
//
// on the keys and the channel of the prefix, and ROLE and CLUSTER in a cluster. Without EVAL, the store can only read
// records and read notes.
//
// If a user may not put records, Lease fails too. Without this failure, other processes would wait for a record that
// never comes. So a store that has put nothing makes a test before its first lease: it writes the key
// "heed:{https://a.example}:check", and deletes this key. After the server refused a Put, Lease fails until a Put
// succeeds.
//
// # Memory
//
// Every key expires, except the keys of notes. With maxmemory, use a policy such as "volatile-lru", which removes only keys
// that expire. Policies that begin with "allkeys" remove notes too.
//
// With the default policy, "noeviction", a full server refuses Put and Lease. Then each process fetches for itself. The
// server may exceed maxmemory by the size of one Put, at most 8 MiB.
//
// A record in zstd has at most 4 MiB. A robots.txt has at most 64 MiB before compression. Putting a larger record is an
// error, because a large record would block the shared connection. The bodies of a history have at most 4 MiB together;
// the oldest versions are deleted. If a value on the server is larger, Get returns cache.ErrWrongRecord, and the next
// Put replaces it.
//
// # Notes
//
// A note is as durable as the settings of the server. With the defaults of Redis, a crash loses the notes since the last
// snapshot. With "appendonly yes" and "appendfsync always", it loses no note for which PutNote has returned.
//
// After a timeout of PutNote, the note may still be put. Notes take memory until they are deleted. If the server is full,
// PutNote fails.
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

// Options are the settings of a Store. The zero Options are the defaults.
type Options struct {
	Versions  int           // how many versions of an origin are kept, if they are small enough (see Memory); 0 means 16
	Prefix    string        // the start of every key, without braces; "" means "heed:"
	Timeout   time.Duration // the timeout of a call; some calls may take longer, see the package documentation; 0 means 50 ms
	Keep      time.Duration // how long the data of an origin is kept after its last Get or Put; 0 means 60 days
	LeaseTime time.Duration // how long a lease lasts if it is not given back; 0 means 45 s
}

func (o Options) withDefaults() Options {
	o.Versions = defaults.Positive(o.Versions, 16)
	o.Prefix = defaults.Positive(o.Prefix, "heed:")
	o.Timeout = defaults.Positive(o.Timeout, 50*time.Millisecond)
	o.Keep = defaults.Positive(o.Keep, 60*24*time.Hour)
	o.LeaseTime = defaults.Positive(o.LeaseTime, 45*time.Second)
	return o
}

// A Store keeps records in Redis. Use Open, not the zero value. A Store is safe for concurrent use.
type Store struct {
	options Options
	link    *link
	name    string // a random word by which this store knows its own notices

	lastPut    atomic.Pointer[error] // the result of the last Put; nil if there was none
	trying     sync.Mutex            // held while mayPut tries a Put
	unreturned *unreturnedLeases
}

var (
	_ cache.Store    = (*Store)(nil)
	_ cache.Leaser   = (*Store)(nil)
	_ cache.Notifier = (*Store)(nil)
	_ cache.Pacer    = (*Store)(nil)
	_ cache.Noter    = (*Store)(nil)
)

// Open returns a store in the Redis server at a URL of one of these forms:
//
//	redis://user:password@host:port/db   user, password, port (6379) and db (0) may be left out
//	rediss://user:password@host:port/db  the same over TLS
//	redis://host1:port1?addr=host2:port2&addr=host3:port3  a cluster, by some of its nodes
//	unix://user:password@/path/to/redis.sock?db=0
//
// For other parameters, see rueidis.ParseURL. In a password, escape all characters except letters and digits with "%".
//
// A wrong URL or option is an error. If the server is down or refuses the password, Open still succeeds, after at most
// a second. Then calls return errors until the store can connect.
func Open(url string, o Options) (*Store, error) {
	option, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(o.Prefix, "{}") {
		return nil, fmt.Errorf("redis: Options.Prefix %q contains \"{\" or \"}\", which cannot be used in a prefix: give another one", o.Prefix)
	}
	s := &Store{options: o.withDefaults(), name: rand.Text()}
	s.unreturned = newUnreturned(s.giveBack)
	s.link = newLink(option, s.options.Timeout)
	return s, nil
}

var errClosed = errors.New("redis: the store was closed: do not use it after Close")

// Close closes the connections, ends Notify, and tries once more to give back leases. After Close, all calls fail. The
// error of Close is always nil.
func (s *Store) Close() error {
	s.unreturned.close()
	s.link.close()
	return nil
}
