// Package servecmd has the command "heed serve".
package servecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/server"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/build"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/turns"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

type serve struct {
	term                 *term.Terminal
	live                 sites.Live
	storeLog             term.MinuteLimit
	watchLog             term.MinuteLimit
	acceptLog            term.MinuteLimit
	listen, profiling    string
	dialect              *robotstxt.Dialect
	logFormat            string
	logDecisions, agents bool
	memory               int // in MiB
	grace, maxDelay      time.Duration
	watch                []string // sites, or lists of sites
	guards               guardFlags
	identity             identityFlags
	log                  *slog.Logger
}

// Without --listen, only programs on the same machine can connect.
const defaultListen = "127.0.0.1:8309"

func Command(a *term.Terminal) *cobra.Command {
	o := &serve{term: a}
	o.live.Term = a
	c := &cobra.Command{
		Use:   "serve",
		Short: "Answer questions about robots.txt over HTTP, for crawlers in any language",
		Long: `Answer questions about the robots.txt of live sites over HTTP. All clients share
one cache.

heed serve ends after SIGTERM or an interrupt. Before it ends, it answers open requests
until the time of --grace is over, and writes to the store what is not there yet. A second signal ends heed
serve immediately. Under systemd, it uses the socket that systemd gives to it, and
reports when it is ready.

Exit status: 0 after a signal, 2 wrong usage, or the address cannot be used.`,
		Example: `  heed serve
  curl 'http://127.0.0.1:8309/v1/check?agent=GPTBot&url=https://www.example.com/'
  heed serve --store redis://localhost:6379 --log json`,
		Args: flags.NoArguments,
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	c.Flags().StringVar(&o.listen, "listen", defaultListen, "address to listen on")
	flags.DialectFlag(c, &o.dialect, robotstxt.RFC9309, "dialect of questions that name none")
	sites.StoreFlag(c, &o.live.Store)
	o.live.RetrievalFlags(c)
	c.Flags().IntVar(&o.memory, "memory", 64, "limit of the memory for cached sites, in MiB, for each dialect that is asked for")
	c.Flags().StringVar(&o.logFormat, "log", "text", "format of the log on standard error: text, json, off")
	flags.Choose(c, "log", []string{"text", "json", "off"})
	c.Flags().BoolVar(&o.logDecisions, "log-decisions", false, "also log each verdict about a live site, with its URL, and each error in a stream of questions")
	c.Flags().StringVar(&o.profiling, "profiling", "", "address at which to serve Go's profiles, such as 127.0.0.1:6060 (default: none)")
	c.Flags().DurationVar(&o.grace, "grace", 30*time.Second, "after a signal to end: how long to wait for open requests")
	c.Flags().DurationVar(&o.maxDelay, "max-crawl-delay", 30*time.Second, "longest crawl delay that POST /v1/turn keeps between two turns")
	c.Flags().StringArrayVar(&o.watch, "watch", nil, "watch these sites as heed watch does, for GET /v1/watch: a `SITE` or a list of sites; may be repeated")
	c.Flags().BoolVar(&o.agents, "mcp", false, "offer tools to an agent on standard input and output (MCP), instead of HTTP")
	o.guards.flags(c)
	o.identity.flags(c)
	return c
}

var flagsOfHTTP = []string{"listen", "watch", "profiling", "grace", "max-crawl-delay", "token-file", "admin-token-file", "server-name", "cors", "trusted-proxy", "rate"}

func (o *serve) checkFlags() error {
	if o.memory <= 0 {
		return fmt.Errorf("--memory %d: expected a number of MiB, such as 64", o.memory)
	}
	if o.maxDelay <= 0 {
		return fmt.Errorf("--max-crawl-delay %s: expected a time of more than 0, such as 30s", o.maxDelay)
	}
	if o.grace < 0 {
		return fmt.Errorf("--grace %s: expected a time, such as 30s, or 0s to end immediately", o.grace)
	}
	switch o.logFormat {
	case "text":
		o.log = slog.New(slog.NewTextHandler(o.term.Err, nil))
	case "json":
		o.log = slog.New(slog.NewJSONHandler(o.term.Err, nil))
		o.term.Log = o.log
	case "off":
		o.log = slog.New(slog.DiscardHandler)
		if o.logDecisions {
			return errors.New("--log-decisions writes to the log, and --log off turns the log off: leave one of them out")
		}
	}
	if i := slices.IndexFunc(flagsOfHTTP, o.guards.changed); o.agents && i >= 0 {
		return fmt.Errorf("--%s is about HTTP, and with --mcp heed serves no HTTP: leave one of them out", flagsOfHTTP[i])
	}
	return o.live.Check()
}

func (o *serve) run() error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	signing, err := o.identity.newSigning(o.live.Fetcher.UserAgent)
	if err != nil {
		return err
	}
	if signing != nil {
		o.live.Fetcher.Sign = signing.Identity.Sign
	}
	metrics := server.NewMetrics(build.Version())
	store, closeStore, err := o.live.OpenStoreOrNone(func(err error) { o.storeChanged(metrics, err) })
	if err != nil {
		return err
	}
	defer closeStore()
	o.tryStore(store, metrics)
	s := o.server(store, metrics)
	defer s.Caches.Close() // reports an error by calling StoreFailed
	s.Signing = signing
	startWatch := func() (stop func()) { return func() {} }
	if len(o.watch) > 0 {
		var release func() error
		if startWatch, release, err = o.newWatch(s, store); err != nil {
			return err
		}
		defer release()
	}
	if o.agents {
		return o.serveAgent(s)
	}
	listener, err := o.listener()
	if err != nil {
		return err
	}
	defer listener.Close()
	if err := o.guards.setLimits(s, listener.Addr()); err != nil {
		return err
	}
	o.live.Fetcher.Hosts = s.Hosts
	defer o.rereadTokens(s)()
	if o.profiling != "" {
		profiles, err := o.serveProfiles(s.Names)
		if err != nil {
			return err
		}
		defer profiles.Close()
	}
	return o.serve(listener, s, startWatch)
}

