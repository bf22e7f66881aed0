package polite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/heedtest"
	"github.com/heed-robots/heed/polite"
)

const recordedRobots = "User-agent: *\nDisallow: /closed\nAllow: /closed/but\n"

// newRecorded returns a site, and a client that asks it.
func newRecorded(t *testing.T, change func(*polite.Transport)) (site string, client *http.Client) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			io.WriteString(w, recordedRobots)
		case "/cut":
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	t.Cleanup(s.Close)
	c := &cache.Cache{Fetcher: &fetch.Fetcher{UserAgent: "ExampleBot/1.0", AllowPrivate: true}}
	t.Cleanup(func() { c.Close() })
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0", Cache: c}
	change(transport)
	return s.URL, &http.Client{Transport: transport}
}

// Each request is one line: with its verdict, the rule, the robots.txt and the status.
func TestRecord(t *testing.T) {
	var out bytes.Buffer
	site, client := newRecorded(t, func(p *polite.Transport) { p.Record = polite.RecordTo(&out, nil) })
	for _, path := range []string{"/open?a", "/closed", "/closed/but", "/cut"} {
		if response, err := client.Get(strings.Replace(site, "//", "//user:secret@", 1) + path); err == nil {
			response.Body.Close()
		}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(recordedRobots)))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("%q", lines)
	}
	for i, want := range []string{
		`GET /open?a true no-rule-matched <nil> 418 `, `GET /closed false rule &{2 false /closed} 0 polite: `,
		`GET /closed/but true rule &{3 true /closed/but} 418 `, `GET /cut true no-rule-matched <nil> 0 EOF`,
	} {
		var r struct {
			Method, URL, Reason, SHA256, Error string
			Allowed                            bool
			Rule                               *polite.RecordedRule
			Status                             int
			Agents                             []string
		}
		if err := json.Unmarshal([]byte(lines[i]), &r); err != nil {
			t.Fatal(err)
		}
		_, path, _ := strings.Cut(r.URL, strings.TrimPrefix(site, "http://"))
		got := fmt.Sprint(r.Method, " ", path, " ", r.Allowed, " ", r.Reason, " ", r.Rule, " ", r.Status, " ", r.Error)
		if !strings.HasPrefix(got, want) || r.SHA256 != sum || fmt.Sprint(r.Agents) != "[ExampleBot]" || strings.Contains(lines[i], "secret") {
			t.Errorf("%s, want %s…\n%s", got, want, lines[i])
		}
	}
}

// A crawl that was approved for one robots.txt stops when the site has another one, or none.
func TestApproved(t *testing.T) {
	sum, other := fmt.Sprintf("%x", sha256.Sum256([]byte(recordedRobots))), strings.Repeat("0", 64)
	for _, c := range []struct {
		approved []string
		ok       bool
	}{{nil, true}, {[]string{other, sum}, true}, {[]string{other}, false}, {[]string{}, false}, {[]string{""}, false}} {
		site, client := newRecorded(t, func(p *polite.Transport) { p.Approved = c.approved })
		response, err := client.Get(site + "/open")
		if response != nil {
			response.Body.Close()
		}
		var not *cache.NotApprovedError
		if (err == nil) != c.ok || !c.ok && (!errors.As(err, &not) || not.SHA256 != sum || !strings.Contains(err.Error(), sum)) {
			t.Errorf("%q: %v", c.approved, err)
		}
		var disallowed *polite.DisallowedError
		if _, err := client.Get(site + "/closed"); !errors.As(err, &disallowed) {
			t.Errorf("%q: a disallowed URL: %v", c.approved, err)
		}
	}
}

// A value that cannot be a SHA-256 is a mistake, and fails each request.
func TestWrongApproved(t *testing.T) {
	for _, wrong := range []string{"other", strings.Repeat("g", 64), "none"} {
		site, client := newRecorded(t, func(p *polite.Transport) { p.Approved = []string{"", wrong} })
		if _, err := client.Get(site + "/open"); err == nil || !strings.Contains(err.Error(), "polite: Approved has "+strconv.Quote(wrong)) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// After a failure of the writer nothing more is written, and the failure is told once.
func TestRecordFails(t *testing.T) {
	failures := 0
	record := polite.RecordTo(failing{}, func(error) { failures++ })
	record(&polite.Record{})
	record(&polite.Record{})
	if failures != 1 {
		t.Error(failures)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

// What is refused before a decision has a time, and no password, also in its error. An opaque URL would be sent to another place than is
// decided about.
func TestRecordOfRefused(t *testing.T) {
	var out bytes.Buffer
	site, client := newRecorded(t, func(p *polite.Transport) { p.Record = polite.RecordTo(&out, nil) })
	opaque, _ := http.NewRequest("GET", site+"/open", nil)
	opaque.URL.Opaque = "//other.example/"
	odd, _ := http.NewRequest("GET", "http://user:secret@a..b/x", nil)
	for _, r := range []*http.Request{opaque, odd} {
		if response, err := client.Transport.RoundTrip(r); err == nil || strings.Contains(err.Error(), "secret") {
			t.Error(response, err)
		}
	}
	if text := out.String(); strings.Count(text, "\n") != 2 || strings.Contains(text, "secret") || strings.Contains(text, "0001-01-01") || !strings.Contains(text, "Opaque") {
		t.Error(text)
	}
}

// A link such as mailto: has no site.
func TestLinkWithoutSite(t *testing.T) {
	_, client := newRecorded(t, func(*polite.Transport) {})
	for _, link := range []string{"mailto:a@b.example", "tel:112", "data:,x"} {
		if _, err := client.Get(link); err == nil || !strings.Contains(err.Error(), "expected a URL with the scheme http, https or ftp") {
			t.Errorf("%s: %v", link, err)
		}
	}
}

// If the deadline of a request ends while its robots.txt is fetched, the error names the robots.txt.
func TestDeadlineDuringRobotsTxt(t *testing.T) {
	s := heedtest.NewSite(t, "")
	s.SetDelay(time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	request, _ := http.NewRequestWithContext(ctx, "GET", s.URL+"/", nil)
	_, err := s.Crawler("ExampleBot/1.0").Client().Do(request)
	var unreachable *polite.UnreachableError
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &unreachable) || !strings.Contains(err.Error(), "before "+s.URL+"/robots.txt was fetched: ") {
		t.Error(err)
	}
}
