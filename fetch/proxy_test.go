//go:build !windows && !plan9

package fetch

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A proxyServer is a proxy that connects to one address for every host, and records its
// requests.
type proxyServer struct {
	*httptest.Server
	to       string           // host and port to which it connects
	instead  http.HandlerFunc // if not nil, it handles all requests
	mu       sync.Mutex
	requests []string
}

func startProxy(t *testing.T, secure bool, to string, instead http.HandlerFunc) *proxyServer {
	t.Helper()
	p := &proxyServer{to: to, instead: instead}
	p.Server = httptest.NewUnstartedServer(p)
	if secure {
		p.StartTLS()
	} else {
		p.Start()
	}
	t.Cleanup(p.Close)
	return p
}

func (p *proxyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests = append(p.requests, r.Method+" "+r.RequestURI)
	p.mu.Unlock()
	switch {
	case p.instead != nil:
		p.instead(w, r)
	case r.Method == http.MethodConnect:
		p.connect(w)
	default:
		p.forward(w, r)
	}
}

func (p *proxyServer) connect(w http.ResponseWriter) {
	site, err := net.Dial("tcp", p.to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer site.Close()
	client, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	io.WriteString(client, "HTTP/1.1 200 Connected\r\n\r\n")
	go io.Copy(site, client)
	io.Copy(client, site)
}

func (p *proxyServer) forward(w http.ResponseWriter, r *http.Request) {
	forwarded := r.Clone(r.Context())
	forwarded.URL.Host, forwarded.RequestURI = p.to, ""
	response, err := http.DefaultTransport.RoundTrip(forwarded)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	io.Copy(w, response.Body)
}

// saw returns the requests that the proxy received.
func (p *proxyServer) saw() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.requests, ", ")
}

// fetcherThrough returns a Fetcher that uses a proxy and does not allow private addresses.
func fetcherThrough(t *testing.T, proxy string) *Fetcher {
	t.Helper()
	u, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	return &Fetcher{Proxy: http.ProxyURL(u), Timeout: 20 * time.Second}
}

// fetchGuarded is get, but without AllowPrivate.
func fetchGuarded(t *testing.T, f *Fetcher, url string) Result {
	t.Helper()
	r, err := f.Fetch(context.Background(), parse(t, url), Validators{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A proxy at a private address is used for http and for https, with HTTP/1.1.
func TestProxy(t *testing.T) {
	answer := func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s# %s", someRules, r.Proto) }
	plain := httptest.NewServer(http.HandlerFunc(answer))
	defer plain.Close()
	secure := serveTLS(t, answer)
	for _, secureProxy := range []bool{false, true} {
		proxy := startProxy(t, secureProxy, plain.Listener.Addr().String(), nil)
		r := fetchGuarded(t, fetcherThrough(t, proxy.URL), "http://a.example/")
		if r.Outcome(nil) != Rules || string(r.Body) != someRules+"# HTTP/1.1" {
			t.Errorf("http: %s, %q, %v", r.Outcome(nil), r.Body, r.Err)
		}
		if got, want := proxy.saw(), "GET http://a.example/robots.txt"; got != want {
			t.Errorf("the proxy saw %s, want %s", got, want)
		}
		proxy = startProxy(t, secureProxy, secure.String()[len("https://"):], nil)
		r = fetchGuarded(t, fetcherThrough(t, proxy.URL), "https://example.com/") // in the certificate
		if r.Outcome(nil) != Rules || string(r.Body) != someRules+"# HTTP/1.1" {
			t.Errorf("https: %s, %q, %v", r.Outcome(nil), r.Body, r.Err)
		}
		if got, want := proxy.saw(), "CONNECT example.com:443"; got != want {
			t.Errorf("the proxy saw %s, want %s", got, want)
		}
	}
}

// With a proxy too, a URL whose host is a private address or this machine is refused, in a
// redirect too. AllowPrivate allows it.
func TestGuardThroughProxy(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "10.0.0.1", "[::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "localhost", "LOCALHOST.", "a.localhost", "127.1", "0x7f.1"} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Host == "a.example" {
				http.Redirect(w, r, "http://"+host+"/robots.txt", http.StatusFound)
				return
			}
			io.WriteString(w, someRules)
		}))
		defer site.Close()
		proxy := startProxy(t, false, site.Listener.Addr().String(), nil)
		r := fetchGuarded(t, fetcherThrough(t, proxy.URL), "http://a.example/")
		if !errors.Is(r.Err, AddressRefused) || !strings.Contains(r.Err.Error(), "AllowPrivate") || proxy.saw() != "GET http://a.example/robots.txt" {
			t.Errorf("redirect to %s: %v, the proxy saw %s", host, r.Err, proxy.saw())
		}
		open := fetcherThrough(t, proxy.URL)
		open.AllowPrivate = true
		if r := fetchGuarded(t, open, "http://a.example/"); r.Outcome(nil) != Rules {
			t.Errorf("redirect to %s, AllowPrivate: %v", host, r.Err)
		}
	}
	proxy := startProxy(t, false, "127.0.0.1:1", nil)
	if r := fetchGuarded(t, fetcherThrough(t, proxy.URL), "http://127.0.0.1/"); !errors.Is(r.Err, AddressRefused) || proxy.saw() != "" {
		t.Errorf("%v, the proxy saw %s", r.Err, proxy.saw())
	}
}

