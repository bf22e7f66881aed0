package redis

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/origin"
)

func (s *Store) notice(o origin.Origin) string { return s.name + " " + o.String() }

// Notify implements cache.Notifier. Notices that are sent while there is no connection are lost. Notify calls the function
// changed for one origin at a time. This function must not call stop, because stop waits until the function returns.
func (s *Store) Notify(changed func(origin.Origin)) (stop func()) {
	ctx, cancel := context.WithCancel(s.link.ctx)
	tried, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s.listen(ctx, changed, sync.OnceFunc(func() { close(tried) }))
	}()
	select {
	case <-tried:
	case <-time.After(connectTimeout):
	}
	return func() {
		cancel()
		<-ended
	}
}

func (s *Store) listen(ctx context.Context, changed func(origin.Origin), tried func()) {
	receive := func(m rueidis.PubSubMessage) {
		from, name, _ := strings.Cut(m.Message, " ")
		if o, err := origin.Parse(name); err == nil && from != s.name && ctx.Err() == nil {
			changed(o)
		}
	}
	for again := true; again; again = sleep(ctx, probePause) {
		s.subscribe(ctx, receive, tried)
		tried() // without a connection, subscribe has not called tried
	}
}

// subscribe uses a separate connection. Otherwise a slow call of receive would delay other calls.
func (s *Store) subscribe(ctx context.Context, receive func(rueidis.PubSubMessage), subscribed func()) {
	if ctx.Err() != nil {
		return
	}
	client, err := connect(ctx, s.link.option)
	if err != nil {
		return
	}
	defer client.Close()
	ctx = rueidis.WithOnSubscriptionHook(ctx, func(rueidis.PubSubSubscription) { subscribed() })
	client.Receive(ctx, client.B().Subscribe().Channel(s.channel()).Build(), receive)
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return ctx.Err() == nil // ctx may have ended in the same moment
	case <-ctx.Done():
		return false
	}
}
