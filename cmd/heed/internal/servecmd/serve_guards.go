package servecmd

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/server"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/ranges"
	"github.com/heed-robots/heed/origin"
)

type guardFlags struct {
	tokenFile, adminTokenFile string
	names, cors, proxies      []string
	allowHosts, denyHosts     []string

	rate                         float64
	clientRetrievals, retrievals int
	changed                      func(flag string) bool
}

// These limits are the default if other machines can connect to the daemon. If only this machine can connect, the
// default is no limit.
const (
	RemoteRate             = 100   // requests per second from one client
	remoteClientRetrievals = 600   // retrievals per minute that one client may cause
	remoteRetrievals       = 6_000 // retrievals per minute that all clients together may cause
)

func (g *guardFlags) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&g.tokenFile, "token-file", "", "file with tokens for questions, one on each line; needed if other machines can reach the address")
	f.StringVar(&g.adminTokenFile, "admin-token-file", "", "file with tokens for administration, one on each line; without this file nobody may delete what is cached")
	f.StringArrayVar(&g.allowHosts, "allow-host", nil, "answer questions about this host only, such as example.com or '*.example.com'; may be repeated")
	f.StringArrayVar(&g.denyHosts, "deny-host", nil, "answer no questions about this host, and follow no redirect to it; this flag wins over --allow-host; may be repeated")
	f.StringArrayVar(&g.names, "server-name", nil, "name by which clients reach the server, besides localhost and addresses of this machine; may be repeated")
	f.StringArrayVar(&g.cors, "cors", nil, "origin whose web pages may ask this daemon, such as https://app.example.com; may be repeated")
	f.StringArrayVar(&g.proxies, "trusted-proxy", nil, "address or network of a proxy whose X-Forwarded-For or Forwarded header names the client; may be repeated")
	f.Float64Var(&g.rate, "rate", 0, fmt.Sprintf("requests a second that each client may send; after a pause, a client may send those of one second at once, and at least 10; 0: no limit (default: %d if other machines can reach the address)", RemoteRate))
	f.IntVar(&g.clientRetrievals, "client-retrievals", 0, fmt.Sprintf("retrievals a minute that each client may cause; 0: no limit (default: %d if other machines can reach the address)", remoteClientRetrievals))
	f.IntVar(&g.retrievals, "retrievals", 0, fmt.Sprintf("retrievals a minute that all clients may cause; 0: no limit (default: %d if other machines can reach the address)", remoteRetrievals))
	g.changed = f.Changed
}

func (g *guardFlags) setLimits(s *server.Server, address net.Addr) (err error) {
	tcp, isTCP := address.(*net.TCPAddr)
	s.Loopback = isTCP && tcp.IP.IsLoopback()
	if s.Tokens, err = g.readTokens("token-file", g.tokenFile); err != nil {
		return err
	}
	if s.AdminTokens, err = g.readTokens("admin-token-file", g.adminTokenFile); err != nil {
		return err
	}
	isLocal := s.Loopback || address.Network() == "unix" // a unix socket of systemd has access rights of its own
	if !isLocal && s.Tokens == nil {
		reachable := address.String()
		if isTCP && tcp.IP.IsUnspecified() {
			reachable = fmt.Sprintf("port %d", tcp.Port)
		}
		return fmt.Errorf("--listen: other machines can reach %s, so heed needs tokens: add --token-file, or listen on an address that only this machine can reach, such as %s", reachable, defaultListen)
	}
	if s.Hosts, err = g.hostPolicy(); err != nil {
		return err
	}
	for _, page := range g.cors {
		if err := gate.CheckCORS(page); err != nil {
			return fmt.Errorf("--cors %w", err)
		}
	}
	if s.Proxies, err = ranges.ReadProxies(g.proxies); err != nil {
		return err
	}
	for _, name := range g.names {
		o, err := origin.Parse("http://" + name)
		if err != nil || o.String() != "http://"+o.Host() || strings.ContainsAny(name, "/?#@:") {
			return fmt.Errorf("--server-name %q: expected a host name without a port, such as heed.example.com", name)
		}
		s.Names = append(s.Names, o.Host())
	}
	s.CORS = g.cors
	return g.setRates(s, isLocal)
}

func (g *guardFlags) setRates(s *server.Server, isLocal bool) error {
	if !(g.rate >= 0 && g.rate <= 1e6) {
		return fmt.Errorf("--rate %g: expected a number of requests in a second, such as 100, or 0 for no limit", g.rate)
	}
	if g.clientRetrievals < 0 || g.retrievals < 0 {
		return errors.New("--client-retrievals and --retrievals: expected a number of retrievals in a minute, such as 600, or 0 for no limit")
	}
	s.Rate, s.ClientRetrievals, s.Retrievals = g.rate, g.clientRetrievals, g.retrievals
	if isLocal {
		return nil
	}
	if !g.changed("rate") {
		s.Rate = RemoteRate
	}
	if !g.changed("client-retrievals") {
		s.ClientRetrievals = remoteClientRetrievals
	}
	if !g.changed("retrievals") {
		s.Retrievals = remoteRetrievals
	}
	return nil
}

func (g *guardFlags) hostPolicy() (func(host string) error, error) {
	for flag, list := range map[string][]string{"allow-host": g.allowHosts, "deny-host": g.denyHosts} {
		if _, err := gate.HostPolicy(list, nil); err != nil {
			return nil, fmt.Errorf("--%s %w", flag, err)
		}
	}
	return gate.HostPolicy(g.allowHosts, g.denyHosts)
}

func (g *guardFlags) readTokens(flag, path string) (*gate.Tokens, error) {
	switch {
	case !g.changed(flag):
		return nil, nil
	case path == "": // such as the value of a variable that is not set
		return nil, fmt.Errorf(`--%s: expected the name of a file, found ""`, flag)
	}
	t, err := gate.ReadTokens(path)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return t, nil
}

func (o *serve) rereadTokens(s *server.Server) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for range signals {
			o.reread(s)
		}
	}()
	return func() { signal.Stop(signals); close(signals) }
}

func (o *serve) reread(s *server.Server) {
	for _, t := range []*gate.Tokens{s.Tokens, s.AdminTokens} {
		if t == nil {
			continue
		}
		if tokens, err := t.Read(); err != nil {
			o.log.Error("heed could not read the tokens again, so the old tokens still apply", "error", printable.Text(err.Error()))
		} else {
			o.log.Info("the tokens were read again", "file", t.Path, "tokens", tokens)
		}
	}
}
