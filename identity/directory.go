package identity

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// DirectoryPath is the path of the directory on the host of Identity.Agent (SG-4).
const DirectoryPath = "/.well-known/http-message-signatures-directory"

const directoryType = "application/http-message-signatures-directory+json"

const directoryTag = "http-message-signatures-directory"

// directoryLifetime is how long the signatures of a response are valid. It is longer than verifiers may cache the response
// (see directoryFresh).
const directoryLifetime = 2 * time.Hour

// directoryFresh says how long a verifier may cache a directory: one hour. After this time, all verifiers know a new
// key.
const directoryFresh = "max-age=3600"

// A Directory is an http.Handler that serves the public keys of an Identity, at DirectoryPath on the host of Agent.
//
// To change the key, add the new key to Keys. Sign with the new key after an hour: then all verifiers have it. The
// Directory serves the old key until the time Expires of this key.
type Directory struct {
	// Agent is the Agent of the Identity. Responses are signed for the host of Agent, not for the host of a request.
	// Otherwise another site could forward requests, and show the responses as its own. Only ServeHTTP needs Agent.
	Agent string
	// Keys are the keys to serve. Each key also signs the response, which proves that the host has the private keys
	// (SG-4).
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
	Until int64  `json:"exp,omitempty"` // the time when the key expires, in seconds since 1970 (RFC 7519, 4.1.4)
}

// JSON returns the directory as a JWK set in JSON.
func (d *Directory) JSON() ([]byte, error) {
	return directoryOf(d.valid(nowOf(d.Now)))
}

func (d *Directory) valid(now time.Time) (keys []*Key) {
	for _, k := range d.Keys {
		if k != nil && !k.hasExpired(now) {
			keys = append(keys, k)
		}
	}
	return keys
}

func directoryOf(keys []*Key) ([]byte, error) {
	if len(keys) == 0 {
		return nil, errors.New("identity: the directory would contain no key: give a key that has not expired")
	}
	set := struct {
		Keys []jwk `json:"keys"`
	}{}
	for _, k := range keys {
		j := jwk{"OKP", "Ed25519", k.id, k.x(), "sig", 0}
		if !k.Expires.IsZero() {
			j.Until = k.Expires.Unix()
		}
		set.Keys = append(set.Keys, j)
	}
	text, err := json.MarshalIndent(set, "", "  ")
	return append(text, '\n'), err
}

// ServeHTTP answers GET and HEAD requests with the directory.
func (d *Directory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := nowOf(d.Now)
	keys := d.valid(now)
	text, err := directoryOf(keys)
	agent, wrong := agentOf(d.Agent)
	err = cmp.Or(err, wrong)
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
	signDirectory(h, agent.Authority(), keys, now)
	w.Write(text)
}

// signDirectory adds a signature by each key. Each signature covers the host of the request, "@authority";req (RFC
// 9421, 2.4).
func signDirectory(h http.Header, authority string, keys []*Key, now time.Time) {
	const covered = `("@authority";req)`
	for i, k := range keys {
		name := fmt.Sprintf("sig%d=", i+1)
		input := covered + parameters(k, now, directoryLifetime, directoryTag)
		base := `"@authority";req: ` + authority + "\n" + `"@signature-params": ` + input
		h.Add(inputHeader, name+input)
		h.Add(signatureHeader, name+k.sign(base))
	}
}
