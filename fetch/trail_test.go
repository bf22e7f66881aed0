//go:build !windows && !plan9

package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/portion"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer starts a DNS server on this machine and returns a resolver that uses it. The
// first label of a name selects the answer; for "silent" there is none.
func nameServer(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		packet := make([]byte, 1<<16)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(packet[:n]) != nil {
				continue
			}
			if answer(&m) {
				reply, _ := m.Pack()
				conn.WriteTo(reply, from)
			}
		}
	}()
	return resolverAt(conn.LocalAddr().String())
}

func resolverAt(address string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", address)
	}}
}

func answer(m *dnsmessage.Message) bool {
	q := m.Questions[0]
	m.Additionals = nil
	m.Response, m.RecursionAvailable = true, true
	label, _, _ := strings.Cut(q.Name.String(), ".")
	switch label {
	case "silent":
		return false
	case "servfail":
		m.RCode = dnsmessage.RCodeServerFailure
	case "refused":
		m.RCode = dnsmessage.RCodeRefused
	case "here":
		if q.Type == dnsmessage.TypeA {
			header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}
			m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
		}
	case "both": // an IPv6 and an IPv4 address
		header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}
		switch q.Type {
		case dnsmessage.TypeA:
			m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
		case dnsmessage.TypeAAAA:
			m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: netip.MustParseAddr("::1").As16()}}}
		}
	default:
		m.RCode = dnsmessage.RCodeNameError
	}
	return true
}

func wantKind(t *testing.T, f *Fetcher, url string, want FailureKind) {
	t.Helper()
	r := get(t, f, parse(t, url))
	if !errors.Is(r.Err, want) {
		var failure *Failure
		errors.As(r.Err, &failure)
		t.Errorf("%s: %v (%v), want %s", url, r.Err, failure, want)
	}
}

// R-22, G-7: if the resolver answers that a name does not exist, or that its servers fail,
// it is a failure of the site. If the resolver refuses or is down, it is a local one.
func TestResolvers(t *testing.T) {
	closed, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	noRoute := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "udp", Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}
	}}
	works := nameServer(t)
	for _, c := range []struct {
		name     string
		resolver *net.Resolver
		host     string
		want     FailureKind
	}{
		{"no such name", works, "gone.test", NameNotResolved},
		{"the servers of the name fail", works, "servfail.test", NameNotResolved},
		{"it refuses to answer", works, "refused.test", LocalFailure},
		{"no server there", resolverAt(closed.LocalAddr().String()), "here.test", LocalFailure},
		{"no route to it", noRoute, "here.test", LocalFailure},
	} {
		for _, scheme := range []string{"http", "ftp"} {
			f := &Fetcher{AllowPrivate: true, Timeout: 20 * time.Second, lookup: c.resolver}
			t.Run(c.name+", "+scheme, func(t *testing.T) { wantKind(t, f, scheme+"://"+c.host+":2/", c.want) })
		}
	}
}

// R-22, G-7: a lookup without an answer is a failure of the site if the resolver answers
// other lookups, else a local failure.
func TestResolverThatTimesOut(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	for _, scheme := range []string{"http", "ftp"} {
		f := &Fetcher{AllowPrivate: true, lookup: nameServer(t)}
		f.Timeout = 400 * time.Millisecond
		wantKind(t, f, scheme+"://silent.test:2/", LocalFailure)
		f.Timeout = 20 * time.Second
		wantKind(t, f, scheme+"://here.test:2/", NotConnected)
		f.Timeout = 400 * time.Millisecond
		wantKind(t, f, scheme+"://silent.test:2/", TimedOut)
		before := time.Now().Add(-time.Minute)
		f.health.answered.Store(&before)
		wantKind(t, f, scheme+"://silent.test:2/", LocalFailure)
	}
	late := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "udp", Err: os.ErrDeadlineExceeded} // as after a timeout of the resolver
	}}
	f := &Fetcher{AllowPrivate: true, lookup: late}
	wantKind(t, f, "http://here.test:2/", LocalFailure)
	now := time.Now()
	f.health.answered.Store(&now)
	wantKind(t, f, "http://here.test:2/", NameNotResolved)
}

