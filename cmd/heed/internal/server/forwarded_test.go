package server

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// The client of a forwarded request is the last address that is not of a trusted proxy. What the
// client itself sent changes nothing.
func TestForwardedFor(t *testing.T) {
	s := &Server{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48")}}
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

// Each client has its own rate. A client that is no trusted proxy cannot choose who it is, and a
// network of IPv6 is one client.
func TestRate(t *testing.T) {
	direct := start(t, &Server{Rate: 0.001})
	proxied := start(t, &Server{Rate: 0.001, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	answered := func(daemon string, header func(i int) string) (n int) {
		t.Helper()
		for i := range 30 {
			status, h := get(t, daemon, question, header(i))
			switch {
			case status == 200:
				n++
			case status != 429 || h.Get("Retry-After") != "1000" && h.Get("Retry-After") != "999":
				t.Fatalf("status %d, Retry-After %q", status, h.Get("Retry-After"))
			}
		}
		return n
	}
	for _, c := range []struct {
		daemon, header string
		want           int
	}{
		{direct, "X-Forwarded-For: 192.0.2.%d", 10},
		{direct, "Forwarded: for=192.0.2.%d", 0}, // the same client
		{proxied, "X-Forwarded-For: 192.0.2.%d", 30},
		{proxied, "X-Forwarded-For: 203.0.113.%d, 198.51.100.1", 10},
		{proxied, "X-Forwarded-For: 203.0.113.%d, 198.51.100.1, 127.0.0.9", 0},
		{proxied, "Forwarded: for=203.0.113.%d, for=198.51.100.1", 0},
		{proxied, `Forwarded: for="[2001:db8::%d]"`, 10},
		{proxied, "X-Forwarded-For: 2001:db8:0:%d::1", 30 - 1}, // the network 0 was used up by the line before
	} {
		if n := answered(c.daemon, func(i int) string { return fmt.Sprintf(c.header, i) }); n != c.want {
			t.Errorf("%s: %d requests answered, want %d", c.header, n, c.want)
		}
	}
	// Routes that are open have no rate.
	withRoute(t, route{"GET /open", open, ok})
	daemon := start(t, &Server{Rate: 0.001})
	for range 30 {
		if status, _ := get(t, daemon, "/open"); status != 200 {
			t.Fatalf("an open route: %d", status)
		}
	}
}

// Wrong tokens count, so that they cannot be guessed quickly.
func TestRateOfWrongTokens(t *testing.T) {
	daemon := start(t, &Server{Rate: 0.001, Tokens: tokens(t, asking)})
	for range 10 {
		get(t, daemon, question, "Authorization: Bearer wrong")
	}
	if status, _ := get(t, daemon, question, "Authorization: Bearer "+asking); status != 429 {
		t.Errorf("status %d", status)
	}
}
