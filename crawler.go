package heed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/identity"
	"github.com/heed-robots/heed/internal/pages"
	"github.com/heed-robots/heed/polite"
	"github.com/heed-robots/heed/robotstxt"
)

// A Crawler checks robots.txt before it fetches a page. UserAgent must be set. Zero values of the other fields mean RFC
// 9309, a cache in memory, and public addresses only.
//
// A Crawler is safe for concurrent use. Its fields must not change after the first call.
type Crawler struct {
	// UserAgent is the User-Agent header of all requests, such as "ExampleBot/1.0 (+https://example.com/bot)". It must
	// contain a product token (robotstxt.ProductToken).
	UserAgent string

	// Tokens are the product tokens, the most specific first: "ExampleBot-News", "ExampleBot". The first one that a
	// robots.txt names applies. nil means the token of UserAgent.
	Tokens []string

	// Store keeps robots.txt files for later processes; nil means only in memory. Crawler.Close does not close the Store.
	Store cache.Store

	// Dialect is the dialect of all decisions; nil means RFC 9309.
	Dialect *robotstxt.Dialect

	// AllowPrivate permits requests to addresses that are not public, such as loopback. Tests with a local site need it.
	AllowPrivate bool

	// Proxy returns the proxy for a request, or nil for none. A nil Proxy means http.ProxyFromEnvironment. FTP uses no
	// proxy.
	//
	// Without AllowPrivate, the proxy gets no requests for private hosts. The Host header of an http request may
	// name another host than the URL. The proxy does not get such a request, because it would connect to the host in
	// the header.
	Proxy func(*http.Request) (*url.URL, error)

	// Identity signs all requests, so that sites can verify the sender (Web Bot Auth). nil means no signatures.
	Identity *identity.Identity

	// Record gets a line of JSON for each request of the Client (see polite.Record). If Record is nil, nothing is
	// recorded. Each request waits until its line is written. After a failed write, nothing more is written. Close
	// then returns the error.
	Record io.Writer

	// Approved are the SHA-256 sums of approved robots.txt files, see polite.Transport.Approved. A request to a site whose
	// robots.txt is not approved fails. nil means that no site needs approval.
	Approved []string

	// MaxDelay limits the crawl delay, the time between two requests of the Client to one origin. 0 means 30 seconds; less
	// than 0 means no delay.
	MaxDelay time.Duration

	// Events has functions that are called for events, such as a failure of the Store. The zero Events has no functions.
	Events cache.Events

	once  sync.Once
	wrong error

	recordFailed atomic.Pointer[error]
	tokens       []string
	cache        *cache.Cache
	pages        *pages.Transport
	transport    *polite.Transport
}

// Check reports whether the Crawler may fetch a URL now. If the robots.txt is unreachable, the Answer disallows, with the
// reason in Err.
//
// Check returns an error in four cases: a field of the Crawler is wrong, the URL has no origin, ctx has ended, or the
// Crawler is closed (cache.ErrClosed). The Answer then disallows.
func (c *Crawler) Check(ctx context.Context, url string) (cache.Answer, error) {
	if err := c.ready(); err != nil {
		return cache.Answer{}, err
	}
	return c.cache.Check(ctx, c.tokens, url)
}

// Client returns an http.Client that obeys robots.txt, also in redirects. A request that is not allowed fails with a
// *polite.DisallowedError or *polite.UnreachableError, which errors.As finds.
//
// The Client waits for crawl delays, and this time is a part of its Timeout. The Client adds UserAgent, and refuses another
// crawler's User-Agent header. All Clients share the cache and the connections.
func (c *Crawler) Client() *http.Client { return &http.Client{Transport: &transport{c}} }

// UsageOf returns what the content of a response may be used for; see package usage. It makes no request. ok is false
// if the response is not from a Client. Then u answers only from the headers and the page. It answers for a crawler
// that the headers and the page do not name.
func UsageOf(response *http.Response) (u polite.Usage, ok bool) { return polite.UsageOf(response) }