func (o *serve) server(store cache.Store, metrics *server.Metrics) *server.Server {
	shared, _ := store.(cache.Pacer) // then several processes share the turns (times at which requests may be sent)
	s := &server.Server{
		Caches:   server.NewCaches(func(d *robotstxt.Dialect) *cache.Cache { return o.cacheFor(d, store, metrics) }),
		Dialect:  o.dialect,
		Version:  build.Version(),
		Metrics:  metrics,
		Log:      o.log,
		Turns:    &turns.Turns{Shared: shared, SharedFailed: func(about origin.Origin, err error) { o.storeFailed(metrics, "turn", about, err) }},
		MaxDelay: o.maxDelay,
	}
	if o.logDecisions {
		s.Decisions = o.log
	}
	return s
}

// serveAgent serves one local agent over standard input and output, without HTTP.
func (o *serve) serveAgent(s *server.Server) error {
	if err := o.guards.setLimits(s, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil { // this address stands for the agent, which is the only client
		return err
	}
	o.live.Fetcher.Hosts = s.Hosts
	ctx, stop := term.Interruptible()
	defer stop()
	s.Handler()
	err := s.ServeAgent(ctx, io.NopCloser(o.term.In), term.FlushingWriter{Writer: o.term.Out})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (o *serve) cacheFor(d *robotstxt.Dialect, store cache.Store, metrics *server.Metrics) *cache.Cache {
	statuses := o.live.Statuses(d)
	counted := metrics.Events(statuses)
	return &cache.Cache{
		Fetcher: &o.live.Fetcher, Store: store, Dialect: d, Statuses: &statuses, MemoryBytes: int64(o.memory) << 20,
		Events: cache.Events{
			Fetched: func(r *fetch.Result) {
				counted.Fetched(r)
				o.log.Debug("fetched", "url", r.Origin.RobotsURL(), "status", r.Status)
			},
			StoreFailed: func(what string, about origin.Origin, err error) { o.storeFailed(metrics, what, about, err) },
			WrongRecord: func(about origin.Origin, err error) {
				counted.WrongRecord(about, err)
				o.log.Warn("a cached robots.txt is not used", "origin", about.String(), "error", printable.Text(err.Error()))
			},
		},
	}
}

func (o *serve) storeFailed(metrics *server.Metrics, what string, about origin.Origin, err error) {
	metrics.StoreFailed(what)
	if unsaid, now := o.storeLog.MayPrint(time.Now()); now {
		o.log.Warn("the store failed", "what", what, "origin", about.String(), "error", printable.Text(err.Error()), "failures_before", unsaid)
	}
}

// tryStore logs a warning if the store does not work. For this, it reads a record that no store has.
func (o *serve) tryStore(store cache.Store, metrics *server.Metrics) {
	if store == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	nowhere, _ := origin.Parse("http://heed.invalid")
	if _, err := store.Get(ctx, nowhere); err != nil && !errors.Is(err, cache.ErrNotFound) {
		o.storeFailed(metrics, "open", origin.Origin{}, err)
	}
}

// The store calls storeChanged with an error when it stops working, and with nil when it works again.
func (o *serve) storeChanged(metrics *server.Metrics, err error) {
	if err != nil {
		o.storeFailed(metrics, "open", origin.Origin{}, err)
	} else if unsaid, said := o.storeLog.EndFailure(); said {
		o.log.Info("the store works again", "failures_before", unsaid)
	}
}

// listener prefers the socket that systemd has opened.
func (o *serve) listener() (net.Listener, error) {
	given, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("heed cannot use the socket that systemd opened: %w", err)
	}
	switch len(given) {
	case 0:
		return listenAt("listen", o.listen, defaultListen)
	case 1:
		if given[0] == nil || !isListening(given[0]) {
			return nil, errors.New("systemd has passed no listening socket to heed serve: file descriptor 3 must be a TCP or Unix stream socket; write one ListenStream into the socket unit")
		}
		return given[0], nil
	}
	return nil, fmt.Errorf("systemd has passed %d sockets to heed serve: expected only one, so write one ListenStream into the socket unit", len(given))
}

func listenAt(flag, address, example string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, fmt.Errorf("--%s %q: expected a host and a port, such as %s", flag, address, example)
	}
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("--%s %s: another program already uses this port: end that program, or choose another port with --%[1]s", flag, address)
	case err != nil:
		return nil, fmt.Errorf("--%s %s: %w", flag, address, err)
	}
	return l, nil
}

