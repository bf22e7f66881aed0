package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// start starts a daemon on loopback, and returns its address. Requests and responses must be as in
// the OpenAPI document.
func start(t *testing.T, s *Server) (url string) {
	t.Helper()
	if s.Caches == nil {
		fetcher := &fetch.Fetcher{AllowPrivate: true}
		s.Caches = NewCaches(func(d *robotstxt.Dialect) *cache.Cache { return &cache.Cache{Fetcher: fetcher, Dialect: d} })
		t.Cleanup(func() { s.Caches.Close() })
	}
	daemon := httptest.NewUnstartedServer(nil)
	daemon.Config, daemon.Listener = s.HTTP(), s.Limit(daemon.Listener)
	daemon.Config.Handler = validated(t, daemon.Config.Handler)
	daemon.Start()
	t.Cleanup(daemon.Close)
	return daemon.URL
}

// site starts a site on loopback with a robots.txt, and returns its address.
func site(t *testing.T, robots string) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, robots) }))
	t.Cleanup(s.Close)
	return s.URL
}

// ask sends a request, and returns the status and the JSON of the response. A body of "" is
// none.
func ask(t *testing.T, method, url, body string) (status int, answer map[string]any) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return do(t, r)
}

// do is ask for a request that is made already.
func do(t *testing.T, r *http.Request) (status int, answer map[string]any) {
	t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if kind := response.Header.Get("Content-Type"); kind != "application/json" {
		t.Errorf("%s %s: Content-Type %q", r.Method, r.URL, kind)
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatalf("%s %s: %d %v", r.Method, r.URL, response.StatusCode, err)
	}
	return response.StatusCode, answer
}

func TestCheck(t *testing.T) {
	daemon, shop := start(t, &Server{}), site(t, "User-agent: ExampleBot\nDisallow: /cart\n\nUser-agent: *\nDisallow: /\n")
	for _, c := range []struct {
		query  string
		status int
		want   string // "allowed" and "line" of the rule, or the error
	}{
		{"agent=ExampleBot&url=" + shop + "/cart", 200, "false 2"},
		{"agent=ExampleBot&url=" + shop + "/", 200, "true 0"},
		{"agent=Other&agent=ExampleBot&url=" + shop + "/cart", 200, "false 2"},
		{"agent=*&url=" + shop + "/x&dialect=google", 200, "false 5"},
		{"agent=*&url=" + shop + "/x&dialect=", 400, `the dialect "" is unknown; expected one of standard1994, draft1996, draft2019, rfc9309, google`},
		{"agent=*&url=" + shop + "/x&dialect=rfc", 400, `the dialect "rfc" is unknown; expected one of standard1994, draft1996, draft2019, rfc9309, google`},
		{"url=" + shop, 400, `"agent" is missing; expected the product token of a crawler, or "*" for one without a group`},
		{"agent=ExampleBot", 400, `"url" is missing; expected a URL of http, https or ftp`},
		{"agent=ExampleBot&url=/x", 400, ""},
		{"agent=ExampleBot&uri=/x", 400, `the parameter "uri" is unknown; expected one of agent, url, dialect, for, profile, max_wait`},
		{"agent=*&url=" + shop + "/x?a=1&b=2", 400, `the parameter "b" is unknown; expected one of agent, url, dialect, for, profile, max_wait; if it is a part of the url, write "%26" for each "&" of the url`},
		{"agent=ExampleBot&url=a&url=b", 400, `the query has the parameter "url" more than once; expected one`},
		{"&agent=Other+(Bot)&agent=Example%42ot&&url=" + shop + "/%63art&", 200, "false 2"},
		{"agent=Other&agent=bad!&url=" + shop + "/x", 400, `agent "bad!": a product token cannot contain "!", but only letters, "_" and "-"; crawlers read a User-agent line with this name as "bad", so use "bad"`},
		{"agent=bad!&dialect=google&url=" + shop + "/x", 200, "false 5"},
		{"agent=ExampleBot&url=a;b", 400, `the query cannot be read: ";" cannot separate parameters: use "&" between parameters, and "%3B" for a ";" in a value`},
		{"agent=ExampleBot&url=%zz", 400, `the query cannot be read: invalid URL escape "%zz"`},
		{"agen%zz=ExampleBot", 400, `the query cannot be read: invalid URL escape "%zz"`},
		{"%61gent=ExampleBot&url", 400, `"url" is missing; expected a URL of http, https or ftp`},
	} {
		status, answer := ask(t, "GET", daemon+"/v1/check?"+c.query, "")
		got, _ := answer["error"].(string)
		if status == 200 {
			line := 0.0
			if rule, ok := answer["rule"].(map[string]any); ok {
				line = rule["line"].(float64)
			}
			got = fmt.Sprint(answer["allowed"], " ", line)
		}
		if status != c.status || got != c.want && c.want != "" {
			t.Errorf("%s: %d %s, want %d %s", c.query, status, got, c.status, c.want)
		}
	}
}
