// Package pages sends requests for web pages, and refuses addresses that are not public.
package pages

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/heed-robots/heed/internal/guard"
)

// A Transport sends requests for pages. It checks the IP address of each connection, because the address of a host
// can change.
type Transport struct {
	proxy        func(*http.Request) (*url.URL, error)
	allowPrivate bool
	direct       *http.Transport
	proxied      *http.Transport
}

type proxyKey struct{}

// If proxy returns nil, the request goes directly to the site. allowPrivate allows addresses that are not public.
func New(proxy func(*http.Request) (*url.URL, error), allowPrivate bool) *Transport {
	p := &Transport{proxy: proxy, allowPrivate: allowPrivate, direct: newTransport(), proxied: newTransport()}
	if !allowPrivate {
		dialer := newDialer()
		dialer.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return guard.Address(address)
		}
		p.direct.DialContext = dialer.DialContext
	}
	p.proxied.Proxy = func(r *http.Request) (*url.URL, error) { return r.Context().Value(proxyKey{}).(*url.URL), nil }
	return p
}

// The settings are those of http.DefaultTransport, but without a proxy.
func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:           newDialer().DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          100,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

func newDialer() *net.Dialer { return &net.Dialer{Timeout: 30 * time.Second} }

// RoundTrip returns an error for an address that is not allowed.
func (p *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	proxy, err := p.proxy(request)
	if err == nil && proxy != nil {
		err = p.checkProxied(request, proxy)
	}
	if err != nil {
		CloseBody(request)
		return nil, err
	}
	if proxy == nil {
		return p.direct.RoundTrip(request)
	}
	return p.proxied.RoundTrip(request.WithContext(context.WithValue(request.Context(), proxyKey{}, proxy)))
}

// A proxy could send the request to a private address, or to the site of the Host header.
func (p *Transport) checkProxied(request *http.Request, proxy *url.URL) error {
	u, host := request.URL, &url.URL{Host: request.Host}
	isSame := host.Host == "" || strings.EqualFold(host.Hostname(), u.Hostname()) && host.Port() == u.Port()
	if !isSame && u.Scheme == "http" && !strings.HasPrefix(proxy.Scheme, "socks5") {
		return fmt.Errorf("heed: the request has the Host %q, but its URL has the host %q: make both the same, because a proxy would use the first", host.Host, u.Host)
	}
	if p.allowPrivate {
		return nil
	}
	return guard.Host(u.Hostname())
}

func (p *Transport) CloseIdleConnections() {
	p.direct.CloseIdleConnections()
	p.proxied.CloseIdleConnections()
}

// A RoundTripper must close the body even of a request that it does not send.
func CloseBody(request *http.Request) {
	if request.Body != nil {
		request.Body.Close()
	}
}
