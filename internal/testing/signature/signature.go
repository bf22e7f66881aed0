// Package signature verifies signatures of requests (RFC 9421), for tests. It shares no code with package identity,
// which signs.
package signature

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"
)

type Verifier struct {
	Keys map[string]Key // by keyid
	Now  time.Time
	Tag  string
}

type Key struct {
	ed25519.PublicKey
	Until int64 // in seconds since 1970; 0 means that the key never expires
}

// The parameter directory is the text of a key directory, which is a JSON Web Key Set.
func New(directory []byte, now time.Time) (*Verifier, error) {
	var set struct {
		Keys []struct {
			Kty, Crv, Kid, X string
			Exp              int64
		}
	}
	if err := json.Unmarshal(directory, &set); err != nil {
		return nil, err
	}
	v := &Verifier{map[string]Key{}, now, "web-bot-auth"}
	for _, k := range set.Keys {
		x, err := base64.RawURLEncoding.DecodeString(k.X)
		if err != nil || k.Kty != "OKP" || k.Crv != "Ed25519" || len(x) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("the directory has the key %v; expected an Ed25519 public key: %v", k, err)
		}
		v.Keys[k.Kid] = Key{x, k.Exp}
	}
	return v, nil
}

// Verify verifies the signature that has the given label. The headers h are those of the request r, or of its response.
func (v *Verifier) Verify(h http.Header, r *http.Request, label string) error {
	inputs, err := httpsfv.UnmarshalDictionary(h.Values("Signature-Input"))
	if err != nil {
		return err
	}
	signatures, err := httpsfv.UnmarshalDictionary(h.Values("Signature"))
	if err != nil {
		return err
	}
	member, _ := inputs.Get(label)
	input, ok := member.(httpsfv.InnerList)
	if !ok {
		return fmt.Errorf("the header Signature-Input has no member %q, so there is no signature to check", label)
	}
	item, _ := signatures.Get(label)
	signature, ok := item.(httpsfv.Item)
	if !ok {
		return fmt.Errorf("the header Signature has no member %q, so there is no signature to check", label)
	}
	key, err := v.check(input.Params)
	if err != nil {
		return err
	}
	var base strings.Builder
	for _, c := range input.Items {
		value, err := componentOf(h, r, c)
		if err != nil {
			return err
		}
		id, err := httpsfv.Marshal(c)
		if err != nil {
			return err
		}
		base.WriteString(id + ": " + value + "\n")
	}
	parameters, err := httpsfv.Marshal(input)
	if err != nil {
		return err
	}
	base.WriteString(`"@signature-params": ` + parameters)
	if !ed25519.Verify(key, []byte(base.String()), signature.Value.([]byte)) {
		return fmt.Errorf("the signature does not fit the request, whose signed text is\n%s", base.String())
	}
	return nil
}

func (v *Verifier) check(p *httpsfv.Params) (ed25519.PublicKey, error) {
	get := func(name string) any { value, _ := p.Get(name); return value }
	created, _ := get("created").(int64)
	expires, _ := get("expires").(int64)
	id, _ := get("keyid").(string)
	nonce, err := base64.StdEncoding.DecodeString(fmt.Sprint(get("nonce")))
	key := v.Keys[id]
	switch {
	case key.PublicKey == nil:
		return nil, fmt.Errorf("the request is signed with the key %q, but the directory of the crawler has no such key", id)
	case key.Until != 0 && key.Until <= v.Now.Unix():
		return nil, fmt.Errorf("the key %q has expired: sign with a new key", id)
	case get("tag") != v.Tag:
		return nil, fmt.Errorf("the signature has the tag %v; expected %q", get("tag"), v.Tag)
	case created > v.Now.Unix() || expires <= v.Now.Unix() || expires-created > 86400:
		return nil, fmt.Errorf("the signature is not valid now: created %d, expires %d, now %d", created, expires, v.Now.Unix())
	case err != nil || len(nonce) != 64:
		return nil, fmt.Errorf("the signature has the nonce %v; expected 64 bytes in base64", get("nonce"))
	}
	return key.PublicKey, nil
}

// A signature covers components of a request, such as its method (RFC 9421, 2.1, 2.1.2, 2.2).
func componentOf(h http.Header, r *http.Request, c httpsfv.Item) (string, error) {
	name, _ := c.Value.(string)
	switch name {
	case "@method":
		return r.Method, nil
	case "@scheme":
		return r.URL.Scheme, nil
	case "@authority":
		u := url.URL{Scheme: "https", Host: strings.ToLower(r.Host)}
		if u.Port() == "443" {
			return u.Hostname(), nil
		}
		return u.Host, nil
	case "@path":
		return r.URL.EscapedPath(), nil
	case "@query":
		return "?" + r.URL.RawQuery, nil
	}
	key, has := c.Params.Get("key")
	if !has {
		return strings.Join(h.Values(name), ", "), nil
	}
	dictionary, err := httpsfv.UnmarshalDictionary(h.Values(name))
	if err != nil {
		return "", err
	}
	member, ok := dictionary.Get(key.(string))
	if !ok {
		return "", fmt.Errorf("the signature signs the member %v of the header %s, but the request has no such member", key, name)
	}
	return httpsfv.Marshal(member)
}
