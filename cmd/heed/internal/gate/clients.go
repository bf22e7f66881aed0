package gate

import (
	"context"
	"net"
	"net/http"
	"net/netip"
)

// A Client is an address. All addresses of a network of 64 bits are one client, because each
// machine with IPv6 has so many. The zero Addr is a client whose address is not known.
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
	peerKey   struct{} // of a connection: the address at its other end
	clientKey struct{} // of a request that a trusted proxy forwarded: the client
)

// withPeer is for http.Server.ConnContext, so that the address is read once for a connection.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, addressOf(c.RemoteAddr()))
}

// ClientIn returns the client of a request from its context, and false if there is none: a
// retrieval in the background has none.
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
