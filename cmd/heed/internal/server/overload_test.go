package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
)

// limited starts a daemon with other limits.
func limited(t *testing.T, change func(*gate.Limits)) (url string) {
	l := gate.DefaultLimits
	change(&l)
	return start(t, &Server{Gate: gate.Gate{Limits: &l}})
}

func dial(t *testing.T, url string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c.(*net.TCPConn)
}

// Beyond the limit of requests in work, there is 503 at once; routes that are open are answered.
func TestRequestsInWork(t *testing.T) {
	entered, goOn := make(chan struct{}), make(chan struct{})
	withRoute(t, route{"GET /open", gate.Open, ok})
	withRoute(t, route{"GET /wait", gate.Asks, func(_ *Server, w http.ResponseWriter, r *http.Request) error {
		entered <- struct{}{}
		<-goOn
		return ok(nil, w, r)
	}})
	daemon := limited(t, func(l *gate.Limits) { l.Requests = 3 })
	statuses := make(chan int)
	for range 3 {
		go func() {
			status, _ := get(t, daemon, "/wait")
			statuses <- status
		}()
		<-entered
	}
	for range 20 {
		if status, h := get(t, daemon, question); status != 503 || h.Get("Retry-After") != "1" {
			t.Fatalf("status %d, Retry-After %q", status, h.Get("Retry-After"))
		}
	}
	if status, _ := get(t, daemon, "/open"); status != 200 {
		t.Errorf("an open route: %d", status)
	}
	close(goOn)
	for range 3 {
		if status := <-statuses; status != 200 {
			t.Errorf("a request in work: %d", status)
		}
	}
	if status, _ := get(t, daemon, question); status != 200 {
		t.Errorf("afterwards: %d", status)
	}
}

// Headers, URLs and bodies have a limit of size.
func TestSizes(t *testing.T) {
	withRoute(t, route{"POST /read", gate.Asks, func(_ *Server, w http.ResponseWriter, r *http.Request) error {
		var into struct {
			Robots string `json:"robots"`
		}
		if err := message.ReadBody(r, &into); err != nil {
			return err
		}
		return ok(nil, w, r)
	}})
	daemon := limited(t, func(l *gate.Limits) { l.Body = 1000 })
	body := func(n int) string { return `{"robots":"` + strings.Repeat("x", n-13) + `"}` }
	for request, want := range map[string]int{
		"GET " + question + strings.Repeat("x", 16<<10-len(question)) + " HTTP/1.1\r\nHost: a\r\n\r\n":                        200,
		"GET " + question + strings.Repeat("x", 16<<10-len(question)+1) + " HTTP/1.1\r\nHost: a\r\n\r\n":                      414,
		"GET " + question + " HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 30<<10) + "\r\n\r\n":                          200,
		"GET " + question + " HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n":                          431,
		"GET " + question + " HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X: x\r\n", 8<<10) + "\r\n":                           431,
		"GET " + strings.Repeat("/", 40<<10) + " HTTP/1.1\r\nHost: a\r\n\r\n":                                                 431,
		"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + body(1000):                                         200,
		"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n" + body(1001):                                         413,
		"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000000000000000\r\n\r\n":                                       413,
		"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n":                                                        400,
		"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n\"x\"":                               400,
		"POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n" + body(1000) + "\r\n0\r\n\r\n":          200,
		"POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + body(1001) + "\r\n0\r\n\r\n":          413,
		"POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n3e8\r\n" + body(1000) + "\r\n0\r\n\r\n":         501,
		"POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n3e8\r\n0\r\n\r\n": 501,
	} {
		if status, _ := raw(t, daemon, request); status != want {
			t.Errorf("%.60q, %d bytes: %d, want %d", request, len(request), status, want)
		}
	}
}

