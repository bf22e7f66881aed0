package soak

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// A crowd is many sites on one port of this machine: each has an address of its own in 127.0.0.0/8, so each
// is an origin of its own. Every tenth answers with status 503.
type crowd struct {
	port     int
	requests atomic.Int64
}

func newCrowd(t *testing.T) *crowd {
	l := listen(t, "0.0.0.0:0")
	t.Cleanup(func() { l.Close() })
	c := &crowd{port: l.Addr().(*net.TCPAddr).Port}
	go http.Serve(l, c)
	return c
}

// origin returns the i-th site, such as "http://127.1.0.7:40123".
func (c *crowd) origin(i int) string {
	return fmt.Sprintf("http://127.%d.%d.%d:%d", 1+i>>16, i>>8&255, i&255, c.port)
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.requests.Add(1)
	var high, middle, low int
	fmt.Sscanf(r.Host, "127.%d.%d.%d:", &high, &middle, &low)
	i := (high-1)<<16 | middle<<8 | low
	if fails(i) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	io.WriteString(w, rulesOf(i).text())
}

func fails(site int) bool { return site%10 == 9 }

// A group is rules for everyone.
type group []rule

type rule struct {
	allow   bool
	pattern string
}

// rulesOf returns the rules of the i-th site: always the same.
func rulesOf(i int) group {
	random := rand.New(rand.NewPCG(uint64(i), 9309))
	g := make(group, 5+random.IntN(30))
	for n := range g {
		pattern := randomPath(random.IntN, 3)
		switch random.IntN(5) {
		case 0:
			pattern = strings.Replace(pattern, "a", "*", 1)
		case 1:
			pattern += "$"
		}
		g[n] = rule{random.IntN(3) == 0, pattern}
	}
	return g
}

// randomPath returns a path with at most so many segments, which some rules match.
func randomPath(intN func(n int) int, segments int) (path string) {
	words := []string{"a", "ab", "cart", "search", "private", "x", "img"}
	for range 1 + intN(segments) {
		path += "/" + words[intN(len(words))]
	}
	return path
}

func (g group) text() string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, one := range g {
		key := "Disallow"
		if one.allow {
			key = "Allow"
		}
		fmt.Fprintf(&b, "%s: %s\n", key, one.pattern)
	}
	return b.String()
}

// allow decides as RFC 9309 says, slowly: of the rules that match, the longest, and of equal ones an Allow.
func (g group) allow(path string) (allowed bool) {
	best, allowed := -1, true
	for _, one := range g {
		if n := len(one.pattern); matches(one.pattern, path) && (n > best || n == best && one.allow) {
			best, allowed = n, one.allow
		}
	}
	return allowed
}

// matches tries every way to match a pattern.
func matches(pattern, path string) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return path == ""
	case pattern[0] == '*':
		return matches(pattern[1:], path) || path != "" && matches(pattern, path[1:])
	}
	return path != "" && path[0] == pattern[0] && matches(pattern[1:], path[1:])
}
