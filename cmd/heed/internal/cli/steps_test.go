//go:build heedsteps

package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/server"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// Each way of asking about a URL of a live site parses its origin once. A Site is
// asked about a URL in the usual form without parsing it again.
func TestStepsOfOriginOfQuestion(t *testing.T) {
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "User-agent: *\nDisallow: /x\n") }))
	defer shop.Close()
	url := shop.URL + "/y"
	fetcher := &fetch.Fetcher{AllowPrivate: true}
	newCache := func(d *robotstxt.Dialect) *cache.Cache { return &cache.Cache{Fetcher: fetcher, Dialect: d} }
	known := newCache(nil)
	defer known.Close()
	daemon := &server.Server{Caches: server.NewCaches(newCache)}
	defer daemon.Caches.Close()
	handler := daemon.Handler()
	command := func(args ...string) func() error {
		return func() error {
			if status := Run(append(args, "-a", "x", "--allow-private", "--store", t.TempDir(), url), nil, io.Discard, io.Discard); status != exit.Allowed {
				return fmt.Errorf("status %d", status)
			}
			return nil
		}
	}
	for name, ask := range map[string]func() error{
		"heed check":   command("check"),
		"heed explain": command("explain"),
		"/v1/check": func() error {
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, httptest.NewRequest("GET", "http://localhost/v1/check?agent=x&url="+url, nil))
			if answer.Code != http.StatusOK {
				return fmt.Errorf("status %d: %s", answer.Code, answer.Body)
			}
			return nil
		},
		"Cache.Check": func() error {
			_, err := known.Check(t.Context(), []string{"x"}, url)
			return err
		},
	} {
		var mu sync.Mutex
		times := 0
		origin.Parsed = func(parsed string) {
			mu.Lock()
			defer mu.Unlock()
			if parsed == url {
				times++
			}
		}
		if err := ask(); err != nil || times != 1 {
			t.Errorf("%s parses the origin %d times: %v", name, times, err)
		}
	}
}
