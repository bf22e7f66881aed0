package soak

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// A site is a server on an address of its own.
type site struct {
	name, origin string
	unavailable  bool // has no robots.txt: everything is allowed
	unreachable  bool // always fails: everything is disallowed
	requests     atomic.Int64
	close        func()
}

// mayAllow reports whether a path may be allowed at any time.
func (s *site) mayAllow(path string) bool {
	return s.unavailable || !s.unreachable && path != "/secret"
}

type sites []*site

func (all sites) close() {
	for _, s := range all {
		s.close()
	}
}

func (all sites) report(t *testing.T, maxRequests int64) {
	for _, s := range all {
		t.Logf("%-28s %d requests", s.name, s.requests.Load())
		if n := s.requests.Load(); n > maxRequests {
			t.Errorf("%s got %d requests, expected at most %d", s.name, n, maxRequests)
		}
	}
}

const rules = "User-agent: *\nDisallow: /secret\n"

func newSites(t *testing.T) sites {
	var all sites
	next := byte(1)
	address := func() string {
		next++
		return fmt.Sprintf("127.0.1.%d:0", next)
	}
	for i := range 12 {
		s := &site{name: fmt.Sprintf("fails sometimes %d", i)}
		all = append(all, s)
		s.serve(t, address(), func(w http.ResponseWriter, r *http.Request) { s.sometimes(w, r) })
	}
	for i := range failures {
		s := &site{name: fmt.Sprintf("fails always %d", i), unreachable: true}
		all = append(all, s)
		s.serve(t, address(), failures[i])
	}
	gone := &site{name: "no robots.txt", unavailable: true}
	gone.serve(t, address(), http.NotFound)
	all = append(all, gone)
	for _, stage := range []string{"greeting", "USER", "PASS", "TYPE", "EPSV", "RETR", "data"} {
		s := &site{name: "ftp, 550 to " + stage, unreachable: true}
		s.serveFTP(t, address(), stage)
		all = append(all, s)
	}
	for _, how := range []string{"REFUSED_STREAM", "GOAWAY", "hang up"} {
		s := &site{name: "http2, " + how, unreachable: true}
		s.refuse(t, address(), how)
		all = append(all, s)
	}
	return all
}

func listen(t *testing.T, address string) net.Listener {
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (s *site) serve(t *testing.T, address string, h http.HandlerFunc) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		h(w, r)
	}))
	server.Listener.Close()
	server.Listener = listen(t, address)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	s.origin = server.URL
	s.close = func() { server.CloseClientConnections(); server.Close() }
}

