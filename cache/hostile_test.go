package cache_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
)

// fetcherFor returns a Fetcher for which all hosts are the given server.
func fetcherFor(server *httptest.Server) *fetch.Fetcher {
	dialer := &net.Dialer{}
	return &fetch.Fetcher{MaxPerHost: 100, Transport: &http.Transport{
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: 64 << 10,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, server.Listener.Addr().String())
		},
	}}
}

// largeCertificate returns a certificate of about 60 KB, of an unknown authority.
func largeCertificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "large"}}
	for i := range 2000 {
		template.DNSNames = append(template.DNSNames, fmt.Sprintf("a-rather-long-name-%d.example", i))
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// hostile returns servers that send large values of everything that is kept besides a file.
func hostile() map[string]http.HandlerFunc {
	long := strings.Repeat("x", 60_000)
	header := func(name, value string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(name, value)
			w.WriteHeader(status)
		}
	}
	return map[string]http.HandlerFunc{
		"redirects to long URLs": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", fmt.Sprintf("/%d?%s", len(r.URL.RawQuery), long))
			w.WriteHeader(http.StatusFound)
		},
		"redirects to URLs of nearly the longest length": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/robots.txt?"+long[:2000]+"#"+long[:50_000])
			w.WriteHeader(http.StatusFound)
		},
		"a redirect to an invalid URL": header("Location", "http://[::1"+long, http.StatusFound),
		"a redirect to another scheme": header("Location", "gopher://"+long, http.StatusFound),
		"a Location without redirect":  header("Location", long, http.StatusNotFound),
		"a long tag":                   header("Etag", `"`+long+`"`, http.StatusOK),
		"a long date":                  header("Last-Modified", long, http.StatusOK),
		"a long encoding":              header("Content-Encoding", long, http.StatusOK),
		"a long type":                  header("Content-Type", "text/plain; charset="+long, http.StatusOK),
		"a long Retry-After":           header("Retry-After", strings.Repeat("9", 60_000), http.StatusServiceUnavailable),
		"long directives":              header("Cache-Control", "max-age=600, "+long, http.StatusOK),
		"many directives": func(w http.ResponseWriter, _ *http.Request) {
			for range 3000 {
				w.Header().Add("Cache-Control", "x")
			}
		},
		"not HTTP": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.1 "+long+"\r\n\r\n")
		},
		"a body that is cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "600000")
			io.WriteString(w, strings.Repeat("Disallow: /\n", 40_000))
		},
		"many groups": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, strings.Repeat("user-agent:a\nallow:/\n", 20_000))
		},
		"many names": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, strings.Repeat("user-agent:\nuser-agent:*\n", 20_000))
		},
	}
}

// A Cache keeps its limit of memory, whatever a server sends, and the stored head of a record is
// small. With HEED_WHOLE the limit and the number of origins are higher.
func TestRecordsOfHostileServersAreSmall(t *testing.T) {
	portion.Skip(t, 3)
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	const headLimit = 50 << 10
	limit, origins := 2<<20, 100
	if portion.Whole() {
		limit, origins = 8<<20, 200
	}
	servers := map[string]*httptest.Server{}
	for name, handler := range hostile() {
		servers[name] = httptest.NewUnstartedServer(handler)
		servers[name].Config.ErrorLog = log.New(io.Discard, "", 0)
		servers[name].Start()
	}
	withTLS := httptest.NewUnstartedServer(nil)
	withTLS.Config.ErrorLog = log.New(io.Discard, "", 0)
	withTLS.TLS = &tls.Config{Certificates: []tls.Certificate{largeCertificate(t)}}
	withTLS.StartTLS()
	servers["a large certificate"] = withTLS
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			defer server.Close()
			crawler := &cache.Cache{MemoryBytes: int64(limit), Fetcher: fetcherFor(server)}
			defer crawler.Close()
			before := heap()
			for i := range origins {
				url := fmt.Sprintf("http://site-%d.example/", i)
				if server.TLS != nil {
					url = strings.Replace(url, "http:", "https:", 1)
				}
				if a, err := crawler.Check(context.Background(), []string{"a"}, url); err != nil || a.Outcome == 0 && a.Err == nil && a.Status == 0 {
					t.Fatal(a, err)
				}
			}
			taken := int64(heap()) - int64(before)
			t.Logf("%.1f MiB in memory, limit %d MiB", float64(taken)/(1<<20), limit>>20)
			if taken > int64(limit)+1<<20 { // the server of the test takes some too
				t.Errorf("%d bytes in memory, limit %d", taken, limit)
			}
			runtime.KeepAlive(crawler)
			store := cache.NewMemory(0, 0)
			again := &cache.Cache{Fetcher: fetcherFor(server), Store: store}
			defer again.Close()
			o := storetest.Origin(1)
			if server.TLS == nil {
				o, _ = origin.Parse("http://site-1.example/")
			}
			if err := again.Refresh(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			again.Settle()
			r, err := store.Get(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if head := r.Head(); len(head) > headLimit {
				t.Errorf("the head has %d bytes: %.200s", len(head), head)
			}
		})
	}
}

