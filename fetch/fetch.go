// Package fetch fetches one robots.txt. Every retrieval ends with a Result, because the protocol gives a meaning to every
// failure. Result.Outcome returns its meaning in a dialect, and Result.File its rules.
//
//	var f fetch.Fetcher
//	result, err := f.Fetch(ctx, o, fetch.Validators{}) // o is an origin.Origin
//	allowed := result.File(nil).Agent("ExampleBot").Check("/cart").Allowed
//
// # Limits
//
// The package trusts no server. It limits:
//
//   - the bytes that a connection receives, and the body after decompression
//   - the size of the headers
//   - the number of redirects
//   - the number of requests at the same time
//   - the time of the whole retrieval
//
// It connects to public addresses only, unless Fetcher.AllowPrivate is set. It checks the address of each new connection.
// It never connects to a port that browsers refuse.
//
// Each request uses HTTP/1.1 and a connection of its own. Over HTTP/2, a server could make net/http send a request again
// and again (golang/go#52459).
//
// # Proxies
//
// A proxy makes the connections itself, so this package cannot check addresses. The proxy must protect its own network.
// The proxy may have a private address. Without AllowPrivate, URLs of private addresses and of "localhost" are refused.
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

// A Fetcher fetches robots.txt files over http, https and ftp. The zero Fetcher is ready to use. In each field, a number
// below 0 means the same as 0. A Fetcher is safe for concurrent use. Its fields must not change after its first use.
type Fetcher struct {
	// UserAgent is the User-Agent header of every request. It must contain a product token (robotstxt.ProductToken). ""
	// means the User-Agent of Heed itself.
	UserAgent string

	// Sign, if not nil, is called just before each request over http and https. It may add headers, as
	// identity.Identity.Sign does. If Sign returns an error, the retrieval fails with LocalFailure. Sign is called from
	// many goroutines.
	Sign func(*http.Request) error

	// Path is the path of the file to fetch over http and https; "" means "/robots.txt".
	Path string

	// MaxBytes limits how many bytes of a body are used, after decompression. 0 means 500 KiB, the minimum of the protocol
	// (R-19, G-9). A longer file is cut.
	//
	// A connection receives at most 2 * MaxBytes + 1 MiB. If the response needs more, the retrieval fails.
	MaxBytes int

	// MaxRedirects limits the redirects; 0 means 10, enough for every dialect (R-13, S96-1). A redirect to a URL of more
	// than 2 KiB is a failure.
	MaxRedirects int

	// Timeout limits the time of all requests of a retrieval; 0 means 30 seconds. Waiting for other requests is not
	// counted, but has a separate limit of the same length. If a retrieval waits longer than this, it fails with HostBusy.
	Timeout time.Duration

	// MaxPerHost limits how many requests to one host run at the same time. 0 means 4.
	// Other requests wait, first come, first served.
	MaxPerHost int

	// MaxInFlight limits how many requests run at the same time; 0 means 256. Together, 256 requests open at most half of
	// the 1,024 files that a process may usually open.
	//
	// The hosts of one domain together get at most an eighth of MaxInFlight, or MaxPerHost if this is more. Waiting
	// requests run in their order, but redirects go first.
	MaxInFlight int

	// AllowPrivate allows connections to loopback, private, link-local and other addresses that are not public. Ports that
	// browsers refuse stay refused.
	AllowPrivate bool

	// Hosts decides to which hosts a request may be sent; nil means all. It is called before each request, also after a
	// redirect. The parameter host is a host as origin.Origin.Host returns it. If Hosts returns an error, the retrieval
	// fails with HostRefused. Hosts is called from many goroutines.
	Hosts func(host string) error

	// Proxy returns the proxy for a request (http, https or socks5), or nil for no proxy. If the field is nil,
	// http.ProxyFromEnvironment is used. FTP through a proxy fails.
	//
	// A failure of the proxy is a LocalFailure: the Fetcher does not connect directly. If the Timeout ends after the proxy
	// received the request, the failure is TimedOut.
	//
	// Over http, status 407, Proxy-Status (RFC 9209) with an error, or X-Squid-Error means a LocalFailure.
	Proxy func(*http.Request) (*url.URL, error)

	// Transport sends the requests over http and https; nil means the Fetcher's own Transport. Any other Transport must
	// itself limit addresses, received bytes, and repeated requests. With HTTP/2, an http.Transport may repeat a request
	// thousands of times (golang/go#52459). If Transport is not nil, the field Proxy applies to ftp only.
	Transport http.RoundTripper

	hosts, domains keyedLimiter
	all            limiter
	health         resolverHealth
	lookup         *net.Resolver // nil means the resolver of the system
}

const (
	defaultMaxBytes     = 500 << 10
	defaultMaxRedirects = 10
	defaultTimeout      = 30 * time.Second
	defaultMaxPerHost   = 4
	defaultMaxInFlight  = 256
)

// Validators make a request conditional: the server may respond that the file has not changed (304). The zero Validators
// make no request conditional.
type Validators struct {
	URL          string // the URL whose response had the two validators below; they are sent to this URL only
	ETag         string
	LastModified string
}

// Fetch fetches the robots.txt of an origin. It returns an error if the Origin is zero, the UserAgent cannot be sent or
// names no product, or ctx has ended. Every other failure is in Result.Err.
func (f *Fetcher) Fetch(ctx context.Context, o origin.Origin, v Validators) (Result, error) {
	if o.IsZero() {
		return Result{}, errors.New("fetch: the origin is zero: expected an origin with the scheme http, https or ftp")
	}
	agent := cmp.Or(f.UserAgent, build.UserAgent())
	if _, ok := robotstxt.ProductToken(agent); !ok {
		return Result{}, fmt.Errorf("fetch: Fetcher.UserAgent %q contains no product token of a crawler (names of browsers and systems do not count): name the crawler in it, such as ExampleBot/1.0", agent)
	}
	if !httpguts.ValidHeaderFieldValue(agent) {
		return Result{}, fmt.Errorf("fetch: Fetcher.UserAgent %q contains a control character, which a header must not have: remove it", agent)
	}
	left := f.newTimeLeft()
	seen := &trail{health: &f.health}
	traced := seen.withTrace(ctx)
	r := Result{Origin: o, Start: time.Now()}
	var err error
	if o.Scheme() == "ftp" {
		err = f.fetchFTP(traced, left, &r)
	} else {
		err = f.fetchHTTP(traced, left, &r, agent, v)
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
