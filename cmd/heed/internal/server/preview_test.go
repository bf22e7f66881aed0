package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// refusing starts a site that is unreachable, and returns its address.
func refusing(t *testing.T) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	t.Cleanup(s.Close)
	return s.URL
}

func TestPreview(t *testing.T) {
	daemon, shop := start(t, &Server{}), site(t, "User-agent: *\nDisallow: /a\n")
	status, answer := ask(t, "POST", daemon+"/v1/preview", body(t, map[string]any{
		"url": shop, "robots": "User-agent: *\nDisallow: /b\n",
		"agents": []any{"ExampleBot", []string{"x", "y"}},
		"urls":   []string{shop + "/a", "/b?c", "https://other.example/", shop + "/robots.txt"},
	}))
	if status != 200 || len(answer["urls"].([]any)) != 8 {
		t.Fatalf("%d %v", status, answer)
	}
	expect(t, answer, map[string]any{
		"site.outcome": "rules", "comparison.old": shop + "/robots.txt", "comparison.new": "draft", "comparison.result": "differs",
		"comparison.crawlers.0.agent": "ExampleBot", "comparison.crawlers.1.agent": "[x y]",
		"urls.0.url": shop + "/a", "urls.0.agent": "ExampleBot", "urls.0.live.allowed": false, "urls.0.live.rule.line": 2, "urls.0.draft.allowed": true,
		"urls.1.live.allowed": true, "urls.1.draft.allowed": false, "urls.1.draft.rule.pattern": "/b",
		"urls.2.live.reason": "other-origin", "urls.2.draft.reason": "other-origin", "urls.2.draft.allowed": false,
		"urls.3.draft.allowed": true, "urls.3.draft.reason": "robots-txt-itself",
		"urls.4.agent": "[x y]", "error": nil,
		"provenance.live.origin": shop, "provenance.draft.origin": nil,
	})
	if at(answer, "provenance.draft.sha256") == nil || answer["decision"] == nil {
		t.Errorf("%v", answer)
	}
}

// While a site is unreachable, there is nothing to compare, but both verdicts are known.
func TestPreviewOfUnreachableSite(t *testing.T) {
	daemon, gone := start(t, &Server{}), refusing(t)
	status, answer := ask(t, "POST", daemon+"/v1/preview", body(t, map[string]any{
		"url": gone, "robots": "", "agent": "ExampleBot", "urls": []string{"/"},
	}))
	expect(t, answer, map[string]any{
		"site.outcome": "unreachable", "comparison": nil, "urls.0.live.allowed": false, "urls.0.live.reason": "unreachable", "urls.0.draft.allowed": true,
	})
	if why, _ := answer["error"].(string); status != 200 || !strings.HasPrefix(why, gone+"/robots.txt is unreachable, so there is no robots.txt to read: status 503") {
		t.Error(status, why)
	}
}

// A draft is cut where a response of the site would be.
func TestPreviewCutsTheDraft(t *testing.T) {
	daemon, shop := start(t, &Server{}), site(t, "")
	for _, dialect := range []string{"rfc9309", "google"} {
		_, answer := ask(t, "POST", daemon+"/v1/preview", body(t, map[string]any{
			"url": shop, "robots": strings.Repeat("#\n", 256_000) + "User-agent: *\nDisallow: /\n", "dialect": dialect,
		}))
		expect(t, answer, map[string]any{"comparison.result": "equal", "comparison.new_truncated": true, "comparison.old_truncated": nil})
	}
}

func TestPreviewErrors(t *testing.T) {
	daemon, shop := start(t, &Server{}), site(t, "")
	for question, want := range map[string]string{
		`{"url":"SITE"}`: `400 the draft is missing: expected a robots.txt as "robots" or "robots_b64"`,
		`{"robots":""}`:  `400 "url" is missing; expected a URL of http, https or ftp`,
		`{"url":"SITE","robots":"","urls":["/"]}`:                                               `400 "agent" is missing: "urls" are checked for a crawler`,
		`{"url":"SITE","robots":"","agent":"a","agents":["b"]}`:                                 `400 expected one of "agent" and "agents"`,
		`{"url":"SITE","robots":"","agents":["a","!"]}`:                                         `400 "agent" has no product token in it (letters, "_" and "-")`,
		`{"url":"SITE","robots":"","agents":["a",null]}`:                                        `400 the body: "agents/1": the value is null: give a value, or leave this member out`,
		`{"url":"SITE","robots":"","agent":"a","urls":["x"]}`:                                   ``,
		`{"url":"SITE","robots":"","agent":"a","urls":[""` + strings.Repeat(`,""`, 1000) + `]}`: `400 1001 URLs for 1 crawlers are too many; expected at most 1000 in all`,
		`{"url":"SITE","robots":"","agents":["a"` + strings.Repeat(`,"a"`, 100) + `]}`:          `400 "agents" has 101 crawlers; expected at most 100`,
		`{"url":"SITE","robots_b64":"JVBERi0xLjcK"}`:                                            `400 the robots.txt cannot be used: the body is a PDF`,
	} {
		status, answer := ask(t, "POST", daemon+"/v1/preview", strings.ReplaceAll(question, "SITE", shop))
		if got := fmt.Sprint(status, " ", answer["error"]); got != want && want != "" || status != 400 {
			t.Errorf("%.60s: %s, want %s", question, got, want)
		}
	}
}
