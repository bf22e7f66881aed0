package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/robotstxt"
)

// FuzzAPI sends arbitrary bytes to each method of the data: in the query, and as the body. There is
// no panic and no 5xx, and each answer is JSON.
func FuzzAPI(f *testing.F) {
	methods := []struct{ method, path string }{
		{"GET", "/v1/check"}, {"GET", "/v1/robots"}, {"DELETE", "/v1/robots"},
		{"POST", "/v1/explain"}, {"POST", "/v1/lint"}, {"POST", "/v1/compare"}, {"POST", "/v1/preview"}, {"POST", "/v1/grid"}, {"GET", "/v1/crawlers"},
	}
	for _, seed := range []struct{ query, body string }{
		{"agent=a&url=https://a.example/", `{"url":"/x","agent":"a","robots":"User-agent: *\nDisallow: /x"}`},
		{"url=https://a.example&lines=true&history=true&agent=a", `{"robots":"Disalow: /"}`},
		{"prefix=https://a.example", `{"old":{"robots":"User-agent: a\nDisallow: /"},"new":{"robots_b64":"/w=="},"agent":["a","b"]}`},
		{"url=ftp://a.example", `{"url":"https://a.example","robots":"","agents":["a"],"urls":["/","https://b.example"]}`},
		{"url=https://a.example&dialect=google&agent=%00", `{"url":"https://a.example","agent":"","dialect":"google"}`},
		{"%zz&&==", `{"old":{"url":"http://[::1]"},"new":{"url":"x"}}`},
		{"", `{"robots":"User-agent: a\nDisallow: /x\n\nUser-agent: *\nAllow:","agents":["a",["b","a"],"9"],"urls":["/x","x","https://[::1"],"dialect":"google"}`},
		{"url=//&agent=*", "[]"}, {"", "null"}, {"", "\xff\xfe"},
	} {
		for method := range methods {
			f.Add(uint8(method), seed.query, []byte(seed.body))
		}
	}
	caches := NewCaches(func(d *robotstxt.Dialect) *cache.Cache {
		return &cache.Cache{Fetcher: everywhere{}, Store: cache.NewMemory(0, 0), Dialect: d}
	})
	f.Cleanup(func() { caches.Close() })
	s := &Server{Caches: caches, Gate: gate.Gate{AdminTokens: tokens(f, adminToken)}}
	daemon := httptest.NewServer(s.Handler())
	f.Cleanup(daemon.Close)
	f.Fuzz(func(t *testing.T, method uint8, query string, body []byte) {
		m := methods[int(method)%len(methods)]
		r := &http.Request{
			Method: m.method, URL: &url.URL{Scheme: "http", Host: strings.TrimPrefix(daemon.URL, "http://"), Path: m.path, RawQuery: onlyVisible(query)},
			Header: http.Header{"Authorization": {"Bearer " + adminToken}}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatalf("%s %s?%q %q: %v", m.method, m.path, query, body, err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode >= 500 || !json.Valid(answer) {
			t.Errorf("%s %s?%q %q: %d %v %.200q", m.method, m.path, query, body, response.StatusCode, err, answer)
		}
	})
}

// onlyVisible returns a query that can be sent: white space and control characters end the first
// line of a request.
func onlyVisible(query string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return -1
		}
		return r
	}, query)
}
