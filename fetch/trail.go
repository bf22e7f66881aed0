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

// The resolver counts as working for this long after each of its answers.
const recently = 10 * time.Second

func (r *resolverHealth) hasWorked(start time.Time) bool {
	answered := r.answered.Load()
	return answered != nil && answered.After(start.Add(-recently))
}

// A trail records facts about DNS lookups and connections, because the error of a retrieval may not contain them.
type trail struct {
	health *resolverHealth

	mu             sync.Mutex
	lookupStart    time.Time // zero if there was no DNS lookup
	lookupAnswered bool
	// If a Fetcher.Transport uses a net.Dialer, its connections are recorded too.
	connectErr error
}

// withTrace also records the connections of a Fetcher.Transport that uses a net.Dialer.
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
			if t.lookupAnswered = done.Err == nil || lookupFault(done.Err) == nameFault; t.lookupAnswered {
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

// The error alone may be misleading. For example, a net.Dialer returns the error of the first address of a host:
// "no route" for IPv6, although IPv4 was refused by the host. Another example is a DNS lookup without an answer: our
// resolver may be down, or the name server of the host.
func (t *trail) failure(err error) *Failure {
	t.mu.Lock()
	defer t.mu.Unlock()
	failure := NewFailure(err)
	if failure.Kind.Ours() && t.connectErr != nil && !proxyFailed(err) {
		failure = NewFailure(t.connectErr)
	}
	noAnswer := lookupFault(err) == unknownFault || failure.Kind == TimedOut && !t.lookupStart.IsZero() && !t.lookupAnswered
	if noAnswer && !t.health.hasWorked(t.lookupStart) {
		failure.Kind = LocalFailure
	}
	return failure
}

type fault uint8

const (
	notALookup    fault = iota
	nameFault           // the name does not exist, or the name servers of the host failed (G-7)
	resolverFault       // the resolver of this machine failed, or could not be reached
	unknownFault        // there was no answer: the resolver or the name servers of the host may have failed
)

// misbehaving is Go's text if a DNS server fails (then IsTemporary is true) or refuses the lookup.
const misbehaving = "server misbehaving"

func lookupFault(err error) fault {
	lookup, ok := errors.AsType[*net.DNSError](err)
	switch {
	case !ok:
		return notALookup
	case lookup.IsNotFound, lookup.Err == misbehaving && lookup.IsTemporary:
		return nameFault
	case lookup.IsTimeout, lookup.IsTemporary && lookup.Server == "": // the second case is an error of the C library, which gives no reason
		return unknownFault
	}
	return resolverFault
}

func isLocal(err error) bool {
	return slices.ContainsFunc(localErrors, func(local error) bool { return errors.Is(err, local) }) ||
		lookupFault(err) == resolverFault || noRootCertificates(err) || proxyFailed(err)
}

func proxyFailed(err error) bool {
	connection, ok := errors.AsType[*net.OpError](err)
	return is[*proxyError](err) || ok && connection.Op == "proxyconnect"
}

// Without root certificates on this machine, every certificate seems to be wrong.
func noRootCertificates(err error) bool {
	if !is[x509.UnknownAuthorityError](err) {
		return is[x509.SystemRootsError](err)
	}
	roots, err := x509.SystemCertPool()
	return err != nil || roots.Equal(x509.NewCertPool())
}