func placeOf(a net.Addr) string {
	if a.Network() == "unix" {
		return "unix:" + a.String()
	}
	return "http://" + a.String()
}

// serveProfiles checks the Host header, so that no web page can read the profiles.
func (o *serve) serveProfiles(names []string) (*http.Server, error) {
	listener, err := listenAt("profiling", o.profiling, "127.0.0.1:6060")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	tcp, _ := listener.Addr().(*net.TCPAddr)
	hosts := &server.Server{Gate: gate.Gate{Loopback: tcp.IP.IsLoopback(), Names: names}}
	h := &http.Server{Handler: hosts.CheckHost(mux), ReadHeaderTimeout: 10 * time.Second}
	go h.Serve(listener)
	return h, nil
}

// If a connection cannot be accepted, a loggedListener logs the error. For example, too many files may be open. After
// such an error, net/http tries again.
type loggedListener struct {
	net.Listener
	*serve
}

func (l loggedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		if unsaid, now := l.acceptLog.MayPrint(time.Now()); now {
			l.log.Warn("no new connection can be accepted", "error", printable.Text(err.Error()), "failures_before", unsaid)
		}
	}
	return c, err
}

// At a signal, serve still finishes the requests that are in progress.
func (o *serve) serve(listener net.Listener, s *server.Server, startWatch func() (stop func())) error {
	signalled, stop := term.Interruptible() // after the first signal, a second signal ends the process
	defer stop()
	h := s.HTTP()
	defer startWatch()()
	h.ErrorLog = slog.NewLogLogger(o.log.Handler(), slog.LevelDebug)
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(s.Limit(loggedListener{listener, o})) }()
	o.term.Notice("ready at " + placeOf(listener.Addr()))
	daemon.SdNotify(false, daemon.SdNotifyReady) // does nothing if systemd has not started the process
	select {
	case err := <-ended:
		return fmt.Errorf("%s: %w", placeOf(listener.Addr()), err)
	case <-signalled.Done():
	}
	start, requests := time.Now(), s.OpenRequests()
	daemon.SdNotify(false, daemon.SdNotifyStopping)
	listener.Close() // early, because systemd keeps the socket, and gives new connections to the next process
	<-ended
	soon := min(time.Second, o.grace/4)
	s.Leave(soon)
	ctx, cancel := context.WithTimeout(context.Background(), o.grace)
	defer cancel()
	if err := s.Shutdown(ctx, h, soon); err != nil {
		o.log.Warn("requests were cut off", "grace", o.grace.String())
		h.Close()
	}
	o.log.Info("stopped", "open_requests", requests, "waited", time.Since(start).Round(time.Millisecond).String())
	return nil
}
