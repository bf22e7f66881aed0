package heed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/pages"
	"github.com/heed-robots/heed/polite"
	"github.com/heed-robots/heed/robotstxt"
)

// A Crawler asks robots.txt before it fetches. UserAgent must be set; the other zero
// fields mean RFC 9309, in memory, public addresses only. It is safe for concurrent
// use; its fields must not change once it is used.
type Crawler struct {
	// UserAgent says who asks, for robots.txt and for pages, such as "ExampleBot/1.0
	// (+https://example.com/bot)". It must hold a product token, by which robots.txt
	// names the crawler (robotstxt.ProductToken).
	UserAgent string

	// Tokens are the product tokens to look for in robots.txt, the most specific
	// first, such as "ExampleBot-News", "ExampleBot": the first that the file names
	// counts. nil means the one of UserAgent.
	Tokens []string

	// Store remembers beyond this process; nil means nothing does. Whoever opened it
	// closes it, after Close.
	Store cache.Store

	// Dialect is what robots.txt is read in; nil means RFC 9309.
	Dialect *robotstxt.Dialect

	// AllowPrivate lets the Crawler go to loopback, private, link-local and other
	// addresses that are not public. A test with a site on this machine needs it.
	AllowPrivate bool

	// Proxy returns the proxy for a request, by http, https or socks5, or nil for
	// none; nil means http.ProxyFromEnvironment: HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
	// A proxy may be at a private address, and connects to what it likes: without
	// AllowPrivate a URL whose host is itself a private address or this machine is
	// refused, and no more. So is a request of http whose Host is another than its URL's,
	// since a proxy takes it there. FTP does not go through a proxy, see fetch.Fetcher.
	Proxy func(*http.Request) (*url.URL, error)

	// MaxDelay bounds the crawl delay: the requests of the Client to an origin start
	// as far apart as its robots.txt asks for, or MaxDelay if that is less. 0 means 30
	// seconds, less than 0 that requests do not wait.
	MaxDelay time.Duration

	// Events are told what happens, such as that the Store fails; the zero Events are
	// told nothing.
	Events cache.Events

	once      sync.Once
	wrong     error // why nothing can be asked
	tokens    []string
	cache     *cache.Cache
	pages     *pages.Transport
	transport *polite.Transport
}

// Check answers whether the Crawler may fetch a URL now; see cache.Cache.Check. A site
// whose robots.txt cannot be had is an answer: not allowed, with the reason in Err.
//
// The error is that of fields that are wrong, of a URL that has no origin, of a context
// that ended, or cache.ErrClosed; the Answer then denies.
func (c *Crawler) Check(ctx context.Context, url string) (cache.Answer, error) {
	if err := c.ready(); err != nil {
		return cache.Answer{}, err
	}
	return c.cache.Check(ctx, c.tokens, url)
}

// Client returns an http.Client that obeys: what robots.txt disallows fails with a
// *polite.DisallowedError, and what nobody knows with a *polite.UnreachableError, which
// errors.As finds. It keeps crawl delays, which count towards its Timeout, and asks
// about redirects too. It sends UserAgent; a request with a User-Agent header of
// another crawler fails. The Timeout is not set.
//
// All Clients of a Crawler share what they know and their connections.
func (c *Crawler) Client() *http.Client { return &http.Client{Transport: &transport{c}} }

// Close ends what the Crawler began, and waits until the Store has what is to be
// remembered; the error says what the Store did not get: see cache.Cache.Close.
// Afterwards no site is asked any more. To close a Crawler again, or one that was not
// used, does no harm.
func (c *Crawler) Close() error {
	if c.ready() != nil {
		return nil
	}
	defer c.pages.CloseIdleConnections()
	return c.cache.Close()
}

// ready makes the parts, once, and returns what is wrong with the fields.
func (c *Crawler) ready() error {
	c.once.Do(func() {
		if c.tokens, c.wrong = c.names(); c.wrong != nil {
			return
		}
		proxy := c.Proxy
		if proxy == nil {
			proxy = http.ProxyFromEnvironment
		}
		c.cache = &cache.Cache{
			Fetcher: &fetch.Fetcher{UserAgent: c.UserAgent, AllowPrivate: c.AllowPrivate, Proxy: proxy},
			Store:   c.Store,
			Dialect: c.Dialect,
			Events:  c.Events,
		}
		c.pages = pages.New(proxy, c.AllowPrivate)
		c.transport = &polite.Transport{
			UserAgent: c.UserAgent,
			Agents:    c.tokens,
			Cache:     c.cache,
			Base:      c.pages,
			MaxDelay:  c.MaxDelay,
		}
	})
	return c.wrong
}

// names returns the product tokens of the crawler.
func (c *Crawler) names() ([]string, error) {
	if c.UserAgent == "" {
		return nil, errors.New(`heed: Crawler.UserAgent is empty: say who asks, such as "ExampleBot/1.0 (+https://example.com/bot)"`)
	}
	token, ok := robotstxt.ProductToken(c.UserAgent)
	if !ok {
		return nil, fmt.Errorf("heed: Crawler.UserAgent %q holds no product token: name the crawler in it, such as ExampleBot/1.0", c.UserAgent)
	}
	for _, t := range c.Tokens {
		if _, ok := robotstxt.ProductToken(t); !ok {
			return nil, fmt.Errorf("heed: Crawler.Tokens has %q, which is no product token", t)
		}
	}
	if len(c.Tokens) == 0 {
		return []string{token}, nil
	}
	return slices.Clone(c.Tokens), nil
}

// transport is what a Client sends by.
type transport struct{ crawler *Crawler }

func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := cmp.Or(t.crawler.ready(), t.crawler.isOwn(request)); err != nil {
		pages.CloseBody(request)
		return nil, err
	}
	return t.crawler.transport.RoundTrip(request)
}

// CloseIdleConnections closes those to sites and proxies.
func (t *transport) CloseIdleConnections() {
	if t.crawler.ready() == nil {
		t.crawler.pages.CloseIdleConnections()
	}
}

// isOwn returns an error for a request that goes out in the name of another crawler.
func (c *Crawler) isOwn(request *http.Request) error {
	agent := request.UserAgent()
	if agent == "" {
		return nil
	}
	own, _ := robotstxt.ProductToken(c.UserAgent)
	token, ok := robotstxt.ProductToken(agent)
	is := func(name string) bool { return strings.EqualFold(name, token) }
	if ok && (is(own) || slices.ContainsFunc(c.tokens, is)) {
		return nil
	}
	return fmt.Errorf("heed: the request's User-Agent header is %q, and the crawler is %q: leave it out", agent, c.UserAgent)
}
