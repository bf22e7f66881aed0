package page

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func get(t *testing.T, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	Serve(w, r)
	return w.Result()
}

// Each file of the page has the headers that keep it safe, and is sent once to a browser that asks
// again.
func TestServe(t *testing.T) {
	for _, path := range Paths() {
		first := get(t, path)
		if first.StatusCode != 200 || first.ContentLength < 100 {
			t.Errorf("%s: %d, %d bytes", path, first.StatusCode, first.ContentLength)
		}
		for name, want := range map[string]string{
			"Content-Type":                 types[path],
			"Content-Security-Policy":      policy,
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cache-Control":                "no-cache",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := first.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if again := get(t, path, "If-None-Match", first.Header.Get("ETag")); again.StatusCode != 304 {
			t.Errorf("%s: %d for the same ETag", path, again.StatusCode)
		}
		if changed := get(t, path, "If-None-Match", `"x"`); changed.StatusCode != 200 {
			t.Errorf("%s: %d for another ETag", path, changed.StatusCode)
		}
	}
	for _, path := range []string{"/index.html", "/dist/app.js", "/app.js/", "/../page.go", "/web/app.js"} {
		if got := get(t, path); got.StatusCode != 404 {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	for _, word := range []string{"default-src 'none'", "script-src 'self';", "require-trusted-types-for 'script'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, word) {
			t.Errorf("the policy has no %s", word)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %s", policy)
	}
}
