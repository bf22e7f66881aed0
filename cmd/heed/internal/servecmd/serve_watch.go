package servecmd

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/server"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
)

// startWatch watches the sites of --watch, with the cache of --dialect, until stop is called.
func (o *serve) startWatch(s *server.Server, store cache.Store) (stop func(), err error) {
	notes, ok := store.(cache.Noter)
	if !ok {
		return nil, errors.New("--watch keeps what it has told in the store, and that cannot be opened")
	}
	if o.agents {
		return nil, errors.New("--watch is for HTTP, and --mcp offers none: leave one of them out")
	}
	lists, err := sites.ReadLists(o.term, o.watch)
	if err != nil {
		return nil, err
	}
	release, err := sites.ClaimWatch(o.live.Store)
	if err != nil {
		return nil, err
	}
	o.live.Fetcher.MaxPerHost = 1
	w := &watch.Watch{Cache: s.Caches.In(o.dialect), Notes: notes, Dialect: o.dialect, Trouble: o.watchTrouble}
	s.Watched = &server.Watched{Of: w.Events}
	w.Tell = s.Watched.Tell
	ctx, cancel := context.WithCancel(context.Background())
	changed := make(chan []origin.Origin)
	var running sync.WaitGroup
	running.Go(func() {
		if err := o.remember(ctx, w, s.Watched); err != nil {
			o.watchTrouble(origin.Origin{}, err)
		}
		w.Run(ctx, changed)
	})
	running.Go(func() { lists.Follow(ctx, changed, 10*time.Second) })
	return func() {
		cancel()
		running.Wait()
		release()
	}, nil
}

// remember gives the events of before to those who ask for them.
func (o *serve) remember(ctx context.Context, w *watch.Watch, to *server.Watched) error {
	for site, err := range w.Known(ctx) {
		if err != nil {
			return err
		}
		events, err := w.Events(ctx, site)
		if err != nil {
			o.watchTrouble(site, err)
			continue
		}
		to.Remember(events)
	}
	return ctx.Err()
}

// watchTrouble logs what does not work and will be tried again, if nothing was logged for a minute.
func (o *serve) watchTrouble(about origin.Origin, err error) {
	if unsaid, now := o.watchLog.Say(time.Now()); now {
		o.log.Warn("watching failed", "origin", about.String(), "error", printable.Text(err.Error()), "failures_before", unsaid)
	}
}
