// Package fetch retrieves one robots.txt. Whatever happens on the way is a
// Result, since the protocol gives every failure a meaning; Result.Outcome says
// what it means in a dialect.
//
// Every byte that comes back is taken for hostile: what comes in over a
// connection, before and after decompression, the size of the headers, the
// number of redirects, the requests of each hop and the time that all of it
// takes are bounded. No connection is made to an address that is not public
// unless AllowPrivate is set, checked on the address that is dialled, at every
// hop, nor to a port that browsers refuse.
//
// A proxy connects for us, so nothing can be said of the addresses behind it: who
// uses one leaves it to the proxy to guard the network that it is in. The proxy's own
// address may be private. What stays refused without AllowPrivate is a URL, also of a
// redirect, whose host is itself a private address or this machine ("localhost").
// Every other bound holds through a proxy.
//
// Each hop is one request of HTTP/1.1 on a connection of its own: a robots.txt
// needs no HTTP/2, and net/http sends a request of HTTP/2 again and again for
// as long as a server refuses its streams or closes the connection
// (golang/go#52459).
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/heed-robots/heed/internal/build"
	"github.com/heed-robots/heed/internal/defaults"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Fetcher retrieves robots.txt files over http, https and ftp. The zero Fetcher
// works; numbers below 0 mean what 0 does. It is safe for concurrent use; its
// fields must not change once it is used.
type Fetcher struct {
	// UserAgent is sent with every request. It must hold a product token
	// (robotstxt.ProductToken); "" means that of Heed itself.
	UserAgent string

	// MaxBytes is how much of a body is used, after decompression; 0 means
	// 500 KiB, the least that the protocol allows (R-19, G-9). A longer file is cut.
	// A connection may receive twice that and 1 MiB more, TLS, headers and framing
	// counted. Where the file, or MaxBytes of it, is not there by then, the
	// retrieval fails.
	MaxBytes int

	// MaxRedirects is how many redirects are followed; 0 means 10, which is
	// enough for every dialect: Outcome heeds the limit of each (R-13, S96-1). A
	// redirect to a URL of more than 2 KiB is a failure.
	MaxRedirects int

	// Timeout is how long a retrieval may take, redirects and body included;
	// 0 means 30 seconds. What it waits for its turn (MaxPerHost, MaxInFlight)
	// does not count. That wait may take as long again; after it the retrieval
	// fails with HostBusy: the site was not asked.
	Timeout time.Duration

	// MaxPerHost is how many requests to one host are under way at the same time;
	// 0 means 4. Others wait for their turn, first come, first served.
	MaxPerHost int

	// MaxInFlight is how many requests of this Fetcher are under way at the same
	// time; 0 means 256. Each holds a connection (FTP two), so that even with FTP
	// they take half of the 1,024 files that a process may usually have open. The
	// hosts of one registered domain (example.com) get at most an eighth of it, or
	// MaxPerHost if that is more. Other requests wait, first come, first served, but
	// those that follow a redirect go first. A retrieval holds no place while it
	// waits to follow a redirect.
	MaxInFlight int

	// AllowPrivate lets connections go to loopback, private, link-local and
	// other addresses that are not public. Ports that browsers refuse stay
	// refused.
	AllowPrivate bool

	// Proxy returns the proxy for a request, by http, https or socks5, or nil for none;
	// nil means http.ProxyFromEnvironment: HTTP_PROXY, HTTPS_PROXY and NO_PROXY. FTP
	// does not go through a proxy: where Proxy returns one for a URL of ftp, the
	// retrieval fails; the environment names none.
	//
	// A proxy that is down, refuses, does not connect (CONNECT), or closes the connection
	// without an answer is a LocalFailure: it says nothing about the site, which is not
	// asked in any other way. Where the time is over, the site is slow. Over plain
	// http a proxy may answer for the site. A page by which it says that the site is
	// down is the site's; one by which it refuses is known by status 407, or by the
	// headers Proxy-Status (RFC 9209) and X-Squid-Error.
	Proxy func(*http.Request) (*url.URL, error)

	// Transport is used for http and https; nil means the Fetcher's own. With
	// another one Proxy means nothing for them; redirects, ports, time, requests at the
	// same time and the size of the body are bounded as without it. The rest is up to
	// Transport: which addresses it connects to, how many bytes of headers and of
	// compressed data it receives, and how often it sends a request again: an
	// http.Transport with HTTP/2 may do so thousands of times (golang/go#52459).
	Transport http.RoundTripper

	hosts, domains turns
	places         places
	names          resolver
	lookup         *net.Resolver // nil: that of the system
}

const (
	defaultMaxBytes     = 500 << 10
	defaultMaxRedirects = 10
	defaultTimeout      = 30 * time.Second
	defaultMaxPerHost   = 4
	defaultMaxInFlight  = 256
)

// Validators make a request conditional: a server may answer that the file is
// still the one that they came with. The zero Validators ask for it whatever.
type Validators struct {
	URL          string // that they came from; elsewhere they mean nothing
	ETag         string
	LastModified string
}

// Fetch retrieves the robots.txt of an origin. It returns an error only for an
// origin that it cannot ask, for a UserAgent that cannot be sent or has no
// product token, and when ctx has ended; every other failure is in the Result.
func (f *Fetcher) Fetch(ctx context.Context, o origin.Origin, v Validators) (Result, error) {
	if o.IsZero() {
		return Result{}, errors.New("fetch: no origin: expected one of http, https or ftp")
	}
	agent := cmp.Or(f.UserAgent, build.UserAgent())
	if _, ok := robotstxt.ProductToken(agent); !ok {
		return Result{}, fmt.Errorf("fetch: the user agent %q holds no product token", agent)
	}
	if !httpguts.ValidHeaderFieldValue(agent) {
		return Result{}, fmt.Errorf("fetch: the user agent %q cannot be sent: no header may hold a control character", agent)
	}
	left := f.newTime()
	seen := &trail{resolver: &f.names}
	watched := seen.watch(ctx)
	r := Result{Origin: o, Start: time.Now()}
	var err error
	if o.Scheme() == "ftp" {
		err = f.retrieve(watched, left, &r)
	} else {
		err = f.follow(watched, left, &r, agent, v)
	}
	r.End = time.Now()
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("fetch: %s: %w", o, context.Cause(ctx))
	}
	if err != nil {
		r.Err = seen.failure(err)
	}
	return r, nil
}

func (f *Fetcher) maxBytes() int { return defaults.Positive(f.MaxBytes, defaultMaxBytes) }