// A request with two lengths cannot smuggle a second request past a proxy: the connection ends
// after the first.
func TestTwoLengths(t *testing.T) {
	c := dial(t, limited(t, func(l *gate.Limits) {}))
	io.WriteString(c, "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
	all, _ := io.ReadAll(c)
	if strings.Count(string(all), "HTTP/1.1 ") != 1 {
		t.Errorf("%d answers", strings.Count(string(all), "HTTP/1.1 "))
	}
}

// Clients that send headers or bodies slowly, or nothing at all, lose the connection.
func TestSlowSenders(t *testing.T) {
	withRoute(t, route{"POST /read", gate.Asks, func(_ *Server, w http.ResponseWriter, r *http.Request) error {
		io.Copy(io.Discard, r.Body)
		return ok(nil, w, r)
	}})
	daemon := limited(t, func(l *gate.Limits) {
		l.HeaderTime, l.BodyTime, l.IdleTime = 300*time.Millisecond, 300*time.Millisecond, 300*time.Millisecond
	})
	for name, begin := range map[string]string{
		"nothing":     "",
		"headers":     "GET / HTTP/1.1\r\nHost: a\r\n",
		"body":        "POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
		"chunks":      "POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
		"unread body": "POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
		"second":      "GET " + question + " HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, began := dial(t, daemon), time.Now()
			io.WriteString(c, begin)
			ended := make(chan struct{})
			go func() { io.Copy(io.Discard, c); close(ended) }()
			send := "X"
			if name == "chunks" {
				send = "1\r\nX\r\n"
			}
			for { // one byte now and then
				select {
				case <-ended:
					if d := time.Since(began); d > 5*time.Second {
						t.Errorf("the connection lasted %s", d)
					}
					return
				case <-time.After(100 * time.Millisecond):
					if name != "second" && name != "nothing" {
						io.WriteString(c, send)
					}
				}
			}
		})
	}
}

// A client that gets an answer before it has sent its whole body gets the answer at once. The connection is closed soon, so that it does
// not delay the end of the server.
func TestUnreadBodies(t *testing.T) {
	local := limited(t, func(*gate.Limits) {})
	named := start(t, &Server{Gate: gate.Gate{Loopback: true}})
	for _, c := range []struct {
		daemon, begin, chunks string
		status                int
	}{
		{local, "POST /v1/check?dialect=nope", "", 400},
		{local, "POST /v1/check?dialect=nope", "2\r\n{}\r\n", 400},
		{local, "POST /nothing", "", 404},
		{local, "POST /" + strings.Repeat("x", 8<<10), "", 404},
		{local, "POST /v1/crawlers", "", 405},
		{named, "POST /v1/check", "2\r\n{}\r\n", 421},
		{local, "GET /healthz", "", 200},
		{local, "GET /v1/openapi.json", "2\r\n{}\r\n", 200},
	} {
		t.Run(fmt.Sprintf("%.30s %d", c.begin, len(c.chunks)), func(t *testing.T) {
			t.Parallel()
			conn, began := dial(t, c.daemon), time.Now()
			body := "Content-Length: 100000\r\n\r\n{"
			if c.chunks != "" {
				body = "Transfer-Encoding: chunked\r\n\r\n" + c.chunks
			}
			io.WriteString(conn, c.begin+" HTTP/1.1\r\nHost: a\r\n"+body)
			r, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || r.StatusCode != c.status || !r.Close || time.Since(began) > 5*time.Second {
				t.Fatalf("after %s: %v, %v", time.Since(began), r, err)
			}
			io.Copy(io.Discard, r.Body)
			if io.Copy(io.Discard, conn); time.Since(began) > 8*time.Second {
				t.Errorf("the connection lasted %s", time.Since(began))
			}
		})
	}
}

// A slow handler is not ended by the deadline of a body that was read to its end.
func TestBodyDeadlineEnds(t *testing.T) {
	withRoute(t, route{"POST /slow", gate.Asks, func(_ *Server, w http.ResponseWriter, r *http.Request) error {
		io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
			return fmt.Errorf("ended: %w", r.Context().Err())
		case <-time.After(2500 * time.Millisecond):
			return ok(nil, w, r)
		}
	}})
	daemon := limited(t, func(l *gate.Limits) { l.BodyTime = 2 * time.Second })
	if status, _ := raw(t, daemon, "POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"); status != 200 {
		t.Errorf("status %d", status)
	}
}

