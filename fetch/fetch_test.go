package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/redirect"
	"github.com/heed-robots/heed/internal/testing/dropper"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// TestMain makes this process trust the certificate of httptest's servers. It is valid for
// 127.0.0.1 and example.com, but not for localhost.
func TestMain(m *testing.M) {
	remove := dropper.Trust()
	status := m.Run()
	remove()
	os.Exit(status)
}

// serveTLS starts a server of https and returns its origin.
func serveTLS(t *testing.T, h http.HandlerFunc) origin.Origin {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return parse(t, server.URL)
}

// G-1, R-12: https, and redirects from http to https. HTTP/1.1 is used even if the server
// offers HTTP/2.
func TestHTTPS(t *testing.T) {
	secure := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s# %s", someRules, r.Proto) })
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, secure.RobotsURL(), http.StatusPermanentRedirect)
	})
	for _, o := range []origin.Origin{secure, plain} {
		r := get(t, &Fetcher{}, o)
		if r.Outcome(nil) != Rules || string(r.Body) != someRules+"# HTTP/1.1" || r.Origin != o {
			t.Errorf("%s: %s, %q, %v", o, r.Outcome(nil), r.Body, r.Err)
		}
	}
}

// serve starts a server and returns its origin.
func serve(t *testing.T, h http.HandlerFunc) origin.Origin {
	t.Helper()
	return serveAt(t, "127.0.0.1:0", h)
}

func serveAt(t *testing.T, address string, h http.HandlerFunc) origin.Origin {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(h)
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	return parse(t, server.URL)
}

// serveRaw starts a server that sends the same bytes on every connection and then closes
// it.
func serveRaw(t *testing.T, response string) origin.Origin {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go serveEach(listener, func(c net.Conn) {
		c.Read(make([]byte, 4096))
		io.WriteString(c, response)
	})
	return parse(t, "http://"+listener.Addr().String())
}

// serveEach serves the connections of a listener, each in a goroutine of its own, until
// the listener is closed.
func serveEach(listener net.Listener, serve func(net.Conn)) {
	for {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			serve(c)
		}()
	}
}

