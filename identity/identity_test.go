package identity

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

func newIdentity(t testing.TB) *Identity {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return &Identity{Agent: "https://bot.example", Key: key, Now: func() time.Time { return noon }}
}

func get(t testing.TB, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// SG-1, SG-2: the headers have the form of the draft.
func TestForm(t *testing.T) {
	id := newIdentity(t)
	r := get(t, "https://www.example.com/")
	if err := id.Sign(r); err != nil {
		t.Fatal(err)
	}
	if got := r.Header.Get("Signature-Agent"); got != `sig1="https://bot.example"` {
		t.Error(got)
	}
	input := r.Header.Get("Signature-Input")
	begin := `sig1=("@authority" "signature-agent";key="sig1");created=1795780800;expires=1795780860;nonce="`
	if end := fmt.Sprintf(`";keyid="%s";tag="web-bot-auth"`, id.Key.ID()); !strings.HasPrefix(input, begin) || !strings.HasSuffix(input, end) {
		t.Error(input)
	}
	if s := r.Header.Get("Signature"); !strings.HasPrefix(s, "sig1=:") || !strings.HasSuffix(s, "==:") {
		t.Error(s)
	}
	idn := newIdentity(t)
	idn.Agent = "https://B\u00fccher.example:443/"
	if other := get(t, "https://a.example/"); idn.Sign(other) != nil || other.Header.Get("Signature-Agent") != `sig1="https://xn--bcher-kva.example"` {
		t.Error(other.Header)
	}
	first := r.Header.Clone()
	if err := id.Sign(r); err != nil || len(r.Header["Signature"]) != 1 || r.Header.Get("Signature-Input") == first.Get("Signature-Input") {
		t.Error("no other nonce, or two signatures", r.Header, err)
	}
}

// Wrong fields are named.
func TestCheck(t *testing.T) {
	key, _ := NewKey()
	for want, id := range map[string]*Identity{
		"":            {Agent: "https://bot.example/", Key: key, Lifetime: 24 * time.Hour},
		"Key is nil":  {Agent: "https://bot.example"},
		"http://":     {Agent: "http://bot.example", Key: key},
		"/path":       {Agent: "https://bot.example/path", Key: key},
		"user@":       {Agent: "https://user@bot.example", Key: key},
		"?q":          {Agent: "https://bot.example?q", Key: key},
		`expected an`: {Agent: "", Key: key},
		"?":           {Agent: "https://bot.example?", Key: key},
		"#":           {Agent: "https://bot.example#", Key: key},
		"99999":       {Agent: "https://bot.example:99999", Key: key},
		"//:443":      {Agent: "https://:443", Key: key},
		"or zero":     {Agent: "https://bot.example", Key: &Key{}},
		"1ms":         {Agent: "https://bot.example", Key: key, Lifetime: time.Millisecond},
		"24h0m0s":     {Agent: "https://bot.example", Key: key, Lifetime: 24*time.Hour + 1},
		"-1ns":        {Agent: "https://bot.example", Key: key, Lifetime: -1},
	} {
		err := id.Check()
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if signErr := id.Sign(get(t, "https://a.example/")); fmt.Sprint(signErr) != fmt.Sprint(err) {
			t.Error(signErr)
		}
	}
}

// SG-6: no way to print a key shows its private part, also as a field that package fmt cannot ask for its text.
func TestKeyIsNotPrinted(t *testing.T) {
	k, _ := NewKey()
	hidden := struct {
		key Key
		at  *Key
	}{*k, k}
	text, err := json.Marshal(map[string]any{"k": k, "v": *k, "hidden": hidden})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		text = fmt.Appendf(text, verb+verb+verb+verb, k, *k, &Identity{Key: k}, hidden)
	}
	seed := k.private().Seed()
	for _, secret := range []string{
		strings.Trim(fmt.Sprint(seed[:8]), "[]"), fmt.Sprintf("%x", seed[:4]), fmt.Sprintf("%X", seed[:4]), string(seed[:4]), base64.RawStdEncoding.EncodeToString(seed[:6]),
	} {
		if strings.Contains(string(text), secret) || !strings.Contains(string(text), k.ID()) {
			t.Errorf("%q in %s", secret, text)
		}
	}
}

