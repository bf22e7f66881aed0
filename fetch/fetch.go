// Package fetch fetches one robots.txt. The protocol gives a meaning to every failure, so every retrieval ends with a
// Result. Result.Outcome returns what the Result means in a dialect, and Result.File returns its rules.
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
// It connects to public addresses only, unless Fetcher.AllowPrivate is set. It checks the address of each new connection,
// also after a redirect. It never connects to a port that browsers refuse.
//
// Each request uses HTTP/1.1 and a connection of its own. Over HTTP/2, net/http would send a request again as long as the
// server refuses its streams or closes the connection (golang/go#52459).
//
// # Proxies
//
// A proxy makes the connections itself, so this package cannot check their addresses: the proxy must protect its network.
// The address of the proxy may be private. Without AllowPrivate, the package refuses a URL whose host is a private address
// or this machine ("localhost"). All other limits apply too.
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

// A Fetcher fetches robots.txt files over http, https and ftp. The zero Fetcher is ready to use; a number below 0 in a
// field means the same as 0. A Fetcher is safe for concurrent use. Its fields must not change after its first use.
type Fetcher struct {
	// UserAgent is the User-Agent header of every request. It must contain a product token (robotstxt.ProductToken). ""
	// means the User-Agent of Heed itself.
	UserAgent string

	// Sign, if it is not nil, is called for each request over http and https, just before the request is sent. It may add
	// headers, as identity.Identity.Sign does. If Sign returns an error, the request is not sent, and the retrieval fails
	// with LocalFailure. Sign is called from many goroutines at the same time.
	Sign func(*http.Request) error

	// Path is the path of the file to fetch over http and https; "" means "/robots.txt". For any Path, Result.Outcome
	// treats the status like the status of a robots.txt.
	Path string

	// MaxBytes limits how much of a body is used, in bytes after decompression. 0 means 500 KiB, the minimum of the
	// protocol (R-19, G-9). A longer file is cut.
	//
	// A connection receives at most 2 * MaxBytes + 1 MiB, including TLS and headers. If this is not enough for the file,
	// or for its first MaxBytes bytes, the retrieval fails.
	MaxBytes int

	// MaxRedirects limits how many redirects are followed. 0 means 10, which is enough for every dialect: Outcome applies
	// the limit of the dialect (R-13, S96-1). A redirect to a URL of more than 2 KiB is a failure.
	MaxRedirects int

	// Timeout limits the time of all requests of a retrieval together, with their bodies. 0 means 30 seconds. Requests may
	// also wait because of MaxPerHost and MaxInFlight. This waiting time has a separate limit of the same length, after
	// which the retrieval fails with HostBusy.
	Timeout time.Duration

	// MaxPerHost limits how many requests to one host run at the same time. 0 means 4.
	// Other requests wait, first come, first served.
	MaxPerHost int

	// MaxInFlight limits how many requests of this Fetcher run at the same time. 0 means 256. A request needs one
	// connection, over FTP two. So 256 requests open at most half of the 1,024 files that a process may usually open.
	//
	// All hosts of one registered domain (example.com) together get at most an eighth of MaxInFlight, or MaxPerHost if that
	// is more. Requests that follow a redirect go first. Other requests wait, first come, first served.
	MaxInFlight int

	// AllowPrivate allows connections to loopback, private, link-local and other addresses that are not public. Ports that
	// browsers refuse stay refused.
	AllowPrivate bool

	// Hosts decides to which hosts a request may be sent; nil means all. It is called before each request, also after a
	// redirect. The argument host has the form of origin.Origin.Host. If Hosts returns an error, the request is not sent,
	// and the retrieval fails with HostRefused. Hosts is called from many goroutines at the same time.
	//
	// Hosts decides about names, and AllowPrivate about addresses.
	Hosts func(host string) error

	// Proxy returns the proxy for a request (http, https or socks5), or nil for no proxy. If the field is nil,
	// http.ProxyFromEnvironment is used: HTTP_PROXY, HTTPS_PROXY and NO_PROXY. FTP through a proxy is not supported: if
	// Proxy returns a proxy for a URL of ftp, the retrieval fails.
	//
	// If the proxy is down, refuses the request or a CONNECT, or closes the connection without a response, the failure
	// is a LocalFailure. The Fetcher then does not try to connect to the site directly. If the Timeout ends after the
	// proxy received the request, the failure is TimedOut.
	//
	// Over plain http, a proxy may send a response of its own. With status 407, or with an error in the headers
	// Proxy-Status (RFC 9209) or X-Squid-Error, the failure is a LocalFailure. Every other response is read as a response
	// of the site.
	Proxy func(*http.Request) (*url.URL, error)

	// Transport sends the requests of http and https; nil means the Fetcher's own. With another Transport, Proxy applies to
	// ftp only. The limits of redirects, ports, time, requests at the same time and body size still apply. The Transport
	// itself must limit the addresses to which it connects, the bytes that it receives, and how often it sends a request
	// again. An http.Transport with HTTP/2 may send a request thousands of times (golang/go#52459).
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

// Fetch fetches the robots.txt of an origin. It returns an error only for the zero Origin, for a UserAgent that cannot be
// sent or has no product token, and if ctx has ended. Every other failure is in Result.Err.
func (f *Fetcher) Fetch(ctx context.Context, o origin.Origin, v Validators) (Result, error) {
	if o.IsZero() {
		return Result{}, errors.New("fetch: the origin is zero: expected an origin with the scheme http, https or ftp")
	}
	agent := cmp.Or(f.UserAgent, build.UserAgent())
	if _, ok := robotstxt.ProductToken(agent); !ok {
		return Result{}, fmt.Errorf("fetch: Fetcher.UserAgent %q contains no product token: name the crawler in it, such as ExampleBot/1.0", agent)
	}
	if !httpguts.ValidHeaderFieldValue(agent) {
		return Result{}, fmt.Errorf("fetch: Fetcher.UserAgent %q contains a control character, which a header must not have", agent)
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
