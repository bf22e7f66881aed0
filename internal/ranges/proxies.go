package ranges

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
)

// Proxies are addresses of trusted proxies. Such a proxy names the client in X-Forwarded-For, and
// heed believes it.
type Proxies []netip.Prefix

// ReadProxies reads the values of --trusted-proxy.
func ReadProxies(texts []string) (all Proxies, err error) {
	for _, text := range texts {
		p, ok := ReadPrefix(text)
		if !ok {
			return nil, fmt.Errorf("--trusted-proxy %s: expected an IP address or a range of addresses, such as 192.0.2.1 or 10.0.0.0/8", printable.Quote(text))
		}
		all = append(all, p)
	}
	return all, nil
}

func (all Proxies) Has(a netip.Addr) bool {
	return slices.ContainsFunc(all, func(p netip.Prefix) bool { return p.Contains(a) })
}

// ReadAddress reads an element of X-Forwarded-For, such as 192.0.2.1, 192.0.2.1:80, 2001:db8::1 or [2001:db8::1]:80.
func ReadAddress(s string) (netip.Addr, bool) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		s, _, ok = strings.Cut(inner, "]")
		if !ok {
			return netip.Addr{}, false
		}
	} else if host, _, ok := strings.Cut(s, ":"); ok && strings.Count(s, ":") == 1 {
		s = host
	}
	a, err := netip.ParseAddr(s)
	return a.Unmap().WithZone(""), err == nil
}
