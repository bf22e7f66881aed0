//go:build !windows && !plan9

package fetch

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// if a proxy closes the connection without a response over http, the proxy has failed.
// If only the site were down, the proxy would send a page about it. As a failure of the
// site, it would allow everything after 30 days.
func TestProxyWithoutResponse(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	for name, c := range map[string]struct {
		sends string
		waits bool // until the Timeout
		kind  FailureKind
	}{
		"nothing":         {"", false, LocalFailure},
		"a late response": {"", true, TimedOut},
		"half a header":   {"HTTP/1.1 200", false, OtherFailure}, // which may come from the site
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				conn.Read(make([]byte, 4096))
				if c.waits {
					conn.Read(make([]byte, 1)) // until the client closes it
				}
				io.WriteString(conn, c.sends)
				conn.Close()
			}
		}()
		f := fetcherThrough(t, "http://"+l.Addr().String())
		if c.waits {
			f.Timeout = time.Second
		}
		r := fetchGuarded(t, f, "http://a.example/")
		if !errors.Is(r.Err, c.kind) || r.Outcome(nil) != Unreachable {
			t.Errorf("%s: %v, %v, want %s", name, r.Err, errors.Unwrap(r.Err), c.kind)
		}
	}
}
