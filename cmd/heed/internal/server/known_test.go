package server

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// @NAME is the crawler with what is known about it in each method that takes a robots.txt.
func TestKnownCrawler(t *testing.T) {
	daemon := start(t, &Server{})
	const robots = "User-agent: *\nDisallow: /\n"
	_, grid := ask(t, "POST", daemon+"/v1/grid", body(t, map[string]any{
		"robots": robots, "agents": []any{"@AdsBot-Google", "AdsBot-Google", "@Perplexity-User"}, "urls": []string{"/x"},
	}))
	expect(t, grid, map[string]any{
		"rows.0.cells.0.allowed": true, "rows.0.cells.0.reason": "ignores-everyone", "rows.0.cells.1.allowed": false, "rows.0.cells.2.allowed": false,
		"facts.0.obeys_everyone": false, "facts.1.obeys_everyone": false, "facts.2.obeys": false,
	})
	_, explained := ask(t, "POST", daemon+"/v1/explain", body(t, map[string]any{"robots": robots, "agent": "@AdsBot-Google", "url": "/x"}))
	expect(t, explained, map[string]any{"obeys_everyone": false, "dialects.0.allowed": true, "dialects.0.reason": "ignores-everyone"})
	_, compared := ask(t, "POST", daemon+"/v1/compare", body(t, map[string]any{
		"old": map[string]any{"robots": ""}, "new": map[string]any{"robots": robots}, "agent": "@AdsBot-Google",
	}))
	expect(t, compared, map[string]any{"result": "equal", "crawlers.0.obeys_everyone": false})
}

// The same in the tools of agents, about live sites too.
func TestKnownCrawlerOfTools(t *testing.T) {
	const robots = "User-agent: *\nDisallow: /\n"
	shop := site(t, robots)
	session := agent(t, &mcp.StreamableClientTransport{Endpoint: start(t, &Server{}) + "/mcp", DisableStandaloneSSE: true})
	for name, want := range map[string]map[string]any{
		"@AdsBot-Google":   {"allowed": true, "reason": "ignores-everyone", "obeys_everyone": false, "obeys": nil},
		"AdsBot-Google":    {"allowed": false, "reason": "rule", "obeys_everyone": false, "obeys": nil},
		"@Perplexity-User": {"allowed": false, "reason": "rule", "obeys_everyone": nil, "obeys": false},
		"@Googlebot":       {"allowed": false, "reason": "rule", "obeys_everyone": nil, "obeys": nil},
	} {
		answer, failure := call(t, session, "check", args{"url": shop + "/x", "agent": name})
		if expect(t, answer, want); failure != "" {
			t.Errorf("%s: %s", name, failure)
		}
		for _, question := range []args{{"url": shop + "/x", "agent": name}, {"url": "/x", "agent": name, "robots": robots}} {
			answer, failure := call(t, session, "explain", question)
			expect(t, answer, map[string]any{
				"dialects.0.allowed": want["allowed"], "dialects.0.reason": want["reason"], "obeys_everyone": want["obeys_everyone"], "obeys": want["obeys"],
			})
			if failure != "" {
				t.Errorf("%s: %s", name, failure)
			}
		}
		effect := any("shut-out")
		if want["allowed"] == true {
			effect = nil
		}
		compared, failure := call(t, session, "compare", args{"old": args{"robots": ""}, "new": args{"url": shop}, "agent": name})
		expect(t, compared, map[string]any{"crawlers.0.effect": effect, "crawlers.0.obeys_everyone": want["obeys_everyone"], "crawlers.0.obeys": want["obeys"]})
		if failure != "" {
			t.Errorf("%s: %s", name, failure)
		}
	}
	if _, failure := call(t, session, "check", args{"url": shop + "/x", "agent": "@search"}); failure == "" {
		t.Error("@search is several crawlers, and is answered")
	}
}
