package server

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
)

const page = "https://app.example"

// A page of another site may ask only if its origin is in CORS. A token is needed as always.
func TestCORS(t *testing.T) {
	off, on := start(t, &Server{Gate: gate.Gate{Loopback: true}}), start(t, &Server{Gate: gate.Gate{Loopback: true, CORS: []string{page}, Tokens: tokens(t, asking)}})
	token := "Authorization: Bearer " + asking
	for _, c := range []struct {
		headers []string
		off, on int
	}{
		{[]string{token}, 200, 200},
		{[]string{token, "Origin: " + page}, 403, 200},
		{[]string{"Origin: " + page}, 403, 401},
		{[]string{token, "Origin: null"}, 403, 403},
		{[]string{token, "Origin: https://app.example.evil.example"}, 403, 403},
		{[]string{token, "Origin: https://app.example:444"}, 403, 403},
		{[]string{token, "Origin: http://app.example"}, 403, 403},
		{[]string{token, "Origin: " + page, "Origin: https://evil.example"}, 400, 400},
		{[]string{token, "Origin: http://localhost:8309", "Host: localhost:8309"}, 200, 200},
		{[]string{token, "Origin: http://localhost:1", "Host: localhost:8309"}, 403, 403},
		{[]string{token, "Origin: https://proxied.example", "Sec-Fetch-Site: same-origin"}, 200, 200},
		{[]string{token, "Sec-Fetch-Site: none"}, 200, 200},
		{[]string{token, "Sec-Fetch-Site: same-origin"}, 200, 200},
		{[]string{token, "Sec-Fetch-Site: cross-site"}, 403, 403}, // a picture
		{[]string{token, "Sec-Fetch-Site: same-site"}, 403, 403},
		{[]string{token, "Sec-Fetch-Site: cross-site", "Origin: " + page}, 403, 200},
	} {
		for daemon, want := range map[string]int{off: c.off, on: c.on} {
			status, h := get(t, daemon, question, c.headers...)
			if status != want {
				t.Errorf("%q: %d, want %d", c.headers, status, want)
			}
			allowed := daemon == on && strings.Contains(strings.Join(c.headers, " ")+" ", "Origin: "+page+" ") && status != 400
			if got := h.Get("Access-Control-Allow-Origin"); (got == page) != allowed || got != "" && !allowed {
				t.Errorf("%q: Access-Control-Allow-Origin %q", c.headers, got)
			}
			if h.Get("Access-Control-Allow-Credentials") != "" || (h.Get("Vary") == "Origin") != (daemon == on) {
				t.Errorf("%q: %v", c.headers, h)
			}
		}
	}
}

// A preflight has no token, and is answered for pages in CORS only.
func TestPreflight(t *testing.T) {
	daemon := start(t, &Server{Gate: gate.Gate{CORS: []string{page}, Tokens: tokens(t, asking)}})
	ask := "Access-Control-Request-Method: DELETE"
	status, h := send(t, "OPTIONS", daemon, "/v1/robots", "Origin: "+page, ask)
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": page, "Access-Control-Allow-Methods": "GET, POST, DELETE",
		"Access-Control-Allow-Headers": "Authorization, Content-Type", "Access-Control-Max-Age": "600", "Vary": "Origin",
		"Access-Control-Allow-Credentials": "",
	} {
		if status != 204 || h.Get(name) != want {
			t.Errorf("%d, %s: %q, want %q", status, name, h.Get(name), want)
		}
	}
	if status, h := send(t, "OPTIONS", daemon, "/v1/robots", "Origin: https://evil.example", ask); status != 403 || h.Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("another page: %d, %v", status, h)
	}
	if status, _ := send(t, "OPTIONS", daemon, "/v1/check", "Origin: "+page); status != 405 {
		t.Errorf("no preflight: %d", status)
	}
}

func TestCheckCORS(t *testing.T) {
	for value, good := range map[string]bool{
		page: true, "http://localhost:3000": true, "https://app.example/": false, "https://APP.example": false, "*": false, "null": false,
		"https://app.example:443": false, "app.example": false, "ftp://app.example": false, "": false, "https://*.example": false,
	} {
		if err := gate.CheckCORS(value); (err == nil) != good {
			t.Errorf("%s: %v", value, err)
		}
	}
}
