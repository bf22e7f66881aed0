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

type resolverHealth struct{ answered atomic.Pointer[time.Time] }

// The resolver counts as working for this time after each of its answers.
const recently = 10 * time.Second

// hasWorked reports whether the resolver answered a lookup after start, or in the 10 seconds before.
func (r *resolverHealth) hasWorked(start time.Time) bool {
	answered := r.answered.Load()
	return answered != nil && answered.After(start.Add(-recently))
}

// A trail records facts about the lookups and connections of a retrieval, because errors do not always contain these
// facts.
type trail struct {
	health *resolverHealth

	mu             sync.Mutex
	lookupStart    time.Time // start of the last DNS lookup; zero if there was none
	lookupAnswered bool      // the last DNS lookup got an answer
	// connectErr is the last connection error that the host caused; nil if a later connection succeeded.
	connectErr error
}

// withTrace returns a context that records lookups and connections, also those of a Fetcher.Transport with a net.Dialer.
func (t *trail) withTrace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { t.setConnectErr(nil) }, // a new request begins, so an earlier error does not matter any longer
		DNSStart: func(httptrace.DNSStartInfo) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.lookupStart, t.lookupAnswered = time.Now(), false
		},
		DNSDone: func(done httptrace.DNSDoneInfo) {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.lookupAnswered = done.Err == nil || faultOf(done.Err) == faultOfName; t.lookupAnswered {
				now := time.Now()
				t.health.answered.Store(&now)
			}
		},
		ConnectDone: func(_, _ string, err error) {
			if err == nil || !kindOf(err).Ours() && !errors.Is(err, context.Canceled) {
				t.setConnectErr(err)
			}
		},
	})
}

func (t *trail) setConnectErr(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.connectErr = err
}

// failure returns the Failure for the error of a retrieval. Sometimes the error alone is not enough:
//
// A net.Dialer returns the error of the first address of a host:
//
//	IPv6: no route         IPv4: connection refused    NotConnected
//	IPv6: no route         IPv4: no route              LocalFailure
//
// If a lookup gets no answer, our resolver may be down:
//
//	the resolver answered another lookup 3 s before    NameNotResolved or TimedOut
//	the resolver answered nothing for 10 s             LocalFailure
func (t *trail) failure(err error) *Failure {
	t.mu.Lock()
	defer t.mu.Unlock()
	failure := NewFailure(err)
	if failure.Kind.Ours() && t.connectErr != nil && !isOfProxy(err) {
		failure = NewFailure(t.connectErr)
	}
	noAnswer := faultOf(err) == unknownFault || failure.Kind == TimedOut && !t.lookupStart.IsZero() && !t.lookupAnswered
	if noAnswer && !t.health.hasWorked(t.lookupStart) {
		failure.Kind = LocalFailure
	}
	return failure
}

type fault uint8

const (
	notALookup      fault = iota // the error does not come from a DNS lookup
	faultOfName                  // the name does not exist, or the name servers of the host failed (G-7)
	faultOfResolver              // the resolver of this machine failed, or could not be reached
	unknownFault                 // there was no answer: the resolver or the name servers of the host may have failed
)

// misbehaving is the text of two DNS errors: SERVFAIL if IsTemporary is true, and otherwise a refused lookup.
const misbehaving = "server misbehaving"

func faultOf(err error) fault {
	var lookup *net.DNSError
	switch {
	case !errors.As(err, &lookup):
		return notALookup
	case lookup.IsNotFound, lookup.Err == misbehaving && lookup.IsTemporary:
		return faultOfName
	case lookup.IsTimeout, lookup.IsTemporary && lookup.Server == "": // the second case is an error of the C library, which gives no reason
		return unknownFault
	}
	return faultOfResolver
}

func isLocal(err error) bool {
	return slices.ContainsFunc(localErrors, func(local error) bool { return errors.Is(err, local) }) ||
		faultOf(err) == faultOfResolver || lacksRoots(err) || isOfProxy(err)
}

// isOfProxy reports whether a failure of the proxy caused an error. With Fetcher.Transport, it recognizes only connection
// failures.
func isOfProxy(err error) bool {
	var connection *net.OpError
	return errors.As(err, new(*proxyError)) || errors.As(err, &connection) && connection.Op == "proxyconnect"
}

// lacksRoots reports whether a certificate could not be checked because this machine has no root certificates, or cannot
// read them.
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
