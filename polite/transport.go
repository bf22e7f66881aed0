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
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Transport is an http.RoundTripper that sends only what robots.txt allows.
// What it refuses fails with a *DisallowedError or an *UnreachableError. UserAgent or
// Cache must be set, so that whoever asks for robots.txt has a name: without one every
// request fails. It is safe for concurrent use; its fields must not change once it is
// used.
type Transport struct {
	// UserAgent is sent with requests that have no User-Agent header of their own,
	// and asks for robots.txt where Cache is nil; "" means that nothing is added to
	// requests, and that one without the header fails.
	UserAgent string

	// Agents are the crawler's product tokens, the most specific first, such as
	// "googlebot-news", "googlebot". Without any, a request's token is the one
	// that robotstxt.ProductToken finds in the User-Agent header that is sent;
	// a request in which it finds none fails.
	Agents []string

	// Cache answers. nil means one of the Transport's own, in memory, which reads
	// in RFC 9309 and asks for robots.txt as UserAgent. It asks by itself, not
	// through Base, and reaches public addresses only: others are unreachable.
	//
	// A Cache that asks for robots.txt in another name than requests go out in is a
	// mistake, and every request then fails: its fetch.Fetcher must have a UserAgent,
	// with the product token of the Transport's UserAgent or one of Agents, if any of
	// these is set. A Fetcher of another type must see to that by itself.
	Cache *cache.Cache

	// Base sends what is allowed; nil means http.DefaultTransport. That one uses the
	// proxies of the environment, as a fetch.Fetcher does: who sets another Proxy sets
	// it in Base and in Cache.
	//
	// Where a server drops a request, net/http sends it again, over HTTP/2 thousands
	// of times (golang/go#52459). The Transport lets a request be sent three times at
	// most over HTTP/2. It counts through httptrace and ends the request through its
	// context: a Base that supports only one of them, or none, must set its own bound.
	// The size of a response is not bounded: the caller reads as much as it wants.
	Base http.RoundTripper

	// MaxDelay bounds the crawl delay: requests to an origin start as far apart as
	// its robots.txt asks for, or MaxDelay if that is less. 0 means 30 seconds,
	// less than 0 that requests do not wait.
	//
	// What a request waits counts towards its deadline and towards
	// http.Client.Timeout. One that would wait for longer fails at once.
	MaxDelay time.Duration

	once     sync.Once
	own      *cache.Cache // nil: there is a Cache
	nameless error        // why robots.txt cannot be asked for in the crawler's name
	names    []string     // in which requests may go out; nil: in any
	pace     pacer
}

const defaultMaxDelay = 30 * time.Second

// RoundTrip sends a request once robots.txt allows its URL, whatever its Host, and
// its turn has come. The answer is as of before it waits.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil || req.Header == nil {
		closeBody(req)
		return nil, errors.New("polite: the request has no URL or no Header: http.NewRequest makes both")
	}
	req = t.withUserAgent(req)
	if err := t.admit(req); err != nil {
		closeBody(req)
		return nil, err
	}
	return sendBounded(t.base(), req)
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// CloseIdleConnections closes those of Base.
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// Close ends the Transport's own cache. It leaves Cache and Base to whoever made them.
// Requests fail from then on where Cache is nil, unless the answer is in memory.
func (t *Transport) Close() error {
	t.once.Do(t.init)
	if t.own != nil {
		return t.own.Close()
	}
	return nil
}

// withUserAgent returns the request as it is sent: itself, or a copy.
func (t *Transport) withUserAgent(req *http.Request) *http.Request {
	if t.UserAgent == "" || req.UserAgent() != "" {
		return req
	}
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", t.UserAgent)
	return req
}

// admit returns once a request may be sent, or why it may not.
func (t *Transport) admit(req *http.Request) error {
	if err := checkHeader(req.Header); err != nil {
		return err
	}
	agents, err := t.agents(req.UserAgent())
	if err != nil {
		return err
	}
	answers, err := t.cache()
	if err != nil {
		return err
	}
	if err := t.checkName(req.UserAgent()); err != nil {
		return err
	}
	a, err := answers.Check(req.Context(), agents, req.URL.String())
	switch {
	case err != nil:
		return fmt.Errorf("polite: %w", err)
	case a.Allowed:
		return t.wait(req.Context(), a.Origin, a.CrawlDelay)
	case a.Outcome == fetch.Unreachable:
		return &UnreachableError{URL: req.URL.Redacted(), Answer: a}
	}
	return &DisallowedError{URL: req.URL.Redacted(), Answer: a}
}