// sometimes answers with rules or with a failure, about half of the time each. It chooses
// anew every 1.5 seconds.
func (s *site) sometimes(w http.ResponseWriter, r *http.Request) {
	slice := time.Now().UnixMilli()/1500 + int64(len(s.name)*7) + int64(s.name[len(s.name)-1])
	i := int(uint64(slice*2654435761)>>7) % (2 * len(failures))
	if i < len(failures) {
		failures[i](w, r)
		return
	}
	w.Header().Set("Cache-Control", fmt.Sprintf("max-age=%d", rand.IntN(7200)))
	w.Header().Set("ETag", `"one"`)
	if r.Header.Get("If-None-Match") == `"one"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	io.WriteString(w, rules)
}

// failures are responses after which a site is unreachable.
var failures = []http.HandlerFunc{
	status(500, "<h1>Database file not found</h1>"),
	status(500, "Error 503: resource limit; backend not found"),
	status(503, "<title>404 page not found</title>"),
	status(429, "slow down"),
	status(206, "User-agent: other\nDisallow: /\n"),
	func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, // never responds
	func(w http.ResponseWriter, _ *http.Request) { // closes the connection
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			c.Close()
		}
	},
	func(w http.ResponseWriter, _ *http.Request) { // closes the connection in the middle of the body
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "User-agent: other\nDisallow: /\n")
	},
	func(w http.ResponseWriter, _ *http.Request) { // never ends
		w.Header().Set("Content-Encoding", "gzip")
		for member := packed(""); ; {
			if _, err := w.Write(member); err != nil {
				return
			}
		}
	},
	func(w http.ResponseWriter, _ *http.Request) { w.Write(packed(string(packed(rules)))) }, // without Content-Encoding
	func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Encoding"] = []string{"gzip", "gzip"}
		w.Write(packed(string(packed(rules))))
	},
	func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x01\x08\x06"))
	},
	func(w http.ResponseWriter, r *http.Request) { // redirects to a port where no server is
		w.Header().Set("Location", "http://127.0.1.1:1/robots.txt")
		w.WriteHeader(http.StatusFound)
	},
	func(w http.ResponseWriter, r *http.Request) { // has large headers
		for i := range 50 {
			w.Header().Set(fmt.Sprintf("X-%d", i), string(bytes.Repeat([]byte("x"), 1000)))
		}
		w.Header().Set("Etag", string(bytes.Repeat([]byte("e"), 8000)))
		w.WriteHeader(500)
	},
}

func status(code int, page string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		io.WriteString(w, page)
	}
}

func packed(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.Bytes()
}

// serveFTP starts an FTP server that replies 550 at some stage.
func (s *site) serveFTP(t *testing.T, address, stage string) {
	l := listen(t, address)
	s.origin = "ftp://" + l.Addr().String()
	s.close = func() { l.Close() }
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.requests.Add(1)
			go talk(c, stage)
		}
	}()
}

func talk(c net.Conn, stage string) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	in := textproto.NewReader(bufio.NewReader(c))
	var data net.Listener
	say := func(at, reply string) {
		if at == stage {
			reply = "550 Too many connections"
		}
		fmt.Fprintf(c, "%s\r\n", reply)
	}
	say("greeting", "220 hello")
	for {
		line, err := in.ReadLine()
		if err != nil {
			return
		}
		command := line[:min(4, len(line))]
		switch command {
		case "USER":
			say(command, "331 and?")
		case "PASS":
			say(command, "230 in")
		case "TYPE":
			say(command, "200 fine")
		case "EPSV":
			host, _, _ := net.SplitHostPort(c.LocalAddr().String())
			if data, err = net.Listen("tcp", host+":0"); err != nil {
				return
			}
			defer data.Close()
			say(command, fmt.Sprintf("229 at (|||%d|)", data.Addr().(*net.TCPAddr).Port))
		case "RETR":
			say(command, "150 here it comes")
			if stage != "data" || data == nil {
				continue
			}
			data.(*net.TCPListener).SetDeadline(time.Now().Add(time.Second))
			if d, err := data.Accept(); err == nil {
				io.WriteString(d, "User-agent: other\nDisallow: /\n")
				d.Close()
			}
			say("data", "226 done")
		case "QUIT":
			fmt.Fprintf(c, "221 bye\r\n")
			return
		default:
			fmt.Fprintf(c, "502 no\r\n")
		}
	}
}

// trusted is the certificate of httptest's servers. TestMain makes it a trusted one.
var trusted tls.Certificate

func TestMain(m *testing.M) {
	server := httptest.NewTLSServer(nil)
	trusted = server.TLS.Certificates[0]
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	server.Close()
	file, err := os.CreateTemp("", "roots")
	if err == nil {
		_, err = file.Write(text)
	}
	if err != nil {
		panic(err)
	}
	os.Setenv("SSL_CERT_FILE", file.Name())
	os.Setenv("SSL_CERT_DIR", os.DevNull)
	status := m.Run()
	os.Remove(file.Name())
	os.Exit(status)
}

// refuse starts a server of HTTP/2 and HTTP/1.1 that refuses every request.
func (s *site) refuse(t *testing.T, _, how string) {
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{trusted}, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	s.origin = "https://" + l.Addr().String()
	s.close = func() { l.Close() }
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.refuseOne(c.(*tls.Conn), how)
		}
	}()
}

func (s *site) refuseOne(c *tls.Conn, how string) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if c.Handshake() != nil {
		return
	}
	if c.ConnectionState().NegotiatedProtocol != "h2" {
		io.ReadAtLeast(c, make([]byte, 4096), 16)
		s.requests.Add(1)
		return
	}
	io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
	framer := http2.NewFramer(c, c)
	framer.WriteSettings()
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		headers, ok := frame.(*http2.HeadersFrame)
		if !ok {
			continue
		}
		s.requests.Add(1)
		switch how {
		case "REFUSED_STREAM":
			framer.WriteRSTStream(headers.StreamID, http2.ErrCodeRefusedStream)
		case "GOAWAY":
			framer.WriteGoAway(0, http2.ErrCodeNo, nil)
			return
		default:
			return
		}
	}
}
