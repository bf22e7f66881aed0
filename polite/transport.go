package polite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/identity"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/pages"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Transport is an http.RoundTripper that sends only requests that robots.txt allows. Any other request fails with a
// *DisallowedError or an *UnreachableError. UserAgent or Cache must be set. A Transport is safe for concurrent use. Its
// fields must not change after the first request.
type Transport struct {
	// UserAgent is the User-Agent header of each request that has no such header. If Cache is nil, the requests for
	// robots.txt have it too. If UserAgent is "", a request without the header fails.
	UserAgent string

	// Agents are the product tokens, the most specific first, such as "googlebot-news", "googlebot". If Agents is empty,
	// the token comes from the User-Agent header of the request. If there is no token, the request fails.
	Agents []string

	// Cache decides which requests are allowed. If Cache is nil, the Transport has its own cache in memory, with RFC 9309
	// and with UserAgent. This cache fetches only from public addresses, and does not use Base.
	//
	// If the Fetcher of Cache is a fetch.Fetcher, it must have a UserAgent that names the same crawler. Otherwise every
	// request fails.
	Cache *cache.Cache

	// Base sends the allowed requests; nil means http.DefaultTransport. To use another proxy, set it in Base and in the
	// Fetcher of Cache. Responses have no size limit.
	//
	// Base must support httptrace and the contexts of requests. Over HTTP/2, net/http may send the same request
	// several times (golang/go#52459). The Transport limits how many times, and needs both for this limit.
	Base http.RoundTripper

	// MaxDelay limits the crawl delay, the time between two requests to one origin. 0 means 30 seconds; less than 0 means
	// no delay. A request that cannot start before its deadline fails immediately.
	//
	// If the Store of Cache is a cache.Pacer, such as Redis, all processes with this store share the delay (precision: 5 %
	// or 20 ms). With any other Store, each process keeps its own delay.
	//
	// If the Pacer fails for two seconds, each process keeps its own delay until the Pacer works again. During this
	// time, all processes together send more requests than one would. Each process calls Cache.Events.StoreFailed
	// once, with "turn".
	MaxDelay time.Duration

	// Identity signs each request, also the requests for robots.txt (Web Bot Auth). If Identity is nil, no request is
	// signed. If Cache is set, its fetch.Fetcher must have Sign set to Identity.Sign. Otherwise every request fails.
	Identity *identity.Identity

	// Approved are the SHA-256, in hexadecimal, of approved robots.txt files. "" approves sites without a robots.txt. A
	// request to any other site fails with a *cache.NotApprovedError. If Approved is nil, no site needs approval. If an
	// element is not a SHA-256, every request fails.
	Approved []string

	// If Record is not nil, it is called for each request: when the response begins, or when the request fails. Many
	// goroutines call it at the same time. See RecordTo.
	Record func(*Record)

	once  sync.Once
	own   *cache.Cache // nil if the field Cache is set
	wrong error        // the error of every request, because a field is wrong; nil if none is
	names []string     // the product tokens that a User-Agent header may name; nil allows all
	pace  pacer
}

const defaultMaxDelay = 30 * time.Second

// RoundTrip checks the URL of a request, not its Host header. If the URL is allowed, RoundTrip waits for the crawl delay
// and sends the request.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil || req.Header == nil {
		pages.CloseBody(req)
		return nil, errors.New("polite: the URL or the Header of the request is nil: make the request with http.NewRequest")
	}
	req = t.withUserAgent(req)
	usage, err := t.admit(req)
	if err != nil {
		t.record(req, &usage, nil, err)
		pages.CloseBody(req)
		return nil, err
	}
	response, err := sendLimited(t.base(), req)
	t.record(req, &usage, response, err)
	if err == nil && response != nil {
		usage.storeIn(response)
	}
	return response, err
}

// CloseIdleConnections closes the idle connections of Base.
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// Close closes the Transport's own cache, but never Cache and Base. After its own cache is closed, each new request
// fails with cache.ErrClosed. A request whose robots.txt was being fetched at that time fails with the same error.
func (t *Transport) Close() error {
	t.once.Do(t.init)
	if t.own != nil {
		return t.own.Close()
	}
	return nil
}

// withUserAgent changes a copy, because a RoundTripper must not change the request.
func (t *Transport) withUserAgent(req *http.Request) *http.Request {
	if t.UserAgent == "" || req.UserAgent() != "" {
		return req
	}
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", t.UserAgent)
	return req
}

func (t *Transport) admit(req *http.Request) (u Usage, err error) {
	if err := checkHeader(req.Header); err != nil {
		return u, err
	}
	if req.URL.Opaque != "" && req.URL.Host == "" {
		return u, errors.New("polite: the URL has no host: expected a URL with the scheme http, https or ftp, such as https://example.com/")
	}
	if req.URL.Opaque != "" {
		return u, errors.New("polite: the URL of the request has the field Opaque, so the request could be sent to another URL than the one that robots.txt allows: leave Opaque empty")
	}
	if u.agents, err = t.agents(req.UserAgent()); err != nil {
		return u, err
	}
	c, err := t.usedCache()
	if err != nil {
		return u, err
	}
	if err := t.checkName(req.UserAgent()); err != nil {
		return u, err
	}
	u.url = req.URL.String()
	o, err := origin.Parse(u.url)
	if err != nil { // the text of err contains the URL with its password, so only the inner error is used
		return u, fmt.Errorf("polite: %w", errors.Unwrap(err))
	}
	var a cache.Answer
	if u.site, err = c.Site(req.Context(), o); err == nil {
		a, err = u.site.Check(u.agents, u.url)
	}
	u.answer, u.decided = a, time.Now()
	switch {
	case err != nil:
		return u, fmt.Errorf("polite: %w", err)
	case a.Allowed:
		if err := u.site.CheckApproved(t.Approved); err != nil {
			return u, fmt.Errorf("polite: %w", err)
		}
		return u, t.wait(req.Context(), a.Origin, a.CrawlDelay)
	case a.Outcome == fetch.Unreachable:
		return u, &UnreachableError{URL: req.URL.Redacted(), Answer: a}
	}
	return u, &DisallowedError{URL: req.URL.Redacted(), Answer: a}
}

