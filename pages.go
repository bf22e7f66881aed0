package heed

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"github.com/heed-robots/heed/internal/guard"
)

// pages sends requests for pages: to addresses that are allowed, or to a proxy. A
// robots.txt from a public address is not enough: a name may have another one later.
type pages struct {
	proxy        func(*http.Request) (*url.URL, error)
	allowPrivate bool
	direct       *http.Transport
	proxied      *http.Transport
}

// proxyKey is the key of a request's proxy in its context.
type proxyKey struct{}

func newPages(proxy func(*http.Request) (*url.URL, error), allowPrivate bool) *pages {
	p := &pages{proxy: proxy, allowPrivate: allowPrivate, direct: newTransport(), proxied: newTransport()}
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

// newTransport is as http.DefaultTransport, but for the proxy.
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

func (p *pages) RoundTrip(request *http.Request) (*http.Response, error) {
	proxy, err := p.proxy(request)
	if err == nil && proxy != nil && !p.allowPrivate {
		err = guard.Host(request.URL.Hostname())
	}
	if err != nil {
		closeBody(request)
		return nil, err
	}
	if proxy == nil {
		return p.direct.RoundTrip(request)
	}
	return p.proxied.RoundTrip(request.WithContext(context.WithValue(request.Context(), proxyKey{}, proxy)))
}

// CloseIdleConnections closes those to sites and proxies.
func (p *pages) CloseIdleConnections() {
	p.direct.CloseIdleConnections()
	p.proxied.CloseIdleConnections()
}
