// The tests of package identity that need a verifier. They are here because programs that use Heed would otherwise need what the verifier needs.
package signature_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"

	"github.com/heed-robots/heed/identity"
	"github.com/heed-robots/heed/internal/testing/signature"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

func newKey(t testing.TB) *identity.Key {
	t.Helper()
	key, err := identity.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// newVerifier returns a verifier with the keys of a directory.
func newVerifier(t testing.TB, keys ...*identity.Key) *signature.Verifier {
	t.Helper()
	directory, err := (&identity.Directory{Keys: keys}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	v, err := signature.New(directory, noon)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func newIdentity(t testing.TB) (*identity.Identity, *signature.Verifier) {
	t.Helper()
	key := newKey(t)
	return &identity.Identity{Agent: "https://bot.example", Key: key, Now: func() time.Time { return noon }}, newVerifier(t, key)
}

func get(t testing.TB, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// SG-1, SG-3, SG-7: another verifier accepts 1,000 random requests, with and without ";key", and for one request alone.
func TestVerified(t *testing.T) {
	id, v := newIdentity(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		u := url.URL{Scheme: "https", Host: fmt.Sprintf("h%d.EXAMPLE", random.IntN(100)), Path: "/" + randomText(random), RawQuery: url.QueryEscape(randomText(random))}
		if random.IntN(3) == 0 {
			u.Host += fmt.Sprintf(":%d", 440+random.IntN(8))
		}
		r := get(t, u.String())
		id.WholeAgent = random.IntN(2) == 0
		sign := id.Sign
		if random.IntN(2) == 0 {
			sign = id.SignFor
		}
		if err := sign(r); err != nil {
			t.Fatal(err)
		}
		if err := v.Verify(r.Header, r, "sig1"); err != nil {
			t.Fatal(u.String(), err)
		}
	}
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(20) {
		b.WriteString([]string{"a", "/", "%", " ", "ä", "?", "=", "&", "+", "\"", "\\"}[r.IntN(11)])
	}
	return b.String()
}

// A wrong clock, a changed header or target, and another key are refused (SG-2, SG-3).
func TestRefused(t *testing.T) {
	id, v := newIdentity(t)
	other, _ := newIdentity(t)
	for name, change := range map[string]func(r *http.Request, v *signature.Verifier){
		"before":       func(_ *http.Request, v *signature.Verifier) { v.Now = noon.Add(-time.Second) },
		"expired":      func(_ *http.Request, v *signature.Verifier) { v.Now = noon.Add(time.Minute) },
		"another host": func(r *http.Request, _ *signature.Verifier) { r.Host = "b.example" },
		"another port": func(r *http.Request, _ *signature.Verifier) { r.Host = "a.example:8443" },
		"another agent": func(r *http.Request, _ *signature.Verifier) {
			r.Header.Set("Signature-Agent", `sig1="https://evil.example"`)
		},
		"a changed expiry": func(r *http.Request, _ *signature.Verifier) {
			r.Header.Set("Signature-Input", strings.Replace(r.Header.Get("Signature-Input"), "expires=17", "expires=18", 1))
		},
		"another key": func(r *http.Request, _ *signature.Verifier) {
			r.Header.Set("Signature-Input", strings.Replace(r.Header.Get("Signature-Input"), id.Key.ID(), other.Key.ID(), 1))
		},
		"another scheme": func(r *http.Request, _ *signature.Verifier) { r.URL.Scheme = "http" },
		"another method": func(r *http.Request, _ *signature.Verifier) { r.Method = "POST" },
		"another path":   func(r *http.Request, _ *signature.Verifier) { r.URL.Path = "/b" },
		"another query":  func(r *http.Request, _ *signature.Verifier) { r.URL.RawQuery = "x=2" },
	} {
		r := get(t, "https://a.example/a?x=1")
		if err := id.SignFor(r); err != nil {
			t.Fatal(err)
		}
		if err := v.Verify(r.Header, r, "sig1"); err != nil {
			t.Fatal(err)
		}
		changed := *v
		if change(r, &changed); changed.Verify(r.Header, r, "sig1") == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A request that follows a redirect to another host is signed for that host, and one to an excluded host is not signed at all, over
// HTTP/1.1 and HTTP/2.
func TestTransport(t *testing.T) {
	for _, major := range []int{1, 2} {
		t.Run(fmt.Sprint("HTTP/", major), func(t *testing.T) { testTransport(t, major) })
	}
}

func testTransport(t *testing.T, major int) {
	id, v := newIdentity(t)
	var last *http.Request
	target := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if last = r; r.ProtoMajor != major {
			t.Error(r.Proto)
		}
	}))
	target.EnableHTTP2 = major == 2
	target.StartTLS()
	defer target.Close()
	first := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := v.Verify(r.Header, r, "sig1"); err != nil {
			t.Error(err)
		}
		http.Redirect(w, r, target.URL+"/x", http.StatusFound)
	}))
	defer first.Close()
	client := *target.Client()
	client.Transport = id.Transport(client.Transport)
	request := get(t, first.URL)
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if err := v.Verify(last.Header, last, "sig1"); err != nil {
		t.Error(err)
	}
	if len(request.Header) != 0 {
		t.Error("the request was changed", request.Header)
	}
	id.Excludes = func(host string) bool { return host == "127.0.0.1" }
	for _, header := range []http.Header{nil, last.Header} {
		r := get(t, target.URL)
		r.Header = header.Clone()
		if r.Header == nil {
			r.Header = http.Header{}
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if s := last.Header.Get("Signature") + last.Header.Get("Signature-Input") + last.Header.Get("Signature-Agent"); s != "" {
			t.Error("signed", s)
		}
	}
}

// SG-4: the directory has each key, and each signs the response for the authority of Agent: also if another site passes requests on.
func TestDirectory(t *testing.T) {
	a, _ := identity.NewKey()
	b, _ := identity.NewKey()
	d := &identity.Directory{Agent: "https://Bot.example:443/", Keys: []*identity.Key{a, b, nil}, Now: func() time.Time { return noon }}
	request := httptest.NewRequest("GET", "https://bot.example"+identity.DirectoryPath, nil)
	answer := func(host string) *http.Response {
		r := request.Clone(t.Context())
		r.Host = host
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w.Result()
	}
	response := answer("bot.example")
	text, err := io.ReadAll(response.Body)
	if h := response.Header; err != nil || h.Get("Content-Type") != "application/http-message-signatures-directory+json" || h.Get("Cache-Control") != "max-age=3600" {
		t.Error(err, response.Header)
	}
	v, err := signature.New(text, noon)
	if err != nil {
		t.Fatal(err)
	}
	v.Tag = "http-message-signatures-directory"
	for _, host := range []string{"bot.example", "127.0.0.1:8309"} {
		h := answer(host).Header
		for _, label := range []string{"sig1", "sig2"} {
			if err := v.Verify(h, request, label); err != nil {
				t.Error(host, label, err)
			}
		}
		mirror := request.Clone(t.Context())
		mirror.Host = "evil.example"
		if v.Verify(answer("evil.example").Header, mirror, "sig1") == nil {
			t.Error("the response is signed for another site")
		}
		later := *v
		if later.Now = noon.Add(2 * time.Hour); later.Verify(h, request, "sig1") == nil {
			t.Error("the signature of a response is valid for too long")
		}
	}
	inputs, err := httpsfv.UnmarshalDictionary(response.Header.Values("Signature-Input"))
	if err != nil || len(inputs.Names()) != 2 || len(v.Keys) != 2 {
		t.Error(err, inputs.Names())
	}
	for method, status := range map[string]int{"POST": 405, "HEAD": 200} {
		w := httptest.NewRecorder()
		d.ServeHTTP(w, httptest.NewRequest(method, identity.DirectoryPath, nil))
		if w.Code != status {
			t.Error(method, w.Code)
		}
	}
	for _, wrong := range []*identity.Directory{{}, {Agent: "https://bot.example"}, {Agent: "http://bot.example", Keys: d.Keys}, {Keys: d.Keys}} {
		w := httptest.NewRecorder()
		wrong.ServeHTTP(w, httptest.NewRequest("GET", identity.DirectoryPath, nil))
		if w.Code != 500 || w.Header().Get("Signature") != "" {
			t.Error(w.Code, w.Header())
		}
	}
	w := httptest.NewRecorder()
	(&identity.Directory{}).ServeHTTP(w, httptest.NewRequest("GET", identity.DirectoryPath, nil))
	if w.Code != 500 {
		t.Error(w.Code)
	}
}

// A key is served until it expires (SG-4). Nothing is signed with it after that, and a verifier with an older directory refuses it.
func TestExpiredKey(t *testing.T) {
	id, _ := newIdentity(t)
	old, expires := id.Key, noon.Add(30*time.Second)
	old.Expires = expires
	d := &identity.Directory{Agent: id.Agent, Keys: []*identity.Key{newKey(t), old}, Now: id.Now}
	text, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	v, err := signature.New(text, noon.Add(29*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	r := get(t, "https://a.example/")
	if err := id.Sign(r); err != nil || v.Verify(r.Header, r, "sig1") != nil {
		t.Error(err, v.Verify(r.Header, r, "sig1"))
	}
	if input, end := r.Header.Get("Signature-Input"), fmt.Sprintf(";expires=%d;", expires.Unix()); !strings.Contains(input, end) {
		t.Errorf("%s: no %s", input, end)
	}
	v.Now = expires
	id.Key = sameKeyWithoutEnd(t, old)
	if err := id.Sign(r); err != nil {
		t.Fatal(err)
	}
	if err := v.Verify(r.Header, r, "sig1"); err == nil || !strings.Contains(err.Error(), "has expired") {
		t.Error("a signature by an expired key: ", err)
	}

	id.Key, id.Now = old, func() time.Time { return expires }
	if err := id.Sign(r); err == nil || !strings.Contains(err.Error(), "expired at 2026-11-27T12:00:30Z") || r.Header.Get("Signature") != "" {
		t.Error(err, r.Header)
	}
	d.Now = id.Now
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequest("GET", identity.DirectoryPath, nil))
	if body := w.Body.String(); strings.Contains(body, old.ID()) || strings.Count(body, `"kid"`) != 1 || len(w.Header().Values("Signature")) != 1 {
		t.Error(body, w.Header())
	}
	d.Keys = d.Keys[1:]
	if text, err := d.JSON(); err == nil {
		t.Errorf("a directory of expired keys: %s", text)
	}
}

// sameKeyWithoutEnd returns a key as a program has it that does not know when it ends.
func sameKeyWithoutEnd(t *testing.T, k *identity.Key) *identity.Key {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if err := identity.WriteKey(file, k); err != nil {
		t.Fatal(err)
	}
	same, err := identity.ReadKey(file)
	if err != nil {
		t.Fatal(err)
	}
	return same
}