// withStream replaces the stream of questions with one that writes a line for each that it reads.
func withStream(t *testing.T, write int) {
	before := routes
	routes = nil
	for _, r := range before {
		if r.pattern != streamPattern {
			routes = append(routes, r)
		}
	}
	t.Cleanup(func() { routes = before })
	routes = append(routes, route{streamPattern, gate.Asks, func(_ *Server, w http.ResponseWriter, r *http.Request) error {
		c := http.NewResponseController(w)
		c.EnableFullDuplex()
		lines, answer := bufio.NewScanner(r.Body), row(write)
		for lines.Scan() {
			if io.WriteString(w, answer); c.Flush() != nil {
				return nil
			}
		}
		return nil
	}})
}

// row returns an answer of a stream that is n bytes long.
func row(n int) string {
	const begin, end = `{"allowed":false,"reason":"rule","decision":"a.1","url":"/`, "\"}\n"
	return begin + strings.Repeat("x", max(0, n-len(begin)-len(end))) + end
}

// A client that does not read its answers loses the connection, and its request ends. One that
// reads slowly does not.
func TestSlowReaders(t *testing.T) {
	const answer = 64 << 10
	withStream(t, answer)
	daemon := limited(t, func(l *gate.Limits) { l.WriteTime, l.WritePiece = 2*time.Second, 16<<10 })
	for name, c := range map[string]struct {
		pause     time.Duration
		questions int
	}{"nothing": {0, 4000}, "slow": {20 * time.Millisecond, 400}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, daemon)
			io.WriteString(conn, "POST /v1/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
			written := make(chan int)
			go func() {
				n := 0
				for range c.questions {
					if _, err := io.WriteString(conn, "2\r\nx\n\r\n"); err != nil {
						break
					}
					n++
					time.Sleep(5 * time.Millisecond)
				}
				io.WriteString(conn, "0\r\n\r\n")
				written <- n
			}()
			read, buffer := 0, make([]byte, 128<<10)
			if c.pause > 0 {
				for {
					n, err := conn.Read(buffer)
					read += n
					if err != nil || strings.HasSuffix(string(buffer[:n]), "\r\n0\r\n\r\n") {
						break
					}
					time.Sleep(c.pause)
				}
				if read < c.questions*answer {
					t.Errorf("%d bytes arrived, want %d", read, c.questions*answer)
				}
				<-written
				return
			}
			if n := <-written; n == c.questions {
				t.Error("the connection was not closed")
			}
		})
	}
}

// Beyond the limit of connections, a new one gets 503 at once. Those that end make room.
func TestConnections(t *testing.T) {
	daemon := limited(t, func(l *gate.Limits) { l.Connections = 50 })
	var idle []*net.TCPConn
	for range 50 {
		c := dial(t, daemon)
		io.WriteString(c, "GET "+question+" HTTP/1.1\r\nHost: a\r\n\r\n")
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || r.StatusCode != 200 {
			t.Fatal(r, err)
		}
		idle = append(idle, c)
	}
	goroutines := runtime.NumGoroutine()
	for range 200 {
		r, err := http.ReadResponse(bufio.NewReader(dial(t, daemon)), nil)
		if err != nil || r.StatusCode != 503 || r.Header.Get("Retry-After") != "1" || !r.Close {
			t.Fatal(r, err)
		}
	}
	if n := runtime.NumGoroutine(); n > goroutines+20 {
		t.Errorf("%d goroutines, before %d", n, goroutines)
	}
	for _, c := range idle[:10] {
		c.Close()
	}
	var status int
	for deadline := time.Now().Add(5 * time.Second); status != 200 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
		status, _ = get(t, daemon, question)
	}
	if status != 200 {
		t.Errorf("after some ended: %d", status)
	}
}