// The map may have a second key, such as "user-agent". Then net/http would send two headers.
func checkHeader(h http.Header) error {
	for name := range h {
		if name != "User-Agent" && strings.EqualFold(name, "User-Agent") {
			return fmt.Errorf("polite: the request has a header %q: write it as User-Agent, as Header.Set does", name)
		}
	}
	if h.Get("User-Agent") == "" {
		return errors.New(`polite: the request has no User-Agent header: set Transport.UserAgent, such as "ExampleBot/1.0 (+https://example.com/bot)"`)
	}
	return nil
}

func (t *Transport) agents(userAgent string) ([]string, error) {
	if len(t.Agents) > 0 {
		return t.Agents, nil
	}
	if token, ok := robotstxt.ProductToken(userAgent); ok {
		return []string{token}, nil
	}
	return nil, fmt.Errorf("polite: the User-Agent header %q contains no product token of a crawler (names of browsers and systems do not count): name the crawler in it, or set Transport.Agents", userAgent)
}

func (t *Transport) wait(ctx context.Context, o origin.Origin, delay time.Duration) error {
	maxDelay := t.MaxDelay
	switch {
	case maxDelay == 0:
		maxDelay = defaultMaxDelay
	case 0 < maxDelay && maxDelay < time.Millisecond: // a number without a unit would turn the crawl delay off
		return fmt.Errorf("polite: MaxDelay is %v: write it with a unit, such as %d * time.Second", maxDelay, maxDelay)
	}
	if delay = min(delay, maxDelay); delay <= 0 {
		return nil
	}
	return t.pace.waitForStart(ctx, o, delay)
}

func (t *Transport) usedCache() (*cache.Cache, error) {
	t.once.Do(t.init)
	return cmp.Or(t.own, t.Cache), t.wrong
}

func (t *Transport) init() {
	t.initCache()
	for _, sum := range t.Approved {
		if sum != "" && !ascii.IsSHA256(sum) {
			t.wrong = fmt.Errorf(`polite: Approved has %q: expected the SHA-256 of a robots.txt in 64 hexadecimal digits, or "" for a site without a robots.txt`, sum)
		}
	}
}

func (t *Transport) initCache() {
	switch {
	case t.Cache != nil:
		t.wrong = t.checkCache()
		t.pace.shared, _ = t.Cache.Store.(cache.Pacer)
		t.pace.storeFailed = t.Cache.Events.StoreFailed
	case t.UserAgent == "":
		t.wrong = errors.New("polite: Transport.UserAgent is empty, and heed needs it to fetch robots.txt: set it")
	default:
		fetcher := &fetch.Fetcher{UserAgent: t.UserAgent}
		if t.Identity != nil {
			fetcher.Sign = t.Identity.Sign
		}
		t.own = &cache.Cache{Fetcher: fetcher}
		t.names = t.ownNames()
	}
}

func (t *Transport) ownNames() []string {
	names := slices.Clone(t.Agents)
	if token, ok := robotstxt.ProductToken(t.UserAgent); ok {
		names = append(names, token)
	}
	return names
}

func (t *Transport) checkName(userAgent string) error {
	token, ok := robotstxt.ProductToken(userAgent)
	if !ok || len(t.names) == 0 || contains(t.names, token) {
		return nil
	}
	return fmt.Errorf("polite: the User-Agent header of the request is %q, but robots.txt is fetched with the product token %q: the header and the token must name the same crawler", userAgent, t.names[len(t.names)-1])
}

func contains(names []string, token string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, token) })
}

func (t *Transport) checkCache() error {
	fetcher, known := t.Cache.Fetcher.(*fetch.Fetcher)
	if !known && t.Cache.Fetcher != nil {
		return nil
	}
	if fetcher == nil || fetcher.UserAgent == "" {
		return errors.New("polite: the Cache fetches robots.txt with the User-Agent of Heed: set the UserAgent of the Cache's fetch.Fetcher")
	}
	if t.Identity != nil && fetcher.Sign == nil {
		return errors.New("polite: requests are signed, but the Cache fetches robots.txt without a signature: set the field Sign of the Cache's fetch.Fetcher to Identity.Sign")
	}
	names := t.ownNames()
	token, _ := robotstxt.ProductToken(fetcher.UserAgent)
	if len(names) > 0 && !contains(names, token) {
		return fmt.Errorf("polite: the Cache fetches robots.txt with the User-Agent %q, but requests are sent as %q: set the UserAgent of the Cache's fetch.Fetcher to that of the crawler",
			fetcher.UserAgent, cmp.Or(t.UserAgent, names[0]))
	}
	if token != "" {
		t.names = append(names, token)
	}
	return nil
}

func (t *Transport) base() http.RoundTripper {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if t.Identity == nil {
		return base
	}
	return t.Identity.Transport(base)
}
