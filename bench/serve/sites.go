package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
)

// A crowdOfSites is many sites on one port of this machine: each has an address of its own in
// 127.0.0.0/8, so each is an origin of its own.
type crowdOfSites struct {
	port int
}

func newSites() (*crowdOfSites, error) {
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		return nil, err
	}
	c := &crowdOfSites{port: l.Addr().(*net.TCPAddr).Port}
	go http.Serve(l, c)
	return c, nil
}

// origin returns the i-th site, such as "http://127.1.0.7:40123".
func (c *crowdOfSites) origin(i int) string {
	return fmt.Sprintf("http://127.%d.%d.%d:%d", 1+i>>16, i>>8&255, i&255, c.port)
}

func (c *crowdOfSites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var a, b, d int
	fmt.Sscanf(r.Host, "127.%d.%d.%d:", &a, &b, &d)
	i := (a-1)<<16 | b<<8 | d
	io.WriteString(w, robotsOf(i).text())
}

// A robots is a robots.txt with rules for everyone.
type robots []rule

type rule struct {
	allow   bool
	pattern string
}

// robotsOf returns the robots.txt of the i-th site: always the same.
func robotsOf(i int) robots {
	random := rand.New(rand.NewPCG(uint64(i), 9309))
	r := make(robots, 5+random.IntN(30))
	for n := range r {
		r[n] = rule{random.IntN(3) == 0, patternOf(random)}
	}
	return r
}

var words = []string{"a", "ab", "cart", "search", "private", "x", "img"}

func patternOf(random *rand.Rand) string {
	p := ""
	for range 1 + random.IntN(3) {
		p += "/" + words[random.IntN(len(words))]
	}
	switch random.IntN(5) {
	case 0:
		p = strings.Replace(p, "a", "*", 1)
	case 1:
		p += "$"
	}
	return p
}

// pathOf returns a path of which some rules match.
func pathOf(random *rand.Rand) string {
	p := ""
	for range 1 + random.IntN(4) {
		p += "/" + words[random.IntN(len(words))]
	}
	return p
}

func (r robots) text() string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, one := range r {
		key := "Disallow"
		if one.allow {
			key = "Allow"
		}
		fmt.Fprintf(&b, "%s: %s\n", key, one.pattern)
	}
	return b.String()
}
