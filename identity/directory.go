package identity

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// DirectoryPath is the path of the directory on the host of Identity.Agent (SG-4).
const DirectoryPath = "/.well-known/http-message-signatures-directory"

// directoryType is the media type of a directory.
const directoryType = "application/http-message-signatures-directory+json"

// directoryTag is the tag of the signatures of a directory's response.
const directoryTag = "http-message-signatures-directory"

// directoryLifetime is how long the signatures of a response are valid: longer than a cache may keep it.
const directoryLifetime = 2 * time.Hour

// directoryFresh is how long a directory is fresh: so soon, verifiers see a new key.
const directoryFresh = "max-age=3600"

// A Directory serves the public keys with which an Identity signs. Put it at DirectoryPath of the host that Identity.Agent names. To
// change the key, add the new one, sign with it after an hour, and take the old one out when its last signature is no longer valid.
type Directory struct {
	// Keys are served, and each signs the response: it proves that the host has the private keys (SG-4).
	Keys []*Key
	// Now returns the current time; nil means time.Now.
	Now func() time.Time
}

// A jwk is the public part of a Key (RFC 8037, 2).
type jwk struct {
	Type  string `json:"kty"`
	Curve string `json:"crv"`
	ID    string `json:"kid"`
	X     string `json:"x"`
	Use   string `json:"use"`
}

// JSON returns the directory as a file: a JWK set.
func (d *Directory) JSON() ([]byte, error) {
	if len(d.Keys) == 0 {
		return nil, errors.New("identity: the directory has no key")
	}
	set := struct {
		Keys []jwk `json:"keys"`
	}{}
	for _, k := range d.Keys {
		set.Keys = append(set.Keys, jwk{"OKP", "Ed25519", k.id, k.x(), "sig"})
	}
	text, err := json.MarshalIndent(set, "", "  ")
	return append(text, '\n'), err
}

// ServeHTTP answers GET and HEAD.
func (d *Directory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := d.JSON()
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "expected GET", http.StatusMethodNotAllowed)
		return
	}
	h := w.Header()
	h.Set("Content-Type", directoryType)
	h.Set("Cache-Control", directoryFresh)
	d.sign(h, r)
	w.Write(text)
}

// sign adds a signature by each key, for the authority that was requested. "@authority";req is that of the request (RFC 9421, 2.4).
func (d *Directory) sign(h http.Header, r *http.Request) {
	now := time.Now
	if d.Now != nil {
		now = d.Now
	}
	const covered = `("@authority";req)`
	for i, k := range d.Keys {
		name := fmt.Sprintf("sig%d=", i+1)
		input := covered + parameters(k, now(), directoryLifetime, directoryTag)
		base := `"@authority";req: ` + authorityOf(r) + "\n" + `"@signature-params": ` + input
		h.Add(inputHeader, name+input)
		h.Add(signatureHeader, name+k.sign(base))
	}
}
