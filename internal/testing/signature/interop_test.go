package signature_test

import (
	"bufio"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/identity"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/internal/testing/signature"
)

// startInterop starts the program in testdata/interop, which uses the package web-bot-auth of npm, and returns its URL.
func startInterop(t *testing.T, verifies, signs *identity.Key) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs %s", program)
		}
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "interop"))); err != nil {
		t.Fatal(err)
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = folder
	if said, err := install.CombinedOutput(); err != nil {
		t.Skipf("npm installs nothing here: %v\n%s", err, said)
	}
	jwkOf := func(k *identity.Key, private bool) string {
		seed := privateOf(t, k)
		j := map[string]string{"kty": "OKP", "crv": "Ed25519", "x": base64.RawURLEncoding.EncodeToString(seed.Public().(ed25519.PublicKey))}
		if private {
			j["d"] = base64.RawURLEncoding.EncodeToString(seed.Seed())
		}
		text, _ := json.Marshal(j) // never fails
		return string(text)
	}
	c := exec.Command("node", "interop.mjs", jwkOf(verifies, false), jwkOf(signs, true))
	c.Dir = folder
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("it did not start")
	}
	return "http://127.0.0.1:" + lines.Text()
}

// privateOf returns the private part of a key, from the file that it is written to.
func privateOf(t *testing.T, k *identity.Key) ed25519.PrivateKey {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if err := identity.WriteKey(file, k); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.(ed25519.PrivateKey)
}

// SG-7: the package web-bot-auth 0.1.3 verifies our requests if the signature covers the whole header, and our verifier accepts its
// requests, over loopback; a wrong clock and a changed header are refused by both.
func TestWebBotAuthPackage(t *testing.T) {
	ours := newKey(t)
	theirs := newKey(t)
	url := startInterop(t, ours, theirs)
	id := &identity.Identity{Agent: "https://bot.example", Key: ours, WholeAgent: true}
	client := &http.Client{Transport: id.Transport(nil)}
	get := func(path string) string {
		t.Helper()
		response, err := client.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	requests := 100
	if portion.Whole() {
		requests = 1000
	}
	for i := range requests {
		if got := get(fmt.Sprintf("/%s?%d", strings.Repeat("x", i%50), i)); got != "verified" {
			t.Fatal(i, got)
		}
	}
	id.Now = func() time.Time { return time.Now().Add(time.Hour) }
	if got := get("/"); got == "verified" {
		t.Error("a signature of the future is accepted")
	}
	id.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	if got := get("/"); got == "verified" {
		t.Error("a signature that has expired is accepted")
	}
	id.Now = nil
	client.Transport = id.Transport(changing{})
	if got := get("/"); got == "verified" {
		t.Error("a changed header is accepted")
	}
	client.Transport = http.DefaultTransport

	x, _ := privateOf(t, theirs).Public().(ed25519.PublicKey)
	v := &signature.Verifier{Keys: map[string]signature.Key{theirs.ID(): {PublicKey: x}}, Tag: "web-bot-auth"}
	var verified atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := *v
		now.Now = time.Now()
		if err := now.Verify(r.Header, r, "sig1"); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		verified.Add(1)
		for name, change := range map[string]func(){
			"early": func() { now.Now = time.Now().Add(-time.Hour) }, "late": func() { now.Now = time.Now().Add(time.Hour) },
			"header": func() { r.Header.Set("Signature-Agent", `sig1="https://evil.example"`) },
		} {
			saved, header := now, r.Header.Clone()
			if change(); now.Verify(r.Header, r, "sig1") == nil {
				http.Error(w, name, http.StatusBadRequest)
			}
			now, r.Header = saved, header
		}
	}))
	defer server.Close()
	if got := get(fmt.Sprintf("/send?count=%d&to=%s", requests, server.URL)); got != "verified" || int(verified.Load()) != requests {
		t.Error(got, verified.Load())
	}
}

// changing changes the header that names the directory.
type changing struct{}

func (changing) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Signature-Agent", `sig1="https://evil.example"`)
	return http.DefaultTransport.RoundTrip(r)
}
