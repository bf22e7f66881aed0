package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"time"

	"github.com/heed-robots/heed/internal/guard"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// G-7: a Failure has the right kind, keeps the text of the error, and wraps no other error.
func TestFailureKinds(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	plain := httptest.NewServer(nil)
	defer plain.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for url, want := range map[string]FailureKind{
		closed.URL: NotConnected,
		strings.Replace(plain.URL, "http:", "https:", 1): TLSFailed,
		"http://" + silent.Addr().String():               TimedOut,
		"https://" + silent.Addr().String():              TimedOut,
	} {
		r := get(t, &Fetcher{Timeout: 500 * time.Millisecond}, parse(t, url))
		if !errors.Is(r.Err, want) {
			t.Errorf("%s: %v, want %s", url, r.Err, want)
		}
		if _, ok := r.Err.(*Failure); !ok {
			t.Errorf("%s: the error is a %T", url, r.Err)
		}
	}
	for _, c := range []struct {
		err  error
		want FailureKind
	}{
		{errors.New("x"), OtherFailure},
		{&net.DNSError{IsNotFound: true}, NameNotResolved},
		{fmt.Errorf("body: %w", context.DeadlineExceeded), TimedOut},
		{tls.AlertError(40), TLSFailed},
		{busyFailure("a.example", "requests"), HostBusy},
		{&guard.PrivateError{}, AddressRefused},
		{fmt.Errorf("around: %w", noRobotsTxt("a picture")), NoRobotsTxt},
	} {
		f := NewFailure(c.err)
		if f.Kind != c.want || f.Text != c.err.Error() {
			t.Errorf("%v: %s, %q", c.err, f.Kind, f.Text)
		}
		text, _ := f.Kind.MarshalText()
		var back FailureKind
		if back.UnmarshalText(text); back != f.Kind {
			t.Errorf("UnmarshalText(%s): %s", text, back)
		}
	}
	if NewFailure(nil) != nil {
		t.Error("NewFailure(nil) is not nil")
	}
}

// The text of a failed connection has neither the address of our DNS resolver nor the names of system calls.
func TestFailureText(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	lookup := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "a.example", Server: "10.1.2.3:53", IsNotFound: true}}
	for want, err := range map[string]error{
		"192.0.2.1:80: connection refused":                          refused,
		"proxyconnect tcp: 192.0.2.1:80: connection refused":        &net.OpError{Op: "proxyconnect", Net: "tcp", Err: refused},
		"control connection: DNS lookup of a.example: no such host": fmt.Errorf("control connection: %w", lookup),
		"read tcp: connection reset by peer":                        &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET},
	} {
		if got := NewFailure(err).Text; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The text of an error is cut, so that no server chooses its length.
func TestFailureIsShort(t *testing.T) {
	f := NewFailure(errors.New(strings.Repeat("é", 100_000)))
	if len(f.Text) > 510 || !strings.HasSuffix(f.Text, "é…") {
		t.Errorf("%d bytes", len(f.Text))
	}
}
