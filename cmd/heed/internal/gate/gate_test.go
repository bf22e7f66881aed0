package gate

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heed-robots/heed/origin"
)

// Work that waits in vain gets 503 after a while; one whose client goes waits no longer; work that
// takes too long is ended.
func TestSlotQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots()
		s.Count = 1
		who, _ := ClientIn(t.Context())
		if err := s.Take(t.Context(), who); err != nil {
			t.Fatal(err)
		}
		never := func(context.Context) (any, error) { panic("it ran") }
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := s.Json(ctx, never); err != ErrGone {
			t.Error(err)
		}
		if _, err := s.Json(t.Context(), never); err != ErrBusy {
			t.Error(err)
		}
		s.Leave(who)
		if len(s.Waiters)+len(s.running)+len(s.lastGrants)+s.Taken != 0 {
			t.Errorf("%+v", s)
		}
		if got, err := s.Json(t.Context(), func(context.Context) (any, error) { return 1, nil }); err != nil || fmt.Sprint(string(got)) != "1" {
			t.Error(string(got), err)
		}
		began := time.Now()
		if _, err := s.Json(t.Context(), func(ctx context.Context) (any, error) { <-ctx.Done(); return 1, nil }); err != errLong || time.Since(began) != slotTime {
			t.Error(err, time.Since(began))
		}
	})
}

// asClient returns a context of a request of a client.
func asClient(t *testing.T, address string) context.Context {
	return context.WithValue(t.Context(), peerKey{}, netip.MustParseAddr(address))
}

// A client that keeps 20 works waiting, from several addresses of its network, does not deny
// anything to another: that waits for the work that runs, and no other.
func TestSlotsAreFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots()
		s.Count = 1
		second := func(context.Context) (any, error) { time.Sleep(time.Second); return 1, nil }
		stop := make(chan struct{})
		greedy := asClient(t, "2001:db8::1")
		var running sync.WaitGroup
		for range 20 {
			running.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						s.Json(greedy, second)
					}
				}
			})
		}
		synctest.Wait()
		for i := range 30 {
			began := time.Now()
			other := asClient(t, []string{"2001:db8:1::1", "192.0.2.1"}[i%2])
			if _, err := s.Json(other, second); err != nil || time.Since(began) > 2*time.Second {
				t.Errorf("answer %d: %v after %v", i, err, time.Since(began))
			}
		}
		who, _ := ClientIn(asClient(t, "2001:db8::2")) // of the network of the greedy one
		s.Mu.Lock()
		if s.running[who] != 1 {
			t.Errorf("another address of the network is another client: %v", s.running)
		}
		s.Mu.Unlock()
		close(stop)
		running.Wait()
	})
}

// However much a client has in the queue, there is room for others.
func TestSlotQueueShares(t *testing.T) {
	s := newSlots()
	s.Count = 0
	for i, want := range []int{32, 16, 8, 4} {
		who, _ := ClientIn(asClient(t, fmt.Sprintf("192.0.2.%d", i+1)))
		got := 0
		for ; ; got++ {
			if _, err := s.enter(who); err != nil {
				break
			}
		}
		if got != want {
			t.Errorf("client %d: %d waiters, want %d", i, got, want)
		}
	}
}

// A client may hold as much as is free: there is some for others, and all is given back.
func TestMemoryShares(t *testing.T) {
	m := NewMemory(64)
	var all []*HeldBytes
	for i, want := range []int64{32, 16, 8, 4} {
		who, _ := ClientIn(asClient(t, fmt.Sprintf("192.0.2.%d", i+1)))
		for range 2 { // two requests of one client share what it may hold
			h := &HeldBytes{Of: m, who: who}
			all = append(all, h)
			for h.Take(1) == nil {
			}
		}
		if m.clients[who] != want {
			t.Errorf("client %d holds %d, want %d", i, m.clients[who], want)
		}
	}
	for _, h := range all {
		h.End()
		if err := h.Take(1); err != errMemory {
			t.Errorf("after its end a request takes memory: %v", err)
		}
	}
	if m.Taken != 0 || len(m.clients) != 0 {
		t.Errorf("%d bytes are not given back: %v", m.Taken, m.clients)
	}
}

