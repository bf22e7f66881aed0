package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
)

// nowhere is a ResponseWriter that keeps only headers.
type nowhere struct{ h http.Header }

func (n nowhere) Header() http.Header         { return n.h }
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) WriteHeader(int)             {}

// BenchmarkGuards measures GET /v1/check of a cached site: with the guards, without them, and the
// guards alone.
func BenchmarkGuards(b *testing.B) {
	f := &sitesFetcher{}
	caches := f.caches(b)
	loopback := &Server{Caches: caches, Gate: gate.Gate{Loopback: true}}
	all := loopback.Handler()
	full := &Server{Caches: caches, Gate: gate.Gate{Tokens: tokens(b, asking), Rate: 1e6, ClientRetrievals: 1e6, Retrievals: 1e6}}
	strict := full.Handler()
	r := httptest.NewRequest("GET", about(1), nil)
	r.Host = "127.0.0.1:8309"
	r.Header.Set("Authorization", "Bearer "+asking)
	r.Header.Set("User-Agent", "benchmark")
	alone := &loopback.Gate
	nothing := func(*http.Request) error { return nil }
	guarded := alone.WithChecks(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { alone.Pass(gate.Asks, false, w, r, nothing) }))
	for _, c := range []struct {
		name string
		do   func(w http.ResponseWriter)
	}{
		{"without", func(w http.ResponseWriter) { loopback.answerCheck(w, r) }},
		{"default", func(w http.ResponseWriter) { all.ServeHTTP(w, r) }},
		{"remote", func(w http.ResponseWriter) { strict.ServeHTTP(w, r) }},
		{"alone", func(w http.ResponseWriter) {
			guarded.ServeHTTP(w, r)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := nowhere{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.h)
				c.do(w)
			}
		})
	}
}
