package cache_test

import (
	"context"
	"errors"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

// slowToDelete is a Store whose Delete waits until the channel release is closed, or until its
// context ends.
type slowToDelete struct {
	cache.Store
	begun, release chan struct{}
}

func (s *slowToDelete) Delete(ctx context.Context, o origin.Origin) error {
	s.begun <- struct{}{}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.release:
		return s.Store.Delete(ctx, o)
	}
}

// Two callers forget the same origin, and share a deletion. If the first one gives up, the second
// one still succeeds.
func TestForgetAfterFirstCallerGaveUp(t *testing.T) {
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
		t.Errorf("the first caller: %v", err)
	}
	close(store.release)
	if err := <-forgotten; err != nil {
		t.Errorf("the second caller: %v", err)
	}
}