// If Proxy returns none for a URL, the address is checked as without Proxy.
func TestNoProxyIsGuarded(t *testing.T) {
	o := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) })
	f := &Fetcher{Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }}
	if r := fetchGuarded(t, f, o.String()); !errors.Is(r.Err, AddressRefused) {
		t.Errorf("%v", r.Err)
	}
}

// it is a local failure if a proxy is down, refuses or does not connect, whatever the
// status is. It allows nothing.
func TestProxyThatFails(t *testing.T) {
	t.Parallel()
	status := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if len(header) > 0 {
				w.Header().Set(header[0], header[1])
			}
			w.WriteHeader(code)
		}
	}
	silent := func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	gone := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		urls   string
	}{
		"needs a password":       {status(407), "http https"},
		"cannot connect":         {status(502), "https"},
		"forbids CONNECT":        {status(403), "https"},
		"CONNECT not found":      {status(404), "https"},
		"connects with 204":      {status(204), "https"},
		"forbids, as Squid does": {status(403, "X-Squid-Error", "ERR_ACCESS_DENIED 0"), "http https"},
		"forbids, by RFC 9209":   {status(403, "Proxy-Status", "p; error=http_request_denied"), "http https"},
		"no response to CONNECT": {silent, "https"},
		"drops the connection":   {gone, "https"},
	} {
		for scheme := range strings.FieldsSeq(c.urls) {
			proxy := startProxy(t, false, "", c.answer)
			f := fetcherThrough(t, proxy.URL)
			if name == "no response to CONNECT" {
				f.Timeout = 300 * time.Millisecond
			}
			r := fetchGuarded(t, f, scheme+"://example.com/")
			if !errors.Is(r.Err, LocalFailure) || r.Outcome(nil) != Unreachable || !strings.Contains(proxy.saw(), "example.com") {
				t.Errorf("%s, %s: %s, %v", name, scheme, r.Outcome(nil), r.Err)
			}
			proxy.CloseClientConnections()
		}
	}
	for _, address := range []string{closed.URL, strings.Replace(closed.URL, "http", "https", 1), strings.Replace(closed.URL, "http", "socks5", 1), "http://gone.test:3128"} {
		for _, scheme := range []string{"http", "https"} {
			f := fetcherThrough(t, address)
			f.lookup = nameServer(t)
			if r := fetchGuarded(t, f, scheme+"://example.com/"); !errors.Is(r.Err, LocalFailure) {
				t.Errorf("%s by %s: %v", scheme, address, r.Err)
			}
		}
	}
	f := &Fetcher{Proxy: func(*http.Request) (*url.URL, error) { return nil, errors.New("no proxy known") }}
	if r := fetchGuarded(t, f, "http://example.com/"); !errors.Is(r.Err, LocalFailure) || !strings.Contains(r.Err.Error(), "no proxy known") {
		t.Errorf("%v", r.Err)
	}
}

