package server

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// What is deleted of a site is gone for all dialects, in memory and in the store, with its history.
func TestForgetURL(t *testing.T) {
	eachStore(t, func(t *testing.T, s *Server) {
		s.AdminTokens = tokens(t, adminToken)
		daemon, shop := start(t, s), site(t, "User-agent: *\nDisallow: /x\n")
		for _, dialect := range []string{"google", "rfc9309"} {
			if status, answer := ask(t, "GET", daemon+"/v1/check?agent=a&dialect="+dialect+"&url="+shop, ""); status != 200 {
				t.Fatalf("%d %v", status, answer)
			}
		}
		for _, want := range []string{"200 map[deleted:1 more:false]", "200 map[deleted:0 more:false]"} {
			status, answer := remove(t, daemon+"/v1/robots?url="+shop+"/cart")
			if got := fmt.Sprint(status, answer); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		o, _ := origin.Parse(shop)
		if versions, err := s.Caches.store().History(t.Context(), o); err != nil || len(versions) > 0 {
			t.Errorf("%v %v", versions, err)
		}
		for _, d := range robotstxt.Dialects() {
			if site, err := s.Caches.In(d).PeekSite(t.Context(), o); err != nil || site.Result() != nil {
				t.Errorf("%s: %v %v", d, site, err)
			}
		}
	})
}

// everywhere is a Fetcher that finds an empty robots.txt for each origin.
type everywhere struct{}

func (everywhere) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	now := time.Now()
	return fetch.Result{Origin: o, Status: 200, Start: now, End: now}, nil
}

// A prefix has the whole host, so it never deletes what is cached of another host.
func TestForgetPrefix(t *testing.T) {
	all := []string{
		"https://shop.example", "https://shop.example:8443", "https://shop.example:84", "http://shop.example",
		"https://shop.example.evil.example", "https://shop.examples", "https://shop", "https://www.shop.example", "ftp://shop.example",
		"https://[2001:db8::1]", "https://[2001:db8::1]:8443", "https://xn--bcher-kva.example",
	}
	eachStore(t, func(t *testing.T, s *Server) {
		s.AdminTokens = tokens(t, adminToken)
		for _, d := range robotstxt.Dialects() {
			s.Caches.In(d).Fetcher = everywhere{}
		}
		daemon := start(t, s)
		for _, c := range []struct {
			prefix  string
			deleted string // origins; "400": it is none
		}{
			{"https://shop.example", "https://shop.example https://shop.example:84 https://shop.example:8443"},
			{"HTTPS://Shop.Example/", "https://shop.example https://shop.example:84 https://shop.example:8443"},
			{"https://shop.example:8443", "https://shop.example:8443"},
			{"https://shop.example:443", "https://shop.example"},
			{"https://shop.example:", "https://shop.example"},
			{"https://shop", "https://shop"},
			{"http://shop.example", "http://shop.example"},
			{"https://bücher.example", "https://xn--bcher-kva.example"},
			{"https://[2001:db8::1]", "https://[2001:db8::1] https://[2001:db8::1]:8443"},
			{"https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"},
			{"https://other.example", ""},
			{"https://", "400"}, {"https:", "400"}, {"", "400"}, {"*", "400"}, {"shop.example", "400"}, {"https://sh*", "400"}, {"https:///", "400"},
			{"https://shop.example/x", "400"}, {"https://shop.example?", "400"}, {"https://shop.example#", "400"}, {"https://shop.example@evil.example", "400"},
			{"https://shop.example\\", "400"}, {"https://[2001:db8", "400"},
		} {
			for _, each := range all {
				if _, err := s.Caches.In(robotstxt.RFC9309).Check(t.Context(), []string{"a"}, each); err != nil {
					t.Fatal(err)
				}
			}
			status, answer := remove(t, daemon+"/v1/robots?prefix="+url.QueryEscape(c.prefix))
			var gone []string
			for _, each := range all {
				o, _ := origin.Parse(each)
				if site, err := s.Caches.In(robotstxt.RFC9309).PeekSite(t.Context(), o); err != nil {
					t.Fatal(err)
				} else if site.Result() == nil {
					gone = append(gone, each)
				}
			}
			want, wantStatus := strings.Fields(c.deleted), 200
			if c.deleted == "400" {
				want, wantStatus = nil, 400
			}
			if status != wantStatus || len(gone) != len(want) || status == 200 && answer["deleted"] != float64(len(want)) {
				t.Errorf("%q: %d %v: %q is gone, want %q", c.prefix, status, answer, gone, want)
				continue
			}
			for _, each := range want {
				if !strings.Contains(" "+strings.Join(gone, " ")+" ", " "+each+" ") {
					t.Errorf("%q: %q is gone, want %q", c.prefix, gone, want)
				}
			}
		}
	})
}