// failed lookups of the resolver of Fetcher.Transport.
func TestResolverOfAnotherTransport(t *testing.T) {
	t.Parallel()
	dialer := &net.Dialer{Resolver: nameServer(t)}
	f := &Fetcher{Transport: &http.Transport{DialContext: dialer.DialContext}}
	f.Timeout = 400 * time.Millisecond
	wantKind(t, f, "http://silent.test:2/", LocalFailure)
	f.Timeout = 20 * time.Second
	wantKind(t, f, "http://refused.test:2/", LocalFailure)
	wantKind(t, f, "http://gone.test:2/", NameNotResolved)
	f.Timeout = 400 * time.Millisecond
	wantKind(t, f, "http://silent.test:2/", TimedOut)
}

// it is a local failure if the proxy of Fetcher.Transport is down.
func TestProxyOfTransportIsDown(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	proxy, err := url.Parse(closed.URL)
	if err != nil {
		t.Fatal(err)
	}
	f := &Fetcher{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	wantKind(t, f, "http://a.example/", LocalFailure)
	wantKind(t, f, "https://a.example/", LocalFailure)
}

// errors of our own machine are local failures; others of the network are not.
func TestLocalErrors(t *testing.T) {
	for _, errno := range localErrors {
		err := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", errno)}
		for _, err := range []error{err, fmt.Errorf("around: %w", err), errors.Join(errors.New("x"), err)} {
			if f := NewFailure(err); f.Kind != LocalFailure {
				t.Errorf("%v: %s", err, f.Kind)
			}
		}
	}
	for _, errno := range []error{syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ETIMEDOUT, syscall.EPIPE} {
		if f := NewFailure(&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", errno)}); f.Kind.Ours() {
			t.Errorf("%v: %s", errno, f.Kind)
		}
	}
	if f := NewFailure(&tls.CertificateVerificationError{Err: x509.SystemRootsError{}}); f.Kind != LocalFailure {
		t.Errorf("no root certificates: %s", f.Kind)
	}
}

// if a connection to any address of a host failed because of the host, it is a failure
// of the site, whatever happened with the other addresses. Each redirect starts anew.
func TestOneAddressOfMany(t *testing.T) {
	works := nameServer(t)
	refuse := func(network string) *Fetcher {
		dialer := &net.Dialer{Resolver: works, ControlContext: func(_ context.Context, n, _ string, _ syscall.RawConn) error {
			if n == network || network == "" {
				return syscall.ENETUNREACH
			}
			return nil
		}}
		return &Fetcher{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	port := closed.Listener.Addr().(*net.TCPAddr).Port
	both := fmt.Sprintf("http://both.test:%d/", port)
	wantKind(t, refuse("tcp6"), both, NotConnected)
	wantKind(t, refuse("tcp4"), both, NotConnected)
	wantKind(t, refuse(""), both, LocalFailure)

	there := fmt.Sprintf("http://here.test:%d/robots.txt", port) // fails, after the redirect was received
	from := httptest.NewServer(http.RedirectHandler(there, http.StatusFound))
	defer from.Close()
	dialed := 0
	dialer := &net.Dialer{Resolver: works, ControlContext: func(context.Context, string, string, syscall.RawConn) error {
		if dialed++; dialed > 1 {
			return syscall.ENETUNREACH
		}
		return nil
	}}
	f := &Fetcher{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	wantKind(t, f, from.URL, LocalFailure)
}

// on a machine without root certificates, a certificate that cannot be checked is a
// local failure.
func TestNoRootCertificates(t *testing.T) {
	if os.Getenv("HEED_TEST_ROOTS") == "none" {
		os.Setenv("SSL_CERT_FILE", os.DevNull) // read when the first certificate is checked
		site := httptest.NewTLSServer(nil)
		defer site.Close()
		wantKind(t, &Fetcher{AllowPrivate: true}, site.URL, LocalFailure)
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestNoRootCertificates$", "-test.v")
	child.Env = append(os.Environ(), "HEED_TEST_ROOTS=none")
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