// checkHeader returns an error for a request that would go out in no name, in that of
// net/http, or in two: net/http sends a header of every spelling.
func checkHeader(h http.Header) error {
	for name := range h {
		if name != "User-Agent" && strings.EqualFold(name, "User-Agent") {
			return fmt.Errorf("polite: the request has a header %q: spell it User-Agent, as Header.Set does", name)
		}
	}
	if h.Get("User-Agent") == "" {
		return errors.New(`polite: the request has no User-Agent header: set Transport.UserAgent, such as "ExampleBot/1.0 (+https://example.com/bot)"`)
	}
	return nil
}

// agents returns the product tokens of a request with such a User-Agent header.
func (t *Transport) agents(userAgent string) ([]string, error) {
	if len(t.Agents) > 0 {
		return t.Agents, nil
	}
	if token, ok := robotstxt.ProductToken(userAgent); ok {
		return []string{token}, nil
	}
	return nil, fmt.Errorf("polite: the User-Agent header %q holds no product token: name the crawler in it, or set Transport.Agents", userAgent)
}

// wait waits for a request's turn.
func (t *Transport) wait(ctx context.Context, o origin.Origin, delay time.Duration) error {
	most := t.MaxDelay
	if most == 0 {
		most = defaultMaxDelay
	}
	if delay = min(delay, most); delay <= 0 {
		return nil
	}
	return t.pace.wait(ctx, o, delay)
}

// cache returns what answers, or why nobody may ask it.
func (t *Transport) cache() (*cache.Cache, error) {
	t.once.Do(t.init)
	return cmp.Or(t.own, t.Cache), t.nameless
}

func (t *Transport) init() {
	switch {
	case t.Cache != nil:
		t.nameless = t.checkCache()
	case t.UserAgent == "":
		t.nameless = errors.New("polite: nobody says who asks for robots.txt: set Transport.UserAgent")
	default:
		t.own = &cache.Cache{Fetcher: &fetch.Fetcher{UserAgent: t.UserAgent}}
		t.names = t.ownNames()
	}
}

// ownNames returns the product tokens of the crawler that the Transport was told.
func (t *Transport) ownNames() []string {
	names := slices.Clone(t.Agents)
	if token, ok := robotstxt.ProductToken(t.UserAgent); ok {
		names = append(names, token)
	}
	return names
}

// checkName returns an error for a User-Agent header that names another crawler than
// the one that asks for robots.txt.
func (t *Transport) checkName(userAgent string) error {
	token, ok := robotstxt.ProductToken(userAgent)
	if !ok || len(t.names) == 0 || contains(t.names, token) {
		return nil
	}
	return fmt.Errorf("polite: the User-Agent header is %q, and robots.txt is asked for as %q", userAgent, t.names[len(t.names)-1])
}

func contains(names []string, token string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, token) })
}

// checkCache returns an error where Cache asks for robots.txt in a name that is not
// the crawler's, as far as is known.
func (t *Transport) checkCache() error {
	fetcher, known := t.Cache.Fetcher.(*fetch.Fetcher)
	if !known && t.Cache.Fetcher != nil {
		return nil
	}
	if fetcher == nil || fetcher.UserAgent == "" {
		return errors.New("polite: the Cache asks for robots.txt as Heed: set the UserAgent of its fetch.Fetcher")
	}
	names := t.ownNames()
	asking, _ := robotstxt.ProductToken(fetcher.UserAgent)
	if len(names) > 0 && !contains(names, asking) {
		return fmt.Errorf("polite: the Cache asks for robots.txt as %q, and requests go out as %q: give its fetch.Fetcher the crawler's UserAgent",
			fetcher.UserAgent, cmp.Or(t.UserAgent, names[0]))
	}
	if asking != "" {
		t.names = append(names, asking)
	}
	return nil
}

func (t *Transport) base() http.RoundTripper {
	if t.Base != nil {
		return t.Base
	}
	return http.DefaultTransport
}
