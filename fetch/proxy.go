package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/heed-robots/heed/internal/guard"
)

// A route finds out whether the proxy or the site has failed.
type route struct {
	proxy  *url.URL    // nil if there is no proxy
	worked atomic.Bool // the proxy has connected to the site, or has sent a response
	sent   atomic.Bool // the request was sent to the proxy
}

// A proxy connects to the site itself, so heed cannot check the address of the site. Therefore routeOf checks the host
// in the URL.
func (f *Fetcher) routeOf(request *http.Request) (*route, error) {
	choose := f.Proxy
	if choose == nil {
		choose = http.ProxyFromEnvironment
	}
	proxy, err := choose(request)
	if err != nil {
		return nil, &proxyError{err: err}
	}
	if proxy != nil && !f.AllowPrivate {
		if err := guard.Host(request.URL.Hostname()); err != nil {
			return nil, err
		}
	}
	return &route{proxy: proxy}, nil
}

func (f *Fetcher) refuseProxy(request *http.Request) error {
	route, err := f.routeOf(request)
	if err == nil && route.proxy != nil {
		err = route.failure(request.Context(), errors.New("heed cannot fetch ftp URLs through a proxy: exclude the site with the environment variable NO_PROXY"))
	}
	return err
}

// If a TLS handshake with the site begins, the proxy has connected to the site.
func (r *route) withTrace(ctx context.Context, scheme string) context.Context {
	if r.proxy == nil {
		return ctx
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeStart: func() {
			if r.proxy.Scheme != "https" {
				r.worked.Store(true)
			}
		},
		GotConn: func(httptrace.GotConnInfo) {
			if !r.mayRespond(scheme) {
				r.worked.Store(true)
			}
		},
		WroteRequest:         func(w httptrace.WroteRequestInfo) { r.sent.Store(w.Err == nil) },
		GotFirstResponseByte: func() { r.worked.Store(true) },
	})
}

// For https and with SOCKS, a proxy only forwards bytes, so each response comes from the site.
func (r *route) mayRespond(scheme string) bool {
	return scheme == "http" && !strings.HasPrefix(r.proxy.Scheme, "socks5")
}

func (r *route) connected(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the proxy did not connect to the site (status %d): try again later, or check the proxy", response.StatusCode)
	}
	r.worked.Store(true)
	return nil
}

// If the time ends after the request was sent, the proxy has not failed. The proxy may have waited for the site.
func (r *route) failure(ctx context.Context, err error) error {
	if r.proxy == nil || r.worked.Load() || r.sent.Load() && ctx.Err() != nil {
		return err
	}
	return &proxyError{r.proxy.Host, err}
}

// A refusal of the proxy, such as its status 403, says nothing about the site.
func (r *route) refusal(response *http.Response) error {
	if r.proxy == nil || !r.mayRespond(response.Request.URL.Scheme) {
		return nil
	}
	status := strings.Join(response.Header.Values("Proxy-Status"), ",")
	if response.StatusCode == http.StatusProxyAuthRequired || strings.Contains(status, "error=") || response.Header.Get("X-Squid-Error") != "" {
		return &proxyError{r.proxy.Host, fmt.Errorf("the proxy refused the request (status %d): check the settings of the proxy", response.StatusCode)}
	}
	return nil
}

type proxyError struct {
	host string // the host of the proxy; "" if the settings of the proxy are wrong
	err  error
}

func (e *proxyError) Error() string {
	return fmt.Sprintf("proxy %s: %v", cmp.Or(e.host, "settings"), e.err)
}

func (e *proxyError) Unwrap() error { return e.err }
