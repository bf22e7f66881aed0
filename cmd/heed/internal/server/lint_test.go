package server

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestLint(t *testing.T) {
	daemon := start(t, &Server{})
	status, answer := ask(t, "POST", daemon+"/v1/lint", body(t, map[string]any{"robots": "User-agent: *\nDisalow: /a\nDisallow: b # heed-lint: ignore path-start\n"}))
	if status != 200 {
		t.Fatalf("%d %v", status, answer)
	}
	codes := map[any]any{}
	for _, f := range answer["findings"].([]any) {
		codes[at(f, "code")] = at(f, "line")
	}
	if codes["key-misspelt"] != 2.0 || codes["path-start"] != nil {
		t.Errorf("%v", codes)
	}
	expect(t, answer, map[string]any{"findings.0.file": "robots", "site": nil, "provenance.dialect": "rfc9309"})
}

// For a site, there are findings about how it sends the file, too: they come first, for no line.
func TestLintSite(t *testing.T) {
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "User-agent: *\nDisalow: /a\n")
	}))
	t.Cleanup(pages.Close)
	refused := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	t.Cleanup(refused.Close)
	daemon := start(t, &Server{})
	_, answer := ask(t, "POST", daemon+"/v1/lint", body(t, map[string]any{"url": pages.URL + "/x"}))
	expect(t, answer, map[string]any{"findings.0.code": "content-type", "findings.0.file": pages.URL + "/robots.txt", "site.outcome": "rules", "provenance.origin": pages.URL})
	status, answer := ask(t, "POST", daemon+"/v1/lint", body(t, map[string]any{"url": refused.URL}))
	expect(t, answer, map[string]any{"findings.0.code": "http-status", "findings.1": nil, "site.outcome": "unreachable"})
	if status != 200 {
		t.Error(status)
	}
}

func TestLintErrors(t *testing.T) {
	daemon := start(t, &Server{})
	for question, want := range map[string]string{
		`{}`:                                `400 expected one of "robots", "robots_b64" and "url"`,
		`{"robots":"","url":"x"}`:           `400 expected one of "robots", "robots_b64" and "url"`,
		`{"robots_b64":"iVBORw0KGgoAAAAN"}`: `400 the robots.txt cannot be used: the body is binary, without a record`,
	} {
		status, answer := ask(t, "POST", daemon+"/v1/lint", question)
		if got := fmt.Sprint(status, " ", answer["error"]); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}