// Close cancels the retrievals of robots.txt files, and waits for writes to the Store. It returns an error if a write that it
// waited for failed, or if a write to Record failed. It does not repeat earlier failures of the Store: Events.StoreFailed
// reports each failure when it happens.
//
// After Close, Check and each new request fail with cache.ErrClosed, also those that wait for a cancelled retrieval. A
// request that waits for a crawl delay is still sent.
func (c *Crawler) Close() error {
	if c.ready() != nil {
		return nil
	}
	defer c.pages.CloseIdleConnections()
	err := c.cache.Close()
	if failed := c.recordFailed.Load(); failed != nil {
		err = errors.Join(err, fmt.Errorf("heed: Crawler.Record failed, so the record ends before the end of the crawl: %w", *failed))
	}
	return err
}

func (c *Crawler) ready() error {
	c.once.Do(func() {
		if c.tokens, c.wrong = c.names(); c.wrong != nil {
			return
		}
		proxy := c.Proxy
		if proxy == nil {
			proxy = http.ProxyFromEnvironment
		}
		fetcher := &fetch.Fetcher{UserAgent: c.UserAgent, AllowPrivate: c.AllowPrivate, Proxy: proxy}
		if c.Identity != nil {
			if c.wrong = c.Identity.Check(); c.wrong != nil {
				return
			}
			fetcher.Sign = c.Identity.Sign
		}
		c.cache = &cache.Cache{
			Fetcher: fetcher,
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
			Identity:  c.Identity,
			Approved:  c.Approved,
		}
		if c.Record != nil {
			c.transport.Record = polite.RecordTo(c.Record, func(err error) { c.recordFailed.Store(&err) })
		}
	})
	return c.wrong
}

func (c *Crawler) names() ([]string, error) {
	if c.UserAgent == "" {
		return nil, errors.New(`heed: Crawler.UserAgent is empty: set the crawler's name, such as "ExampleBot/1.0 (+https://example.com/bot)"`)
	}
	token, ok := robotstxt.ProductToken(c.UserAgent)
	if !ok {
		return nil, fmt.Errorf("heed: Crawler.UserAgent %q contains no product token of a crawler (names of browsers and systems do not count): name the crawler in it, such as ExampleBot/1.0", c.UserAgent)
	}
	for _, t := range c.Tokens {
		if name, _ := robotstxt.RFC9309.ReadAgent(t); !robotstxt.ValidToken(name) {
			return nil, fmt.Errorf("heed: Crawler.Tokens has %q, which contains no product token: expected letters, \"_\" and \"-\"", t)
		}
	}
	if len(c.Tokens) == 0 {
		return []string{token}, nil
	}
	return slices.Clone(c.Tokens), nil
}

type transport struct{ crawler *Crawler }

func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := cmp.Or(t.crawler.ready(), t.crawler.checkName(request)); err != nil {
		pages.CloseBody(request)
		return nil, err
	}
	return t.crawler.transport.RoundTrip(request)
}

func (t *transport) CloseIdleConnections() {
	if t.crawler.ready() == nil {
		t.crawler.pages.CloseIdleConnections()
	}
}

func (c *Crawler) checkName(request *http.Request) error {
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
	return fmt.Errorf("heed: the request has the User-Agent header %q, but Crawler.UserAgent is %q: leave the header out", agent, c.UserAgent)
}

// Card returns the card of the crawler as JSON. Agent and UserAgent in the card are those of the Crawler. The card says
// that the crawler obeys RFC 9309. If Dialect is another dialect, the card does not say this.
func (c *Crawler) Card(card identity.Card) ([]byte, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	if c.Identity == nil {
		return nil, errors.New("heed: Crawler.Identity is nil, but Crawler.Card needs it: set Crawler.Identity")
	}
	card.Agent, card.UserAgent = c.Identity.Agent, c.UserAgent
	card.Complies = c.Dialect == nil || c.Dialect == robotstxt.RFC9309
	return card.JSON()
}
