package identity

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/origin"
)

// An Identity signs requests, so that servers can verify the crawler. Agent and Key must be set. It is safe for concurrent
// use; its fields must not change after the first use.
type Identity struct {
	// Agent is where the directory of keys is: an https origin, such as "https://bot.example" (SG-1).
	Agent string
	// Key is the key that signs. The directory may have other keys too.
	Key *Key
	// Lifetime is how long a signature is valid; 0 means 60 seconds, and more than 24 hours is an error (SG-2).
	Lifetime time.Duration
	// Excludes returns true for a host whose requests must not be signed. If Excludes is nil, all requests are
	// signed. The host has the form of origin.Origin.Host.
	Excludes func(host string) bool
	// WholeAgent says which part of a Signature-Agent header, such as sig1="https://bot.example", is signed. True: the whole
	// header, as some verifiers expect. False: only the value of sig1 (SG-7).
	WholeAgent bool
	// Now returns the current time; nil means time.Now.
	Now func() time.Time
}

const (
	label           = "sig1" // the name of the signature in Signature-Input and Signature
	tag             = "web-bot-auth"
	nonceBytes      = 64
	defaultLifetime = 60 * time.Second
	maxLifetime     = 24 * time.Hour
)

const (
	agentHeader     = "Signature-Agent"
	inputHeader     = "Signature-Input"
	signatureHeader = "Signature"
)

// Check returns an error if a field has a wrong value.
func (id *Identity) Check() error {
	_, err := id.check()
	return err
}

func (id *Identity) check() (agent origin.Origin, err error) {
	switch {
	case id.Key == nil || id.Key.private == nil:
		return agent, errors.New("identity: Identity.Key is nil or zero: make a key with NewKey, or read one with ReadKey")
	case id.Lifetime < 0 || id.Lifetime > maxLifetime || id.Lifetime != 0 && id.Lifetime < time.Second:
		return agent, fmt.Errorf("identity: Identity.Lifetime is %s: expected at least 1s, and at most %s", id.Lifetime, maxLifetime)
	}
	return agentOf(id.Agent)
}

// agentOf returns the origin of a directory. Origins contain nothing that needs an escape in a header.
func agentOf(agent string) (origin.Origin, error) {
	o, err := origin.Parse(agent)
	_, rest, _ := strings.Cut(agent, "://")
	if err != nil || o.Scheme() != "https" || strings.ContainsAny(strings.TrimRight(rest, "/"), `/?#@\`) {
		return o, fmt.Errorf("identity: Agent, the origin of the directory, is %q: expected an https origin, such as https://bot.example", agent)
	}
	return o, nil
}

// Sign sets the headers of a signature that is valid from now on. Sign also changes r.Host to its normal form, for
// example to lower case. If Excludes returns true for the host, Sign only removes old signatures. Sign returns an error
// if the URL is opaque, if the URL has no host, or if the Key has expired.
func (id *Identity) Sign(r *http.Request) error { return id.sign(r, []component{{name: "@authority"}}) }

// SignFor is like Sign, but its signature also covers the method, scheme, path and query. RFC 9421 does not distinguish an
// empty query from no query.
func (id *Identity) SignFor(r *http.Request) error {
	return id.sign(r, []component{{name: "@method"}, {name: "@authority"}, {name: "@scheme"}, {name: "@path"}, {name: "@query"}})
}

func (id *Identity) sign(r *http.Request, covered []component) error {
	to, err := checkRequest(r)
	if err != nil {
		return err
	}
	for name := range r.Header { // Header.Del is not enough, because the map may have a name in another letter case
		if slices.ContainsFunc([]string{agentHeader, inputHeader, signatureHeader}, func(ours string) bool { return strings.EqualFold(name, ours) }) {
			delete(r.Header, name)
		}
	}
	if id.Excludes != nil && id.isExcluded(r, to) {
		return nil
	}
	where, err := id.check()
	if err != nil {
		return err
	}
	now := nowOf(id.Now)
	if id.Key.hasExpired(now) {
		return fmt.Errorf("identity: the key %s expired at %s: sign with a new key", id.Key, id.Key.Expires.UTC().Format(time.RFC3339))
	}
	agent := component{name: "signature-agent", key: label}
	if id.WholeAgent {
		agent.key = ""
	}
	member := `"` + where.String() + `"`
	r.Header.Set(agentHeader, label+"="+member)
	covered = append(covered, agent)
	input := signatureInput(covered, parameters(id.Key, now, cmp.Or(id.Lifetime, defaultLifetime), tag))
	base := signatureBase(covered, input, func(c component) string { return valueOf(r, c, member) })
	r.Header.Set(inputHeader, label+"="+input)
	r.Header.Set(signatureHeader, label+"="+id.Key.sign(base))
	return nil
}

func nowOf(clock func() time.Time) time.Time {
	if clock == nil {
		return time.Now()
	}
	return clock()
}

func (id *Identity) isExcluded(r *http.Request, to origin.Origin) bool {
	connected, err := origin.Parse(r.URL.Scheme + "://" + r.URL.Host)
	return id.Excludes(to.Host()) || err == nil && id.Excludes(connected.Host())
}

// parameters returns the parameters of a signature, which never expires later than its key (SG-1, SG-2).
func parameters(k *Key, created time.Time, lifetime time.Duration, tag string) string {
	var nonce [nonceBytes]byte
	rand.Read(nonce[:]) // rand.Read never fails
	expires := created.Add(lifetime)
	if !k.Expires.IsZero() && k.Expires.Before(expires) {
		expires = k.Expires
	}
	return fmt.Sprintf(`;created=%d;expires=%d;nonce="%s";keyid="%s";tag="%s"`,
		created.Unix(), expires.Unix(), base64.StdEncoding.EncodeToString(nonce[:]), k.id, tag)
}

func (k *Key) sign(base string) string {
	return ":" + base64.StdEncoding.EncodeToString(ed25519.Sign(k.private(), []byte(base))) + ":"
}

// Transport returns a RoundTripper that signs each request, also after redirects, before base sends it. A nil base means
// http.DefaultTransport.
func (id *Identity) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &signingTransport{id, base}
}

type signingTransport struct {
	id   *Identity
	base http.RoundTripper
}

func (s *signingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL == nil || r.Header == nil {
		return s.base.RoundTrip(r) // base returns an error for such a request
	}
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

func (s *signingTransport) CloseIdleConnections() {
	if base, ok := s.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}