// With a proxy too, a failure of the site is not counted as one of the proxy.
func TestSiteBehindProxy(t *testing.T) {
	flood := serveRaw(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nuser")
	for name, c := range map[string]struct {
		to   string
		url  string
		kind FailureKind
	}{
		"a body that ends early": {flood.String(), "http://a.example/", OtherFailure},
		"a wrong certificate":    {serveTLS(t, func(http.ResponseWriter, *http.Request) {}).String(), "https://other.test/", TLSFailed},
		"no TLS":                 {flood.String(), "https://example.com/", TLSFailed},
	} {
		_, to, _ := strings.Cut(c.to, "://")
		proxy := startProxy(t, false, to, nil)
		r := fetchGuarded(t, fetcherThrough(t, proxy.URL), c.url)
		var failure *Failure
		if !errors.As(r.Err, &failure) || failure.Kind != c.kind {
			t.Errorf("%s: %v (%v), want %s", name, r.Err, failure, c.kind)
		}
	}
	forbidden := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(407) }))
	defer forbidden.Close()
	proxy := startProxy(t, false, forbidden.Listener.Addr().String(), nil)
	if r := fetchGuarded(t, fetcherThrough(t, proxy.URL), "https://example.com/"); r.Err != nil || r.Status != 407 {
		t.Errorf("a site's own 407: %d, %v", r.Status, r.Err)
	}
}

// The limit of the bytes that a connection receives applies to a proxy too.
func TestFloodThroughProxy(t *testing.T) {
	endless := func(w http.ResponseWriter, _ *http.Request) {
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer client.Close()
		io.WriteString(client, "HTTP/1.1 200 OK\r\n")
		for {
			if _, err := io.WriteString(client, "X-More: "+strings.Repeat("x", 1000)+"\r\n"); err != nil {
				return
			}
		}
	}
	for _, url := range []string{"http://example.com/", "https://example.com/"} {
		proxy := startProxy(t, false, "", endless)
		if r := fetchGuarded(t, fetcherThrough(t, proxy.URL), url); r.Err == nil || r.Outcome(nil) != Unreachable {
			t.Errorf("%s: %s, %v", url, r.Outcome(nil), r.Err)
		}
	}
}

// The password of a proxy is sent only to the proxy, and no error contains it.
func TestProxyPassword(t *testing.T) {
	var sent []string
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		sent = append(sent, "site:"+r.Header.Get("Proxy-Authorization"))
	}))
	defer site.Close()
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:secret"))
	proxy := startProxy(t, false, site.Listener.Addr().String(), func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, "proxy:"+r.Header.Get("Proxy-Authorization"))
		w.WriteHeader(407)
	})
	r := fetchGuarded(t, fetcherThrough(t, strings.Replace(proxy.URL, "//", "//me:secret@", 1)), "http://a.example/")
	if r.Err == nil || strings.Contains(r.Err.Error(), "secret") || !slices.Equal(sent, []string{"proxy:" + want}) {
		t.Errorf("%v, %q", r.Err, sent)
	}
}

// If there is a proxy, FTP fails: it uses neither the proxy nor a direct connection.
func TestFTPAndProxy(t *testing.T) {
	proxy := startProxy(t, false, "", nil)
	if r := fetchGuarded(t, fetcherThrough(t, proxy.URL), "ftp://example.com/"); !errors.Is(r.Err, LocalFailure) || proxy.saw() != "" {
		t.Errorf("%v, the proxy saw %s", r.Err, proxy.saw())
	}
}

