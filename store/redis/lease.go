package redis

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/origin"
)

// A lease is a key that only one process at a time can set. The value of the key is a random token. So no process can
// give back the lease of another process:
//
//	A: SET key a NX PX 45000        A has the lease for 45 s
//	B: SET key b NX PX 45000        the key is set, so B does not get the lease
//	                                after 45 s, A still works, but the key expires
//	B: SET key b NX PX 45000        B has the lease
//	A: DEL key, if its value is a   nothing happens, because the value is b
//	B: DEL key, if its value is b   B has given the lease back
type lease struct {
	key, token string
	ends       time.Time // when the key expires on the server, approximately
}

// Lease implements cache.Leaser. release works after ctx has ended, and may be called twice. If the server cannot be
// reached, the store gives the lease back later. If the server accepts no records, Lease returns an error.
func (s *Store) Lease(ctx context.Context, o origin.Origin) (release func(), err error) {
	l := lease{s.leaseKey(o), rand.Text(), time.Now().Add(s.options.LeaseTime)}
	given, err := askWithin(ctx, s.link, s.link.timeout, l.key, func(ctx context.Context, c rueidis.Client) (bool, error) {
		if err := s.mayPut(ctx, c, o); err != nil {
			return false, err
		}
		err := c.Do(ctx, c.B().Set().Key(l.key).Value(l.token).Nx().Px(s.options.LeaseTime).Build()).Error()
		_, refused := rueidis.IsRedisErr(err)
		if err != nil && !refused && !rueidis.IsRedisNil(err) {
			s.unreturned.add(l) // this call fails, but the server may have set the key
		}
		return err == nil, unlessNil(err)
	}, func(given bool, _ error) {
		if given {
			s.unreturned.add(l)
		}
	})
	if err != nil || !given {
		return nil, err
	}
	return sync.OnceFunc(func() {
		if s.giveBack(l) != nil {
			s.unreturned.add(l)
		}
	}), nil
}

// A process that cannot put records must not take a lease, because other processes would wait for its record. Before
// the first Put, mayPut writes and deletes a test key.
func (s *Store) mayPut(ctx context.Context, c rueidis.Client, o origin.Origin) error {
	if last := s.lastPut.Load(); last != nil {
		return *last
	}
	s.trying.Lock()
	defer s.trying.Unlock()
	if last := s.lastPut.Load(); last != nil {
		return *last
	}
	keys, version := s.checkKeys(o), line{answer: "0 " + noBody, first: digits(time.Time{}), last: digits(time.Time{})}
	if _, err := s.put(ctx, c, keys, s.name, version, ""); err != nil {
		return err
	}
	return s.setLastPut(s.delete(ctx, c, keys, s.name))
}

const giveBackText = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`

func (s *Store) giveBack(l lease) error {
	return do(context.Background(), s.link, l.key, func(ctx context.Context, c rueidis.Client) error {
		return unlessNil(c.Do(ctx, c.B().Eval().Script(giveBackText).Numkeys(1).Key(l.key).Arg(l.token).Build()).Error())
	})
}
