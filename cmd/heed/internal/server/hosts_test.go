package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A host is denied in every way that a URL can write it.
func TestHostPolicy(t *testing.T) {
	allow := []string{"good.example", "*.Good.example.", "192.0.2.7", "*.xn--bcher-kva.example"}
	deny := []string{"evil.example", "*.evil.example", "b\u00fccher.example", "192.0.2.1", "[2001:DB8::1]", "bad.good.example", "a_b.example"}
	both, err := HostPolicy(allow, deny)
	if err != nil {
		t.Fatal(err)
	}
	denying, err := HostPolicy(nil, deny)
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[string]string{ // whether both allows, and whether denying does
		"http://good.example/":                    "true true",
		"http://x.y.good.example/":                "true true",
		"http://bad.good.example/":                "false false",
		"http://x.bad.good.example/":              "true true",
		"http://notgood.example/":                 "false true",
		"http://good.example.evil.example/":       "false false",
		"http://192.0.2.7/":                       "true true",
		"http://[::ffff:192.0.2.7]/":              "true true",
		"http://other.example/":                   "false true",
		"http://example/":                         "false true",
		"http://www.b\u00fccher.example/":         "true true",
		"http://evil.example/":                    "false false",
		"HTTPS://EVIL.Example:8443/":              "false false",
		"ftp://evil.example./":                    "false false",
		"http://good.example@evil.example/":       "false false",
		"http://good.example:80@evil.example:81/": "false false",
		`http://evil.example\@good.example/`:      "false false",
		"http://evil.example#@good.example/":      "false false",
		"http://www.evil.example/":                "false false",
		"http://notevil.example/":                 "false true",
		"http://evil.example.other.example/":      "false true",
		"http://\uff45vil.example/":               "false false",
		"http://evil\u3002example/":               "false false",
		"http://B\u00dcCHER.example/":             "false false",
		"http://xn--bcher-kva.example/":           "false false",
		"http://A_B.example/":                     "false false",
		"http://192.0.2.1/":                       "false false",
		"http://[::ffff:192.0.2.1]/":              "false false",
		"http://[::ffff:c000:201]/":               "false false",
		"http://3221225985/":                      "error",
		"http://0xC0000201/":                      "error",
		"http://192.0.513/":                       "error",
		"http://0300.0.2.1/":                      "error",
		"http://[2001:db8:0:0:0:0:0:1]/":          "false false",
		"http://[2001:db8::2]/":                   "false true",
	} {
		o, err := origin.Parse(u)
		if err != nil {
			if want != "error" {
				t.Errorf("%s: %v", u, err)
			}
			continue
		}
		if got := fmt.Sprint(both(o.Host()) == nil, denying(o.Host()) == nil); got != want {
			t.Errorf("%s: %s, want %s", u, got, want)
		}
	}
	for _, wrong := range []string{
		"", "*", "*.", "*.*.example", "a.*.example", "example.com:80", "example.com/x", "http://example.com", "user@example.com", "a b", "[::1",
		"*.192.0.2.1", "[::1]:80", "127.1", "*.0x7f.1", "example.com?x", "a..b",
	} {
		if _, err := HostPolicy([]string{wrong}, nil); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
	if none, err := HostPolicy(nil, nil); none != nil || err != nil {
		t.Error("no lists are a policy")
	}
}

// A denied host is not asked about, and a redirect to it is not followed.
func TestDeniedHosts(t *testing.T) {
	var asked atomic.Int32
	denied := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer denied.Close()
	_, port, _ := strings.Cut(denied.URL, "127.0.0.1:")
	redirects := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://LOCALHOST.:"+port+"/robots.txt", http.StatusFound)
	}))
	defer redirects.Close()
	hosts, err := HostPolicy(nil, []string{"localhost"})
	if err != nil {
		t.Fatal(err)
	}
	store := cache.NewMemory(0, 0)
	fetcher := &fetch.Fetcher{AllowPrivate: true, Hosts: hosts}
	s := &Server{Hosts: hosts, Caches: NewCaches(func(d *robotstxt.Dialect) *cache.Cache {
		return &cache.Cache{Fetcher: fetcher, Dialect: d, Store: store}
	})}
	defer s.Caches.Close()
	daemon := start(t, s)
	for _, host := range []string{"localhost", "LOCALHOST.", "x@localhost", "127.0.0.1@localhost"} {
		status, answer := ask(t, "GET", daemon+"/v1/check?agent=a&url="+url.QueryEscape("http://"+host+":"+port+"/"), "")
		if status != 403 || answer["error"] != "the host localhost is not allowed" {
			t.Errorf("%s: %d %v", host, status, answer)
		}
	}
	status, answer := ask(t, "GET", daemon+"/v1/check?agent=a&url="+redirects.URL, "")
	if status != 200 || answer["allowed"] != false || answer["reason"] != "unreachable" || !strings.Contains(fmt.Sprint(answer), "the host localhost is not allowed") {
		t.Errorf("a redirect: %d %v", status, answer)
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("%d requests to the denied host", n)
	}
	o, _ := origin.Parse(redirects.URL)
	if r, err := store.Get(t.Context(), o); err == nil {
		t.Errorf("the refusal is stored: %v", r)
	}
}
