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
	maxHeaderBytes = 64 << 10 // a robots.txt needs none of it
	maxAddresses   = 16       // of a name that are tried
	dialTimeout    = 10 * time.Second
	tlsTimeout     = 10 * time.Second
)

// maxIncoming is how many bytes may come in over one connection, all counted:
// TLS and its certificates, headers, framing, and the body as it was sent. An
// honest file of MaxBytes takes less: compressed it is smaller than MaxBytes, and
// sent in lines of 30 bytes, each in a chunk and a TLS record of its own, it takes
// twice MaxBytes. Certificates and headers are less than 400 KiB, as crypto/tls
// and net/http bound them.
func (f *Fetcher) maxIncoming() int { return 2*f.maxBytes() + 1<<20 }

// transport returns one for a single request, whose connection ends with the
// context.
func (f *Fetcher) transport(ctx context.Context, way *route) http.RoundTripper {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		// net/http would let a connection that is being made outlive the request.
		DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
			return f.dial(ctx, network, address, f.maxIncoming(), way.proxy != nil)
		},
		Proxy:                  http.ProxyURL(way.proxy),
		OnProxyConnectResponse: way.connected,
		Protocols:              &protocols,
		TLSClientConfig:        &tls.Config{NextProtos: []string{"http/1.1"}}, // net/http would name none
		MaxResponseHeaderBytes: maxHeaderBytes,
		TLSHandshakeTimeout:    tlsTimeout,
		// One file of a server is asked for. A connection that is not used again
		// also never makes net/http send a request again.
		DisableKeepAlives: true,
	}
}

// dial connects to an address that is allowed; that of a proxy is. The connection
// ends with the context, and where more than most bytes come in.
func (f *Fetcher) dial(ctx context.Context, network, address string, most int, toProxy bool) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout, ControlContext: f.control(toProxy), Resolver: f.lookup}
	c, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &boundConn{
		Conn: c,
		most: most,
		left: most,
		stop: context.AfterFunc(ctx, func() { c.Close() }),
	}, nil
}

// control returns what a dialer asks about each address of a name: whether it is
// allowed, and whether not too many were tried. A name may have thousands, of
// somebody else.
func (f *Fetcher) control(toProxy bool) func(context.Context, string, string, syscall.RawConn) error {
	var tried atomic.Int32 // a dialer tries IPv4 and IPv6 at the same time
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

var errManyAddresses = fmt.Errorf("more than %d addresses, and none of the first answers", maxAddresses)

// boundConn is a connection that ends with a context, and where too much comes
// in over it. Only one goroutine at a time reads from it.
type boundConn struct {
	net.Conn
	most, left int
	stop       func() bool
}

func (c *boundConn) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, &floodError{c.most}
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

func (c *boundConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// A floodError says that a server sent more over a connection than any
// robots.txt takes.
type floodError struct{ most int }

func (e *floodError) Error() string {
	return fmt.Sprintf("the server sent more than %d bytes", e.most)
}
