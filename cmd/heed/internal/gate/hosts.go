package gate

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/authority"
	"github.com/heed-robots/heed/internal/guard"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
)

// HostPolicy returns a function that checks a host. The function returns an error if the host is in denyList. If
// allowList is not empty, a host that is missing in allowList is also an error. In both lists, "*.example.com" means
// all names that end in ".example.com".
//
// If both lists are empty, HostPolicy returns nil. If a list is not empty, hosts such as "0x7f.1" are never allowed.
// Some programs read such a host as an IPv4 address.
func HostPolicy(allowList, denyList []string) (func(host string) error, error) {
	if len(allowList)+len(denyList) == 0 {
		return nil, nil
	}
	allowed, err := newHostSet(allowList)
	if err != nil {
		return nil, err
	}
	denied, err := newHostSet(denyList)
	if err != nil {
		return nil, err
	}
	return func(host string) error {
		name := canonicalHost(host)
		if denied.contains(name) || len(allowList) > 0 && !allowed.contains(name) || isOddAddress(name) {
			return fmt.Errorf("the host %s is not allowed: the flags --allow-host and --deny-host of this server exclude it", printable.Text(host))
		}
		return nil
	}, nil
}

// An element "*.example.com" means all names that end in ".example.com".
type hostSet map[string]bool

func newHostSet(list []string) (hostSet, error) {
	s := hostSet{}
	for _, text := range list {
		name, subdomains := strings.CutPrefix(text, "*.")
		o, err := origin.Parse("http://" + name)
		if bare, _ := authority.Split(name); err != nil || strings.ContainsAny(name, `/\?#@*`) || bare != name {
			return nil, fmt.Errorf("%s: expected a host without a port, such as example.com, *.example.com, 192.0.2.1 or [2001:db8::1]", printable.Quote(text))
		}
		host := canonicalHost(o.Host())
		switch _, err := netip.ParseAddr(host); {
		case subdomains && err == nil:
			return nil, fmt.Errorf(`%s: an IP address has no subdomains: leave "*." out`, printable.Quote(text))
		case isOddAddress(host):
			return nil, fmt.Errorf("%s: expected an IPv4 address as four decimal numbers, such as 192.0.2.1", printable.Quote(text))
		case subdomains:
			host = "*." + host
		}
		s[host] = true
	}
	return s, nil
}

func (s hostSet) contains(host string) bool {
	if s[host] {
		return true
	}
	for _, parent, ok := strings.Cut(host, "."); ok; _, parent, ok = strings.Cut(parent, ".") {
		if s["*."+parent] {
			return true
		}
	}
	return false
}

// Different forms of a host get the same text: [::ffff:192.0.2.1] becomes 192.0.2.1.
func canonicalHost(host string) string {
	inner, ok := strings.CutPrefix(host, "[")
	if !ok {
		return host
	}
	a, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
	if err != nil {
		return host
	}
	return a.Unmap().String()
}

// Some programs read hosts such as "0x7f.1" as IPv4 addresses.
func isOddAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil && guard.IsNumber(host)
}

// The flags --allow-host and --deny-host can forbid questions about a host.
func (g *Gate) CheckOrigin(o origin.Origin) error {
	if g.Hosts == nil {
		return nil
	}
	if err := g.Hosts(o.Host()); err != nil {
		return &asked.Problem{Status: http.StatusForbidden, Err: err}
	}
	return nil
}

// With DNS rebinding, the name of a hostile site suddenly means 127.0.0.1. But then the Host header has that name.
func (g *Gate) checkHostHeader(r *http.Request) error {
	if !g.Loopback && len(g.Names) == 0 {
		return nil // clients may use names that the daemon does not know
	}
	if r.Host == "" {
		return nil // HTTP/1.0 without a Host header is not a browser
	}
	host, _ := authority.Split(r.Host)              // another port may be forwarded to this server
	if host == "127.0.0.1" || host == "localhost" { // the usual case
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
	return &asked.Problem{Status: http.StatusMisdirectedRequest, Err: fmt.Errorf("the Host header is %s, which is not a name of this server: expected localhost, an address such as 127.0.0.1, or a name given to heed serve with --server-name", printable.Quote(r.Host))}
}

// The handler needs only the fields Loopback and Names of the Gate.
func (g *Gate) CheckHost(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := g.checkHostHeader(r); err != nil {
			message.WriteError(w, err)
			return
		}
		handler.ServeHTTP(w, r)
	})
}
