package redis

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/origin"
)

// notice is what the store says of an origin that it changed.
func (s *Store) notice(o origin.Origin) string { return s.name + " " + o.String() }

// Notify implements cache.Notifier. It returns when it listens, or when the
// server is away: it listens once that is back. What others change while the
// connection is lost it does not hear of. changed is called for one origin at a
// time; it should be quick, and must not call stop, which waits for it.
func (s *Store) Notify(changed func(origin.Origin)) (stop func()) {
	ctx, cancel := context.WithCancel(s.link.ctx)
	began, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s.listen(ctx, changed, sync.OnceFunc(func() { close(began) }))
	}()
	select {
	case <-began:
	case <-time.After(connectTimeout):
	}
	return func() {
		cancel()
		<-ended
	}
}

func (s *Store) listen(ctx context.Context, changed func(origin.Origin), began func()) {
	hear := func(m rueidis.PubSubMessage) {
		from, name, _ := strings.Cut(m.Message, " ")
		if o, err := origin.Parse(name); err == nil && from != s.name && ctx.Err() == nil {
			changed(o)
		}
	}
	for again := true; again; again = sleep(ctx, probePause) {
		s.subscribe(ctx, hear, began)
		began() // nobody is to wait for a server that is away
	}
}

// subscribe hears notices until the connection is lost. It has a connection of
// its own, so that a slow changed does not hold up the calls.
func (s *Store) subscribe(ctx context.Context, hear func(rueidis.PubSubMessage), began func()) {
	if ctx.Err() != nil {
		return
	}
	client, err := connect(ctx, s.link.option)
	if err != nil {
		return
	}
	defer client.Close()
	ctx = rueidis.WithOnSubscriptionHook(ctx, func(rueidis.PubSubSubscription) { began() })
	client.Receive(ctx, client.B().Subscribe().Channel(s.channel()).Build(), hear)
}

// sleep reports whether it slept to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return ctx.Err() == nil // it may have ended at the same time
	case <-ctx.Done():
		return false
	}
}
