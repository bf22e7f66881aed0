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

// resolver remembers when the resolver of this machine last answered a lookup. The
// zero resolver never did.
type resolver struct{ answered atomic.Pointer[time.Time] }

// recently is how long before a lookup without an answer the resolver must have
// answered another one. Else the resolver is taken to be down.
const recently = 10 * time.Second

// worksSince reports whether the resolver answered a lookup since a time, or
// recently before it.
func (r *resolver) worksSince(asked time.Time) bool {
	answered := r.answered.Load()
	return answered != nil && answered.After(asked.Add(-recently))
}

// trail records the lookups and connections of a retrieval, as far as its error does
// not tell of them.
type trail struct {
	resolver *resolver

	mu       sync.Mutex
	asked    time.Time // when the last lookup began; zero: there was none
	answered bool      // the last lookup was answered
	tried    error     // why the last connection to an address of the host failed; nil: none did, or one was made since
}

// watch returns a context by which lookups and connections are recorded, also those
// of a Fetcher.Transport that uses a net.Dialer.
func (t *trail) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { t.setTried(nil) }, // the next hop begins
		DNSStart: func(httptrace.DNSStartInfo) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.asked, t.answered = time.Now(), false
		},
		DNSDone: func(done httptrace.DNSDoneInfo) {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.answered = done.Err == nil || faultOf(done.Err) == faultOfName; t.answered {
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

// failure returns why a retrieval failed. Where a connection to any address of
// the host failed for a reason that is not ours, that is the failure: the error of a
// net.Dialer tells of the first address only. It is ours where the resolver is down.
func (t *trail) failure(err error) *Failure {
	t.mu.Lock()
	defer t.mu.Unlock()
	failure := NewFailure(err)
	if failure.Kind.Ours() && t.tried != nil && !isOfProxy(err) {
		failure = NewFailure(t.tried)
	}
	noAnswer := faultOf(err) == unknownFault || failure.Kind == TimedOut && !t.asked.IsZero() && !t.answered
	if noAnswer && !t.resolver.worksSince(t.asked) {
		failure.Kind = LocalFailure
	}
	return failure
}

// fault is what was wrong where a lookup failed.
type fault uint8

const (
	notALookup      fault = iota // the error is not one of a lookup
	faultOfName                  // the name does not exist, or its servers fail (G-7)
	faultOfResolver              // our resolver, or the connection to it, failed
	unknownFault                 // there was no answer: it may be either
)

// misbehaving is the text of package net for SERVFAIL, then as a temporary error, and
// for the answers by which a resolver refuses a lookup.
const misbehaving = "server misbehaving"

func faultOf(err error) fault {
	var lookup *net.DNSError
	switch {
	case !errors.As(err, &lookup):
		return notALookup
	case lookup.IsNotFound, lookup.Err == misbehaving && lookup.IsTemporary:
		return faultOfName
	case lookup.IsTimeout, lookup.IsTemporary && lookup.Server == "": // a resolver outside Go, which gives no other reason
		return unknownFault
	}
	return faultOfResolver
}

// isOurs reports whether an error of the network is one of our own machine.
func isOurs(err error) bool {
	return slices.ContainsFunc(ourErrors, func(our error) bool { return errors.Is(err, our) }) ||
		faultOf(err) == faultOfResolver || lacksRoots(err) || isOfProxy(err)
}

// isOfProxy reports whether a proxy failed: ours, or that of a Transport of the
// caller's, as far as net/http tells.
func isOfProxy(err error) bool {
	var connection *net.OpError
	return errors.As(err, new(*proxyError)) || errors.As(err, &connection) && connection.Op == "proxyconnect"
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
