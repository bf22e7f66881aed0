package heedtest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/heed-robots/heed"
	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/heedtest"
)

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

func Example() {
	site := heedtest.Start("User-agent: *\nDisallow: /x\n") // in a test: heedtest.NewSite(t, …)
	defer site.Close()
	client := site.Crawler("ExampleBot/1.0").Client()

	for _, path := range []string{"/", "/x"} {
		if response, err := client.Get(site.URL + path); err == nil {
			response.Body.Close()
		}
	}
	fmt.Println(site.Requests())
	// Output: [GET /robots.txt GET /]
}

func check(t *testing.T, site *heedtest.Site, path string) cache.Answer {
	t.Helper()
	a, err := site.Crawler(userAgent).Check(context.Background(), site.URL+path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// After each of SetRobots, SetStatus and Handle, a new Crawler sees the change.
func TestSite(t *testing.T) {
	site := heedtest.NewSite(t, "user-agent: *\ndisallow: /\n")
	if a := check(t, site, "/a?b=c"); a.Allowed || a.Outcome != fetch.Rules {
		t.Errorf("%v", a)
	}
	site.SetRobots("user-agent: *\nallow: /\n")
	if a := check(t, site, "/"); !a.Allowed {
		t.Errorf("after SetRobots: %v", a)
	}
	site.SetStatus(http.StatusNotFound)
	if a := check(t, site, "/"); !a.Allowed || a.Outcome != fetch.Unavailable {
		t.Errorf("after SetStatus(404): %v", a)
	}
	site.SetStatus(http.StatusServiceUnavailable)
	if a := check(t, site, "/"); a.Allowed || a.Status != 503 {
		t.Errorf("after SetStatus(503): %v", a)
	}
	site.Handle("/robots.txt", http.NotFoundHandler())
	if a := check(t, site, "/"); a.Outcome != fetch.Unavailable {
		t.Errorf("after Handle: %v", a)
	}
	for _, r := range site.Requests() {
		if r != (heedtest.Request{Method: "GET", Target: "/robots.txt", UserAgent: userAgent}) {
			t.Errorf("the site saw %v from %s", r, r.UserAgent)
		}
	}
}

func TestPages(t *testing.T) {
	site := heedtest.NewSite(t, "")
	site.Handle("/gone", http.NotFoundHandler())
	client := site.Crawler(userAgent).Client()
	for path, want := range map[string]int{"/gone": 404, "/page?q=1": 200} {
		response, err := client.Get(site.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
}

// If a site is closed during its delay, the Crawler gets no empty robots.txt, which would
// allow everything.
func TestDelay(t *testing.T) {
	site := heedtest.Start("user-agent: *\ndisallow: /\n")
	site.SetDelay(time.Millisecond)
	if a := check(t, site, "/"); a.Allowed || a.Outcome != fetch.Rules {
		t.Errorf("%v", a)
	}
	site.SetDelay(time.Hour)
	answers := make(chan error)
	fetcher := &fetch.Fetcher{UserAgent: userAgent, AllowPrivate: true}
	late := &cache.Cache{Fetcher: fetcher}
	go func() {
		a, err := late.Check(context.Background(), []string{"ExampleBot"}, site.URL+"/")
		if a.Allowed {
			err = errors.New("allowed")
		}
		answers <- err
	}()
	for len(site.Requests()) < 2 {
		time.Sleep(time.Millisecond)
	}
	for range 2 {
		if err := site.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-answers; err != nil {
		t.Error(err)
	}
	late.Close()
}

// At the end of a test its sites and their Crawlers are closed.
func TestSiteIsClosedWithItsTest(t *testing.T) {
	var site *heedtest.Site
	var crawler *heed.Crawler
	t.Run("inner", func(t *testing.T) { site = heedtest.NewSite(t, ""); crawler = site.Crawler(userAgent) })
	if response, err := http.Get(site.URL); err == nil {
		response.Body.Close()
		t.Error("the site still answers")
	}
	if _, err := crawler.Check(context.Background(), site.URL+"/"); !errors.Is(err, cache.ErrClosed) {
		t.Errorf("the crawler is not closed: %v", err)
	}
}

// fatal is a test that keeps the text of Fatalf.
type fatal struct {
	testing.TB
	text string
}

func (f *fatal) Fatalf(format string, args ...any) { f.text = fmt.Sprintf(format, args...) }

// A status that a server cannot send fails the test.
func TestWrongStatus(t *testing.T) {
	f := &fatal{TB: t}
	site := heedtest.NewSite(f, "")
	for _, right := range []int{0, 200, 999} {
		if site.SetStatus(right); f.text != "" {
			t.Error(right, f.text)
		}
	}
	for _, wrong := range []int{-1, 99, 103, 1000} {
		f.text = ""
		if site.SetStatus(wrong); f.text != fmt.Sprintf("heedtest: SetStatus(%d): expected a status from 200 to 999, or 0 for 200", wrong) {
			t.Errorf("%d: %q", wrong, f.text)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic without a test")
		}
	}()
	alone := heedtest.Start("")
	defer alone.Close()
	alone.SetStatus(99)
}
