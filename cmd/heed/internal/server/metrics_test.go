package server

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

func read(t *testing.T, url string) (status int, body string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(all)
}

// Metrics count answers by verdict, requests by status, retrievals by outcome, and what the cache
// answered. No host name is in them.
func TestMetrics(t *testing.T) {
	m := NewMetrics("v0")
	fetcher := &fetch.Fetcher{AllowPrivate: true}
	caches := NewCaches(func(d *robotstxt.Dialect) *cache.Cache {
		return &cache.Cache{Fetcher: fetcher, Dialect: d, Events: m.Events(fetch.StatusesOf(d))}
	})
	defer caches.Close()
	daemon, shop := start(t, &Server{Caches: caches, Metrics: m}), site(t, "User-agent: *\nDisallow: /cart\n")
	for _, path := range []string{"/", "/cart", "/"} {
		ask(t, "GET", daemon+"/v1/check?agent=ExampleBot&url="+shop+path, "")
	}
	ask(t, "GET", daemon+"/v1/check?agent=ExampleBot&url=http://127.0.0.1:1/", "") // a port that is refused
	ask(t, "GET", daemon+"/v1/check?agent=ExampleBot", "")
	read(t, daemon+"/v1/check?agent="+strings.Repeat("x", 16<<10))
	read(t, daemon+"/v1/nothing")
	_, text := read(t, daemon+"/metrics")
	for _, want := range []string{
		`heed_answers_total{verdict="allowed"} 2`,
		`heed_answers_total{verdict="disallowed"} 1`,
		`heed_answers_total{verdict="unreachable"} 1`,
		`heed_http_requests_total{method="GET /v1/check",status="200"} 4`,
		`heed_http_requests_total{method="GET /v1/check",status="400"} 1`,
		`heed_http_requests_total{method="other",status="414"} 1`,
		`heed_http_requests_total{method="other",status="404"} 1`,
		`heed_http_request_seconds_count{method="GET /v1/check"} 5`,
		`heed_retrievals_total{outcome="rules"} 1`,
		`heed_retrievals_total{outcome="unreachable"} 1`,
		`heed_retrieval_seconds_count 2`,
		`heed_cache_hits_total 2`,
		`heed_cache_misses_total 2`,
		`heed_cache_origins 2`,
		`heed_build_info{version="v0"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(text, "process_network_") || !strings.Contains(text, "process_cpu_seconds_total ") {
		t.Error("expected metrics of the process, but not of the network, which count the bytes of all programs")
	}
	if strings.Contains(text, "127.0.0.1") {
		t.Error("a host name is in the metrics")
	}
}

// A server that leaves is healthy, but not ready, and still answers.
func TestLeave(t *testing.T) {
	s := &Server{}
	daemon, shop := start(t, s), site(t, "")
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200} {
		if status, _ := read(t, daemon+path); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
	s.Leave(time.Second)
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/v1/check?agent=*&url=" + shop: 200} {
		if status, body := read(t, daemon+path); status != want {
			t.Errorf("%s after Leave: %d %s, want %d", path, status, body, want)
		}
	}
}

// A logged decision has the id of the answer, the status or the failure of the retrieval, and no raw control character of the URL.
func TestLogDecisions(t *testing.T) {
	var log bytes.Buffer
	daemon := start(t, &Server{Decisions: slog.New(slog.NewJSONHandler(&log, nil))})
	_, answer := ask(t, "GET", daemon+"/v1/check?agent=ExampleBot&agent=a%C2%9Bb&dialect=google&url="+site(t, "User-agent: *\nDisallow: /cart")+"/cart%1b", "")
	id, _ := answer["decision"].(string)
	if id == "" || !strings.Contains(log.String(), `"decision":"`+id+`"`) || !strings.Contains(log.String(), `"status":200,"stale":false,"line":2`) || strings.ContainsAny(log.String(), "\x1b\u009b") {
		t.Errorf("answer %v, log %s", answer, log.String())
	}
	if _, again := ask(t, "GET", daemon+"/v1/check?agent=ExampleBot&url="+site(t, ""), ""); again["decision"] == id {
		t.Error("two answers have one id")
	}
	ask(t, "GET", daemon+"/v1/check?agent=ExampleBot&url=http://127.0.0.1:1/", "") // a port that is refused
	if !strings.Contains(log.String(), `"outcome":"unreachable","error":"`) {
		t.Errorf("the log does not say why a site is unreachable: %s", log.String())
	}
}
