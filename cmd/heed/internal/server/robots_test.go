package server

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/origin"
)

func TestRobots(t *testing.T) {
	eachStore(t, func(t *testing.T, s *Server) {
		var body atomic.Value
		body.Store("User-agent: a\nDisallow: /x\nCrawl-delay: 3\n\nSitemap: https://shop.example/s.xml\n")
		shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body.Load().(string)) }))
		t.Cleanup(shop.Close)
		daemon := start(t, s)
		status, answer := ask(t, "GET", daemon+"/v1/robots?lines=true&agent=b&agent=a&url="+shop.URL+"/cart", "")
		if status != 200 {
			t.Fatalf("%d %v", status, answer)
		}
		expect(t, answer, map[string]any{
			"site.outcome": "rules", "site.status": 200, "site.crawl_delay_seconds": nil, "source": shop.URL + "/robots.txt", "dialect": "rfc9309",
			"retrieval.hops.0.url": shop.URL + "/robots.txt", "retrieval.outcomes.google": "rules", "retrieval.bytes": 79,
			"sitemaps.0.record.url": "https://shop.example/s.xml", "sitemaps.0.line": 5,
			"crawlers.0.agent": "[b a]", "crawlers.0.crawl_delay.seconds": 3, "crawlers.0.rules.0.pattern": "/x",
			"lines.0.kind": "user-agent", "lines.4.raw": "Sitemap: https://shop.example/s.xml\n", "lines.5": nil,
			"history": nil, "provenance.origin": shop.URL,
		})
		history := func() int {
			_, answer = ask(t, "GET", daemon+"/v1/robots?history=true&url="+shop.URL, "")
			return len(answer["history"].([]any))
		}
		waitFor(t, func() bool { return history() == 1 })
		expect(t, answer, map[string]any{"history.0.body": body.Load(), "history.0.status": 200, "lines": nil, "crawlers.0": nil})
		o, err := origin.Parse(shop.URL)
		if err != nil {
			t.Fatal(err)
		}
		body.Store("# nothing\n")
		time.Sleep(time.Millisecond)
		if err := s.Caches.In(s.dialect()).Refresh(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return history() == 2 })
		expect(t, answer, map[string]any{"history.0.body": "# nothing\n", "history.1.bytes": 79})
	})
}

func TestRobotsOfUnreachableSite(t *testing.T) {
	daemon, gone := start(t, &Server{}), refusing(t)
	status, answer := ask(t, "GET", daemon+"/v1/robots?lines=true&history=true&url="+gone, "")
	expect(t, answer, map[string]any{"site.outcome": "unreachable", "site.status": 503, "retrieval.hops.0.status": 503, "lines": "[]", "history": "[]", "provenance.sha256": nil})
	if status != 200 {
		t.Error(status)
	}
}

func TestRobotsErrors(t *testing.T) {
	daemon := start(t, &Server{})
	for query, want := range map[string]string{
		"":                               `400 "url" is missing; expected a URL of http, https or ftp`,
		"url=http://a.example&x=":        `400 the parameter "x" is unknown; expected one of url, agent, dialect, lines, history`,
		"url=http://a.example&lines=yes": `400 "lines" is "yes"; expected true or false`,
		"url=http://a.example&agent=!":   `400 "agent" has no product token in it (letters, "_" and "-")`,
		"url=http://a.example&agent=a!":  `400 agent "a!": a product token cannot contain "!", but only letters, "_" and "-"; crawlers read a User-agent line with this name as "a", so use "a"`,
	} {
		status, answer := ask(t, "GET", daemon+"/v1/robots?"+query, "")
		if got := fmt.Sprint(status, " ", answer["error"]); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// A large answer is complete.
func TestManyLines(t *testing.T) {
	daemon, shop := start(t, &Server{}), site(t, strings.Repeat("#\n", 100_000))
	_, answer := ask(t, "GET", daemon+"/v1/robots?lines=true&url="+shop, "")
	if lines := answer["lines"].([]any); len(lines) != 100_000 || at(lines, "99999.line") != 100_000.0 {
		t.Errorf("%d lines", len(lines))
	}
}