func parse(t *testing.T, url string) origin.Origin {
	t.Helper()
	o, err := origin.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// get fetches with a Fetcher that may go to this machine.
func get(t *testing.T, f *Fetcher, o origin.Origin) Result {
	t.Helper()
	f.AllowPrivate = true
	r, err := f.Fetch(context.Background(), o, Validators{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const someRules = "user-agent: *\ndisallow: /x\n"

const allUnreachable = "unreachable unreachable unreachable unreachable unreachable"

// outcomes returns the Outcome of a result in each dialect, the oldest first.
func outcomes(r Result) string {
	var names []string
	for _, d := range robotstxt.Dialects() {
		names = append(names, r.Outcome(d).String())
	}
	return strings.Join(names, " ")
}

// S96-1, R-14, R-15, G-3, G-4, G-5: what each status means.
func TestStatuses(t *testing.T) {
	const (
		rules       = "rules rules rules rules rules"
		unavailable = "unavailable unavailable unavailable unavailable unavailable"
		unreachable = allUnreachable
		restricted  = "restricted restricted unavailable unavailable unavailable"
	)
	for status, want := range map[int]string{
		200: rules, 202: unreachable, 203: rules, 204: rules, 205: rules, 299: rules, 206: unreachable, 226: unreachable,
		401: restricted, 403: restricted,
		400: unavailable, 404: unavailable, 410: unavailable, 418: unavailable, 451: unavailable, 499: unavailable,
		429: unreachable,
		500: unreachable, 503: unreachable, 599: unreachable,
		300: unreachable, 304: unreachable, 306: unreachable, 600: unreachable, 999: unreachable,
	} {
		o := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		r := get(t, &Fetcher{}, o)
		if got := outcomes(r); got != want || r.Status != status {
			t.Errorf("%d: %s, want %s", status, got, want)
		}
	}
}

// A caller can change the meaning of each status.
func TestOtherStatuses(t *testing.T) {
	s := StatusesOf(robotstxt.RFC9309)
	s.Forbidden, s.Gone = Restricted, Rules
	for status, want := range map[int]Outcome{401: Unavailable, 403: Restricted, 404: Unavailable, 410: Rules, 503: Unreachable} {
		r := Result{Status: status}
		if got := r.OutcomeBy(s); got != want {
			t.Errorf("%d: %s, want %s", status, got, want)
		}
	}
	if (&Result{}).Outcome(nil) != Unreachable {
		t.Error("the zero Result is not unreachable")
	}
}

// R-12, S94-1, G-1: one GET of /robots.txt, with the UserAgent of the Fetcher. It is
// conditional only if the Validators belong to the same URL.
func TestRequest(t *testing.T) {
	var got []string
	o := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, fmt.Sprintf("%s %s %s %q", r.Method, r.URL, r.UserAgent(), r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since")))
		io.WriteString(w, someRules)
	})
	f := &Fetcher{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)", AllowPrivate: true}
	for _, v := range []Validators{
		{},
		{URL: o.RobotsURL(), ETag: `"1"`, LastModified: "then"},
		{URL: "https://elsewhere.example/robots.txt", ETag: `"1"`}, // of another URL
	} {
		if _, err := f.Fetch(context.Background(), o, v); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		`GET /robots.txt ExampleBot/1.0 (+https://example.com/bot) ""`,
		`GET /robots.txt ExampleBot/1.0 (+https://example.com/bot) "\"1\"then"`,
		`GET /robots.txt ExampleBot/1.0 (+https://example.com/bot) ""`,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// R-13, S96-1, G-3: how many redirects are followed, and the Outcome if there are more.
func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		count int
		want  string
	}{
		{0, "rules rules rules rules rules"},
		{5, "rules rules rules rules rules"},
		{6, "rules rules unavailable unavailable unavailable"},
		{10, "rules rules unavailable unavailable unavailable"},
		{11, "unreachable unreachable unavailable unavailable unavailable"},
		{1 << 30, "unreachable unreachable unavailable unavailable unavailable"}, // a loop
	} {
		requests := 0
		other := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) })
		o := serve(t, func(w http.ResponseWriter, r *http.Request) {
			requests++
			statuses := []int{301, 302, 303, 307, 308}
			switch {
			case c.count == 0:
				io.WriteString(w, someRules)
			case requests == c.count:
				http.Redirect(w, r, other.RobotsURL(), http.StatusMovedPermanently) // to another authority
			default:
				w.Header().Set("Location", "../robots.txt?"+strings.Repeat("x", requests%3))
				w.WriteHeader(statuses[requests%len(statuses)])
			}
		})
		r := get(t, &Fetcher{}, o)
		if got := outcomes(r); got != c.want {
			t.Errorf("%d redirects: %s, want %s", c.count, got, c.want)
		}
		if requests > 11 {
			t.Errorf("%d redirects: %d requests", c.count, requests)
		}
		if r.Origin != o || len(r.Hops) != min(c.count, 10)+1 {
			t.Errorf("%d redirects: %d hops for %s", c.count, len(r.Hops), r.Origin)
		}
	}
}

// A redirect to something else than a URL of http or https allows nothing.
func TestBrokenRedirects(t *testing.T) {
	for _, location := range []string{"", "ftp://example.com/robots.txt", "file:///etc/passwd", "javascript:x", "http://", "http:///x", "http://[::1", "%zz://x", "\x7f"} {
		o := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if location != "" {
				w.Header().Set("Location", location)
			}
			w.WriteHeader(302)
		})
		r := get(t, &Fetcher{}, o)
		if got := outcomes(r); strings.Contains(got, "unavailable") || strings.Contains(got, "rules") || r.Err == nil {
			t.Errorf("%q: %s, %v", location, got, r.Err)
		}
	}
}

