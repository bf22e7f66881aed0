package redis

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/origin"
)

// A lease is a key with a word that nobody else has.
type lease struct {
	key, token string
	ends       time.Time // when it ends by itself, approximately
}

// Lease implements cache.Leaser. release works also when ctx has ended; a second call
// does nothing. Where the server cannot be reached then, the store gives the lease back
// later. Where a Put would be refused, Lease returns the error of that Put.
func (s *Store) Lease(ctx context.Context, o origin.Origin) (release func(), err error) {
	l := lease{s.leaseKey(o), rand.Text(), time.Now().Add(s.options.LeaseTime)}
	var settled atomic.Bool // by the answer, or by the caller that stops waiting for it
	given, err := ask(ctx, s.link, l.key, func(ctx context.Context, c rueidis.Client) (bool, error) {
		if err := s.mayPut(ctx, c, o); err != nil {
			return false, err
		}
		err := c.Do(ctx, c.B().Set().Key(l.key).Value(l.token).Nx().Px(s.options.LeaseTime).Build()).Error()
		_, refused := rueidis.IsRedisErr(err)
		if err == nil && !settled.CompareAndSwap(false, true) || err != nil && !refused && !rueidis.IsRedisNil(err) {
			s.unreturned.add(l) // the server has given it, or may have, and nobody waits for it
		}
		return err == nil, unlessNil(err)
	})
	if err != nil && !settled.CompareAndSwap(false, true) {
		s.unreturned.add(l) // the server gave it when the time was over
	}
	if err != nil || !given {
		return nil, err
	}
	return sync.OnceFunc(func() {
		for _, l := range s.giveBack([]lease{l}) {
			s.unreturned.add(l)
		}
	}), nil
}

// An attempt is how a Put went; its error is one that the server answered.
type attempt struct{ err error }

// mayPut returns the error that a Put would have now; nil: none. Where no Put was tried
// yet, it tries one and deletes what that put, on the node of the cluster that has the
// origin.
func (s *Store) mayPut(ctx context.Context, c rueidis.Client, o origin.Origin) error {
	if last := s.lastPut.Load(); last != nil {
		return last.err
	}
	s.trying.Lock()
	defer s.trying.Unlock()
	if last := s.lastPut.Load(); last != nil {
		return last.err
	}
	keys, nothing := s.checkKeys(o), line{what: "0 " + noBody, first: digits(time.Time{}), last: digits(time.Time{})}
	if err := s.put(ctx, c, keys, s.name, nothing, ""); err != nil {
		return err
	}
	return s.learn(s.delete(ctx, c, keys, s.name))
}

const giveBackText = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`

// giveBack gives leases back, except those that another process holds by now. It
// returns those for which that failed.
func (s *Store) giveBack(leases []lease) (left []lease) {
	left, err := ask(context.Background(), s.link, leases[0].key, func(ctx context.Context, c rueidis.Client) (left []lease, err error) {
		commands := make(rueidis.Commands, len(leases))
		for i, l := range leases {
			commands[i] = c.B().Eval().Script(giveBackText).Numkeys(1).Key(l.key).Arg(l.token).Build()
		}
		for i, reply := range c.DoMulti(ctx, commands...) {
			if failed := unlessNil(reply.Error()); failed != nil {
				left, err = append(left, leases[i]), failed
			}
		}
		return left, err
	})
	if err != nil && left == nil {
		return leases
	}
	return left
}
