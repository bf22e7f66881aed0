package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/identity"
	"github.com/heed-robots/heed/internal/testing/signature"
)

// newSigning returns what signs as ExampleBot, and who verifies it.
func newSigning(t *testing.T) (*Signing, *signature.Verifier) {
	t.Helper()
	key, err := identity.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	d := &identity.Directory{Agent: "https://bot.example", Keys: []*identity.Key{key}}
	text, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	v, err := signature.New(text, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return &Signing{Identity: &identity.Identity{Agent: "https://bot.example", Key: key}, Directory: d, UserAgent: "ExampleBot/1.0", Token: "ExampleBot"}, v
}

// withToken returns tokens, one of which is that of the test's requests.
func withToken(t *testing.T, token string) *gate.Tokens {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := gate.ReadTokens(file)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// SG-1: POST /v1/sign gives a signature for one request, if the daemon's own crawler may make it, and to clients with a token only.
func TestSign(t *testing.T) {
	const token = "0123456789abcdef"
	signing, v := newSigning(t)
	daemon := start(t, &Server{Signing: signing, Gate: gate.Gate{Tokens: withToken(t, token)}})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "User-agent: *\nAllow: /\nUser-agent: ExampleBot\nDisallow: /closed\n")
	}))
	defer site.Close()
	post := func(body string) (int, map[string]any) {
		r, err := http.NewRequest("POST", daemon+"/v1/sign", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		return do(t, r)
	}

	status, answer := post(`{"url":"` + site.URL + `/open/%7Ex?a=b&c#part","method":"HEAD"}`)
	if status != 200 || answer["allowed"] != true || answer["agent"] != "ExampleBot" {
		t.Fatal(status, answer)
	}
	what := answer["request"].(map[string]any)
	r, err := http.NewRequest(what["method"].(string), what["url"].(string), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range what["headers"].(map[string]any) {
		r.Header.Set(name, value.(string))
	}
	if err := v.Verify(r.Header, r, "sig1"); err != nil || r.Method != "HEAD" || r.URL.String() != site.URL+"/open/%7Ex?a=b&c" {
		t.Error(err, r.Method, r.URL)
	}
	r.URL.Path = "/open/other"
	if r.URL.RawPath = ""; v.Verify(r.Header, r, "sig1") == nil {
		t.Error("the signature serves for another path")
	}

	status, answer = post(`{"url":"` + site.URL + `/closed"}`)
	if status != 200 || answer["allowed"] != false || answer["request"] != nil {
		t.Error(status, answer)
	}
	status, answer = post(`{"url":"` + site.URL + `/open?a b|\u00e4'#x","max_wait":"10s"}`)
	if what, _ := answer["request"].(map[string]any); status != 200 || what["url"] != site.URL+"/open?a%20b%7C%C3%A4%27" {
		t.Error(status, answer)
	} else if headers := what["headers"].(map[string]any); headers["User-Agent"] != "ExampleBot/1.0" {
		t.Error(headers)
	}
	sum := answer["provenance"].(map[string]any)["sha256"].(string)
	for path, want := range map[string]int{
		`/open","approved":["` + sum + `"]`: 200, `/open","approved":["` + strings.Repeat("0", 64) + `"]`: 409, `/open","approved":["` + strings.ToUpper(sum) + `"]`: 200, `/open","approved":[""]`: 409, `/open","approved":[]`: 409,
		`/closed","approved":[""]`: 200, // and no signature
	} {
		status, answer := post(`{"url":"` + site.URL + path + `}`)
		why, _ := answer["error"].(string)
		if signs := answer["request"] != nil; status != want || signs != strings.Contains(strings.ToLower(path), sum) || status == 409 && !strings.Contains(why, sum) {
			t.Error(path, status, answer)
		}
	}
	for body, want := range map[string]string{
		`{"url":"` + site.URL + `/","agent":"Other"}`: "agent", `{"url":"ftp://a.example/"}`: "ftp", `{"url":"` + site.URL + `/","method":"A B"}`: "method", `{"url":"` + site.URL + `/","method":"TRACE"}`: "method",
		`{"url":"` + site.URL + `/open/../closed"}`: "dot segments", `{"url":"` + site.URL + `/open/.%2E/closed"}`: "dot segments", `{"url":"` + site.URL + `/","approved":["none"]}`: "64 hexadecimal",
		`{"url":"` + site.URL + `/","approved":[` + strings.Repeat(`"",`, 100) + `""]}`: "at most 100", `{}`: "url",
	} {
		if status, answer := post(body); status != 400 || !strings.Contains(answer["error"].(string), want) {
			t.Errorf("%s: %d %v, want %s", body, status, answer, want)
		}
	}
	if status, answer := ask(t, "POST", daemon+"/v1/sign", `{"url":"`+site.URL+`/"}`); status != 401 {
		t.Error("without a token", status, answer)
	}
	for want, s := range map[string]*Server{"--identity": {}, "--token-file": {Signing: signing}} {
		if status, answer := ask(t, "POST", start(t, s)+"/v1/sign", `{"url":"`+site.URL+`/"}`); status < 403 || !strings.Contains(answer["error"].(string), want) {
			t.Error(want, status, answer)
		}
	}
}

// SG-4: the daemon serves the directory, signed, also to those without a token.
func TestDirectoryIsServed(t *testing.T) {
	signing, v := newSigning(t)
	url := start(t, &Server{Signing: signing, Gate: gate.Gate{Tokens: withToken(t, "0123456789abcdef")}}) + identity.DirectoryPath
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	response.Request.Host = "bot.example" // that of the agent, whatever the daemon is called
	v.Tag = "http-message-signatures-directory"
	if err := v.Verify(response.Header, response.Request, "sig1"); err != nil || response.StatusCode != 200 {
		t.Error(err, response.Status)
	}
}