// G-7, R-15: a failure of the network or of the server is never permission.
func TestFailures(t *testing.T) {
	portion.Skip(t, 4)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := parse(t, "http://"+listener.Addr().String())
	listener.Close()
	secure := serveTLS(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) })
	plain := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) })
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	for name, o := range map[string]origin.Origin{
		"refused":          closed,
		"no such host":     parse(t, "http://no-such-host.invalid"),
		"certificate":      parse(t, strings.Replace(secure.String(), "127.0.0.1", "localhost", 1)),
		"no TLS there":     parse(t, strings.Replace(plain.String(), "http:", "https:", 1)),
		"TLS there":        parse(t, strings.Replace(serveRaw(t, "\x15\x03\x01\x00\x02\x02\x46").String(), "http:", "https:", 1)),
		"nothing":          serveRaw(t, ""),
		"garbage":          serveRaw(t, "user-agent: *\r\n\r\n"),
		"short body":       serveRaw(t, head+"Content-Length: 1000\r\n\r\n"+someRules),
		"broken chunks":    serveRaw(t, head+"Transfer-Encoding: chunked\r\n\r\n5\r\nuser-\r\nzz\r\n"),
		"cut chunks":       serveRaw(t, head+"Transfer-Encoding: chunked\r\n\r\n5\r\nuser-"),
		"broken gzip":      serveRaw(t, head+"Content-Encoding: gzip\r\n\r\n"+someRules),
		"another encoding": serveRaw(t, head+"Content-Encoding: br\r\n\r\n"+someRules),
		"two lengths":      serveRaw(t, head+"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
		"NUL in header":    serveRaw(t, head+"X: \x00\r\n\r\n"),
		"100 MB header":    serveRaw(t, head+"X: "+strings.Repeat("x", 100<<20)),
	} {
		r := get(t, &Fetcher{Timeout: 10 * time.Second}, o)
		if got := outcomes(r); got != allUnreachable || r.Err == nil {
			t.Errorf("%s: %s, %v", name, got, r.Err)
		}
		if d := r.File(nil).Agent("a").Check("/"); d.Allowed || d.Reason != robotstxt.Unreachable {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// A server that sends very slowly does not make a retrieval longer than its Timeout.
func TestSlowServers(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	o := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for {
			select {
			case <-stop:
				return
			case <-r.Context().Done():
				return
			case <-time.After(50 * time.Millisecond):
				io.WriteString(w, "#")
				w.(http.Flusher).Flush()
			}
		}
	})
	defer close(stop)
	start := time.Now()
	r := get(t, &Fetcher{Timeout: 300 * time.Millisecond}, o)
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
	if r.Outcome(nil) != Unreachable || !errors.Is(r.Err, TimedOut) || r.Err.Error() != "no answer within 300ms" {
		t.Errorf("%s, %v", r.Outcome(nil), r.Err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := (&Fetcher{AllowPrivate: true}).Fetch(ctx, o, Validators{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that ends: %v", err)
	}
}

// R-19, G-9: an endless body, and one that is much larger after decompression, use no more
// memory than the limit allows. The line that the limit cuts is dropped.
func TestBounds(t *testing.T) {
	line := "disallow: /" + strings.Repeat("y", 88) + "\n" // 100 bytes
	packed := func(w io.Writer) {
		z := gzip.NewWriter(w)
		io.WriteString(z, someRules)
		for range 1 << 20 { // 100 MB
			if _, err := io.WriteString(z, line); err != nil {
				return
			}
		}
		z.Close()
	}
	for name, h := range map[string]http.HandlerFunc{
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, someRules)
			for range 1 << 20 {
				if _, err := io.WriteString(w, line); err != nil {
					return
				}
			}
		},
		"bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			packed(w)
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := get(t, &Fetcher{}, serve(t, h))
		runtime.ReadMemStats(&after)
		if len(r.Body) > 500<<10 || len(r.Body) < 499<<10 || !r.Truncated || !bytes.HasSuffix(r.Body, []byte("\n")) {
			t.Errorf("%s: %d bytes, truncated %v", name, len(r.Body), r.Truncated)
		}
		if r.Outcome(nil) != Rules || r.File(nil).Agent("a").Check("/x").Allowed {
			t.Errorf("%s: %s", name, r.Outcome(nil))
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
			t.Errorf("%s: %d MiB allocated", name, grown>>20)
		}
	}
	whole := someRules + strings.Repeat("#", 500<<10-len(someRules)-1) // the byte after the limit is a line end
	r := get(t, &Fetcher{}, serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, whole+"#\n/") }))
	if len(r.Body) != 500<<10+1 || !r.Truncated {
		t.Errorf("%d bytes, truncated %v", len(r.Body), r.Truncated)
	}
	more := get(t, &Fetcher{MaxBytes: 1 << 20}, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, someRules+strings.Repeat("#", 600<<10)+"\ndisallow: /z\n")
	}))
	if more.Truncated || more.File(nil).Agent("a").Check("/z").Allowed {
		t.Error("a limit of 1 MiB is not used")
	}
}

