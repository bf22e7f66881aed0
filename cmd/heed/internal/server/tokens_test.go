package server

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
)

// tokensFile writes a file of tokens.
func tokensFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func tokens(t testing.TB, text string) *gate.Tokens {
	t.Helper()
	tokens, err := gate.ReadTokens(tokensFile(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

const asking, second, administrating = "asking-0123456789", "second-0123456789", "admin-0123456789"

func withRoute(t *testing.T, r route) {
	before := routes
	routes = append(routes[:len(routes):len(routes)], r)
	t.Cleanup(func() { routes = before })
}

func ok(_ *Server, w http.ResponseWriter, _ *http.Request) error {
	message.WriteJSON(w, http.StatusOK, []byte("{}"))
	return nil
}

func TestTokens(t *testing.T) {
	withRoute(t, route{"DELETE /v1/test", gate.Admin, ok})
	withRoute(t, route{"GET /open", gate.Open, ok})
	asks, admins := tokens(t, "# crawlers\n"+asking+"\r\n\n  "+second+"\n"), tokens(t, administrating)
	none, both := start(t, &Server{}), start(t, &Server{Gate: gate.Gate{Tokens: asks, AdminTokens: admins}})
	onlyAsks, onlyAdmins := start(t, &Server{Gate: gate.Gate{Tokens: asks}}), start(t, &Server{Gate: gate.Gate{AdminTokens: admins}})
	for _, c := range []struct {
		daemon, header             string
		asked, administrated, open int
	}{
		{none, "", 200, 403, 200},
		{none, "Authorization: Bearer " + asking, 200, 403, 200},
		{onlyAsks, "", 401, 403, 200},
		{onlyAsks, "Authorization: Bearer " + asking, 200, 403, 200},
		{onlyAdmins, "", 200, 401, 200},
		{onlyAdmins, "Authorization: Bearer " + asking, 200, 401, 200},
		{onlyAdmins, "Authorization: Bearer " + administrating, 200, 200, 200},
		{both, "", 401, 401, 200},
		{both, "Authorization: Bearer " + asking, 200, 401, 200},
		{both, "authorization: bEARER   " + second, 200, 401, 200},
		{both, "Authorization: Bearer " + administrating, 200, 200, 200},
		{both, "Authorization: Bearer " + administrating + "x", 401, 401, 200},
		{both, "Authorization: Bearer " + administrating[1:], 401, 401, 200},
		{both, "Authorization: Bearer " + strings.ToUpper(administrating), 401, 401, 200},
		{both, "Authorization: Bearer", 401, 401, 200},
		{both, "Authorization: Bearer # crawlers", 401, 401, 200},
		{both, "Authorization: Basic " + asking, 401, 401, 200},
		{both, "Authorization: " + asking, 401, 401, 200},
		{both, "Authorization: Bearer " + asking + ", Bearer " + administrating, 401, 401, 200},
		{both, "Authorization: Bearer x\r\nAuthorization: Bearer " + administrating, 401, 401, 200},
		{both, "Cookie: Authorization=Bearer " + administrating, 401, 401, 200},
		{both, "X-Authorization: Bearer " + administrating, 401, 401, 200},
	} {
		for path, want := range map[string]int{"GET " + question: c.asked, "DELETE /v1/test": c.administrated, "GET /open": c.open} {
			method, path, _ := strings.Cut(path, " ")
			status, h := send(t, method, c.daemon, path, c.header)
			if status != want || (status == 401) != (h.Get("WWW-Authenticate") == `Bearer realm="heed"`) {
				t.Errorf("%s %s %q: %d, want %d; WWW-Authenticate %q", method, path, c.header, status, want, h.Get("WWW-Authenticate"))
			}
		}
	}
}

// Tokens in the URL are unknown parameters, not tokens.
func TestTokenInURL(t *testing.T) {
	if status, _ := get(t, start(t, &Server{Gate: gate.Gate{Tokens: tokens(t, asking)}}), question+"&access_token="+asking); status != 401 {
		t.Errorf("status %d", status)
	}
}

func TestTokensFile(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "the file has no token: expected one token in each line",
		"# " + asking:                     "the file has no token: expected one token in each line",
		asking + "\n\nshort-123456789\n":  "line 3: the token has 15 characters: expected at least 16",
		"a b-0123456789-0123":             "line 1: the token has a character that cannot be sent",
		"\u00e9-0123456789-0123":          "line 1: the token has a character that cannot be sent",
		strings.Repeat(asking+"\n", 1001): "the file has more than 1000 tokens of clients: remove some lines",
		strings.Repeat("#", gate.MaxTokensFile+1): "the file with the tokens has more than 1048576 bytes: remove some tokens",
	} {
		path := tokensFile(t, text)
		_, err := gate.ReadTokens(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+": "+want) || strings.Contains(err.Error(), "0123456789") {
			t.Errorf("%.30q: %v, want %s", text, err, want)
		}
	}
	path := tokensFile(t, asking)
	for mode, good := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o440: true, 0o640: true, 0o644: false, 0o604: false, 0o602: false} {
		os.Chmod(path, mode)
		if _, err := gate.ReadTokens(path); (err == nil) != good || !good && !strings.Contains(err.Error(), "chmod o= "+path) {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	if _, err := gate.ReadTokens("missing"); err == nil || !strings.HasPrefix(err.Error(), "missing: ") || strings.Count(err.Error(), "missing") != 1 {
		t.Errorf("no file: %v", err)
	}
}

// A file is read again. If it then is wrong, the tokens stay as they were.
func TestTokensReadAgain(t *testing.T) {
	path := tokensFile(t, asking)
	tokens, err := gate.ReadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	daemon := start(t, &Server{Gate: gate.Gate{Tokens: tokens}})
	expect := func(token string, want int) {
		t.Helper()
		if status, _ := get(t, daemon, question, "Authorization: Bearer "+token); status != want {
			t.Errorf("%s: %d, want %d", token, status, want)
		}
	}
	expect(asking, 200)
	os.WriteFile(path, []byte(second), 0o600)
	if _, err := tokens.Read(); err != nil {
		t.Fatal(err)
	}
	expect(asking, 401)
	expect(second, 200)
	os.WriteFile(path, []byte("short"), 0o600)
	if _, err := tokens.Read(); err == nil {
		t.Error("a short token is accepted")
	}
	expect(second, 200)
}
