package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// Saved returns the same Outcome as a retrieval with that response (R-14, R-15, R-17, R-19,
// R-21, S96-1, G-1).
func TestSaved(t *testing.T) {
	at := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	const rules = "User-agent: *\nDisallow: /x\n"
	for _, c := range []struct {
		site   string
		status int
		body   string
		want   Outcome
		read   string
	}{
		{"https://a.example", 0, rules, Rules, rules},
		{"https://a.example", 200, rules, Rules, rules},
		{"https://a.example", 200, "", Rules, ""},
		{"https://a.example", 204, "", Rules, ""},
		{"https://a.example", 404, "<html>Not found", Unavailable, "<html>Not found"},
		{"https://a.example", 429, "", Unreachable, ""},
		{"https://a.example", 503, rules, Unreachable, rules},
		{"https://a.example", 206, rules, Unreachable, ""},
		{"https://a.example", 302, rules, Unreachable, rules},
		{"https://a.example", 200, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", Unreachable, ""},
		{"https://a.example", 200, "\xff\xfeU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00", Rules, "User-agent:*\n"},
		{"ftp://a.example", 0, rules, Rules, rules},
		{"ftp://a.example", 550, "", Unavailable, ""},
		{"ftp://a.example", 150, rules, Unreachable, rules}, // the transfer began, and did not end
	} {
		o, err := origin.Parse(c.site)
		if err != nil {
			t.Fatal(err)
		}
		r := Saved(Result{Origin: o, Status: c.status, Body: []byte(c.body), Start: at, End: at}, 0)
		if got := r.Outcome(nil); got != c.want || string(r.Body) != c.read || r.Origin != o || !r.End.Equal(at) || r.Status == 0 {
			t.Errorf("%s, status %d, %.30q: %s, %+v", c.site, c.status, c.body, got, r)
		}
	}
	// of a transfer over FTP that did not end, the file applies only if it is longer than MaxBytes.
	ftp, _ := origin.Parse("ftp://a.example")
	for limit, want := range map[int]Outcome{len(rules) - 1: Rules, len(rules): Unreachable} {
		r := Saved(Result{Origin: ftp, Status: 150, Body: []byte(rules)}, limit)
		if got := r.Outcome(nil); got != want || r.Truncated != (want == Rules) {
			t.Errorf("%d of %d bytes: %s, truncated %v, %v", limit, len(rules), got, r.Truncated, r.Err)
		}
	}
	o, _ := origin.Parse("https://a.example")
	for _, c := range []struct {
		status int
		header http.Header
		isCut  bool
		want   Outcome
	}{
		{200, http.Header{"Content-Length": {"1000"}}, false, Unreachable},
		{200, http.Header{"Content-Length": {"1000"}}, true, Rules},
		{200, http.Header{"Content-Length": {"27"}}, false, Rules},
		{200, http.Header{"Content-Length": {"1"}}, false, Rules},
		{200, http.Header{"Content-Length": {"1000"}, "Content-Encoding": {"gzip"}}, false, Rules}, // decompressed already
		{204, http.Header{"Content-Length": {"1000"}}, false, Rules},
		{404, http.Header{"Content-Length": {"1000"}}, false, Unavailable},
		{200, http.Header{"Content-Length": {"1000"}, "Content-Encoding": {"identity"}}, false, Unreachable},
		{200, http.Header{"Content-Length": {"1000"}, "Content-Encoding": {"utf-8"}}, false, Unreachable},
		{200, http.Header{"Content-Length": {"1000"}, "Transfer-Encoding": {"identity"}}, false, Unreachable},
		{200, http.Header{"Content-Length": {"1000"}, "Transfer-Encoding": {"gzip", "Chunked"}}, false, Rules},
		{200, http.Header{"Content-Length": {"10", "1000"}}, false, Unreachable},
		{200, http.Header{"Content-Length": {"1000, 1000"}}, false, Unreachable},
		{200, http.Header{"Content-Length": {"27, 27"}}, false, Rules},
		{200, http.Header{"Content-Length": {"99999999999999999999"}}, false, Unreachable},
	} {
		r := Saved(Result{Origin: o, Status: c.status, Header: c.header, Body: []byte(rules), Truncated: c.isCut}, 0)
		if got := r.Outcome(nil); got != c.want {
			t.Errorf("%d %v, cut %v: %s, %v", c.status, c.header, c.isCut, got, r.Err)
		}
	}
	if r := Saved(Result{Origin: o, Header: http.Header{"Content-Length": {"1000"}, "Content-Encoding": {"gzip"}}}, 0); r.Outcome(nil) != Unreachable {
		t.Errorf("a compressed body of which nothing is left: %+v", r)
	}
	long := Saved(Result{Origin: o, Body: []byte(strings.Repeat("# comment\n", 60_000))}, 0)
	if !long.Truncated || len(long.Body) > defaultMaxBytes || !bytes.HasSuffix(long.Body, []byte("\n")) {
		t.Errorf("%d bytes, truncated %v", len(long.Body), long.Truncated)
	}
	if page := Saved(Result{Origin: o, Body: []byte("<!DOCTYPE html>\n<title>x</title>")}, 0); page.Page != HTML || page.Outcome(nil) != Rules {
		t.Errorf("an HTML page: %+v", page)
	}
	if binary := Saved(Result{Origin: o, Body: []byte("\x00\x01\x02")}, 0); !errors.Is(binary.Err, NoRobotsTxt) || binary.Outcome(robotstxt.Draft1996) != Unreachable {
		t.Errorf("binary: %+v", binary)
	}
}

// What a saved response means if its body is compressed, decompressed or cut.
func TestSavedEncodings(t *testing.T) {
	const rules = "User-agent: *\nDisallow: /x\n"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(rules)) // into memory
	z.Close()
	packed := zipped.String()
	o, err := origin.Parse("https://a.example")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, coding, body string
		isCut              bool
		want               Outcome
		read               string
		truncated          bool
	}{
		{"gzip", "gzip", packed, false, Rules, rules, false},
		{"nothing", "gzip", "", false, Rules, "", false},
		{"already decompressed", "gzip", "# none\n", false, Rules, "# none\n", false},
		{"gzip without its end", "x-gzip", packed[:len(packed)-5], true, Rules, rules, true},
		{"gzip that was not cut, without its end", "gzip", packed[:len(packed)-5], false, Unreachable, "", false},
		{"gzip, nothing of it", "gzip", packed[:11], true, Unreachable, "", true},
		{"gzip with a wrong sum", "gzip", packed[:len(packed)-8] + "12345678", false, Unreachable, "", false},
		{"gzip twice", "gzip, gzip", gzipped(packed), false, Rules, rules, false},
		{"gzip once, named twice", "gzip, gzip", packed, false, Unreachable, "", false},
		{"br, already decompressed", "br", rules, false, Rules, rules, false},
		{"br with no record", "br", "abc", false, Unreachable, "", false},
		{"cut in a line", "", rules + "Disallow: /ab", true, Rules, rules, true},
		{"cut in the first line", "", "User-agent: *", true, Unreachable, "", true},
	} {
		r := Saved(Result{Origin: o, Status: 200, Header: http.Header{"Content-Encoding": {c.coding}}, Body: []byte(c.body), Truncated: c.isCut}, len(rules))
		if got := r.Outcome(nil); got != c.want || string(r.Body) != c.read || r.Truncated != c.truncated {
			t.Errorf("%s: %s, %q, truncated %v, %v", c.name, got, r.Body, r.Truncated, r.Err)
		}
	}
	long := Result{Origin: o, Status: 200, Header: http.Header{"Content-Encoding": {"gzip"}}, Body: []byte(packed)}
	if r := Saved(long, len(rules)-2); !r.Truncated || string(r.Body) != "User-agent: *\n" || r.Err != nil {
		t.Errorf("longer than MaxBytes: %q, %v, %v", r.Body, r.Truncated, r.Err)
	}
}
