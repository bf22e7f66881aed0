package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// resolver remembers when the names of any origin were last resolved, or found not
// to be there. The zero resolver never did.
type resolver struct{ answered atomic.Pointer[time.Time] }

// shortly before a lookup that had no answer in time, its resolver must have
// answered another, or it is the resolver that is down.
const shortly = 10 * time.Second

func (r *resolver) worksSince(asked time.Time) bool {
	answered := r.answered.Load()
	return answered != nil && answered.After(asked.Add(-shortly))
}

// trail is what a retrieval meets on its way and its error does not say.
type trail struct {
	resolver *resolver

	mu       sync.Mutex
	asked    time.Time // when the last lookup began
	answered bool      // it was
	tried    error     // why an address of the host, which was asked, did not answer
}

// watch returns a context that tells of lookups and connections, those of a
// Transport of the caller's too where it uses a net.Dialer.
func (t *trail) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { t.setTried(nil) }, // by the next hop
		DNSStart: func(httptrace.DNSStartInfo) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.asked, t.answered = time.Now(), false
		},
		DNSDone: func(done httptrace.DNSDoneInfo) {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.answered = done.Err == nil || saysOf(done.Err) == theName; t.answered {
				now := time.Now()
				t.resolver.answered.Store(&now)
			}
		},
		ConnectDone: func(_, _ string, err error) {
			if err == nil || !kindOf(err).Ours() && !errors.Is(err, context.Canceled) {
				t.setTried(err)
			}
		},
	})
}

func (t *trail) setTried(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tried = err
}

// failure returns what a retrieval failed by: it is the origin's where any address
// of the host was asked (a net.Dialer tells of the first alone), and ours where the
// resolver is down.
func (t *trail) failure(err error) *Failure {
	t.mu.Lock()
	defer t.mu.Unlock()
	failure := NewFailure(err)
	if failure.Kind.Ours() && t.tried != nil && !isOfProxy(err) {
		failure = NewFailure(t.tried)
	}
	noAnswer := saysOf(err) == nothing || failure.Kind == TimedOut && !t.asked.IsZero() && !t.answered
	if noAnswer && !t.resolver.worksSince(t.asked) {
		failure.Kind = LocalFailure
	}
	return failure
}

// subject is what the error of a lookup says something of.
type subject uint8

const (
	other     subject = iota // it is no error of a lookup
	theName                  // it does not exist, or its servers fail (G-7)
	ourselves                // our resolver, or the way to it
	nothing                  // there was no answer: either may be
)

// misbehaving is how package net says SERVFAIL, where that may pass, and the answers
// by which a resolver refuses.
const misbehaving = "server misbehaving"

func saysOf(err error) subject {
	var lookup *net.DNSError
	switch {
	case !errors.As(err, &lookup):
		return other
	case lookup.IsNotFound, lookup.Err == misbehaving && lookup.IsTemporary:
		return theName
	case lookup.IsTimeout, lookup.IsTemporary && lookup.Server == "": // of a resolver outside Go, which says no more
		return nothing
	}
	return ourselves
}

// isOurs reports whether an error of the network is one of our own machine.
func isOurs(err error) bool {
	return slices.ContainsFunc(ourErrors, func(our error) bool { return errors.Is(err, our) }) ||
		saysOf(err) == ourselves || lacksRoots(err) || isOfProxy(err)
}

// isOfProxy reports whether there was no connection to a proxy, which a Transport of
// the caller may use.
func isOfProxy(err error) bool {
	var connection *net.OpError
	return errors.As(err, &connection) && connection.Op == "proxyconnect"
}

// lacksRoots reports whether a certificate could not be checked since this machine
// has no certificates of authorities, or could not read them.
func lacksRoots(err error) bool {
	if errors.As(err, new(x509.SystemRootsError)) {
		return true
	}
	if !errors.As(err, new(x509.UnknownAuthorityError)) {
		return false
	}
	roots, err := x509.SystemCertPool()
	return err != nil || roots.Equal(x509.NewCertPool())
}
