package gate

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/heed-robots/heed/internal/ranges"
)

// A Client is an IP address. For IPv6 it is the /64 network, because one machine can use all of its addresses.
type Client = netip.Addr

func clientAt(a netip.Addr) Client {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		network, _ := a.Prefix(64)
		return network.Addr()
	}
	return a
}

func addressOf(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap()
}

type (
	peerKey   struct{} // the other end of the connection
	clientKey struct{} // the client that a trusted proxy named in a header
)

// The context is that of a new connection, see http.Server.ConnContext.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, addressOf(c.RemoteAddr()))
}

// ok is false if ctx belongs to no request.
func ClientIn(ctx context.Context) (c Client, ok bool) {
	if c, ok = ctx.Value(clientKey{}).(Client); ok {
		return c, true
	}
	peer, ok := ctx.Value(peerKey{}).(netip.Addr)
	return clientAt(peer), ok
}

// A trusted proxy sends requests for other clients, and names the client in a header.
func (g *Gate) withClient(r *http.Request) *http.Request {
	if len(g.Proxies) == 0 {
		return r
	}
	peer, _ := r.Context().Value(peerKey{}).(netip.Addr)
	if !g.Proxies.Has(peer) {
		return r
	}
	c := clientAt(g.forwardedFor(r.Header, peer))
	return r.WithContext(context.WithValue(r.Context(), clientKey{}, c))
}

// The addresses before the client's own address may be false, because the client may have sent them. So forwardedFor
// takes the last address that is not of a trusted proxy:
//
//	X-Forwarded-For: SENT-BY-CLIENT, CLIENT, PROXY
//	Forwarded: for=SENT-BY-CLIENT, for=CLIENT, for=PROXY
//
// If the two headers give different addresses, one address may be false. In this case, the result is peer.
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

// The lines of a header are one list of addresses. lastClient reads it from the end, and skips trusted proxies.
func (g *Gate) lastClient(lines []string, peer netip.Addr, address func(element string) string) netip.Addr {
	last := peer
	for i := len(lines) - 1; i >= 0; i-- {
		for rest, more := lines[i], true; more; {
			var element string
			comma := strings.LastIndexByte(rest, ',')
			if element, more = rest[comma+1:], comma >= 0; more {
				rest = rest[:comma]
			}
			a, ok := ranges.ReadAddress(address(strings.Trim(element, " \t")))
			if !ok {
				return last
			}
			if last = a; !g.Proxies.Has(a) {
				return a
			}
		}
	}
	return last
}

// An element of the header Forwarded (RFC 7239) is for example "for=192.0.2.1;proto=https".
func forParameter(element string) string {
	for pair := range strings.SplitSeq(element, ";") {
		name, value, _ := strings.Cut(pair, "=")
		if strings.EqualFold(strings.Trim(name, " \t"), "for") {
			return strings.Trim(strings.Trim(value, " \t"), `"`)
		}
	}
	return ""
}
