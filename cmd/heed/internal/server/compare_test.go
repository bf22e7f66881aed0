package server

import (
	"fmt"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	daemon, shop := start(t, &Server{}), site(t, "User-agent: *\nDisallow: /b\n")
	status, answer := ask(t, "POST", daemon+"/v1/compare", body(t, map[string]any{
		"old": map[string]any{"robots": "User-agent: *\nDisallow: /a\n"}, "new": map[string]any{"url": shop + "/cart"},
	}))
	if status != 200 || len(answer["purposes"].([]any)) == 0 {
		t.Fatalf("%d %v", status, answer)
	}
	expect(t, answer, map[string]any{
		"result": "differs", "old": "old", "new": shop + "/robots.txt", "dialect": "rfc9309",
		"crawlers.0.agent": "*", "crawlers.0.effect": "blocked-and-opened",
		"crawlers.0.changes.0.witness": "/a", "crawlers.0.changes.0.new.allowed": true, "crawlers.0.changes.1.new.rule.line": 2,
		"provenance.old.origin": nil, "provenance.old.dialect": "rfc9309", "provenance.new.origin": shop,
	})
	if at(answer, "provenance.old.sha256") == at(answer, "provenance.new.sha256") || answer["decision"] == nil {
		t.Errorf("%v", answer)
	}
	_, answer = ask(t, "POST", daemon+"/v1/compare", body(t, map[string]any{
		"old": map[string]any{"robots": "User-agent: a\nDisallow: /a\n"}, "new": map[string]any{"robots": ""},
		"agent": []string{"b", "a"}, "dialect": "google",
	}))
	expect(t, answer, map[string]any{"crawlers.0.agent": "[b a]", "crawlers.1": nil, "crawlers.0.effect": "opened", "dialect": "google", "purposes.0": nil})
	shop = site(t, "<!doctype html><title>Sign in</title>")
	_, answer = ask(t, "POST", daemon+"/v1/compare", body(t, map[string]any{"old": map[string]any{"robots": "{}"}, "new": map[string]any{"url": shop}}))
	expect(t, answer, map[string]any{"result": "equal", "old_page": "json", "new_page": "html"})
}

// The lines of a list are read as the command reads them, and the answer names the first lines without a URL.
func TestFlipsOfLines(t *testing.T) {
	daemon := start(t, &Server{})
	_, answer := ask(t, "POST", daemon+"/v1/flips", body(t, map[string]any{
		"old": map[string]any{"robots": ""}, "new": map[string]any{"robots": "User-agent: *\nDisallow: /x\n"}, "examples": 5,
		"list": "# none\n  /x \nwww.example.com/x # another\n\nno url\nnone\r\n/x\n" + strings.Repeat("no\n", 9),
	}))
	expect(t, answer, map[string]any{
		"urls": 2, "flipped": 2, "rejected": 11, "rejected_lines": "[5 6 8 9 10]",
		"crawlers.0.examples.0.url": "/x", "crawlers.0.examples.1.url": "https://www.example.com/x",
	})
}

func TestCompareErrors(t *testing.T) {
	daemon, gone := start(t, &Server{}), refusing(t)
	for question, want := range map[string]string{
		`{"old":{"robots":""}}`:                                                `400 expected a robots.txt as "new": one of "robots", "robots_b64" and "url"`,
		`{"old":{"robots":""},"new":{"robots":"","url":"/"}}`:                  `400 expected a robots.txt as "new": one of "robots", "robots_b64" and "url"`,
		`{"old":{"robots":""},"new":{"robots":""},"dialect":"x"}`:              `400 the dialect "x" is unknown; expected one of standard1994, draft1996, draft2019, rfc9309, google`,
		`{"old":{"robots":""},"new":{"robots":""},"agent":"!"}`:                `400 "agent" has no product token in it (letters, "_" and "-")`,
		`{"old":{"robots":""},"new":{"robots":"","robots_file":"/etc/hosts"}}`: `400 the body: the member "robots_file" is unknown; expected one of robots, robots_b64, url`,
		`{"old":{"robots":""},"new":{"url":"` + gone + `"}}`:                   `422 ` + gone + `/robots.txt is unreachable, so there is no robots.txt to read: status 503, tried just now`,
	} {
		status, answer := ask(t, "POST", daemon+"/v1/compare", question)
		if got, _, _ := strings.Cut(fmt.Sprint(status, " ", answer["error"]), ", next try"); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}