// an endless body counts, over HTTP and FTP alike, as soon as it has more than the limit; without that, the site is
// unreachable when the time is over. Whether the body has line ends does not matter.
func TestEndless(t *testing.T) {
	const limit = time.Second
	for name, text := range map[string]string{"with line ends": "#\n", "without": "#"} {
		for speed, write := range map[string]func(io.Writer){
			"fast": func(to io.Writer) {
				for err := error(nil); err == nil; {
					_, err = io.WriteString(to, strings.Repeat(text, 16<<10))
				}
			},
			"slow": func(to io.Writer) {
				for err := error(nil); err == nil; {
					if _, err = io.WriteString(to, text); err == nil {
						err = to.(interface{ FlushError() error }).FlushError()
					}
					time.Sleep(limit / 50)
				}
			},
		} {
			for protocol, o := range map[string]origin.Origin{
				"HTTP": serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules); write(w) }),
				"FTP":  ftpServerOf(t, ftpHello, ftpReplies(map[string]string{"RETR": "150 here it comes\r\n"}), func(c io.Writer) { io.WriteString(c, someRules); write(unbuffered{c}) }),
			} {
				t.Run(protocol+" "+speed+" "+name, func(t *testing.T) {
					t.Parallel()
					start := time.Now()
					r := get(t, &Fetcher{Timeout: limit}, o)
					took := time.Since(start)
					if speed == "slow" {
						if r.Outcome(nil) != Unreachable || !errors.Is(r.Err, TimedOut) || took < limit/2 {
							t.Errorf("%s, %v, after %s", r.Outcome(nil), r.Err, took)
						}
						return
					}
					if r.Outcome(nil) != Rules || !r.Truncated || r.File(nil).Agent("a").Check("/x").Allowed || took > limit*3/4 {
						t.Errorf("%s, %v, %d bytes after %s", r.Outcome(nil), r.Err, len(r.Body), took)
					}
					if want := map[string]int{"HTTP": 200, "FTP": 150}[protocol]; r.Status != want || r.Hops[0].Status != want { // no 226 came
						t.Errorf("status %d, %+v", r.Status, r.Hops)
					}
				})
			}
		}
	}
}

// unbuffered is a Writer like that of a response.
type unbuffered struct{ io.Writer }

func (unbuffered) FlushError() error { return nil }

// R-17, G-9: a body that is not UTF-8 is translated.
func TestEncodings(t *testing.T) {
	for _, c := range []struct{ contentType, body, encoding, want string }{
		{"text/plain", "\xef\xbb\xbf" + someRules, "", "\xef\xbb\xbf" + someRules},
		{"text/plain; charset=utf-8", "disallow: /\u00fc", "", "disallow: /\u00fc"},
		{"text/plain; charset=ISO-8859-1", "disallow: /\xfc", "windows-1252", "disallow: /\u00fc"},
		{"text/plain; charset=shift_jis", "disallow: /\x83\x63", "shift_jis", "disallow: /\u30c4"},
		{"text/plain", "\xff\xfea\x00:\x00\xfc\x00", "utf-16le", "a:\u00fc"},
		{"text/plain; charset=utf-8", "\xfe\xff\x00a\x00:\x00\xfc", "utf-16be", "a:\u00fc"},
		{"text/plain; charset=klingon", "a: \xfc", "", "a: \xfc"},
		{";;;", "a: b", "", "a: b"},
		{"text/plain", "\x00allow:\x00b\x00", "", "\x00allow:\x00b\x00"},
	} {
		o := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.contentType)
			io.WriteString(w, c.body)
		})
		r := get(t, &Fetcher{}, o)
		if string(r.Body) != c.want || r.Encoding != c.encoding {
			t.Errorf("%s: %q from %q, want %q from %q", c.contentType, r.Body, r.Encoding, c.want, c.encoding)
		}
	}
}

