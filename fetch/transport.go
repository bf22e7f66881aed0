package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/heed-robots/heed/internal/guard"
)

const (
	maxHeaderBytes = 64 << 10 // for all headers of one response; enough for many cookies
	maxAddresses   = 16
	dialTimeout    = 10 * time.Second
	tlsTimeout     = 10 * time.Second
)

// maxIncoming is large because TLS, headers and small chunks also count.
func (f *Fetcher) maxIncoming() int { return 2*f.maxBytes() + 1<<20 }

func (f *Fetcher) transport(ctx context.Context, route *route) http.RoundTripper {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		// The context of net/http is not used, because it can end later than the request.
		DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
			return f.dial(ctx, network, address, f.maxIncoming(), route.proxy != nil)
		},
		Proxy:                  http.ProxyURL(route.proxy),
		OnProxyConnectResponse: route.connected,
		Protocols:              &protocols,
		TLSClientConfig:        &tls.Config{NextProtos: []string{"http/1.1"}}, // without this, TLS would offer the server no protocol
		MaxResponseHeaderBytes: maxHeaderBytes,
		TLSHandshakeTimeout:    tlsTimeout,
		// net/http may send a request a second time if the connection was used before.
		DisableKeepAlives: true,
	}
}

func (f *Fetcher) dial(ctx context.Context, network, address string, limit int, toProxy bool) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout, ControlContext: f.control(toProxy), Resolver: f.lookup}
	c, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &limitedConn{
		Conn:  c,
		limit: limit,
		left:  limit,
		stop:  context.AfterFunc(ctx, func() { c.Close() }),
	}, nil
}

// control refuses addresses that are not public. A hostile DNS name may have thousands of addresses, so control also
// counts them.
func (f *Fetcher) control(toProxy bool) func(context.Context, string, string, syscall.RawConn) error {
	var tried atomic.Int32 // atomic, because a dialer tries IPv4 and IPv6 at the same time
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		if tried.Add(1) > maxAddresses {
			return errManyAddresses
		}
		if f.AllowPrivate || toProxy {
			return nil
		}
		return guard.Address(address)
	}
}

var errManyAddresses = fmt.Errorf("heed could not reach any of the first %d addresses of this host, and does not try the others: try again later", maxAddresses)

// A limitedConn is a connection that receives at most limit bytes. Only one goroutine at a time may read from it.
type limitedConn struct {
	net.Conn
	limit, left int
	stop        func() bool // stops the goroutine that closes the connection when the context ends
}

func (c *limitedConn) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, fmt.Errorf("the server sent more than %d bytes, so heed stopped reading; expected a shorter response", c.limit) // no robots.txt needs so many bytes
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

func (c *limitedConn) Close() error {
	c.stop()
	return c.Conn.Close()
}
