package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/server"
	"github.com/heed-robots/heed/internal/build"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// serve is one run of "heed serve".
type serve struct {
	*app
	live        liveSites
	listen      string
	dialectName string
}

// defaultListen is the address that heed serve listens on. Only this machine can reach it.
const defaultListen = "127.0.0.1:8309"

func (a *app) serveCommand() *cobra.Command {
	o := &serve{app: a}
	o.live.app = a
	c := &cobra.Command{
		Use:   "serve",
		Short: "Answer questions about robots.txt over HTTP, for crawlers in any language",
		Long: `Answer questions about the robots.txt of live sites over HTTP. All clients share
one cache.

Exit status: 0 after SIGTERM or an interrupt, 2 wrong usage, or the address
cannot be used.`,
		Example: `  heed serve
  curl 'http://127.0.0.1:8309/v1/check?agent=ExampleBot&url=https://www.example.com/'`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	c.Flags().StringVar(&o.listen, "listen", defaultListen, "address to listen on")
	dialectFlag(c, &o.dialectName, "dialect of questions that name none (default rfc9309)")
	storeFlag(c, &o.live.store)
	fetcherFlags(c, &o.live.fetcher)
	o.live.pages.flag(c)
	return c
}

func (o *serve) run() error {
	d, err := dialectNamed(o.dialectName)
	if err != nil {
		return err
	}
	if err := checkFetcher(&o.live.fetcher); err != nil {
		return err
	}
	store, closeStore, err := o.openStore(o.live.store, true)
	if err != nil {
		return err
	}
	defer closeStore()
	caches := server.NewCaches(func(d *robotstxt.Dialect) *cache.Cache {
		statuses := o.live.pages.statuses(d)
		return &cache.Cache{Fetcher: &o.live.fetcher, Store: store, Dialect: d, Statuses: &statuses, Events: cache.Events{
			StoreFailed: func(_ string, _ origin.Origin, err error) { o.live.noticeStoreFailure(err) },
		}}
	})
	defer caches.Close()
	s := server.Server{Caches: caches, Dialect: d, Version: build.Version()}
	ctx, stop := interruptible()
	defer stop()
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	o.notice(fmt.Sprintf("ready: http://%s", listener.Addr()))
	h := &http.Server{Handler: s.Handler()}
	context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		h.Shutdown(ctx)
	})
	if err := h.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
