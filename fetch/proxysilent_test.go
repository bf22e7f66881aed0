//go:build !windows && !plan9

package fetch

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// a proxy that takes a request of http and closes the connection without an answer
// has failed itself: of a site that is down it would say so. It must not become a site
// that fails for so long that everything is allowed.
func TestProxyWithoutAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		says  string
		waits bool // and then the time is over
		kind  FailureKind
	}{
		"nothing":       {"", false, LocalFailure},
		"a late answer": {"", true, TimedOut},
		"half a header": {"HTTP/1.1 200", false, OtherFailure}, // which the site may have sent
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
					conn.Read(make([]byte, 1)) // until it is closed
				}
				io.WriteString(conn, c.says)
				conn.Close()
			}
		}()
		f := through(t, "http://"+l.Addr().String())
		if c.waits {
			f.Timeout = time.Second
		}
		r := fetchGuarded(t, f, "http://a.example/")
		if !errors.Is(r.Err, c.kind) || r.Outcome(nil) != Unreachable {
			t.Errorf("%s: %v, %v, want %s", name, r.Err, errors.Unwrap(r.Err), c.kind)
		}
	}
}
