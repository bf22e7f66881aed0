package redis_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/redis"
)

// TestServerThatNeverAnswers: a server accepts connections, but never replies. Then Open,
// Notify, stop and Close still return soon, at any time.
func TestServerThatNeverAnswers(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	s := startServer(t)
	s.hang()
	defer s.resume()
	var all sync.WaitGroup
	var ending atomic.Int64
	for n := range 8 {
		all.Go(func() {
			store, err := redis.Open(s.URL(), redis.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			stop := store.Notify(func(origin.Origin) {})
			if _, err := store.Get(ctx, storetest.Origin(1)); err == nil {
				t.Error("a server that hangs answered")
			}
			time.Sleep(time.Duration(n) * 200 * time.Millisecond)
			begin := time.Now()
			stop()
			store.Close()
			ending.Add(int64(time.Since(begin)))
		})
	}
	all.Wait()
	if took := time.Duration(ending.Load()); took > 4*time.Second { // if they waited for the server, each of the eight would take a second or more
		t.Errorf("stop and Close took %v in all", took)
	}
}
