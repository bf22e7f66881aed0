package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// The errors of wrong requests say what was expected.
func TestWrongRequests(t *testing.T) {
	daemon := start(t, &Server{})
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/v1/chek", "", 404, "there is no path /v1/chek; /v1/openapi.json lists all paths"},
		{"GET", "/v1/turn", "", 405, "the path /v1/turn cannot be used with the method GET; expected POST, DELETE"},
		{"POST", "/v1/lint", "User-agent: *", 400, "the body: not JSON: invalid character 'U' at start of value; expected a JSON object"},
		{"POST", "/v1/lint", `{"robots": "`, 400, `the body: not JSON: unexpected EOF within "/robots" after offset 12`},
		{"POST", "/v1/lint", `["User-agent: *"]`, 400, "the body: found a JSON list; expected a JSON object"},
		{"POST", "/v1/lint", `{"robots": 1}`, 400, `the body: "robots" is a JSON number; expected a string`},
		{"POST", "/v1/lint", `{"robots": "https://shop.example/robots.txt"}`, 400, `"robots": found a URL or a path; expected the text of a robots.txt (leave "robots" out and give "url": then heed fetches the robots.txt of the site)`},
		{"POST", "/v1/preview", `{"urls": "/"}`, 400, `the body: "urls" is a JSON string; expected a list`},
		{"POST", "/v1/compare", `{"old": ""}`, 400, `the body: "old" is a JSON string; expected an object with one of the members robots, robots_b64, url`},
	} {
		status, answer := ask(t, c.method, daemon+c.path, c.body)
		if status != c.status || answer["error"] != c.want {
			t.Errorf("%s %s %s: %d %v, want %d %s", c.method, c.path, c.body, status, answer["error"], c.status, c.want)
		}
	}
	if _, h := send(t, http.MethodGet, daemon, "/v1/turn"); h.Get("Allow") != "POST, DELETE" {
		t.Errorf("Allow: %q", h.Get("Allow"))
	}
}

// JSON that programs read in different ways is refused, and never answered with a permission: a byte that is
// not UTF-8, half a character, a name that is given twice, or with capital letters.
func TestStrictJSON(t *testing.T) {
	daemon := start(t, &Server{})
	for _, robots := range []string{"\"robots\": \"User-agent: *\nDisallow: /\xff\"", `"robots": "User-agent: *\nDisallow: /\udcff"`,
		`"robots": "User-agent: *\nDisallow: /", "robots": ""`, `"robots": "User-agent: *\nDisallow: /", "ROBOTS": ""`, `"ROBOTS": ""`} {
		robots = strings.ReplaceAll(robots, "\n", `\n`)
		for path, question := range map[string]string{
			"/v1/explain": `{"url": "https://a.example/", "agent": "a", %s}`, "/v1/grid": `{"agents": ["a"], "urls": ["/"], %s}`,
			"/v1/lint": `{%s}`, "/v1/compare": `{"old": {%s}, "new": {"robots": ""}}`,
		} {
			if status, got := ask(t, "POST", daemon+path, strings.Replace(question, "%s", robots, 1)); status != 400 || !strings.Contains(fmt.Sprint(got), "the body: ") {
				t.Errorf("%s, %s: %d %v, want 400", path, robots, status, got)
			}
		}
	}
}
