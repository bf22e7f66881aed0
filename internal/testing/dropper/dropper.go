// Package dropper has https servers for tests. They drop every request without a response, so that many clients send
// the request again.
package dropper

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

type Server struct {
	URL      string
	Requests func() int
}

// The key says what the server does with a request.
var All = map[string]func(testing.TB) *Server{
	"nginx with return 444": nginx,
	"RST_STREAM(REFUSED_STREAM)": func(t testing.TB) *Server {
		return start(t, func(f *http2.Framer, stream uint32) error {
			return f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
		})
	},
	"RST_STREAM(REFUSED_STREAM), then closes": func(t testing.TB) *Server {
		return start(t, func(f *http2.Framer, stream uint32) error {
			f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
			return io.EOF
		})
	},
	"GOAWAY(NO_ERROR)": func(t testing.TB) *Server {
		return start(t, func(f *http2.Framer, _ uint32) error {
			f.WriteGoAway(0, http2.ErrCodeNo, nil)
			return io.EOF
		})
	},
	"closes the connection": func(t testing.TB) *Server {
		return start(t, func(*http2.Framer, uint32) error { return io.EOF })
	},
}

func certificate() tls.Certificate {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	return server.TLS.Certificates[0]
}

// Trust makes this process trust only the certificate of test servers. It must be called before the first TLS
// connection.
func Trust() (remove func()) {
	file, err := os.CreateTemp("", "roots")
	if err != nil {
		panic(err)
	}
	if err := pem.Encode(file, &pem.Block{Type: "CERTIFICATE", Bytes: certificate().Certificate[0]}); err != nil {
		panic(err)
	}
	file.Close()
	os.Setenv("SSL_CERT_FILE", file.Name())
	os.Setenv("SSL_CERT_DIR", os.DevNull)
	return func() { os.Remove(file.Name()) }
}

// The function drop is called for each request over HTTP/2. If it returns an error, the connection is closed.
func start(t testing.TB, drop func(f *http2.Framer, stream uint32) error) *Server {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{certificate()},
		NextProtos:   []string{"h2", "http/1.1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	var requests atomic.Int64
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c.(*tls.Conn), &requests, drop)
			}()
		}
	}()
	return &Server{
		URL:      "https://" + listener.Addr().String(),
		Requests: func() int { return int(requests.Load()) },
	}
}

func serve(c *tls.Conn, requests *atomic.Int64, drop func(*http2.Framer, uint32) error) {
	if c.Handshake() != nil {
		return
	}
	if c.ConnectionState().NegotiatedProtocol != "h2" {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			requests.Add(1)
		}
		return // with HTTP/1.1, there is no other way to drop a request
	}
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	f := http2.NewFramer(c, c)
	f.WriteSettings()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				f.WriteSettingsAck()
			}
		case *http2.HeadersFrame:
			requests.Add(1)
			if drop(f, frame.StreamID) != nil {
				return
			}
		}
	}
}

// Many sites drop the requests of robots with "return 444" of nginx. The tests need a real nginx.
func nginx(t testing.TB) *Server {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx" // often not in PATH
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("nginx is not installed")
		}
		t.Skip("nginx is not installed: apt-get install nginx-light")
	}
	dir, address := t.TempDir(), freeAddress(t)
	write(t, filepath.Join(dir, "cert.pem"), certificatePEM(t))
	write(t, filepath.Join(dir, "nginx.conf"), fmt.Appendf(nil, `
daemon off; master_process off; pid nginx.pid; error_log error.log;
events {}
http {
	access_log access.log;
	client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
	server {
		listen %s ssl http2;
		ssl_certificate cert.pem; ssl_certificate_key cert.pem;
		return 444;
	}
}
`, address))
	server := exec.Command(program, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"), "-e", "error.log")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	awaitListener(t, address, filepath.Join(dir, "error.log"))
	return &Server{URL: "https://" + address, Requests: func() int {
		log, err := os.ReadFile(filepath.Join(dir, "access.log"))
		if err != nil {
			t.Error(err)
		}
		return bytes.Count(log, []byte("GET /"))
	}}
}

func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func awaitListener(t testing.TB, address, log string) {
	t.Helper()
	for range 500 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	messages, _ := os.ReadFile(log)
	t.Fatalf("nginx does not listen: %s", messages)
}

func certificatePEM(t testing.TB) []byte {
	t.Helper()
	c := certificate()
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	both := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})
	return append(both, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
}

func write(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
