package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/guard"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

var (
	someday    = time.Date(2026, 5, 3, 14, 0, 0, 999, time.FixedZone("", 3600))
	example, _ = origin.Parse("https://a.example")
	errBroken  = errors.New("connection refused")
)

// RetrievalText has the status or the failure, what is unusual about it, its age, and the
// time of the next retrieval.
func TestRetrievalText(t *testing.T) {
	second, minute, hour, day := time.Second, time.Minute, time.Hour, 24*time.Hour
	at := func(age, again time.Duration, a cache.Answer) cache.Answer {
		a.Fetched, a.Age, a.NextRetrieval = someday, age, someday.Add(age+again)
		return a
	}
	for _, c := range []struct {
		answer cache.Answer
		want   string
	}{
		{cache.Answer{Err: cache.ErrNotCached}, "nothing is cached for this site"},
		{at(second, hour, cache.Answer{Outcome: fetch.Rules, Status: 200}), "fetched just now"},
		{at(second, hour, cache.Answer{Outcome: fetch.Rules, RedirectedTo: "https://b.example/robots.txt"}), "redirected to https://b.example/robots.txt, fetched just now"},
		{at(119*second, hour, cache.Answer{Outcome: fetch.Rules}), "fetched 119 seconds ago"},
		{at(2*minute, hour, cache.Answer{Outcome: fetch.Rules, Page: fetch.HTML}), "an HTML page, fetched 2 minutes ago"},
		{at(47*hour, hour, cache.Answer{Outcome: fetch.Unavailable, Status: 404}), "status 404, fetched 47 hours ago"},
		{at(48*hour, hour, cache.Answer{Outcome: fetch.Restricted, Status: 403}), "status 403, fetched 2 days ago"},
		{at(0, 50*second, cache.Answer{Status: 503}), "status 503, tried just now, next try in 50 seconds"},
		{at(0, 50*second, cache.Answer{Err: errBroken}), "connection refused, tried just now, next try in 50 seconds"},
		{at(0, 95*second, cache.Answer{Err: fmt.Errorf("private is not allowed%s: %w", guard.Setting, fetch.AddressRefused)}),
			"private is not allowed: to allow it, use --allow-private: address-refused"},
		{at(0, 95*second, cache.Answer{Err: fetch.PortRefused}), "port-refused"},
		{at(0, 95*second, cache.Answer{Err: &fetch.Failure{Kind: fetch.HostRefused, Text: "not allowed"}}), "not allowed"},
		{at(time.Minute, -hour, cache.Answer{Err: errBroken}), "connection refused, tried 60 seconds ago, next try when you ask"},
		{at(3*day, minute, cache.Answer{Outcome: fetch.Rules, Stale: true, FailingSince: someday.Add(-31 * day)}),
			"unreachable since 2026-04-02 13:00:00 UTC, fetched 3 days ago, next try in 60 seconds"},
		{at(3*day, minute, cache.Answer{Outcome: fetch.Rules, Stale: true}), "stale, fetched 3 days ago, next try in 60 seconds"},
		{at(hour, hour, cache.Answer{Outcome: fetch.Rules, LastFailure: &fetch.Result{Status: 503}}), "copy fetched 60 minutes ago; the last try failed: status 503"},
		{at(second, hour, cache.Answer{Outcome: fetch.Rules, LastFailure: &fetch.Result{Err: errBroken}}),
			"copy fetched 1 second ago; the last try failed: connection refused"},
		{at(second, hour, cache.Answer{Outcome: fetch.Unavailable, Status: 404, LastFailure: &fetch.Result{Status: 200, Page: fetch.HTML}}),
			"status 404, copy fetched 1 second ago; the last try failed: status 200, an HTML page"},
	} {
		if got := RetrievalText(&c.answer); got != c.want {
			t.Errorf("%+v: %q, want %q", c.answer, got, c.want)
		}
	}
}

// oneResult is a Fetcher that always returns the same result.
type oneResult struct{ result fetch.Result }

func (f *oneResult) Fetch(context.Context, origin.Origin, fetch.Validators) (fetch.Result, error) {
	return f.result, nil
}

