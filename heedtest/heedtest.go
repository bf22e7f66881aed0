// Package heedtest has sites for the tests of crawlers. A site is a server on this machine. A test sets the robots.txt
// of the site, with its status and its delay. The test also gets a list of the requests that the site received.
//
//	site := heedtest.NewSite(t, "User-agent: *\nDisallow: /x\n")
//	client := site.Crawler("ExampleBot/1.0").Client()
package heedtest

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed"
)

// A Site is a server on this machine. Start and NewSite return one; the zero Site must not be used. A Site is safe
// for concurrent use.
//
// After SetRobots or SetStatus, use a new Crawler: a Crawler caches the robots.txt.
type Site struct {
	URL string // the URL of the site, without "/" at the end

	t       testing.TB // nil if the site was started without a test
	server  *httptest.Server
	closing chan struct{}

	mu       sync.Mutex
	robots   string
	status   int
	delay    time.Duration
	pages    map[string]http.Handler
	requests []Request
	crawlers []*heed.Crawler
	closed   bool
}

// A Request is a request that a Site received.
type Request struct {
	Method    string
	Target    string // the path and the query of the URL
	UserAgent string
}

// String returns the method and the target, such as "GET /robots.txt".
func (r Request) String() string { return r.Method + " " + r.Target }

// NewSite starts a site with a robots.txt, and closes it at the end of the test. Other paths get a short page; see Handle.
func NewSite(t testing.TB, robots string) *Site {
	t.Helper()
	s := Start(robots)
	s.t = t
	t.Cleanup(func() { s.Close() })
	return s
}

// Start starts a site as NewSite does, but without a test. The caller must close the site.
func Start(robots string) *Site {
	s := &Site{robots: robots, pages: map[string]http.Handler{}, closing: make(chan struct{})}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.server.URL
	return s
}

// Crawler returns a Crawler for requests to the site; the field AllowPrivate of the Crawler is true. You may set other
// fields of the Crawler before you first use it. Site.Close closes the Crawler.
func (s *Site) Crawler(userAgent string) *heed.Crawler {
	c := &heed.Crawler{UserAgent: userAgent, AllowPrivate: true}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crawlers = append(s.crawlers, c)
	return c
}

// SetRobots changes the text of the robots.txt.
func (s *Site) SetRobots(text string) { s.set(func() { s.robots = text }) }

// SetStatus changes the status of the robots.txt, 200 to 999; 0 means 200. Any other status fails the test.
func (s *Site) SetStatus(status int) {
	if status != 0 && (status < 200 || status > 999) {
		why := fmt.Sprintf("heedtest: SetStatus(%d): expected a status from 200 to 999, or 0 for 200", status)
		if s.t == nil {
			panic(why)
		}
		s.t.Helper()
		s.t.Fatalf("%s", why)
	}
	s.set(func() { s.status = status })
}

// SetDelay sets how long the site waits before it sends its robots.txt.
func (s *Site) SetDelay(d time.Duration) { s.set(func() { s.delay = d }) }

// Handle sets the handler of exactly this path, which may be /robots.txt. Unlike in net/http, "/" is only the path "/".
func (s *Site) Handle(path string, h http.Handler) { s.set(func() { s.pages[path] = h }) }

func (s *Site) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// Requests returns the requests that the site has received, in order.
func (s *Site) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Close closes the site and the Crawlers that Site.Crawler has returned. A second call does nothing.
func (s *Site) Close() error {
	s.mu.Lock()
	crawlers, again := s.crawlers, s.closed
	s.closed = true
	s.mu.Unlock()
	if again {
		return nil
	}
	close(s.closing)
	var err error
	for _, c := range crawlers {
		err = cmp.Or(err, c.Close())
	}
	s.server.Close()
	return err
}

func (s *Site) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Method, r.URL.RequestURI(), r.UserAgent()})
	page, robots, status, delay := s.pages[r.URL.Path], s.robots, s.status, s.delay
	s.mu.Unlock()
	switch {
	case page != nil:
		page.ServeHTTP(w, r)
	case r.URL.Path != "/robots.txt":
		io.WriteString(w, "This is "+r.URL.Path+"\n")
	case !s.wait(r, delay):
		panic(http.ErrAbortHandler) // closes the connection, because an empty answer would mean a robots.txt without rules
	default:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(cmp.Or(status, http.StatusOK))
		io.WriteString(w, robots)
	}
}

func (s *Site) wait(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-s.closing:
	}
	return false
}
