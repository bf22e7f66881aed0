package redis

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/origin"
)

var releaseScript = rueidis.NewLuaScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`)

// Lease implements cache.Leaser. To give a lease back works also when ctx has
// ended; a second time does nothing.
func (s *Store) Lease(ctx context.Context, o origin.Origin) (release func(), err error) {
	key, token := s.leaseKey(o), rand.Text()
	given, err := ask(ctx, s.link, key, func(ctx context.Context, c rueidis.Client) (bool, error) {
		err := c.Do(ctx, c.B().Set().Key(key).Value(token).Nx().Px(s.options.LeaseTime).Build()).Error()
		return err == nil, unlessNil(err)
	})
	if err != nil || !given {
		return nil, err
	}
	return sync.OnceFunc(func() {
		ask(context.WithoutCancel(ctx), s.link, key, func(ctx context.Context, c rueidis.Client) (struct{}, error) {
			return struct{}{}, unlessNil(releaseScript.Exec(ctx, c, []string{key}, []string{token}).Error())
		})
	}), nil
}
