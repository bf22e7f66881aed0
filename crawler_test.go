package heed_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed"
	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/heedtest"
	"github.com/heed-robots/heed/polite"
	"github.com/heed-robots/heed/robotstxt"
)

var ctx = context.Background()

// get returns the body of a page.
func get(t *testing.T, client *http.Client, url string) (string, error) {
	t.Helper()
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

// A Crawler without a name makes no request, and its error names the field that is wrong.
func TestCrawlerWithoutName(t *testing.T) {
	site := heedtest.NewSite(t, "")
	for want, c := range map[string]*heed.Crawler{
		"Crawler.UserAgent is empty":                                                                {AllowPrivate: true},
		`Crawler.UserAgent "Mozilla/5.0" contains no product token`:                                 {AllowPrivate: true, UserAgent: "Mozilla/5.0"},
		`Crawler.UserAgent "X/1" contains no product token of a crawler`:                            {AllowPrivate: true, UserAgent: "X/1"},
		`Crawler.Tokens has "", which contains no product token: expected letters, "_" and "-"`:     {AllowPrivate: true, UserAgent: userAgent, Tokens: []string{""}},
		`Crawler.Tokens has "!*", which contains no product token`:                                  {AllowPrivate: true, UserAgent: userAgent, Tokens: []string{robotstxt.NotEveryone}},
		`Crawler.Tokens has "1234", which contains no product token: expected letters, "_" and "-"`: {AllowPrivate: true, UserAgent: userAgent, Tokens: []string{"ExampleBot", "1234"}},
		`Crawler.UserAgent is empty: set the crawler's name, such as "Examp`:                        {AllowPrivate: true, Tokens: []string{"ExampleBot"}},
	} {
		if a, err := c.Check(ctx, site.URL+"/"); err == nil || a.Allowed || !strings.Contains(err.Error(), want) {
			t.Errorf("Check: %v, want %s", err, want)
		}
		if _, err := get(t, c.Client(), site.URL+"/"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Client: %v, want %s", err, want)
		}
		c.Client().CloseIdleConnections()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := site.Requests(); len(got) > 0 {
		t.Errorf("the site saw %v", got)
	}
}

// Requests for robots.txt and for pages have the same User-Agent. A request with that of
// another crawler fails.
func TestOneName(t *testing.T) {
	site := heedtest.NewSite(t, "")
	client := site.Crawler(userAgent).Client()
	for header, allowed := range map[string]bool{
		"": true, "Mozilla/5.0 (compatible; examplebot/2.0)": true, "OtherBot/1.0": false, "Mozilla/5.0": false,
	} {
		body := &closeRecorder{Reader: strings.NewReader("text")}
		request, err := http.NewRequest("POST", site.URL+"/page", body)
		if err != nil {
			t.Fatal(err)
		}
		if header != "" {
			request.Header.Set("User-Agent", header)
		}
		response, err := client.Do(request)
		if err == nil {
			response.Body.Close()
		}
		if (err == nil) != allowed || err != nil && !strings.Contains(err.Error(), "Crawler.UserAgent is \""+userAgent) || !body.isClosed() {
			t.Errorf("%q: %v, body closed: %v", header, err, body.isClosed())
		}
	}
	got := site.Requests()
	for _, r := range got {
		if !strings.Contains(strings.ToLower(r.UserAgent), "examplebot") {
			t.Errorf("the site saw %s from %s", r, r.UserAgent)
		}
	}
	if len(got) != 3 || got[0] != (heedtest.Request{Method: "GET", Target: "/robots.txt", UserAgent: userAgent}) {
		t.Errorf("the site saw %v", got)
	}
}

// closeRecorder is a body that records whether it was closed.
type closeRecorder struct {
	io.Reader
	mu     sync.Mutex
	closed bool
}

func (c *closeRecorder) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return nil
}

func (c *closeRecorder) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// Check and the Client use the first of Tokens that the file names.
func TestTokens(t *testing.T) {
	site := heedtest.NewSite(t, "user-agent: example-news\ndisallow: /news\n\nuser-agent: examplebot\ndisallow: /web\n\nuser-agent: safari\ndisallow: /news\n")
	for _, c := range []struct {
		tokens []string
		denied string
	}{{nil, "/web"}, {[]string{"Example-News", "ExampleBot"}, "/news"}, {[]string{"Example-Images", "ExampleBot"}, "/web"}, {[]string{"Safari"}, "/news"}} {
		crawler := site.Crawler(userAgent)
		crawler.Tokens = c.tokens
		for _, path := range []string{"/news", "/web"} {
			a, err := crawler.Check(ctx, site.URL+path)
			_, refused := get(t, crawler.Client(), site.URL+path)
			if want := path != c.denied; err != nil || a.Allowed != want || (refused == nil) != want {
				t.Errorf("%v, %s: %v, %v, %v", c.tokens, path, a.Allowed, err, refused)
			}
		}
	}
}

// Without AllowPrivate no request goes to this machine, and the errors of Check and of the
// Client name the field to set.
func TestPrivateAddress(t *testing.T) {
	site := heedtest.NewSite(t, "")
	crawler := &heed.Crawler{UserAgent: userAgent}
	defer crawler.Close()
	a, err := crawler.Check(ctx, site.URL+"/")
	if err != nil || a.Allowed || !errors.Is(a.Err, fetch.AddressRefused) || !strings.Contains(a.Err.Error(), "AllowPrivate") {
		t.Errorf("Check: %v, %v", a, err)
	}
	var unreachable *polite.UnreachableError
	if _, err := get(t, crawler.Client(), site.URL+"/"); !errors.As(err, &unreachable) || !strings.Contains(err.Error(), "AllowPrivate") {
		t.Errorf("Client: %v", err)
	}
	if got := site.Requests(); len(got) > 0 {
		t.Errorf("the site saw %v", got)
	}
}

// A page is not fetched from a private address, even if its robots.txt is cached: the
// host's name may resolve to this machine now.
func TestPrivateAddressOfPage(t *testing.T) {
	site := heedtest.NewSite(t, "")
	store := cache.NewMemory(0, 0)
	first := site.Crawler(userAgent)
	first.Store = store
	if _, err := first.Check(ctx, site.URL+"/"); err != nil {
		t.Fatal(err)
	}
	first.Close()
	crawler := &heed.Crawler{UserAgent: userAgent, Store: store}
	defer crawler.Close()
	if a, err := crawler.Check(ctx, site.URL+"/"); err != nil || !a.Allowed {
		t.Fatalf("%v, %v", a, err)
	}
	if _, err := get(t, crawler.Client(), site.URL+"/"); err == nil || !strings.Contains(err.Error(), "AllowPrivate") {
		t.Errorf("%v", err)
	}
	if got := fmt.Sprint(site.Requests()); got != "[GET /robots.txt]" {
		t.Errorf("the site saw %s", got)
	}
}

// Requests for robots.txt and for pages use the same proxy. A URL with a private address
// as its host is refused.
func TestProxyOfCrawler(t *testing.T) {
	var mu sync.Mutex
	var requests []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests = append(requests, r.RequestURI)
		mu.Unlock()
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		}
	}))
	defer proxy.Close()
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	store := cache.NewMemory(0, 0)
	crawler := &heed.Crawler{UserAgent: userAgent, Proxy: http.ProxyURL(through), Store: store}
	defer crawler.Close()
	for path, want := range map[string]string{"/page": "", "/moved": "AllowPrivate"} {
		if _, err := get(t, crawler.Client(), "http://a.example"+path); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	private := &heed.Crawler{UserAgent: userAgent, Proxy: http.ProxyURL(through), Store: store, AllowPrivate: true}
	if a, err := private.Check(ctx, "http://10.0.0.2/"); err != nil || !a.Allowed {
		t.Errorf("AllowPrivate: %v, %v", a, err)
	}
	private.Close()
	if _, err := get(t, crawler.Client(), "http://10.0.0.2/"); err == nil || !strings.Contains(err.Error(), "AllowPrivate") {
		t.Errorf("a page at a private address whose robots.txt is cached: %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if last := len(requests) - 1; requests[last] == "http://10.0.0.2/robots.txt" {
		requests = requests[:last]
	}
	for _, u := range requests {
		if !strings.HasPrefix(u, "http://a.example/") {
			t.Errorf("the proxy received %s", u)
		}
	}
	if len(requests) != 3 || requests[0] != "http://a.example/robots.txt" {
		t.Errorf("the proxy received %v", requests)
	}
}

// Over http a proxy connects to the Host of a request, not to the host of its URL. A
// request in which the two differ is refused, since its robots.txt was not checked.
func TestHostThroughProxy(t *testing.T) {
	var requests atomic.Value
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { requests.Store(r.RequestURI) }))
	defer proxy.Close()
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	crawler := &heed.Crawler{UserAgent: userAgent, Proxy: http.ProxyURL(through)}
	defer crawler.Close()
	for host, sent := range map[string]bool{"": true, "a.example": true, "A.example": true, "127.0.0.1": false, "b.example": false, "a.example:81": false} {
		request, err := http.NewRequest("GET", "http://a.example/page", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		response, err := crawler.Client().Do(request)
		if err == nil {
			response.Body.Close()
		}
		if (err == nil) != sent {
			t.Errorf("%q: %v, the proxy received %v", host, err, requests.Load())
		}
	}
}

