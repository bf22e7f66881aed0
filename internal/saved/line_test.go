package saved

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// IsMember knows each member, and no other name, unless somebody named those that count.
func TestIsMember(t *testing.T) {
	var known Columns
	given, err := ParseColumns("origin=site,body=text")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(Names(), robotsFile, "host", "content", "fetched_at_ms") {
		if !known.IsMember(name) || known.IsMember(strings.ToUpper(name)) || !given.IsMember(name) || given.IsSite(name) {
			t.Errorf("%s is no member", name)
		}
	}
	if known.IsSite("site") || !given.IsSite("site") || !known.IsSite("host") || known.IsSite("body") {
		t.Error("the site is in another member")
	}
}

// A file is read only for a caller that permits it: lines of others must not choose what is read of this
// machine. Its time is that of the answer.
func TestFileOfLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "robots.txt")
	changed := time.Date(2026, 5, 3, 14, 0, 0, 0, time.UTC)
	if err := os.WriteFile(path, []byte("# a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
	line := lines.Line{Text: `{"url":"https://A.example/page","robots_file":"` + path + `"}`}
	if a, err := new(Columns).ReadLine(line, false); err == nil || !strings.Contains(err.Error(), "heed reads no files here") || a.Body != nil {
		t.Errorf("%q, %v", a.Body, err)
	}
	a, err := new(Columns).ReadLine(line, true)
	if err != nil || string(a.Body) != "# a" || !a.At.Equal(changed) || a.URL != "https://a.example/robots.txt" || !a.IsRobots() {
		t.Errorf("%+v, %v", a, err)
	}
	for _, other := range []string{"", os.DevNull, t.TempDir()} {
		if _, err := new(Columns).ReadLine(lines.Line{Text: `{"url":"https://a.example","robots_file":"` + other + `"}`}, true); err == nil {
			t.Errorf("%q is read", other)
		}
	}
}

// A robots.txt has one limit, wherever it is read.
func TestReadIsBounded(t *testing.T) {
	portion.Skip(t, 4)
	for size, ok := range map[int]bool{MaxBytes: true, MaxBytes + 1: false} {
		body, err := Read(strings.NewReader(strings.Repeat("x", size)), "x")
		if (err == nil) != ok || ok && len(body) != size {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// An answer of another URL than the robots.txt is none of a robots.txt.
func TestIsRobots(t *testing.T) {
	for text, want := range map[string]bool{
		`"url":"https://a.example","status":404`: false, `"url":"https://a.example/","status":404`: false, `"origin":"https://a.example","status":404`: true, `"url":"HTTPS://A.example:443/robots.txt","body":""`: true,
		`"url":"https://a.example/x","status":404`: false, `"url":"https://a.example/x","body":""`: false, `"url":"https://a.example/x","robots_b64":""`: true,
		`"url":"https://a.example?x","status":404`: false, `"url":"https://a.example?/robots.txt","body":"<html>"`: false, `"url":"https://a.example#/robots.txt","body":"<html>"`: false,
		`"url":"https://a.example/robots.txt#x","body":""`: true, `"url":"https://a.example\\robots.txt","body":""`: true, `"url":"https://a.example/robots.txt?#x","body":""`: false,
	} {
		if a, err := new(Columns).ReadLine(lines.Line{Text: "{" + text + "}"}, false); err != nil || a.IsRobots() != want {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
}
