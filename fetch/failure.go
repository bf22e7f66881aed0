package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/guard"
	"github.com/heed-robots/heed/internal/printable"
)

// A Failure says why a retrieval failed. It wraps no other error, so a store can keep it. errors.Is(err, kind) tests its
// kind. The zero Failure is an OtherFailure without a text.
type Failure struct {
	Kind FailureKind
	Text string // printable text, usually cut after 500 bytes
}

// Error returns the Text.
func (f *Failure) Error() string { return f.Text }

// Unwrap returns the kind.
func (f *Failure) Unwrap() error { return f.Kind }

// FailureKind is the kind of a Failure. It implements error, for errors.Is(err, kind). The zero FailureKind is
// OtherFailure.
type FailureKind uint8

const (
	// OtherFailure: none of the following kinds.
	OtherFailure FailureKind = iota
	// NameNotResolved: DNS has no address for the host (G-7).
	NameNotResolved
	// TimedOut: the requests took longer than Fetcher.Timeout (G-7).
	TimedOut
	// NotConnected: no connection could be made, or it was reset (G-7).
	NotConnected
	// TLSFailed: the certificate is not valid, or the handshake failed.
	TLSFailed
	// NoRobotsTxt: the response cannot be a robots.txt.
	NoRobotsTxt
	// AddressRefused: the address is not public, so no request was sent to it. See Fetcher.AllowPrivate.
	AddressRefused
	// HostBusy: the request waited too long for other requests of this Fetcher, so it was not sent. See
	// Fetcher.MaxPerHost and MaxInFlight.
	HostBusy
	// LocalFailure: our own machine or proxy failed, for example without a route. A failed DNS lookup is also a
	// LocalFailure if the resolver has answered nothing for 10 seconds.
	LocalFailure
	// PortRefused: the port belongs to another service, such as mail, so no request was sent to it.
	PortRefused
	// HostRefused: Fetcher.Hosts does not allow the host, so no request was sent to it.
	HostRefused
)

var failureKinds = [...]string{
	"other", "name-not-resolved", "timed-out", "not-connected", "tls-failed", "no-robots-txt",
	"address-refused", "host-busy", "local-failure", "port-refused",
	"host-refused",
}

// String returns the kind as one word.
func (k FailureKind) String() string {
	return printable.Name(failureKinds[:], k, failureKinds[OtherFailure])
}

// Error returns what String returns.
func (k FailureKind) Error() string { return k.String() }

// MarshalText returns what String returns.
func (k FailureKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a word that String returns. Any other text means OtherFailure.
func (k *FailureKind) UnmarshalText(text []byte) error {
	*k = FailureKind(max(0, slices.Index(failureKinds[:], string(text))))
	return nil
}

// Ours reports whether the cause is on our side. Then the failure says nothing about the origin.
func (k FailureKind) Ours() bool {
	return k.Refused() || k == HostBusy || k == LocalFailure
}

// Refused reports whether the address, the port or the host is not allowed. A later retrieval would fail too.
func (k FailureKind) Refused() bool {
	return k == AddressRefused || k == PortRefused || k == HostRefused
}

// maxFailureText limits the bytes of Failure.Text: a server can choose a part of the text.
const maxFailureText = 500

// NewFailure returns a Failure with the printable text of an error, at most 500 bytes. If err wraps a Failure, the new
// Failure has the same kind. If err is nil, NewFailure returns nil.
func NewFailure(err error) *Failure {
	if err == nil {
		return nil
	}
	kind := kindOf(err)
	if failure, ok := errors.AsType[*Failure](err); ok {
		kind = failure.Kind
	}
	text := printable.Text(textOf(err))
	if len(text) > maxFailureText {
		text = strings.ToValidUTF8(text[:maxFailureText], "") + "…"
	}
	return &Failure{kind, strings.Clone(text)}
}

// textOf returns the text of an error, without the address of our resolver and without "dial tcp".
func textOf(err error) string {
	text := err.Error()
	var dial *net.OpError
	for errors.As(err, &dial) && dial.Op != "dial" {
		err = dial.Err
	}
	if dial == nil || dial.Op != "dial" {
		return text
	}
	var lookup *net.DNSError
	var call *os.SyscallError
	plain := dial.Err.Error()
	switch {
	case errors.As(dial.Err, &lookup):
		plain = fmt.Sprintf("DNS lookup of %s: %s", lookup.Name, lookup.Err)
	case errors.As(dial.Err, &call):
		plain = call.Err.Error()
	}
	if dial.Addr != nil && !is[*guard.PrivateError](dial.Err) { // the text of a PrivateError contains the address already
		plain = dial.Addr.String() + ": " + plain
	}
	return strings.Replace(text, dial.Error(), plain, 1)
}

func kindOf(err error) FailureKind {
	switch {
	case is[*guard.PrivateError](err):
		return AddressRefused
	case is[*proxyError](err): // must come before TimedOut: a proxy that is too slow has failed
		return LocalFailure
	case is[*timeoutError](err):
		return TimedOut
	case isLocal(err):
		return LocalFailure
	case is[*net.DNSError](err):
		return NameNotResolved
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return TimedOut
	case is[*tls.CertificateVerificationError](err), is[tls.RecordHeaderError](err), is[tls.AlertError](err):
		return TLSFailed
	case is[*net.OpError](err):
		return NotConnected
	}
	return OtherFailure
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func noRobotsTxt(format string, a ...any) *Failure {
	return &Failure{NoRobotsTxt, fmt.Sprintf(format, a...)}
}
