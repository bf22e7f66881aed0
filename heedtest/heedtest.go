// Package heedtest has sites for the tests of crawlers: on this machine, with a given
// robots.txt, a status and a delay, which remember what they were asked for.
//
//	site := heedtest.NewSite(t, "User-agent: *\nDisallow: /x\n")
//	client := site.Crawler("ExampleBot/1.0").Client()
package heedtest

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/heed-robots/heed"
)

// TB is what a test is to this package; *testing.T and *testing.B are one.
type TB interface {
	Helper()
	Cleanup(func())
}

// A Site is a site on this machine. Start and NewSite return one; the zero Site must not
// be used. It is safe for concurrent use.
//
// A Crawler remembers a robots.txt: after a change of it or of its status, a new
// Crawler sees what a site is now.
type Site struct {
	URL string // without a slash at its end

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

// A Request is one that a Site got.
type Request struct {
	Method    string
	Target    string // the path and the query
	UserAgent string
}

// String returns the method and the target, such as "GET /robots.txt".
func (r Request) String() string { return r.Method + " " + r.Target }

// NewSite starts a site with a robots.txt, which is closed with the test. Every other
// path is a page of a few words, unless Handle says otherwise.
func NewSite(t TB, robots string) *Site {
	t.Helper()
	s := Start(robots)
	t.Cleanup(func() { s.Close() })
	return s
}

// Start is NewSite outside of a test: whoever starts the site closes it.
func Start(robots string) *Site {
	s := &Site{robots: robots, pages: map[string]http.Handler{}, closing: make(chan struct{})}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.server.URL
	return s
}

// Crawler returns a Crawler of this name that may go to the site, and to every other
// address. It is closed with the site. Its other fields may be set before it is used.
func (s *Site) Crawler(userAgent string) *heed.Crawler {
	c := &heed.Crawler{UserAgent: userAgent, AllowPrivate: true}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crawlers = append(s.crawlers, c)
	return c
}

// SetRobots changes the text of the robots.txt.
func (s *Site) SetRobots(text string) { s.set(func() { s.robots = text }) }

// SetStatus changes the status with which the robots.txt is sent, 200 to 999; 0 means
// 200.
func (s *Site) SetStatus(status int) { s.set(func() { s.status = status }) }

// SetDelay makes the site wait before it sends its robots.txt.
func (s *Site) SetDelay(d time.Duration) { s.set(func() { s.delay = d }) }

// Handle answers requests for a path, that of the robots.txt too.
func (s *Site) Handle(path string, h http.Handler) { s.set(func() { s.pages[path] = h }) }

func (s *Site) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// Requests returns what the site was asked for, in order.
func (s *Site) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Close ends the site and its Crawlers. To close it again does no harm.
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
		panic(http.ErrAbortHandler) // an empty answer would be a robots.txt without rules
	default:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(cmp.Or(status, http.StatusOK))
		io.WriteString(w, robots)
	}
}

// wait reports whether there is still somebody to answer after a delay.
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