// The client of a forwarded request is the last address that is not of a trusted proxy. What the
// client itself sent changes nothing.
func TestForwardedFor(t *testing.T) {
	s := &Gate{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48")}}
	for _, c := range []struct {
		xff, forwarded []string
		want           string
	}{
		{nil, nil, "10.0.0.1"},
		{[]string{"192.0.2.7"}, nil, "192.0.2.7"},
		{[]string{"192.0.2.7:4711"}, nil, "192.0.2.7"},
		{[]string{"203.0.113.9, 192.0.2.7"}, nil, "192.0.2.7"},                          // the first is invented
		{[]string{"203.0.113.9", "192.0.2.7"}, nil, "192.0.2.7"},                        // in two headers
		{[]string{"203.0.113.9,192.0.2.7 , 10.1.2.3"}, nil, "192.0.2.7"},                // two proxies
		{[]string{"192.0.2.7, 2001:db8:1::5"}, nil, "192.0.2.7"},                        //
		{[]string{"127.0.0.1, 192.0.2.7, 10.1.2.3", "10.9.9.9"}, nil, "192.0.2.7"},      //
		{[]string{"10.5.5.5, 10.6.6.6"}, nil, "10.5.5.5"},                               // all are proxies
		{[]string{"192.0.2.7, unknown"}, nil, "10.0.0.1"},                               // cannot be read
		{[]string{"192.0.2.7, unknown, 10.1.2.3"}, nil, "10.1.2.3"},                     // the proxy that added it
		{[]string{"192.0.2.7,"}, nil, "10.0.0.1"},                                       //
		{[]string{""}, nil, "10.0.0.1"},                                                 //
		{[]string{"1.2.3"}, nil, "10.0.0.1"},                                            //
		{[]string{"2001:db8:2::1"}, nil, "2001:db8:2::1"},                               //
		{[]string{"[2001:db8:2::1]:80"}, nil, "2001:db8:2::1"},                          //
		{[]string{"[2001:db8:2::1"}, nil, "10.0.0.1"},                                   //
		{[]string{"::ffff:192.0.2.7"}, nil, "192.0.2.7"},                                //
		{[]string{"::ffff:10.9.9.9"}, nil, "10.9.9.9"},                                  // a proxy
		{[]string{"fe80::1%eth0"}, nil, "fe80::1"},                                      //
		{nil, []string{"for=192.0.2.7"}, "192.0.2.7"},                                   //
		{nil, []string{`for=203.0.113.9, For="192.0.2.7:80";proto=https`}, "192.0.2.7"}, //
		{nil, []string{`proto=http;by=10.0.0.1; for="[2001:db8:2::1]:80"`}, "2001:db8:2::1"},
		{nil, []string{"for=192.0.2.7", "for=10.2.2.2;by=10.0.0.1"}, "192.0.2.7"},
		{nil, []string{"for=192.0.2.7, for=_hidden"}, "10.0.0.1"},
		{nil, []string{"proto=https"}, "10.0.0.1"},
		{[]string{"192.0.2.7"}, []string{"for=192.0.2.7"}, "192.0.2.7"},
		{[]string{"192.0.2.7"}, []string{"for=203.0.113.9"}, "10.0.0.1"}, // the client sent one of them
		{[]string{"203.0.113.9"}, []string{"for=192.0.2.7"}, "10.0.0.1"},
	} {
		got := s.forwardedFor(http.Header{"X-Forwarded-For": c.xff, "Forwarded": c.forwarded}, netip.MustParseAddr("10.0.0.1"))
		if got.String() != c.want {
			t.Errorf("%q, %q: %s, want %s", c.xff, c.forwarded, got, c.want)
		}
	}
	long := strings.Repeat("10.0.0.2,", 3000)
	if got := s.forwardedFor(http.Header{"X-Forwarded-For": {"192.0.2.7," + long + "10.0.0.2"}}, netip.MustParseAddr("10.0.0.1")); got.String() != "192.0.2.7" {
		t.Errorf("many proxies: %s", got)
	}
}

// A host is denied in every way that a URL can write it.
func TestHostPolicy(t *testing.T) {
	allow := []string{"good.example", "*.Good.example.", "192.0.2.7", "*.xn--bcher-kva.example"}
	deny := []string{"evil.example", "*.evil.example", "b\u00fccher.example", "192.0.2.1", "[2001:DB8::1]", "bad.good.example", "a_b.example"}
	both, err := HostPolicy(allow, deny)
	if err != nil {
		t.Fatal(err)
	}
	denying, err := HostPolicy(nil, deny)
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[string]string{ // whether both allows, and whether denying does
		"http://good.example/":                    "true true",
		"http://x.y.good.example/":                "true true",
		"http://bad.good.example/":                "false false",
		"http://x.bad.good.example/":              "true true",
		"http://notgood.example/":                 "false true",
		"http://good.example.evil.example/":       "false false",
		"http://192.0.2.7/":                       "true true",
		"http://[::ffff:192.0.2.7]/":              "true true",
		"http://other.example/":                   "false true",
		"http://example/":                         "false true",
		"http://www.b\u00fccher.example/":         "true true",
		"http://evil.example/":                    "false false",
		"HTTPS://EVIL.Example:8443/":              "false false",
		"ftp://evil.example./":                    "false false",
		"http://good.example@evil.example/":       "false false",
		"http://good.example:80@evil.example:81/": "false false",
		`http://evil.example\@good.example/`:      "false false",
		"http://evil.example#@good.example/":      "false false",
		"http://www.evil.example/":                "false false",
		"http://notevil.example/":                 "false true",
		"http://evil.example.other.example/":      "false true",
		"http://\uff45vil.example/":               "false false",
		"http://evil\u3002example/":               "false false",
		"http://B\u00dcCHER.example/":             "false false",
		"http://xn--bcher-kva.example/":           "false false",
		"http://A_B.example/":                     "false false",
		"http://192.0.2.1/":                       "false false",
		"http://[::ffff:192.0.2.1]/":              "false false",
		"http://[::ffff:c000:201]/":               "false false",
		"http://3221225985/":                      "error",
		"http://0xC0000201/":                      "error",
		"http://192.0.513/":                       "error",
		"http://0300.0.2.1/":                      "error",
		"http://[2001:db8:0:0:0:0:0:1]/":          "false false",
		"http://[2001:db8::2]/":                   "false true",
	} {
		o, err := origin.Parse(u)
		if err != nil {
			if want != "error" {
				t.Errorf("%s: %v", u, err)
			}
			continue
		}
		if got := fmt.Sprint(both(o.Host()) == nil, denying(o.Host()) == nil); got != want {
			t.Errorf("%s: %s, want %s", u, got, want)
		}
	}
	for _, wrong := range []string{
		"", "*", "*.", "*.*.example", "a.*.example", "example.com:80", "example.com/x", "http://example.com", "user@example.com", "a b", "[::1",
		"*.192.0.2.1", "[::1]:80", "127.1", "*.0x7f.1", "example.com?x", "a..b",
	} {
		if _, err := HostPolicy([]string{wrong}, nil); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
	if none, err := HostPolicy(nil, nil); none != nil || err != nil {
		t.Error("no lists are a policy")
	}
}

// One client has a limit of its own, with all addresses of its network, except this machine and
// trusted proxies.
func TestConnectionsOfClient(t *testing.T) {
	l := DefaultLimits
	l.Connections, l.clientConnections = 100, 3
	addresses := &fakeListener{}
	listener := (&Gate{Limits: &l}).Limit(addresses)
	for i, c := range []struct {
		ip     string
		admits bool
	}{
		{"192.0.2.1", true}, {"192.0.2.1", true}, {"::ffff:192.0.2.1", true}, {"192.0.2.1", false}, {"192.0.2.2", true},
		{"2001:db8::1", true}, {"2001:db8::2", true}, {"2001:db8:0:0:ffff::", true}, {"2001:db8::4", false}, {"2001:db8:0:1::", true},
		{"127.0.0.1", true}, {"127.0.0.1", true}, {"127.0.0.1", true}, {"127.0.0.1", true}, {"::1", true}, {"::1", true}, {"::1", true}, {"::1", true},
	} {
		one := &fakeConn{ip: c.ip}
		addresses.next = []net.Conn{one}
		_, err := listener.Accept()
		if admits := err == nil; admits != c.admits || one.closed == admits {
			t.Errorf("%d, %s: admitted %t, closed %t", i, c.ip, admits, one.closed)
		}
	}
}

// fakeListener has connections from addresses that a test cannot have.
type fakeListener struct {
	net.Listener
	next []net.Conn
}

func (l *fakeListener) Accept() (net.Conn, error) {
	if len(l.next) == 0 {
		return nil, io.EOF
	}
	c := l.next[0]
	l.next = l.next[1:]
	return c, nil
}

type fakeConn struct {
	net.Conn
	ip     string
	closed bool
}

func (c *fakeConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(c.ip), Port: 1} }

func (c *fakeConn) SetWriteDeadline(time.Time) error { return nil }

func (c *fakeConn) Write(p []byte) (int, error) { return len(p), nil }

func (c *fakeConn) Close() error { c.closed = true; return nil }
