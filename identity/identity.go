package identity

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// An Identity signs requests, so that a server can verify whose they are. Agent and Key must be set. It is safe for concurrent
// use; its fields must not change after the first use.
type Identity struct {
	// Agent is where the directory of keys is: an origin of https, such as "https://bot.example" (SG-1).
	Agent string
	// Key signs. The others of the directory are not used.
	Key *Key
	// Lifetime is how long a signature is valid; 0 means 60 seconds, and more than 24 hours is an error (SG-2).
	Lifetime time.Duration
	// Excludes reports whether requests to a host are not signed; nil means that all are. The host is as in a URL, in lower case and
	// without a port.
	Excludes func(host string) bool
	// WholeAgent covers the whole Signature-Agent header instead of its one member, as some verifiers expect it (SG-7).
	WholeAgent bool
	// Now returns the current time; nil means time.Now.
	Now func() time.Time
}

const (
	label           = "sig1" // of the signature
	tag             = "web-bot-auth"
	nonceOctets     = 64
	defaultLifetime = 60 * time.Second
	maxLifetime     = 24 * time.Hour
)

// The headers of a signature.
const (
	agentHeader     = "Signature-Agent"
	inputHeader     = "Signature-Input"
	signatureHeader = "Signature"
)

// Check returns what is wrong with the fields.
func (id *Identity) Check() error {
	u, err := url.Parse(id.Agent)
	switch {
	case id.Key == nil:
		return errors.New("identity: Key is nil: make one with NewKey, or read one with ReadKey")
	case err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || strings.ContainsFunc(id.Agent, isUnquotable):
		return fmt.Errorf("identity: Agent %q: expected an origin of https, such as https://bot.example", id.Agent)
	case id.Lifetime < 0 || id.Lifetime > maxLifetime:
		return fmt.Errorf("identity: Lifetime %s: expected at most %s", id.Lifetime, maxLifetime)
	}
	return nil
}

// isUnquotable reports whether a string of a structured field cannot have a character, or only behind a backslash.
func isUnquotable(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }

// Sign sets the headers of a signature that is valid from now on, in place of those that a request has. If the host is
// excluded, the request has no such headers then.
func (id *Identity) Sign(r *http.Request) error { return id.sign(r, []component{{name: "@authority"}}) }

// SignFor is Sign for one request alone: the signature covers the method, the path and the query too.
func (id *Identity) SignFor(r *http.Request) error {
	return id.sign(r, []component{{name: "@method"}, {name: "@authority"}, {name: "@path"}, {name: "@query"}})
}

func (id *Identity) sign(r *http.Request, covered []component) error {
	for _, name := range []string{agentHeader, inputHeader, signatureHeader} {
		r.Header.Del(name)
	}
	if id.Excludes != nil && id.Excludes(strings.ToLower(r.URL.Hostname())) {
		return nil
	}
	if err := id.Check(); err != nil {
		return err
	}
	now := nowOf(id.Now)
	if id.Key.hasExpired(now) {
		return fmt.Errorf("identity: the key %s has expired at %s: sign with a new one", id.Key, id.Key.Expires.UTC().Format(time.RFC3339))
	}
	agent := component{name: "signature-agent", key: label}
	if id.WholeAgent {
		agent.key = ""
	}
	member := `"` + strings.TrimRight(id.Agent, "/") + `"`
	r.Header.Set(agentHeader, label+"="+member)
	covered = append(covered, agent)
	input := inputOf(covered, parameters(id.Key, now, cmp.Or(id.Lifetime, defaultLifetime), tag))
	base := baseOf(covered, input, func(c component) string { return valueOf(r, c, member) })
	r.Header.Set(inputHeader, label+"="+input)
	r.Header.Set(signatureHeader, label+"="+id.Key.sign(base))
	return nil
}

// nowOf returns the time by a function; nil means time.Now.
func nowOf(clock func() time.Time) time.Time {
	if clock == nil {
		return time.Now()
	}
	return clock()
}

// parameters returns the parameters of a signature that begins at a time (SG-1, SG-2). It ends with its key.
func parameters(k *Key, created time.Time, lifetime time.Duration, tag string) string {
	var nonce [nonceOctets]byte
	rand.Read(nonce[:]) // never fails
	expires := created.Add(lifetime)
	if !k.Expires.IsZero() && k.Expires.Before(expires) {
		expires = k.Expires
	}
	return fmt.Sprintf(`;created=%d;expires=%d;nonce="%s";keyid="%s";tag="%s"`,
		created.Unix(), expires.Unix(), base64.StdEncoding.EncodeToString(nonce[:]), k.id, tag)
}

// sign returns the signature of a base as a structured field.
func (k *Key) sign(base string) string {
	return ":" + base64.StdEncoding.EncodeToString(ed25519.Sign(k.private, []byte(base))) + ":"
}

// Transport returns a RoundTripper that signs each request before base sends it, also one that follows a redirect. nil means
// http.DefaultTransport.
func (id *Identity) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &signing{id, base}
}

type signing struct {
	id   *Identity
	base http.RoundTripper
}

func (s *signing) RoundTrip(r *http.Request) (*http.Response, error) {
	signed := r.Clone(r.Context())
	if err := s.id.Sign(signed); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	response, err := s.base.RoundTrip(signed)
	if response != nil {
		response.Request = r
	}
	return response, err
}

// CloseIdleConnections closes those of base.
func (s *signing) CloseIdleConnections() {
	if base, ok := s.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}