// One request deletes a limited number of origins, and says that there are more.
func TestForgetManyPorts(t *testing.T) {
	s := withStore(t, cache.NewMemory(0, 0))
	s.AdminTokens = tokens(t, adminToken)
	c := s.Caches.In(robotstxt.RFC9309)
	c.Fetcher = everywhere{}
	daemon := start(t, s)
	for port := range maxForgotten + 5 {
		if _, err := c.Check(t.Context(), []string{"a"}, fmt.Sprintf("https://shop.example:%d", port+1)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"map[deleted:1000 more:true]", "map[deleted:5 more:false]"} {
		if status, answer := remove(t, daemon+"/v1/robots?prefix=https://shop.example"); status != 200 || fmt.Sprint(answer) != want {
			t.Errorf("%d %v, want %s", status, answer, want)
		}
	}
}

// brokenStore lists and deletes nothing.
type brokenStore struct {
	cache.Store
	listed chan struct{} // if it is not nil, Origins waits until its context ends
}

var errBroken = errors.New("open /secret/path: no space left on device")

func (b brokenStore) Delete(context.Context, origin.Origin) error { return errBroken }

func (b brokenStore) Origins(ctx context.Context) iter.Seq2[origin.Origin, error] {
	return func(yield func(origin.Origin, error) bool) {
		if b.listed != nil {
			b.listed <- struct{}{}
			<-ctx.Done()
			b.listed <- struct{}{}
		}
		yield(origin.Origin{}, errBroken)
	}
}

// A store that does not work is 503, and the error tells nobody where the store is.
func TestForgetErrors(t *testing.T) {
	s := withStore(t, brokenStore{cache.NewMemory(0, 0), nil})
	s.AdminTokens = tokens(t, adminToken)
	daemon := start(t, s)
	for query, want := range map[string]string{
		"":                              `400 expected one of "url" and "prefix"`,
		"?url=https://a.example&prefix": `400 expected one of "url" and "prefix"`,
		"?url=a":                        ``,
		"?url=https://a.example":        `503 the store of this server does not work at the moment; try again later`,
		"?prefix=https://a.example":     `503 the store of this server does not work at the moment; try again later`,
	} {
		status, answer := remove(t, daemon+"/v1/robots"+query)
		if got := fmt.Sprint(status, " ", answer["error"]); got != want && want != "" || want == "" && status != 400 {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if status, _ := ask(t, "DELETE", daemon+"/v1/robots?url=https://a.example", ""); status != 401 {
		t.Errorf("without a token: %d", status)
	}
	s.AdminTokens = nil
	if status, _ := remove(t, start(t, &Server{})+"/v1/robots?url=https://a.example"); status != 403 {
		t.Errorf("without a token file: %d", status)
	}
}

// If the client goes, the listing ends; until then, a second one is refused.
func TestForgetEndsWithItsClient(t *testing.T) {
	store := brokenStore{cache.NewMemory(0, 0), make(chan struct{})}
	s := withStore(t, store)
	s.AdminTokens = tokens(t, adminToken)
	daemon := start(t, s)
	leave := leaver(t, "DELETE", daemon+"/v1/robots?prefix=https://a.example", "")
	<-store.listed
	if status, answer := remove(t, daemon+"/v1/robots?prefix=https://a.example"); status != 503 {
		t.Errorf("%d %v", status, answer)
	}
	leave()
	<-store.listed
}
