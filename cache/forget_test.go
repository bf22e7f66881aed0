package cache_test

import (
	"context"
	"errors"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

// slowToDelete is a Store whose deletions last until they may end, or their context does.
type slowToDelete struct {
	cache.Store
	begun, letGo chan struct{}
}

func (s *slowToDelete) Delete(ctx context.Context, o origin.Origin) error {
	s.begun <- struct{}{}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.letGo:
		return s.Store.Delete(ctx, o)
	}
}

// Who waits for somebody else that forgets the same origin does not fail where that one
// gives up.
func TestForgetGoesOnForOthers(t *testing.T) {
	store := &slowToDelete{cache.NewMemory(0, 0), make(chan struct{}, 1), make(chan struct{})}
	c := &cache.Cache{Store: store}
	defer c.Close()
	o, _ := origin.Parse("https://a.example")
	first, giveUp := context.WithCancel(context.Background())
	ended, forgotten := make(chan error, 1), make(chan error, 1)
	go func() { ended <- c.Forget(first, o) }()
	<-store.begun
	second := &waiting{Context: context.Background(), begun: make(chan struct{})}
	go func() { forgotten <- c.Forget(second, o) }()
	<-second.begun
	giveUp()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up: %v", err)
	}
	close(store.letGo)
	if err := <-forgotten; err != nil {
		t.Errorf("who waited: %v", err)
	}
}
