package gate

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/printable"
)

// checkHostHeader refuses a request that was sent to another name than one of this daemon.
//
// A page in a browser of this machine may reach a daemon on loopback: the name of the page's
// site gets the address 127.0.0.1 after the page was loaded, so for the browser the daemon is the
// site (DNS rebinding). The Host header still has the name of the site.
func (g *Gate) checkHostHeader(r *http.Request) error {
	if !g.Loopback && len(g.Names) == 0 {
		return nil // clients use names that the daemon does not know
	}
	if r.Host == "" {
		return nil // HTTP/1.0: not a browser
	}
	host := r.Host
	if HasPort(host) { // any port: it may be forwarded
		host = host[:strings.LastIndexByte(host, ':')]
	}
	if host == "127.0.0.1" || host == "localhost" { // nearly always
		return nil
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if host == "localhost" || err == nil && address.Unmap().IsLoopback() {
		return nil
	}
	if slices.Contains(g.Names, host) {
		return nil
	}
	return &asked.Problem{Status: http.StatusMisdirectedRequest, Err: fmt.Errorf("the Host header %s is not a name of this server; expected localhost, an address of loopback, or a --server-name", printable.Quote(r.Host))}
}

// CheckHost returns a handler that passes a request on if its Host header is a name of the server,
// as the API checks it. Only the fields Loopback and Names of the server count.
func (g *Gate) CheckHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := g.checkHostHeader(r); err != nil {
			message.WriteError(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
