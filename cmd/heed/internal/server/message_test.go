package server

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
)

// rawAnswer sends a request as it is, and returns all that the server sends until it closes.
func rawAnswer(t *testing.T, url, request string) string {
	t.Helper()
	c := sendRaw(t, url, request)
	defer c.Close()
	all, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("%q: %v after %q", request, err, all)
	}
	return string(all)
}

// HTTP/1.0 has no "100 Continue" and no chunks; what follows a body that net/http did not see is no
// request.
func TestOldHTTP(t *testing.T) {
	daemon := start(t, &Server{})
	body := `{"url":"/x","agent":"a","robots":""}`
	for _, path := range []string{"/v1/check", "/v1/lint", "/v1/explain"} {
		got := rawAnswer(t, daemon, "POST "+path+" HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\nGET /healthz HTTP/1.0\r\n\r\n")
		if !strings.Contains(got, " 400 ") || !strings.Contains(got, "Content-Length") || strings.Count(got, "\r\n\r\n") != 1 {
			t.Errorf("%s in chunks: %q", path, got)
		}
		got = rawAnswer(t, daemon, fmt.Sprintf("POST %s HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body))
		if strings.Contains(got, "100 Continue") || path == "/v1/explain" && !strings.Contains(got, " 200 OK") {
			t.Errorf("%s with Expect: %q", path, got)
		}
	}
	got := rawAnswer(t, daemon, fmt.Sprintf("POST /v1/explain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body))
	if !strings.Contains(got, " 200 OK") {
		t.Errorf("HTTP/1.1 in chunks: %q", got)
	}
}

// A compressed body is refused by each method, with what is expected instead.
func TestContentEncoding(t *testing.T) {
	daemon := start(t, &Server{})
	for _, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " ")
		if method != "POST" {
			continue
		}
		response, lines := post(t, daemon+path, "\x1f\x8b", "Content-Encoding", "gzip")
		if response.StatusCode != 415 || response.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("%s: %s, %q", path, response.Status, lines)
		}
		for _, coding := range []string{"identity", ""} {
			if response, lines := post(t, daemon+path, "{}", "Content-Encoding", coding); path != "/mcp" && response.StatusCode == 415 { // which wants another Content-Type
				t.Errorf("%s with %q: %q", path, coding, lines)
			}
		}
	}
}

// A method that reads its parameters from the body refuses those in the URL, which would have no effect.
func TestNoParametersInURL(t *testing.T) {
	daemon := start(t, &Server{})
	for path, body := range map[string]string{
		"explain": `{"url":"/","agent":"a","robots":""}`,
		"lint":    `{"robots":""}`,
		"compare": `{"old":{"robots":""},"new":{"robots":""}}`,
		"flips":   `{"old":{"robots":""},"new":{"robots":""},"list":"/"}`,
		"write":   `{"policy":"search: allow"}`,
		"policy":  `{"robots":""}`,
		"preview": `{"url":"http://127.0.0.1:1/","robots":""}`,
		"grid":    `{"robots":"","agents":["a"],"urls":["/"]}`,
		"turn":    `{"url":"http://127.0.0.1:1/","agent":"a"}`,
	} {
		const want = `the URL has the parameter "dialect"; expected no parameters in the URL: write it into the body, as a member of the JSON`
		if status, answer := ask(t, "POST", daemon+"/v1/"+path+"?dialect=google", body); status != 400 || answer["error"] != want {
			t.Errorf("%s: %d %v", path, status, answer)
		}
	}
}

// Of several headers each counts.
func TestContentEncodingInTwoHeaders(t *testing.T) {
	got := rawAnswer(t, start(t, &Server{}), "POST /v1/lint HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b")
	if !strings.Contains(got, " 415 ") {
		t.Errorf("%q", got)
	}
}

// "%2F" is no "/": the answer says what is wrong.
func TestEscapedPath(t *testing.T) {
	h := httptest.NewServer((&Server{Caches: (&sitesFetcher{}).caches(t)}).Handler()) // openapi.json has the decoded path, so start would look for its answers
	t.Cleanup(h.Close)
	daemon := h.URL
	for path, want := range map[string]string{
		"/v1%2Fcheck": "there is no path /v1%2Fcheck: the paths of the API, such as /v1/check, must not be percent-encoded",
		"/v1%2fcheck": "there is no path /v1%2fcheck: the paths of the API, such as /v1/check, must not be percent-encoded",
		"/v1/chek":    "there is no path /v1/chek; /v1/openapi.json lists",
	} {
		got := rawAnswer(t, daemon, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if !strings.Contains(got, " 404 ") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// Profiles are served under the names of the API only.
func TestCheckHost(t *testing.T) {
	s := &Server{Gate: gate.Gate{Loopback: true, Names: []string{"heed.example"}}}
	for host, want := range map[string]int{"localhost:6060": 404, "127.0.0.1": 404, "heed.example": 404, "evil.example": 421} {
		passed := false
		h := s.CheckHost(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { passed = true; http.NotFound(w, r) }))
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/debug/pprof/", nil)
		r.Host = host
		if h.ServeHTTP(w, r); w.Code != want || passed != (want == 404) {
			t.Errorf("%s: %d, passed on: %v; want %d", host, w.Code, passed, want)
		}
	}
}
