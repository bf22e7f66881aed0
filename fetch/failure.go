package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/heed-robots/heed/internal/guard"
	"github.com/heed-robots/heed/internal/printable"
)

// A Failure is why a retrieval got no answer: a text and a kind. It refers to
// nothing else, so that it can be kept in memory and written to a store.
// errors.Is(err, kind) tells kinds apart. The zero Failure is OtherFailure, without
// a text.
type Failure struct {
	Kind FailureKind
	Text string // at most about 500 bytes; what a server sent is escaped in it
}

// Error returns the Text.
func (f *Failure) Error() string { return f.Text }

// Unwrap returns the kind.
func (f *Failure) Unwrap() error { return f.Kind }

// FailureKind is what kind of failure it was. It is an error, to be used with
// errors.Is. The zero FailureKind is OtherFailure.
type FailureKind uint8

const (
	// OtherFailure is none of the others.
	OtherFailure FailureKind = iota
	// NameNotResolved: DNS has no address for the host (G-7).
	NameNotResolved
	// TimedOut: there was no answer in time (G-7).
	TimedOut
	// NotConnected: there was no connection, or it was reset (G-7).
	NotConnected
	// TLSFailed: the certificate is not valid, or the handshake failed.
	TLSFailed
	// NoRobotsTxt: the answer is not what a robots.txt can be.
	NoRobotsTxt
	// AddressRefused: the address is not public: the origin was not asked. See
	// Fetcher.AllowPrivate.
	AddressRefused
	// HostBusy: the origin was not asked in time, since other retrievals of ours
	// were under way. See Fetcher.MaxPerHost.
	HostBusy
	// LocalFailure: our own machine failed: it has no file handles, no route, no
	// resolver, or its proxy is down or refuses. Where a lookup is not answered
	// in time, the resolver is down unless it answered another lookup of the Fetcher
	// since then or in the 10 seconds before.
	LocalFailure
	// PortRefused: the port is not one for a robots.txt: the origin was not asked.
	PortRefused
)

var failureKinds = [...]string{
	"other", "name-not-resolved", "timed-out", "not-connected", "tls-failed", "no-robots-txt",
	"address-refused", "host-busy", "local-failure", "port-refused",
}

// String returns the kind in a word.
func (k FailureKind) String() string {
	if int(k) < len(failureKinds) {
		return failureKinds[k]
	}
	return failureKinds[OtherFailure]
}

// Error returns what String returns.
func (k FailureKind) Error() string { return k.String() }

// MarshalText returns what String returns.
func (k FailureKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what String returns; what it does not know is OtherFailure.
func (k *FailureKind) UnmarshalText(text []byte) error {
	*k = OtherFailure
	for i, name := range failureKinds {
		if name == string(text) {
			*k = FailureKind(i)
		}
	}
	return nil
}

// Ours reports whether the failure says nothing about the origin, since it was
// not asked or our own machine failed.
func (k FailureKind) Ours() bool {
	return k == AddressRefused || k == PortRefused || k == HostBusy || k == LocalFailure
}

// maxFailureText is enough for every error of a network. It is a bound since some
// hold text that a server chose.
const maxFailureText = 500

// NewFailure returns a Failure with the text of an error, printable and cut after 500 bytes, and
// the kind that it is or wraps, or that of an error of the network; nil for nil. A
// cache.Cache calls it for the Result of every Fetcher.
func NewFailure(err error) *Failure {
	if err == nil {
		return nil
	}
	var failure *Failure
	if !errors.As(err, &failure) {
		failure = &Failure{Kind: kindOf(err)}
	}
	text := printable.Text(err.Error())
	if len(text) > maxFailureText {
		text = strings.ToValidUTF8(text[:maxFailureText], "") + "…"
	}
	return &Failure{failure.Kind, strings.Clone(text)}
}

// kindOf tells errors of the network apart.
func kindOf(err error) FailureKind {
	var name *net.DNSError
	var connection *net.OpError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, new(*guard.PrivateError)):
		return AddressRefused
	case errors.As(err, new(*proxyError)): // also where it did not answer in time
		return LocalFailure
	case errors.As(err, new(*portError)):
		return PortRefused
	case errors.As(err, new(*busyError)):
		return HostBusy
	case errors.As(err, new(*timeoutError)):
		return TimedOut
	case isOurs(err):
		return LocalFailure
	case errors.As(err, &name):
		return NameNotResolved
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return TimedOut
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert):
		return TLSFailed
	case errors.As(err, &connection):
		return NotConnected
	}
	return OtherFailure
}

// noRobotsTxt returns a Failure about an answer that cannot be a robots.txt.
func noRobotsTxt(format string, a ...any) *Failure {
	return &Failure{NoRobotsTxt, fmt.Sprintf(format, a...)}
}
