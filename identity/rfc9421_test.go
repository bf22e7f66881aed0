package identity

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testKey is the Ed25519 key of RFC 9421, appendix B.1.4. ReadKey refuses it (SG-6).
const testKeyPEM = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
`

func testKey(t testing.TB) *Key {
	t.Helper()
	block, _ := pem.Decode([]byte(testKeyPEM))
	private, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return keyOf(private.(ed25519.PrivateKey))
}

// SG-3: the signature base and the signature of RFC 9421, appendix B.2.6, byte for byte.
func TestRFC9421Example(t *testing.T) {
	r, err := http.NewRequest("POST", "https://example.com/foo?param=Value&Pet=dog", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Date", "Tue, 20 Apr 2021 02:07:55 GMT")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Content-Length", "18")
	var covered []component
	for _, name := range []string{"date", "@method", "@path", "@authority", "content-type", "content-length"} {
		covered = append(covered, component{name: name})
	}
	input := signatureInput(covered, `;created=1618884473;keyid="test-key-ed25519"`)
	base := signatureBase(covered, input, func(c component) string { return valueOf(r, c, "") })
	const want = `"date": Tue, 20 Apr 2021 02:07:55 GMT
"@method": POST
"@path": /foo
"@authority": example.com
"content-type": application/json
"content-length": 18
"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`
	if base != want {
		t.Errorf("got\n%s\nwant\n%s", base, want)
	}
	signature := base64.StdEncoding.EncodeToString(ed25519.Sign(testKey(t).private(), []byte(base)))
	if signature != "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==" {
		t.Error(signature)
	}
}

// SG-3: the values of components (RFC 9421, 2.2).
func TestComponents(t *testing.T) {
	for _, c := range []struct{ url, host, authority, path, query string }{
		{"https://Example.COM/a", "", "example.com", "/a", "?"},
		{"https://example.com:443/", "", "example.com", "/", "?"},
		{"http://example.com:80", "", "example.com", "/", "?"},
		{"https://example.com:80/?a=b&c", "", "example.com:80", "/", "?a=b&c"},
		{"http://[2001:DB8::1]:8080/%7Ea%2Fb?%C3%A4", "", "[2001:db8::1]:8080", "/%7Ea%2Fb", "?%C3%A4"},
		{"http://[2001:db8::80]/", "", "[2001:db8::80]", "/", "?"},
		{"https://a.example/", "B.example:443", "b.example", "/", "?"},
		{"https://a.example:/", "", "a.example", "/", "?"},
		{"https://b\u00fccher.example/", "", "xn--bcher-kva.example", "/", "?"},
		{"https://a.example/", "B\u00dcCHER.example", "xn--bcher-kva.example", "/", "?"},
		{"https://[2001:DB8:0::1]/", "", "[2001:db8::1]", "/", "?"},
		{"https://a.example./", "", "a.example", "/", "?"},
	} {
		r, err := http.NewRequest("GET", c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			r.Host = c.host
		}
		if _, err := checkRequest(r); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"@scheme": r.URL.Scheme, "@authority": c.authority, "@path": c.path, "@query": c.query, "@method": "GET"} {
			if got := valueOf(r, component{name: name}, ""); got != want {
				t.Errorf("%s of %s: %q, want %q", name, c.url, got, want)
			}
		}
	}
}

// SG-2: the keyid is the thumbprint of the key: that of RFC 8037, appendix A.3.
func TestThumbprint(t *testing.T) {
	seed, err := base64.RawURLEncoding.DecodeString("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A")
	if err != nil {
		t.Fatal(err)
	}
	k := keyOf(ed25519.NewKeyFromSeed(seed))
	if k.ID() != "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k" || k.x() != "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" {
		t.Error(k.ID(), k.x())
	}
}

// SG-6: the test key of the RFC, other keys, and files that others may read are refused, and no error has a part of a key.
func TestReadKey(t *testing.T) {
	folder := t.TempDir()
	good := filepath.Join(folder, "good.key")
	k, err := NewKey()
	if err == nil {
		err = WriteKey(good, k)
	}
	if err != nil {
		t.Fatal(err)
	}
	if read, err := ReadKey(good); err != nil || read.ID() != k.ID() {
		t.Error(read, err)
	}
	if info, err := os.Stat(good); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if err := WriteKey(good, k); err == nil || !strings.Contains(err.Error(), "never overwrites") {
		t.Error(err)
	}
	text, _ := os.ReadFile(good)
	secret := strings.Split(string(text), "\n")[1]
	for name, c := range map[string]struct {
		text, want string
		mode       os.FileMode
	}{
		"the key of the RFC": {testKeyPEM, "everybody knows", 0o600},
		"open to the group":  {string(text), "chmod 600", 0o640},
		"open to all":        {string(text), "chmod 600", 0o604},
		"no PEM":             {secret, "expected an Ed25519", 0o600},
		"cut":                {string(text[:len(text)/2]), "expected an Ed25519", 0o600},
		"damaged":            {strings.Replace(string(text), secret, secret[:20]+"AAAA"+secret[24:60], 1), "expected an Ed25519", 0o600},
		"a public key":       {strings.ReplaceAll(string(text), "PRIVATE", "PUBLIC"), "expected an Ed25519", 0o600},
		"long":               {strings.Repeat("x", maxKeyFile+1), "bytes", 0o600},
	} {
		file := filepath.Join(folder, strings.ReplaceAll(name, " ", "-"))
		if err := os.WriteFile(file, []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		k, err := ReadKey(file)
		if k != nil || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret[20:40]) {
			t.Errorf("%s: %v, %v", name, k, err)
		}
	}
	if _, err := ReadKey(filepath.Join(folder, "missing")); !os.IsNotExist(err) {
		t.Error(err)
	}
}