func siteOf(t *testing.T, r fetch.Result) *cache.Site {
	t.Helper()
	c := &cache.Cache{Fetcher: &oneResult{r}}
	t.Cleanup(func() { c.Close() })
	s, err := c.Site(context.Background(), example)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// If dialects differ since they read the response of a server differently, the text names
// that response. If they differ by the rules, it does not. If they agree, there is no text.
func TestContrast(t *testing.T) {
	hops := make([]fetch.Hop, 6)
	for i := range hops {
		hops[i] = fetch.Hop{URL: example.RobotsURL(), Status: 301}
	}
	for _, c := range []struct {
		result fetch.Result
		target string
		other  *robotstxt.Dialect
		want   string
	}{
		{fetch.Result{Status: 403}, "/", robotstxt.Draft1996, "status 403: RFC 9309 treats the site as one without robots.txt; the 1996 draft treats the whole site as restricted"},
		{fetch.Result{Status: 403}, "/", robotstxt.Google, ""},
		{fetch.Result{Status: 500, SaysNotFound: true}, "/", robotstxt.Google,
			`status 500 with a page that says "not found": RFC 9309 treats the site as unreachable; Google treats the site as one without robots.txt`},
		{fetch.Result{Status: 200, Hops: hops, Body: []byte("User-agent: *\nDisallow: /")}, "/", robotstxt.Draft1996,
			"6 redirects: RFC 9309 treats the site as one without robots.txt; in the 1996 draft line 2 decides"},
		{fetch.Result{Err: errBroken}, "/robots.txt", robotstxt.Google, "connection refused: in RFC 9309 /robots.txt is always allowed; Google treats the site as unreachable"},
		{fetch.Result{Status: 200, Body: []byte("User-agent: *\nDisallow: /*x")}, "/x", robotstxt.Draft1996,
			`line 2 decides in RFC 9309, but not in the 1996 draft: "*" and "$" are ordinary characters there`},
	} {
		s := siteOf(t, c.result)
		a, err := s.Explain([]string{"ExampleBot"}, c.target)
		b, err2 := s.ExplainIn(c.other, nil, []string{"ExampleBot"}, c.target)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if got := Contrast(s)(a, b); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	c := &cache.Cache{}
	defer c.Close()
	s, err := c.PeekSite(context.Background(), example)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := s.Explain([]string{"ExampleBot"}, "/robots.txt")
	b, _ := s.ExplainIn(robotstxt.Google, nil, []string{"ExampleBot"}, "/robots.txt")
	if got := Contrast(s)(a, b); got != "nothing is cached for this site: in RFC 9309 /robots.txt is always allowed; Google treats the site as unreachable" {
		t.Errorf("%q", got)
	}
}

// Size names what is unusual about a body.
func TestSize(t *testing.T) {
	for want, r := range map[string]fetch.Result{
		"0 bytes":                            {},
		"1 byte, an HTML page":               {Body: []byte("x"), Page: fetch.HTML},
		"2 bytes, and more that is not used": {Body: []byte("xx"), Truncated: true},
		"3 bytes, translated from utf-16le":  {Body: []byte("xxx"), Encoding: "utf-16le"},
	} {
		if got := Size(&r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The JSON form of this report.Schema. In the file in testdata a line may get a new field;
// any other change of a line needs another Schema.
func TestJSON(t *testing.T) {
	answer := cache.Answer{
		Decision: robotstxt.Decision{Reason: robotstxt.ByRule, Rule: robotstxt.Rule{Pattern: "/x", Line: 2}},
		Origin:   example, Outcome: fetch.Rules, Status: 200, Page: fetch.HTML, Err: errBroken, Fetched: someday, Age: 90500 * time.Millisecond,
		Stale: true, FailingSince: someday.Add(time.Hour), NextRetrieval: someday.Add(time.Minute), CrawlDelay: 1500 * time.Millisecond,
	}
	result := fetch.Result{
		Origin: example, Status: 404, Err: errBroken, Body: []byte("xyz"), Truncated: true, Page: fetch.HTML, Encoding: "utf-16le",
		Hops:   []fetch.Hop{{URL: example.RobotsURL(), Status: 301, Location: "/r"}, {URL: example.String() + "/r"}},
		Header: http.Header{"Cache-Control": {"max-age=60"}}, Start: someday, End: someday.Add(42 * time.Millisecond),
	}
	trace := robotstxt.Parse([]byte("User-agent: *\nDisallow: /x"), nil).Agent("ExampleBot").Explain("/x")
	explained := report.Explained{Agents: []string{"ExampleBot"}, Main: trace, All: []robotstxt.Trace{trace}, Contrast: robotstxt.Contrast}
	var got bytes.Buffer
	lines := json.NewEncoder(&got)
	for _, v := range []any{
		AnswerOf("https://a.example/x", &answer), AnswerOf("https://a.example/", &cache.Answer{Origin: example}),
		ExplanationOf(explained.Explanation(), &answer), RetrievalOf(&result, fetch.StatusesOf), RetrievalOf(&fetch.Result{Origin: example, Status: 404}, fetch.StatusesOf),
		VersionOf(cache.Version{Status: 200, Body: []byte("x\xff"), First: someday, Last: someday.Add(time.Hour)}), VersionOf(cache.Version{Status: 404}),
	} {
		if err := lines.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join("testdata", "schema1.jsonl")
	if os.Getenv("UPDATE_TRANSCRIPTS") != "" {
		if err := os.WriteFile(name, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%v\n%s", err, got.Bytes())
	}
}

// About rounds: a second less than 24 hours is not "23 hours".
func TestAbout(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0 seconds": 0, "1 second": time.Second, "5 seconds": 5*time.Second - time.Millisecond, "119 seconds": 119 * time.Second,
		"2 minutes": 2 * time.Minute, "24 hours": 24*time.Hour - time.Second, "7 days": 7*24*time.Hour - time.Second,
	} {
		if got := About(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}

// AppendJSON misses no field: it returns what encoding/json does, with each field filled
// alone and with all fields filled.
func TestAnswerJSON(t *testing.T) {
	var all Answer
	fields := leaves(reflect.TypeFor[Answer](), nil)
	if len(fields) < 20 {
		t.Errorf("only %d fields", len(fields))
	}
	compare := func(a *Answer) {
		t.Helper()
		want, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.AppendJSON(nil); !bytes.Equal(got, want) {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
	compare(&all)
	for _, path := range fields {
		var one Answer
		for _, a := range []*Answer{&one, &all} {
			v := reflect.ValueOf(a).Elem()
			for _, i := range path {
				if v = v.Field(i); v.Kind() == reflect.Pointer && v.IsNil() {
					v.Set(reflect.New(v.Type().Elem()))
				}
				v = reflect.Indirect(v)
			}
			fill(t, v)
			compare(a)
		}
	}
}

// leaves returns the paths of all fields in a struct that are no structs with JSON fields of
// their own.
func leaves(s reflect.Type, above []int) (paths [][]int) {
	for i := range s.NumField() {
		path := append(slices.Clone(above), i)
		of := s.Field(i).Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct && of != reflect.TypeFor[time.Time]() && of != reflect.TypeFor[origin.Origin]() {
			paths = append(paths, leaves(of, path)...)
			continue
		}
		paths = append(paths, path)
	}
	return paths
}

// fill gives a field a value that is not zero.
func fill(t *testing.T, v reflect.Value) {
	switch value := v.Addr().Interface().(type) {
	case *string:
		*value = "some"
	case *[]byte:
		*value = []byte("bytes")
	case *report.Agent:
		*value = report.AgentOf([]string{"a", "b"})
	case *report.Preferences:
		*value = report.Preferences{{Purpose: usage.Search, Preference: usage.Allowed, By: []usage.Statement{{Text: "some"}}}}
	case *time.Time:
		*value = someday.UTC()
	case *origin.Origin:
		*value = example
	case *fetch.Page:
		*value = fetch.JSON
	case *float64:
		*value = 1.5
	default:
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int, reflect.Int64:
			v.SetInt(7)
		case reflect.Uint8:
			v.SetUint(1)
		default:
			t.Fatalf("fill does not know %T", value)
		}
	}
}

// A crawl delay is written as encoding/json writes it, however short or long it is.
func TestCrawlDelayJSON(t *testing.T) {
	for _, seconds := range []float64{1e-9, 2.5e-7, 0.1, 30, 9.2e9} {
		a := Answer{Site: &Site{CrawlDelay: seconds}}
		want, err := json.Marshal(a)
		if got := a.AppendJSON(nil); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: got %s, want %s", err, got, want)
		}
	}
}
