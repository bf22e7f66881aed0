package server

import "testing"

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