// SG-3: the host is signed as it is sent, and hosts are excluded in whatever form they are written. What cannot be signed as it is sent
// is refused.
func TestHosts(t *testing.T) {
	id := newIdentity(t)
	var asked []string
	spelling := strings.ToLower(signatureHeader)
	id.Excludes = func(host string) bool { asked = append(asked, host); return host == "xn--bcher-kva.example" }
	for url, want := range map[string]string{
		"https://B\u00dcCHER.example/": "xn--bcher-kva.example", "https://A.example./": "a.example", "https://[2001:DB8:0::1]:8443/": "[2001:db8::1]", "http://[::ffff:127.0.0.1]/": "[::ffff:127.0.0.1]",
	} {
		r := get(t, url)
		r.Header[spelling] = []string{"another"}
		asked = nil
		if err := id.Sign(r); err != nil || !slices.Contains(asked, want) || len(r.Header[spelling]) > 0 {
			t.Errorf("%s: %v, asked about %q, want %q; %v", url, err, asked, want, r.Header)
		}
		if signed := r.Header.Get("Signature") != ""; signed != (want != "xn--bcher-kva.example") {
			t.Errorf("%s: %v", url, r.Header)
		}
	}
	behind := get(t, "https://b.example/")
	behind.URL.Host, behind.Host = "b\u00fccher.example", "b.example"
	if err := id.Sign(behind); err != nil || behind.Header.Get("Signature") != "" {
		t.Error("a request to an excluded host with another Host header: ", err, behind.Header)
	}
	opaque := get(t, "https://a.example/")
	opaque.URL.Opaque = "//b.example/"
	for _, r := range []*http.Request{opaque, {}, {URL: opaque.URL}, {Host: "a b", URL: &url.URL{Scheme: "https"}, Header: http.Header{}}, {URL: &url.URL{Scheme: "https", Host: "[fe80::1%25eth0]"}, Header: http.Header{}}} {
		if err := id.Sign(r); err == nil || r.Header.Get("Signature") != "" {
			t.Errorf("%v: signed", r.URL)
		}
	}
}

func BenchmarkSign(b *testing.B) {
	id := newIdentity(b)
	r := get(b, "https://www.example.com/")
	for b.Loop() {
		if err := id.Sign(r); err != nil {
			b.Fatal(err)
		}
	}
}

// A RoundTripper closes the body of a request that it cannot sign, leaves the request as it is, and passes the rest on.
func TestTransportIsARoundTripper(t *testing.T) {
	id := newIdentity(t)
	base := &idle{}
	transport := id.Transport(base)
	r := get(t, "https://A.example./")
	r.Body = &closing{}
	response, err := transport.RoundTrip(r)
	if err != nil || response.Request != r || len(r.Header) > 0 || r.Host != "A.example." || base.sent.Host != "a.example" || base.sent.Header.Get("Signature") == "" {
		t.Error(err, r, base.sent)
	}
	body := &closing{}
	r.Body, r.URL.Opaque = body, "//b.example/"
	if _, err := transport.RoundTrip(r); err == nil || !body.closed {
		t.Error(err, "the body is not closed")
	}
	if _, err := id.Transport(nil).RoundTrip(&http.Request{}); err == nil {
		t.Error("a request without a URL was sent")
	}
	(&http.Client{Transport: transport}).CloseIdleConnections()
	if !base.closed {
		t.Error("connections stay")
	}
}

type idle struct {
	sent   *http.Request
	closed bool
}

func (i *idle) RoundTrip(r *http.Request) (*http.Response, error) {
	i.sent = r
	return &http.Response{Request: r, Body: http.NoBody}, nil
}
func (i *idle) CloseIdleConnections() { i.closed = true }

type closing struct{ closed bool }

func (c *closing) Read([]byte) (int, error) { return 0, io.EOF }
func (c *closing) Close() error             { c.closed = true; return nil }
