package server

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// sitesFetcher finds a robots.txt at every origin, and counts the retrievals. While hold is not
// nil, they wait for it.
type sitesFetcher struct {
	calls atomic.Int32
	hold  chan struct{}
}

func (f *sitesFetcher) Fetch(ctx context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	f.calls.Add(1)
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-ctx.Done():
			return fetch.Result{}, ctx.Err()
		}
	}
	return fetch.Result{Origin: o, Status: 200, Header: http.Header{"Cache-Control": {"max-age=86400"}}, Body: []byte("User-agent: *\nDisallow: /x\n")}, nil
}

func (f *sitesFetcher) caches(t testing.TB) *Caches {
	c := NewCaches(func(d *robotstxt.Dialect) *cache.Cache { return &cache.Cache{Fetcher: f, Dialect: d} })
	t.Cleanup(func() { c.Close() })
	return c
}

func about(site int) string {
	return "/v1/check?agent=a&url=" + url.QueryEscape(fmt.Sprintf("http://site%d.example/", site))
}

// A client can cause only so many retrievals a minute. After that, it gets answers from the cache
// only, and no permission for other sites; other clients can go on.
func TestClientRetrievals(t *testing.T) {
	f := &sitesFetcher{}
	daemon := start(t, &Server{Caches: f.caches(t), Gate: gate.Gate{ClientRetrievals: 5, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}})
	for site := range 1000 {
		status, h := get(t, daemon, about(site), "X-Forwarded-For: 192.0.2.1")
		if want := map[bool]int{true: 200, false: 429}[site < 5]; status != want || (status == 429) != (h.Get("Retry-After") != "") {
			t.Fatalf("site %d: %d, Retry-After %q", site, status, h.Get("Retry-After"))
		}
		if site == 4 {
			defer func(n int32) {
				if f.calls.Load() != n+1 {
					t.Errorf("%d retrievals", f.calls.Load())
				}
			}(f.calls.Load())
		}
	}
	if status, _ := get(t, daemon, about(3), "X-Forwarded-For: 192.0.2.1"); status != 200 {
		t.Errorf("a cached site: %d", status)
	}
	_, rows := post(t, daemon+"/v1/check?agent=a", `{"url":"http://site998.example/","retry_after":7}`+"\n"+`{"url":"http://site3.example/"}`, "X-Forwarded-For", "192.0.2.1")
	if len(rows) != 2 || !regexp.MustCompile(`"error":"the body, line 1: .*"retry_after":1?[0-9],"decision":"[^"]*"}$`).MatchString(rows[0]) || strings.Contains(rows[1], "retry_after") {
		t.Errorf("a stream: %q", rows)
	}
	if status, _ := get(t, daemon, about(999), "X-Forwarded-For: 192.0.2.2"); status != 200 { // not cached as a failure
		t.Errorf("another client: %d", status)
	}
	status, answer := ask(t, "GET", daemon+about(1000), "")
	if status != 200 { // the proxy itself is a client of its own
		t.Errorf("%d %v", status, answer)
	}
	f.calls.Add(-1)
}

// All clients together can cause only so many retrievals a minute.
func TestAllRetrievals(t *testing.T) {
	f := &sitesFetcher{}
	daemon := start(t, &Server{Caches: f.caches(t), Gate: gate.Gate{Retrievals: 5, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}})
	for site := range 100 {
		status, h := get(t, daemon, about(site), fmt.Sprintf("X-Forwarded-For: 192.0.2.%d", site))
		if want := map[bool]int{true: 200, false: 503}[site < 5]; status != want || (status == 503) != (h.Get("Retry-After") != "") {
			t.Fatalf("site %d: %d, Retry-After %q", site, status, h.Get("Retry-After"))
		}
	}
	if n := f.calls.Load(); n != 5 {
		t.Errorf("%d retrievals", n)
	}
	status, answer := ask(t, "GET", daemon+about(50), "")
	if _, hasVerdict := answer["allowed"]; status != 503 || hasVerdict || !strings.Contains(fmt.Sprint(answer["error"]), "ask again later") {
		t.Errorf("%d %v", status, answer)
	}
}

// Only so many retrievals are under way; questions about others get 503 at once. Questions about
// cached sites, and about sites whose retrieval is under way, are answered.
func TestRetrievalsUnderWay(t *testing.T) {
	f := &sitesFetcher{}
	l := gate.DefaultLimits
	l.Retrievals = 3
	s := &Server{Caches: f.caches(t), Gate: gate.Gate{Limits: &l}}
	daemon := start(t, s)
	if status, _ := get(t, daemon, about(100)); status != 200 {
		t.Fatal(status)
	}
	f.hold = make(chan struct{})
	waiting := make(chan int, 6)
	for i := range 6 {
		go func() {
			status, _ := get(t, daemon, about(i%3))
			waiting <- status
		}()
	}
	for deadline := time.Now().Add(5 * time.Second); f.calls.Load() < 4 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	for range 20 {
		if status, h := get(t, daemon, about(4)); status != 503 || h.Get("Retry-After") != "1" {
			t.Fatalf("one more: %d, Retry-After %q", status, h.Get("Retry-After"))
		}
	}
	if status, _ := get(t, daemon, about(100)); status != 200 {
		t.Errorf("a cached site: %d", status)
	}
	close(f.hold)
	for range 6 {
		if status := <-waiting; status != 200 {
			t.Errorf("a site whose retrieval was under way: %d", status)
		}
	}
	if status, _ := get(t, daemon, about(4)); status != 200 {
		t.Errorf("afterwards: %d", status)
	}
}
