package server

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
)

// Each client has its own rate. A client that is no trusted proxy cannot choose who it is, and a
// network of IPv6 is one client.
func TestRate(t *testing.T) {
	direct := start(t, &Server{Gate: gate.Gate{Rate: 0.001}})
	proxied := start(t, &Server{Gate: gate.Gate{Rate: 0.001, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}})
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
	withRoute(t, route{"GET /open", gate.Open, ok})
	daemon := start(t, &Server{Gate: gate.Gate{Rate: 0.001}})
	for range 30 {
		if status, _ := get(t, daemon, "/open"); status != 200 {
			t.Fatalf("an open route: %d", status)
		}
	}
}

// Wrong tokens count, so that they cannot be guessed quickly.
func TestRateOfWrongTokens(t *testing.T) {
	daemon := start(t, &Server{Gate: gate.Gate{Rate: 0.001, Tokens: tokens(t, asking)}})
	for range 10 {
		get(t, daemon, question, "Authorization: Bearer wrong")
	}
	if status, _ := get(t, daemon, question, "Authorization: Bearer "+asking); status != 429 {
		t.Errorf("status %d", status)
	}
}
