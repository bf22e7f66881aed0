package server

import (
	"net/http"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	web "github.com/heed-robots/heed/cmd/heed/internal/page"
)

// The page needs no token, and other sites may link to it; nothing else of it is for other sites,
// or for other hosts.
func TestPage(t *testing.T) {
	daemon := start(t, &Server{Gate: gate.Gate{Loopback: true, Tokens: tokens(t, asking)}})
	for _, path := range web.Paths() {
		for _, c := range []struct {
			headers []string
			want    int
		}{
			{nil, 200},
			{[]string{"Sec-Fetch-Site: same-origin"}, 200},
			{[]string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"}, 403},
			{[]string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"}, 403},
			{[]string{"Origin: https://evil.example"}, 403},
			{[]string{"Host: evil.example"}, 421},
		} {
			if status, _ := send(t, http.MethodGet, daemon, path, c.headers...); status != c.want {
				t.Errorf("%s %q: %d, want %d", path, c.headers, status, c.want)
			}
		}
	}
	link := []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}
	for path, want := range map[string]int{"/": 200, "/app.js": 403, question: 403} {
		if status, _ := send(t, http.MethodGet, daemon, path, link...); status != want {
			t.Errorf("a link to %s: %d, want %d", path, status, want)
		}
	}
	if status, h := send(t, http.MethodGet, daemon, "/"); status != 200 || h.Get("Content-Security-Policy") == "" {
		t.Errorf("%d, %v", status, h)
	}
	if status, _ := send(t, http.MethodGet, daemon, question); status != 401 {
		t.Errorf("a question without a token: %d", status)
	}
	if status, _ := send(t, http.MethodPost, daemon, "/"); status != 404 {
		t.Errorf("POST: %d", status)
	}
}
