package server

import (
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
)

// A page whose name gets the address of loopback (DNS rebinding) cannot ask: its name is in the
// Host header, however it is written.
func TestHostHeader(t *testing.T) {
	loopback := start(t, &Server{Gate: gate.Gate{Loopback: true, Names: []string{"heed.example"}}})
	named := start(t, &Server{Gate: gate.Gate{Names: []string{"heed.example"}}})
	open := start(t, &Server{})
	for host, want := range map[string]int{
		"127.0.0.1": 200, "127.0.0.1:8309": 200, "localhost": 200, "LOCALHOST.:1": 200, "[::1]": 200, "[::1]:8309": 200,
		"127.8.7.6": 200, "[::ffff:127.0.0.1]:80": 200, "heed.example": 200, "HEED.EXAMPLE:443": 200,
		"evil.example": 421, "evil.example:8309": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421,
		"evil.example:127.0.0.1": 421, "localhost:80:evil": 421, "192.0.2.1": 421, "[::2]": 421, "0.0.0.0": 421, "[::]": 421,
		"2130706433": 421, "127.1": 421, "x.heed.example": 421, "[localhost]": 421, "localhost..": 421,
	} {
		for daemon, want := range map[string]int{loopback: want, named: want, open: 200} {
			if status, _ := get(t, daemon, question, "Host: "+host); status != want {
				t.Errorf("%s: %d, want %d", host, status, want)
			}
		}
	}
	// Other headers that name a host do not count, and the host of the first line does.
	for request, want := range map[string]int{
		"GET " + question + " HTTP/1.0\r\n\r\n":                                                      200,
		"GET " + question + " HTTP/1.1\r\n\r\n":                                                      400,
		"GET " + question + " HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n":             400,
		"GET " + question + " HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\n\r\n": 421,
		"GET " + question + " HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Host: evil.example\r\n\r\n": 200,
		"GET http://evil.example" + question + " HTTP/1.1\r\nHost: localhost\r\n\r\n":                421,
		"GET http://localhost" + question + " HTTP/1.1\r\nHost: evil.example\r\n\r\n":                200,
		"GET " + question + " HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n":                     400,
		"GET " + question + " HTTP/1.1\r\nHost : localhost\r\n\r\n":                                  400,
		"GET " + question + " HTTP/1.1\r\n Host: localhost\r\n\r\n":                                  400,
		"GET " + question + " HTTP/1.1\r\nHost: user@localhost\r\n\r\n":                              400,
		"OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n\r\n":                                           421,
		"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n":                        421,
	} {
		if status, _ := raw(t, loopback, request); status != want {
			t.Errorf("%q: %d, want %d", request, status, want)
		}
	}
}