// Questions about a site with a file of 440 KB need one retrieval, even if MemoryBytes is small.
func TestLargeFileInLittleMemory(t *testing.T) {
	file := append([]byte("User-agent: *\nDisallow: /private\n"), bytes.Repeat([]byte("Allow: /folder/page\n"), 22_000)...)
	for _, bytes := range []int64{1, 1 << 20, 2 << 20, 8 << 20} {
		var retrievals int
		c := &cache.Cache{MemoryBytes: bytes, Fetcher: sameFile{file, ""}, Events: cache.Events{Fetched: func(*fetch.Result) { retrievals++ }}}
		check := func(n int) {
			if a, err := c.Check(context.Background(), agents, storetest.Origin(n).String()+"/private"); err != nil || a.Allowed {
				t.Fatalf("%+v, %v", a, err)
			}
		}
		for n := range 5 {
			for range 5 {
				check(n)
			}
		}
		if retrievals != 5 {
			t.Errorf("with %d bytes: %d retrievals for 25 questions about 5 sites", bytes, retrievals)
		}
		c.Close()
	}
}

// The large file stays in memory when there are questions about many small sites between.
func TestLargeFileAmongSmallSites(t *testing.T) {
	large := sameFile{bytes.Repeat([]byte("Disallow: /folder/page\n"), 22_000), ""}
	small := sameFile{[]byte("User-agent: *\nDisallow:\n"), ""}
	var retrievals int
	c := &cache.Cache{MemoryBytes: 1 << 20, Fetcher: fetcherFunc(func(o origin.Origin, v fetch.Validators) (fetch.Result, error) {
		if o == storetest.Origin(0) {
			retrievals++
			return large.Fetch(context.Background(), o, v)
		}
		return small.Fetch(context.Background(), o, v)
	})}
	defer c.Close()
	for n := range 1000 {
		for _, site := range []int{0, n} {
			if _, err := c.Check(context.Background(), agents, storetest.Origin(site).String()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if retrievals != 1 {
		t.Errorf("%d retrievals", retrievals)
	}
}

// A large file is read from a Store once, even if MemoryBytes is small.
func TestLargeFileFromStore(t *testing.T) {
	store := &countingGets{Store: cache.NewMemory(0, 0)}
	file := bytes.Repeat([]byte("Disallow: /folder/page\n"), 22_000)
	for range 2 {
		c := &cache.Cache{MemoryBytes: 1 << 20, Fetcher: sameFile{file, ""}, Store: store}
		for range 50 {
			if _, err := c.Check(context.Background(), agents, storetest.Origin(1).String()); err != nil {
				t.Fatal(err)
			}
		}
		c.Close()
	}
	if store.gets > 2 {
		t.Errorf("%d calls of Get, want one for each Cache", store.gets)
	}
}

// countingGets is a Store that counts the calls of Get.
type countingGets struct {
	cache.Store
	gets int
}

func (c *countingGets) Get(ctx context.Context, o origin.Origin) (*cache.Record, error) {
	c.gets++
	return c.Store.Get(ctx, o)
}

// A store in memory keeps the record that was put last, even beyond its limit.
func TestMemoryKeepsLastRecord(t *testing.T) {
	store := cache.NewMemory(1000, 0)
	for i := range 10 {
		r := storetest.Record(storetest.Origin(i), start, strings.Repeat("Disallow: /\n", 40_000))
		if err := store.Put(context.Background(), r); err != nil {
			t.Fatal(err)
		}
		if got, err := store.Get(context.Background(), r.Origin); err != nil || got != r {
			t.Errorf("%v, %v", got, err)
		}
	}
	if err := store.Delete(context.Background(), storetest.Origin(9)); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Get(context.Background(), storetest.Origin(9)); err == nil {
		t.Error("Get after Delete: no error")
	}
}
