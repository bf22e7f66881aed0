// Package fetch retrieves one robots.txt. Whatever happens on the way is a
// Result, since the protocol gives every failure a meaning; Result.Outcome says
// what it means in a dialect.
//
// Every byte that comes back is taken for hostile: the size of the headers and
// of the body, after decompression too, the number of redirects and the time
// that all of it takes are bounded, and no connection is made to an address that
// is not public unless AllowPrivate is set, checked on the address that is
// dialled, at every hop.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

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
	// 500 KiB, the least that the protocol allows (R-19, G-9).
	MaxBytes int

	// MaxRedirects is how many redirects are followed; 0 means 10, which is
	// enough for every dialect: Outcome heeds the limit of each (R-13, S96-1).
	MaxRedirects int

	// Timeout is how long a retrieval may take, redirects and body included;
	// 0 means 30 seconds.
	Timeout time.Duration

	// MaxPerHost is how many requests to one host are under way at the same time;
	// 0 means 4. Others wait for their turn, within their Timeout.
	MaxPerHost int

	// AllowPrivate lets connections go to loopback, private, link-local and
	// other addresses that are not public.
	AllowPrivate bool

	// Transport is used for http and https instead of the Fetcher's own, which
	// bounds the size of headers and guards addresses; whoever sets it must see
	// to both.
	Transport http.RoundTripper

	once  sync.Once
	own   *http.Transport
	hosts turns
}

const (
	defaultUserAgent    = "heed (+https://github.com/heed-robots/heed)"
	defaultMaxBytes     = 500 << 10
	defaultMaxRedirects = 10
	defaultTimeout      = 30 * time.Second
	defaultMaxPerHost   = 4
	maxHeaderBytes      = 64 << 10 // a robots.txt needs none of it
)

// Validators make a request conditional: a server may answer that the file is
// still the one that they came with. The zero Validators ask for it whatever.
type Validators struct {
	URL          string // that they came from; elsewhere they mean nothing
	ETag         string
	LastModified string
}

// Fetch retrieves the robots.txt of an origin. It returns an error only for an
// origin that it cannot ask, for a UserAgent without a product token, and when
// ctx has ended; every other failure is in the Result.
func (f *Fetcher) Fetch(ctx context.Context, o origin.Origin, v Validators) (Result, error) {
	if o.IsZero() {
		return Result{}, errors.New("fetch: no origin: expected one of http, https or ftp")
	}
	agent := cmp.Or(f.UserAgent, defaultUserAgent)
	if _, ok := robotstxt.ProductToken(agent); !ok {
		return Result{}, fmt.Errorf("fetch: the user agent %q holds no product token", agent)
	}
	bounded, cancel := context.WithTimeout(ctx, positive(f.Timeout, defaultTimeout))
	defer cancel()
	r := Result{Origin: o, Start: time.Now()}
	var err error
	if o.Scheme() == "ftp" {
		err = f.retrieve(bounded, &r)
	} else {
		err = f.follow(bounded, &r, agent, v)
	}
	r.End = time.Now()
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("fetch: %s: %w", o, context.Cause(ctx))
	}
	if bounded.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		err = &Failure{TimedOut, fmt.Sprintf("no answer within %s", positive(f.Timeout, defaultTimeout))}
	}
	if err != nil {
		r.Err = NewFailure(err)
	}
	return r, nil
}

// positive returns a number of a setting, or the default where it says none.
func positive[T int | time.Duration](value, byDefault T) T {
	if value <= 0 {
		return byDefault
	}
	return value
}

func (f *Fetcher) maxBytes() int   { return positive(f.MaxBytes, defaultMaxBytes) }
func (f *Fetcher) maxPerHost() int { return positive(f.MaxPerHost, defaultMaxPerHost) }

// transport returns the one that is set, or the Fetcher's own.
func (f *Fetcher) transport() http.RoundTripper {
	if f.Transport != nil {
		return f.Transport
	}
	f.once.Do(func() {
		f.own = &http.Transport{
			DialContext:            f.dialer().DialContext,
			ForceAttemptHTTP2:      true,
			MaxResponseHeaderBytes: maxHeaderBytes,
			TLSHandshakeTimeout:    10 * time.Second,
			// One file of a server is asked for: connections are not worth keeping.
			DisableKeepAlives: true,
		}
	})
	return f.own
}

// dialer connects to addresses that are allowed.
func (f *Fetcher) dialer() *net.Dialer {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if !f.AllowPrivate {
		dialer.ControlContext = guard
	}
	return dialer
}
