package server

import (
	"net/http"
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
		{"GET", "/v1/chek", "", 404, "there is no /v1/chek; /v1/openapi.json lists what there is"},
		{"GET", "/v1/turn", "", 405, "the method of /v1/turn is GET; expected POST, DELETE"},
		{"POST", "/v1/lint", "User-agent: *", 400, "the body is not JSON: invalid character 'U' looking for beginning of value; expected a JSON object"},
		{"POST", "/v1/lint", `{"robots": "`, 400, "the body is not JSON: unexpected EOF; expected a JSON object"},
		{"POST", "/v1/lint", `["User-agent: *"]`, 400, "the body is a JSON array; expected a JSON object"},
		{"POST", "/v1/lint", `{"robots": 1}`, 400, `"robots" is a JSON number; expected a string`},
		{"POST", "/v1/preview", `{"urls": "/"}`, 400, `"urls" is a JSON string; expected a list`},
		{"POST", "/v1/compare", `{"old": ""}`, 400, `"old" is a JSON string; expected an object`},
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
