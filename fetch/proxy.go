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
	"github.com/heed-robots/heed/origin"
)

// A route is the way that one request takes.
type route struct {
	proxy  *url.URL    // nil: straight to the site
	passed atomic.Bool // the proxy began to answer for the site, or has connected to it
	taken  atomic.Bool // the request was sent to the proxy
}

// route returns the way of a request. Nothing is known of the addresses that a proxy
// connects to but what the URL says.
func (f *Fetcher) route(request *http.Request) (*route, error) {
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

// refuseProxy returns an error where FTP would have to go through a proxy.
func (f *Fetcher) refuseProxy(ctx context.Context, o origin.Origin) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.RobotsURL(), nil)
	if err != nil {
		return err
	}
	way, err := f.route(request)
	if err == nil && way.proxy != nil {
		err = way.blame(ctx, errors.New("ftp does not go through a proxy"))
	}
	return err
}

// watch returns a context by which the route sees how far a request came: a TLS
// handshake comes behind the work of a proxy, but for that with an https proxy.
func (r *route) watch(ctx context.Context, scheme string) context.Context {
	if r.proxy == nil {
		return ctx
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeStart: func() {
			if r.proxy.Scheme != "https" {
				r.passed.Store(true)
			}
		},
		GotConn: func(httptrace.GotConnInfo) {
			if !r.answers(scheme) {
				r.passed.Store(true)
			}
		},
		WroteRequest:         func(w httptrace.WroteRequestInfo) { r.taken.Store(w.Err == nil) },
		GotFirstResponseByte: func() { r.passed.Store(true) },
	})
}

// answers reports whether it is the proxy that answers requests to a site of the scheme.
func (r *route) answers(scheme string) bool {
	return scheme == "http" && !strings.HasPrefix(r.proxy.Scheme, "socks5")
}

// connected takes the answer of a proxy to CONNECT.
func (r *route) connected(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it did not connect: status %d", answer.StatusCode)
	}
	r.passed.Store(true)
	return nil
}

// blame returns the error of a request as one of the proxy where it came no further.
// Where the time was over, the proxy may have waited for the site; where it closes the
// connection without a word, it did not.
func (r *route) blame(ctx context.Context, err error) error {
	if r.proxy == nil || r.passed.Load() || r.taken.Load() && ctx.Err() != nil {
		return err
	}
	return &proxyError{r.proxy.Host, err}
}

// refusal returns an error where a response of http is not the site's but the
// proxy's, by its status or by what proxies write into their own pages (RFC 9209,
// Squid): a proxy that refuses with 403 must not be taken for a site without rules.
func (r *route) refusal(response *http.Response) error {
	if r.proxy == nil || !r.answers(response.Request.URL.Scheme) {
		return nil
	}
	says := strings.Join(response.Header.Values("Proxy-Status"), ",")
	if response.StatusCode == http.StatusProxyAuthRequired || strings.Contains(says, "error=") || response.Header.Get("X-Squid-Error") != "" {
		return &proxyError{r.proxy.Host, fmt.Errorf("it refused: status %d", response.StatusCode)}
	}
	return nil
}

// A proxyError says that it was the proxy that failed, and not the site.
type proxyError struct {
	host string // of the proxy; "": it is not known
	err  error
}

func (e *proxyError) Error() string {
	return fmt.Sprintf("proxy %s: %v", cmp.Or(e.host, "settings"), e.err)
}

func (e *proxyError) Unwrap() error { return e.err }
