package identity

import (
	"encoding/json"
	"fmt"
	"net/http"
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
		"b\\u00e4":    {Agent: "https://b\u00e4.example", Key: key},
		"24h0m0s":     {Agent: "https://bot.example", Key: key, Lifetime: 24*time.Hour + 1},
		"-1ns":        {Agent: "https://bot.example", Key: key, Lifetime: -1},
	} {
		err := id.Check()
		if (want == "") != (err == nil) || err != nil && !strings.Contains(strings.ReplaceAll(err.Error(), "ä", "\\u00e4"), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if signErr := id.Sign(get(t, "https://a.example/")); fmt.Sprint(signErr) != fmt.Sprint(err) {
			t.Error(signErr)
		}
	}
}

// SG-6: no way to print a key shows its private part.
func TestKeyIsNotPrinted(t *testing.T) {
	k, _ := NewKey()
	secret := fmt.Sprintf("%d", k.private[:8])
	text, err := json.Marshal(map[string]any{"k": k, "v": *k})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		text = fmt.Appendf(text, verb+verb+verb, k, *k, &Identity{Key: k})
	}
	if got := string(text); strings.Contains(got, strings.Trim(secret, "[]")) || strings.Contains(got, fmt.Sprintf("%x", k.private[:4])) || !strings.Contains(got, k.ID()) {
		t.Error(got)
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
