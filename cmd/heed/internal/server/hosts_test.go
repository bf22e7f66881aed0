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
	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

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
	hosts, err := gate.HostPolicy(nil, []string{"localhost"})
	if err != nil {
		t.Fatal(err)
	}
	store := cache.NewMemory(0, 0)
	fetcher := &fetch.Fetcher{AllowPrivate: true, Hosts: hosts}
	s := &Server{
		Caches: NewCaches(func(d *robotstxt.Dialect) *cache.Cache {
			return &cache.Cache{Fetcher: fetcher, Dialect: d, Store: store}
		}),
		Gate: gate.Gate{Hosts: hosts},
	}
	defer s.Caches.Close()
	daemon := start(t, s)
	for _, host := range []string{"localhost", "LOCALHOST.", "x@localhost", "127.0.0.1@localhost"} {
		status, answer := ask(t, "GET", daemon+"/v1/check?agent=a&url="+url.QueryEscape("http://"+host+":"+port+"/"), "")
		if status != 403 || answer["error"] != "the host localhost is not allowed: the flags --allow-host and --deny-host of this server exclude it" {
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
