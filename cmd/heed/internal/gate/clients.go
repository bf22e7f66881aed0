package gate

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// A Client is the address of a client. All IPv6 addresses with the same first 64 bits are one client,
// because one machine may use all of them. The zero Addr is a client whose address is not known.
type Client = netip.Addr

func clientAt(a netip.Addr) Client {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		network, _ := a.Prefix(64) // never fails
		return network.Addr()
	}
	return a
}

// addressOf returns the address of a connection.
func addressOf(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap()
}

// The keys of values in contexts.
type (
	peerKey   struct{} // the address at the other end of the connection
	clientKey struct{} // the client for which a trusted proxy sent the request
)

// withPeer is the function for http.Server.ConnContext. It reads the address of the peer once for each
// connection.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, addressOf(c.RemoteAddr()))
}

// ClientIn returns the client of a request from its context. It returns false if there is none, as
// for a retrieval in the background.
func ClientIn(ctx context.Context) (c Client, ok bool) {
	if c, ok = ctx.Value(clientKey{}).(Client); ok {
		return c, true
	}
	peer, ok := ctx.Value(peerKey{}).(netip.Addr)
	return clientAt(peer), ok
}

// withClient returns the request with its client in the context, if a trusted proxy sent it.
func (g *Gate) withClient(r *http.Request) *http.Request {
	if len(g.Proxies) == 0 {
		return r
	}
	peer, _ := r.Context().Value(peerKey{}).(netip.Addr)
	if !g.isProxy(peer) {
		return r
	}
	c := clientAt(g.forwardedFor(r.Header, peer))
	return r.WithContext(context.WithValue(r.Context(), clientKey{}, c))
}

func (g *Gate) isProxy(a netip.Addr) bool {
	for _, p := range g.Proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// forwardedFor returns for which address a trusted proxy sent a request. Each proxy adds the
// address that it sees at the end of a header:
//
//	X-Forwarded-For: SENT-BY-CLIENT, CLIENT, PROXY
//	Forwarded: for=SENT-BY-CLIENT, for=CLIENT, for=PROXY
//
// So the last address that is not a trusted proxy is the client. A client can invent the addresses
// before it. If the address of the client cannot be read, forwardedFor returns the proxy that added it.
//
// A proxy adds to one of the two headers, and passes on the other one as the client sent it. The
// daemon does not know to which one, so if the headers differ, forwardedFor returns peer, the proxy.
func (g *Gate) forwardedFor(h http.Header, peer netip.Addr) netip.Addr {
	xff, forwarded := h["X-Forwarded-For"], h["Forwarded"]
	a := g.lastClient(xff, peer, func(element string) string { return element })
	b := g.lastClient(forwarded, peer, forParameter)
	switch {
	case len(forwarded) == 0:
		return a
	case len(xff) == 0, a == b:
		return b
	}
	return peer
}

// lastClient returns the last address in the lines of a header that is not a trusted proxy. address
// returns the address in an element of the header.
func (g *Gate) lastClient(lines []string, peer netip.Addr, address func(element string) string) netip.Addr {
	last := peer
	for i := len(lines) - 1; i >= 0; i-- {
		for rest, more := lines[i], true; more; {
			var element string
			comma := strings.LastIndexByte(rest, ',')
			if element, more = rest[comma+1:], comma >= 0; more {
				rest = rest[:comma]
			}
			a, ok := parseNode(address(strings.Trim(element, " \t")))
			if !ok {
				return last
			}
			if last = a; !g.isProxy(a) {
				return a
			}
		}
	}
	return last
}

// forParameter returns the parameter "for" of an element of Forwarded (RFC 7239).
func forParameter(element string) string {
	for pair := range strings.SplitSeq(element, ";") {
		name, value, _ := strings.Cut(pair, "=")
		if strings.EqualFold(strings.Trim(name, " \t"), "for") {
			return strings.Trim(strings.Trim(value, " \t"), `"`)
		}
	}
	return ""
}

// parseNode reads an address, with or without a port: 192.0.2.1, 192.0.2.1:80, 2001:db8::1,
// [2001:db8::1]:80.
func parseNode(s string) (netip.Addr, bool) {
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
