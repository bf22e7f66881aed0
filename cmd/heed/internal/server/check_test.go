package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// BenchmarkCheck measures GET /v1/check with a warm cache, and a handler that answers a constant
// of the same size.
func BenchmarkCheck(b *testing.B) {
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "User-agent: *\nDisallow: /cart\n")
	}))
	defer shop.Close()
	s := &Server{Version: "v0.4.0"}
	fetcher := &fetch.Fetcher{AllowPrivate: true}
	s.Caches = NewCaches(func(d *robotstxt.Dialect) *cache.Cache { return &cache.Cache{Fetcher: fetcher, Dialect: d} })
	defer s.Caches.Close()
	h := s.Handler()
	ask := func() *http.Request {
		return httptest.NewRequest("GET", "/v1/check?agent=ExampleBot&url="+shop.URL+"/cart/1", nil)
	}
	first := httptest.NewRecorder()
	h.ServeHTTP(first, ask())
	body := first.Body.Bytes()
	if first.Code != 200 {
		b.Fatal(first.Code, string(body))
	}
	constant := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, body[:len(body)-1:len(body)-1]) })
	for name, h := range map[string]http.Handler{"check": h, "constant": constant} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r, w := ask(), &discarded{header: http.Header{}}
			for b.Loop() {
				clear(w.header)
				h.ServeHTTP(w, r)
			}
		})
	}
}

// discarded is a response that nobody reads.
type discarded struct{ header http.Header }

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) Write(p []byte) (int, error) { return len(p), nil }
func (d *discarded) WriteHeader(int)             {}
