package servecmd

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/server"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
)

// newWatch prepares --watch. Call start after Server.Handler, which sets the limits for retrievals. At the end, call
// stop, then release.
func (o *serve) newWatch(s *server.Server, store cache.Store) (start func() (stop func()), release func() error, err error) {
	notes, ok := store.(cache.Noter)
	if !ok {
		return nil, nil, errors.New("--watch needs a store, in which heed keeps the events that it has reported, but heed cannot open the store: give another one with --store")
	}
	lists, err := sites.ReadLists(o.term, o.watch)
	if err != nil {
		return nil, nil, err
	}
	release, err = sites.ClaimWatch(o.live.Store)
	if err != nil {
		return nil, nil, err
	}
	o.live.Fetcher.MaxPerHost = 1
	w := &watch.Watch{Cache: s.Caches.In(o.dialect), Notes: notes, Dialect: o.dialect, Trouble: o.watchTrouble}
	s.Watched = &server.Watched{EventsOf: w.Events, EarlierAdded: make(chan struct{})}
	w.Tell = s.Watched.Tell
	return func() (stop func()) { return o.startWatch(w, s.Watched, lists) }, release, nil
}

func (o *serve) startWatch(w *watch.Watch, watched *server.Watched, lists *sites.Lists) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	o.log.Info("watching", "sites", len(lists.All()))
	changed := make(chan []origin.Origin)
	var running sync.WaitGroup
	running.Go(func() {
		if err := o.remember(ctx, w, watched); err != nil && ctx.Err() == nil {
			o.watchTrouble(origin.Origin{}, err)
		}
		close(watched.EarlierAdded)
		w.Run(ctx, changed)
	})
	running.Go(func() { lists.Follow(ctx, changed) })
	return func() {
		cancel()
		running.Wait()
	}
}

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
		to.Remember(slices.DeleteFunc(events, func(m *watch.Message) bool { return m.Waiting })) // w.Run will report the waiting events
	}
	return ctx.Err()
}

// The daemon tries again later, so watchTrouble only logs a failure.
func (o *serve) watchTrouble(about origin.Origin, err error) {
	if unsaid, now := o.watchLog.MayPrint(time.Now()); now {
		o.log.Warn("watching failed", "origin", about.String(), "error", printable.Text(err.Error()), "failures_before", unsaid)
	}
}