// No connection is made to an address that is not public, whether the URL contains the
// address or a name for it.
func TestGuard(t *testing.T) {
	requested := false
	o := serve(t, func(http.ResponseWriter, *http.Request) { requested = true })
	local := strings.Replace(o.String(), "127.0.0.1", "localhost", 1)
	for _, url := range []string{o.String(), local} {
		r, err := (&Fetcher{}).Fetch(context.Background(), parse(t, url), Validators{})
		if err != nil || r.Outcome(nil) != Unreachable || !errors.Is(r.Err, AddressRefused) || requested {
			t.Errorf("%s: %s, %v, %v", url, r.Outcome(nil), r.Err, err)
		}
	}
}

// Fetch returns an error for an Origin or UserAgent that it cannot use.
func TestErrors(t *testing.T) {
	ctx := context.Background()
	if _, err := (&Fetcher{}).Fetch(ctx, origin.Origin{}, Validators{}); err == nil {
		t.Error("the zero Origin: no error")
	}
	if _, err := (&Fetcher{UserAgent: "Mozilla/5.0"}).Fetch(ctx, parse(t, "http://example.com"), Validators{}); err == nil {
		t.Error("a user agent without a product token: no error")
	}
	if _, err := (&Fetcher{UserAgent: "ExampleBot/1.0\r\nX: y"}).Fetch(ctx, parse(t, "http://example.com"), Validators{}); err == nil {
		t.Error("a user agent of two lines: no error")
	}
}

// the URLs and headers that are kept of responses are limited. A redirect to a
// long URL is a failure; a header value that is too long is dropped, never cut.
func TestKeptURLsAndHeadersAreLimited(t *testing.T) {
	long := strings.Repeat("x", 2<<10)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		switch r.URL.Path {
		case "/short":
			h.Set("Etag", `"`+long[:1000]+`"`)
			h["Cache-Control"] = []string{"max-age=5", long, "no-store"}
		case "/long":
			h.Set("Etag", `"`+long[:1020]+`"`)
			h.Set("Location", long+long)
		}
		fmt.Fprint(w, someRules)
	}))
	defer site.Close()
	for _, c := range []struct {
		to     string
		failed bool
		tag    int
		hops   int
	}{
		{"/short", false, 1002, 2},
		{"/long", false, 0, 2},
		{"/short?" + long[:2000], false, 1002, 2},
		{"/short?" + long, true, 0, 1},
		{"/" + strings.Repeat("\xff", 1000), true, 0, 1}, // longer after escaping
		{"/short#" + long[:2000], false, 1002, 2},
	} {
		f := &Fetcher{Transport: redirected{site.URL, c.to}}
		r := get(t, f, parse(t, "http://a.example/"))
		if (r.Err != nil) != c.failed || len(r.Header.Get("Etag")) != c.tag || len(r.Hops) != c.hops {
			t.Errorf("%.20s: %v, a tag of %d bytes, %d hops", c.to, r.Err, len(r.Header.Get("Etag")), len(r.Hops))
		}
		for _, hop := range r.Hops {
			if len(hop.URL) > redirect.MaxURL || len(hop.Location) > redirect.MaxURL {
				t.Errorf("%.20s: a URL of %d bytes, a location of %d", c.to, len(hop.URL), len(hop.Location))
			}
		}
		if values := r.Header["Cache-Control"]; c.tag != 0 && !slices.Equal(values, []string{"max-age=5", "no-store"}) {
			t.Errorf("%.20s: %q", c.to, values)
		}
	}
}

// redirected is a Transport that redirects the request for /robots.txt to a URL, and sends
// all other requests to a server.
type redirected struct{ server, to string }

func (d redirected) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/robots.txt" {
		return &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {d.to}}, Body: http.NoBody}, nil
	}
	request, err := http.NewRequestWithContext(r.Context(), r.Method, d.server+r.URL.RequestURI(), nil)
	if err != nil {
		return nil, err
	}
	return http.DefaultTransport.RoundTrip(request)
}
