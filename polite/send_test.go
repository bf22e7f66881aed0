package polite

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/dropper"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// TestMain makes the tests trust the certificate of their servers.
func TestMain(m *testing.M) {
	remove := dropper.Trust()
	status := m.Run()
	remove()
	os.Exit(status)
}

// bases are values for Transport.Base.
func bases() map[string]http.RoundTripper {
	return map[string]http.RoundTripper{
		"the default":                  nil,
		"the zero one":                 &http.Transport{},
		"one that keeps no connection": &http.Transport{DisableKeepAlives: true},
	}
}

// Whatever way a server drops a request, the request is sent at most maxSent times, with
// each Base.
func TestDroppedRequestIsSentFewTimes(t *testing.T) {
	portion.Skip(t, 4)
	for name, start := range dropper.All {
		t.Run(name, func(t *testing.T) {
			for by, base := range bases() {
				t.Run(by, func(t *testing.T) {
					t.Parallel() // after some drops, the client waits before it sends again
					server := start(t)
					rt, _ := transport("user-agent: *\n")
					rt.Base = base
					ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
					defer cancel()
					request, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/page", nil)
					if err != nil {
						t.Fatal(err)
					}
					if response, err := rt.RoundTrip(request); err == nil {
						response.Body.Close()
						t.Errorf("no error")
					} else if errors.Is(err, context.DeadlineExceeded) {
						t.Error(err)
					}
					if n := server.Requests(); n < 1 || n > maxSent {
						t.Errorf("%d requests", n)
					}
				})
			}
		})
	}
}

// Connections are used again, over HTTP/1.1 and HTTP/2, and CloseIdleConnections closes
// them.
func TestConnectionsAreKept(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		var opened, closed atomic.Int32
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if (r.ProtoMajor == 2) != http2 {
				t.Errorf("over %s", r.Proto)
			}
			io.WriteString(w, "page")
		}))
		server.EnableHTTP2 = http2
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				opened.Add(1)
			case http.StateClosed:
				closed.Add(1)
			}
		}
		server.StartTLS()
		defer server.Close()
		rt, _ := transport("user-agent: *\n")
		rt.Base = nil
		for range 5 {
			if err := get(rt, server.URL+"/page"); err != nil {
				t.Error(err)
			}
		}
		if n := opened.Load(); n != 1 {
			t.Errorf("%d connections", n)
		}
		for range 500 {
			rt.CloseIdleConnections() // again: a connection may become idle after its body was read
			if closed.Load() == 1 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if closed.Load() != 1 {
			t.Error("an idle connection is open")
		}
	}
}

// The context of a request ends when the body is closed, and after an error. The response
// has the caller's request, not the copy that was sent.
func TestContextOfSentRequestEnds(t *testing.T) {
	var sent *http.Request
	rt, _ := transport("user-agent: *\n")
	rt.Base = roundTripper(func(r *http.Request) (*http.Response, error) {
		if sent = r; r.URL.Path == "/broken" {
			return nil, io.ErrUnexpectedEOF
		}
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("page")), Request: r}, nil
	})
	request, err := http.NewRequest("GET", "http://a.example/page", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("User-Agent", userAgent)
	response, err := rt.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	of := response.Request
	if err := sent.Context().Err(); err != nil || of.URL != request.URL || of.Method != request.Method {
		t.Errorf("context: %v; the response has the request %v, want %v", err, of, request)
	}
	response.Body.Close()
	if err := of.Context().Err(); err != nil {
		t.Errorf("the context of the request that a program sees has ended: %v", err)
	}
	if sent.Context().Err() == nil {
		t.Error("the context has not ended after the body was closed")
	}
	if err := get(rt, "http://a.example/broken"); !errors.Is(err, io.ErrUnexpectedEOF) || sent.Context().Err() == nil {
		t.Errorf("after an error: %v, %v", err, sent.Context().Err())
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A connection that goes on with another protocol can be written to.
func TestUpgrade(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		io.CopyN(c, c, 4)
	}))
	defer server.Close()
	rt, _ := transport("user-agent: *\n")
	rt.Base = nil
	request, err := http.NewRequest("GET", server.URL+"/page", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"User-Agent": {userAgent}, "Connection": {"Upgrade"}, "Upgrade": {"echo"}}
	response, err := rt.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	both, ok := response.Body.(io.ReadWriteCloser)
	if !ok {
		t.Fatal("the connection cannot be written to")
	}
	if _, err := io.WriteString(both, "ping"); err != nil {
		t.Error(err)
	}
	if echo, err := io.ReadAll(both); string(echo) != "ping" {
		t.Errorf("%q, %v", echo, err)
	}
}