// Without Fetcher.Proxy, the environment names the proxy, and the hosts without one.
func TestProxyOfEnvironment(t *testing.T) {
	if os.Getenv("HEED_TEST_PROXY") != "" {
		r := fetchGuarded(t, &Fetcher{}, "http://a.example/")
		if r.Outcome(nil) != Rules {
			t.Errorf("a.example: %s, %v", r.Outcome(nil), r.Err)
		}
		r = fetchGuarded(t, &Fetcher{}, "http://10.0.0.1/")
		if !errors.Is(r.Err, AddressRefused) {
			t.Errorf("10.0.0.1: %v", r.Err)
		}
		r = fetchGuarded(t, &Fetcher{lookup: nameServer(t)}, "http://gone.test/")
		if !errors.Is(r.Err, NameNotResolved) {
			t.Errorf("gone.test, which is in NO_PROXY: %v", r.Err)
		}
		return
	}
	site := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) })
	proxy := startProxy(t, false, site.String()[len("http://"):], nil)
	child := exec.Command(os.Args[0], "-test.run=^TestProxyOfEnvironment$", "-test.v")
	child.Env = append(os.Environ(), "HEED_TEST_PROXY=1", "HTTP_PROXY="+proxy.URL, "NO_PROXY=gone.test")
	if out, err := child.CombinedOutput(); err != nil || proxy.saw() != "GET http://a.example/robots.txt" {
		t.Errorf("%v: the proxy saw %s\n%s", err, proxy.saw(), out)
	}
}

// socks starts a SOCKS5 proxy that connects to one address for every host. If the address
// is "", it refuses.
func socks(t *testing.T, to string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go serveEach(listener, func(client net.Conn) {
		request := make([]byte, 3+5)
		if _, err := io.ReadFull(client, request[:3]); err != nil { // version, one method: none
			return
		}
		client.Write([]byte{5, 0})
		if _, err := io.ReadFull(client, request[3:]); err != nil { // version, connect, 0, a name, its length
			return
		}
		if _, err := io.ReadFull(client, make([]byte, request[7]+2)); err != nil {
			return
		}
		site, err := net.Dial("tcp", to)
		if err != nil {
			client.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0}) // connection refused
			return
		}
		defer site.Close()
		client.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		go io.Copy(site, client)
		io.Copy(client, site)
	})
	return "socks5://" + listener.Addr().String()
}

// A SOCKS5 proxy works as others do, but every status is the site's.
func TestSOCKS(t *testing.T) {
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "forbidden.example" {
			w.WriteHeader(http.StatusProxyAuthRequired)
		}
		io.WriteString(w, someRules)
	}).String()[len("http://"):]
	secure := serveTLS(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) }).String()[len("https://"):]
	for url, to := range map[string]string{"http://a.example/": plain, "https://example.com/": secure} {
		if r := fetchGuarded(t, fetcherThrough(t, socks(t, to)), url); r.Outcome(nil) != Rules {
			t.Errorf("%s: %s, %v", url, r.Outcome(nil), r.Err)
		}
		if r := fetchGuarded(t, fetcherThrough(t, socks(t, "")), url); !errors.Is(r.Err, LocalFailure) {
			t.Errorf("%s, refused: %v", url, r.Err)
		}
	}
	if r := fetchGuarded(t, fetcherThrough(t, socks(t, plain)), "http://forbidden.example/"); r.Err != nil || r.Status != 407 {
		t.Errorf("a site's own 407: %d, %v", r.Status, r.Err)
	}
	for url, to := range map[string]string{"https://other.test/": secure, "https://example.com/": plain} {
		if r := fetchGuarded(t, fetcherThrough(t, socks(t, to)), url); !errors.Is(r.Err, TLSFailed) {
			t.Errorf("%s: %v", url, r.Err)
		}
	}
}