// If Proxy returns an error, the page is not fetched.
func TestProxyOfCrawlerFails(t *testing.T) {
	site := heedtest.NewSite(t, "")
	crawler := site.Crawler(userAgent)
	crawler.Proxy = func(r *http.Request) (*url.URL, error) {
		if r.URL.Path == "/robots.txt" {
			return nil, nil
		}
		return nil, errors.New("no idea")
	}
	if _, err := get(t, crawler.Client(), site.URL+"/"); err == nil || !strings.Contains(err.Error(), "no idea") {
		t.Errorf("%v", err)
	}
	if got := fmt.Sprint(site.Requests()); got != "[GET /robots.txt]" {
		t.Errorf("the site saw %s", got)
	}
}

// MaxDelay, Store and Dialect have an effect.
func TestFields(t *testing.T) {
	site := heedtest.NewSite(t, "user-agent: *\ncrawl-delay: 600\n")
	undelayed := site.Crawler(userAgent)
	undelayed.MaxDelay = -1
	undelayed.Store = cache.NewMemory(0, 0)
	short, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for range 2 {
		request, err := http.NewRequestWithContext(short, "GET", site.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := undelayed.Client().Do(request)
		if err != nil {
			t.Fatalf("MaxDelay: %v", err)
		}
		response.Body.Close()
	}
	if err := undelayed.Close(); err != nil {
		t.Error(err)
	}
	if n := len(site.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
	another := site.Crawler(userAgent)
	another.Store = undelayed.Store
	if a, err := another.Check(ctx, site.URL+"/"); err != nil || !a.Allowed || a.CrawlDelay != 10*time.Minute || len(site.Requests()) != 3 {
		t.Errorf("Store: %v, %v, %v", a, err, site.Requests())
	}
	restricted := heedtest.NewSite(t, "")
	restricted.SetStatus(http.StatusForbidden)
	old := restricted.Crawler(userAgent)
	old.Dialect = robotstxt.Draft1996
	if a, err := old.Check(ctx, restricted.URL+"/"); err != nil || a.Reason != robotstxt.Restricted {
		t.Errorf("Dialect: %v, %v", a, err)
	}
}

// For many concurrent calls a Crawler fetches the robots.txt once; after Close it makes no
// requests. It does not change its fields.
func TestConcurrentUseAndClose(t *testing.T) {
	site := heedtest.NewSite(t, "user-agent: *\ndisallow: /x\n")
	crawler := site.Crawler(userAgent)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if a, err := crawler.Check(ctx, site.URL+"/x"); err != nil || a.Allowed {
				t.Errorf("%v, %v", a, err)
			}
			var disallowed *polite.DisallowedError
			if _, err := get(t, crawler.Client(), site.URL+"/x"); !errors.As(err, &disallowed) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := fmt.Sprint(site.Requests()); got != "[GET /robots.txt]" {
		t.Errorf("the site saw %s", got)
	}
	if crawler.Tokens != nil || crawler.Store != nil || crawler.Dialect != nil || crawler.Proxy != nil || crawler.MaxDelay != 0 {
		t.Error("a field was set")
	}
	for range 2 {
		if err := crawler.Close(); err != nil {
			t.Error(err)
		}
	}
	other := heedtest.NewSite(t, "")
	for _, url := range []string{site.URL + "/", other.URL + "/"} { // the robots.txt of the first is in memory
		if a, err := crawler.Check(ctx, url); !errors.Is(err, cache.ErrClosed) || a.Allowed {
			t.Errorf("after Close: %v, %v", a, err)
		}
		if _, err := get(t, crawler.Client(), url); !errors.Is(err, cache.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// A question and a request that wait for a robots.txt when the Crawler is closed fail with cache.ErrClosed.
func TestCloseDuringRetrieval(t *testing.T) {
	asked := make(chan bool, 2)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- true
		<-r.Context().Done()
	}))
	defer server.Close()
	crawler := &heed.Crawler{UserAgent: userAgent, AllowPrivate: true}
	errs := make(chan error, 2)
	go func() {
		_, err := crawler.Check(ctx, server.URL+"/")
		errs <- err
	}()
	go func() {
		_, err := crawler.Client().Get(server.URL + "/")
		errs <- err
	}()
	<-asked
	crawler.Close()
	for range 2 {
		if err := <-errs; !errors.Is(err, cache.ErrClosed) {
			t.Error(err)
		}
	}
}
