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
	ends       time.Time // by itself, about
}

// Lease implements cache.Leaser. To give a lease back works also when ctx has
// ended; a second time does nothing. Where the server is not reached then, the
// store gives it back later. The error is that of a Put where none can follow.
func (s *Store) Lease(ctx context.Context, o origin.Origin) (release func(), err error) {
	l := lease{s.leaseKey(o), rand.Text(), time.Now().Add(s.options.LeaseTime)}
	var settled atomic.Bool // by the answer, or before it by who does not wait for it any more
	given, err := ask(ctx, s.link, l.key, func(ctx context.Context, c rueidis.Client) (bool, error) {
		if err := s.mayPut(ctx, c, o); err != nil {
			return false, err
		}
		err := c.Do(ctx, c.B().Set().Key(l.key).Value(l.token).Nx().Px(s.options.LeaseTime).Build()).Error()
		_, refused := rueidis.IsRedisErr(err)
		if err == nil && !settled.CompareAndSwap(false, true) || err != nil && !refused && !rueidis.IsRedisNil(err) {
			s.unreturned.add(l) // it is given to nobody, or may be
		}
		return err == nil, unlessNil(err)
	})
	if err != nil && !settled.CompareAndSwap(false, true) {
		s.unreturned.add(l) // it was given when the time was over
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

// mayPut returns why no Put could follow a lease. Where none was tried yet, it
// tries one that leaves nothing, in the place in the cluster where the origin is.
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

// giveBack gives leases back, but not what is somebody else's by now. It returns
// those for which that failed.
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
