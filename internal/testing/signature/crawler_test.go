package signature_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed"
	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/identity"
	"github.com/heed-robots/heed/internal/testing/signature"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/polite"
	"github.com/heed-robots/heed/robotstxt"
)

// SG-1: a Crawler with an Identity signs each request, that for robots.txt and those that follow redirects to another host too; a host that is
// excluded gets no signature.
func TestCrawlerSigns(t *testing.T) {
	key, err := identity.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	directory, err := (&identity.Directory{Keys: []*identity.Key{key}}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var seen []string
	note := func(w http.ResponseWriter, r *http.Request) {
		v, err := signature.New(directory, time.Now())
		if err == nil {
			err = v.Verify(r.Header, r, "sig1")
		}
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprint(r.URL.Path, " ", err))
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(w, r)
		io.WriteString(w, "User-agent: *\nAllow: /\n")
	}))
	defer other.Close()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(w, r)
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
	}))
	defer site.Close()
	const unsigned = ` the header Signature-Input has no member "sig1", so there is no signature to check`
	for _, c := range []struct{ excluded, want string }{
		{"", "/robots.txt <nil>; /robots.txt <nil>; /page <nil>; /robots.txt <nil>; /page <nil>"},
		{"127.0.0.1", strings.ReplaceAll("/robots.txt!; /robots.txt!; /page!; /robots.txt!; /page!", "!", unsigned)},
	} {
		seen = nil
		id := &identity.Identity{Agent: "https://bot.example", Key: key, Excludes: func(host string) bool { return host == c.excluded }}
		crawler := heed.Crawler{UserAgent: "ExampleBot/1.0", AllowPrivate: true, Identity: id}
		response, err := crawler.Client().Get(site.URL + "/page")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got := strings.Join(seen, "; "); got != c.want {
			t.Errorf("excluded %q: %s", c.excluded, got)
		}
		crawler.Close()
	}
}

// A Crawler with a wrong Identity, and a Transport whose Cache would not sign, send nothing.
func TestWrongIdentity(t *testing.T) {
	key, err := identity.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	crawler := heed.Crawler{UserAgent: "ExampleBot/1.0", Identity: &identity.Identity{Agent: "http://bot.example", Key: key}}
	if _, err := crawler.Client().Get("https://www.example.com/"); err == nil || !strings.Contains(err.Error(), "expected an https origin") {
		t.Error(err)
	}
	c := &cache.Cache{Fetcher: &fetch.Fetcher{UserAgent: "ExampleBot/1.0"}}
	defer c.Close()
	client := http.Client{Transport: &polite.Transport{UserAgent: "ExampleBot/1.0", Cache: c, Identity: &identity.Identity{Agent: "https://bot.example", Key: key}}}
	if _, err := client.Get("https://www.example.com/"); err == nil || !strings.Contains(err.Error(), "without a signature") {
		t.Error(err)
	}
}

// A failure to sign is a failure of our own: nothing is sent, and the site is not unreachable.
func TestFailureToSign(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }))
	defer site.Close()
	f := &fetch.Fetcher{AllowPrivate: true, Sign: func(*http.Request) error { return fmt.Errorf("no key\x1b") }}
	o, err := origin.Parse(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Fetch(t.Context(), o, fetch.Validators{})
	if failure, ok := r.Err.(*fetch.Failure); err != nil || !ok || !failure.Kind.Ours() || !strings.Contains(failure.Text, `no key\x1b`) {
		t.Errorf("%v, %#v", err, r.Err)
	}
}

// SG-5: the card of a Crawler says that it obeys RFC 9309, but not if it has another dialect.
func TestCrawlerCard(t *testing.T) {
	key, err := identity.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	card := identity.Card{URL: "https://bot.example/card.json", Name: "x", Contacts: []string{"https://bot.example/"}, UserAgent: "Other/1"}
	id := &identity.Identity{Agent: "https://bot.example", Key: key}
	for _, c := range []struct {
		crawler *heed.Crawler
		has     bool
	}{
		{&heed.Crawler{UserAgent: "ExampleBot/1.0", Identity: id}, true},
		{&heed.Crawler{UserAgent: "ExampleBot/1.0", Identity: id, Dialect: robotstxt.Google}, false},
	} {
		text, err := c.crawler.Card(card)
		if err != nil || strings.Contains(string(text), `"rfc9309-compliance": true`) != c.has || !strings.Contains(string(text), `"rfc9309-product-token": "ExampleBot"`) {
			t.Errorf("%v\n%s", err, text)
		}
	}
	if _, err := (&heed.Crawler{UserAgent: "ExampleBot/1.0"}).Card(card); err == nil {
		t.Error("a card without an identity")
	}
}

// A Crawler stops when a site has another robots.txt than the approved ones. It returns the error of its Record, after which nothing
// more is written.
func TestCrawlerApprovedAndRecord(t *testing.T) {
	requests := 0
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			requests++
		}
		io.WriteString(w, "User-agent: *\nAllow: /\n")
	}))
	defer site.Close()
	full := &fullAfter{lines: 1}
	crawler := heed.Crawler{UserAgent: "ExampleBot/1.0", AllowPrivate: true, Approved: []string{strings.Repeat("0", 64)}, Record: full}
	for range 3 {
		var other *cache.NotApprovedError
		if response, err := crawler.Client().Get(site.URL); !errors.As(err, &other) {
			t.Error(response, err)
		}
	}
	if err := crawler.Close(); err == nil || !strings.Contains(err.Error(), "Record") || !strings.Contains(err.Error(), "no space") || full.lines != -1 || requests != 0 {
		t.Error(err, full.lines, requests)
	}
}

// fullAfter is a file on a disk that is full after some lines.
type fullAfter struct{ lines int }

func (f *fullAfter) Write(b []byte) (int, error) {
	f.lines--
	if f.lines < 0 {
		return 0, errors.New("no space")
	}
	return len(b), nil
}
