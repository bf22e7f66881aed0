package source_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
)

// A folder has the files of hosts, under the names that "heed check --robots DIR" uses, and files of
// other kinds.
func TestFolder(t *testing.T) {
	inFolder := string(record(0, "http://x.example/robots.txt", "HTTP/1.1 404 x\r\n\r\n"))
	dir := write(t, map[string]string{
		"a.example": "1", "a.example.txt": "not used", "a.example:8080.txt": "2", "b.example.txt": "3", "b.example/robots.txt": "not used",
		"c.example/robots.txt": "4", "d.example:80/robots.txt": "5", "e.example%3A81.txt": "8", "[::1]:81": "6", "localhost": "7", "xn--r8jz45g.example.txt": "U\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00",
		"page.example": "<html>", "empty.example": "", "image.example": "\x89PNG\r\n\x1a\n\x00\x00", "zipped.example": zipped(rules),
		"Upper.example": "x", "README": "x", "a b": "x", ".hidden": "x", "例え.example": "x",
		"lines.jsonl": `{"origin":"http://w.example","status":404}`, "warc.example": inFolder,
		"json.example": `{"error":"not found"}`, "deep/er/w.gz": zipped(string(record(0, "http://y.example/robots.txt", "HTTP/1.1 404 x\r\n\r\n"))), "deep/z.example": "x",
	})
	got := load(t, dir)
	found := texts(got.captures)
	slices.Sort(found)
	checkTexts(t, "captures", found, []string{
		`//[::1]:81/robots.txt 200 json "6"`,
		`//a.example/robots.txt 200 json "1"`,
		`//a.example:8080/robots.txt 200 json "2"`,
		`//b.example/robots.txt 200 json "3"`,
		`//c.example/robots.txt 200 json "4"`,
		`//d.example:80/robots.txt 200 json "5"`,
		`//e.example:81/robots.txt 200 json "8"`,
		`//empty.example/robots.txt 200 ""`,
		`//image.example/robots.txt 200 failed ""`,
		`//json.example/robots.txt 200 json "{\"error\":\"not found\"}"`,
		`//localhost/robots.txt 200 json "7"`,
		`//page.example/robots.txt 200 html "<html>"`,
		`//warc.example/robots.txt 200 "` + strings.ReplaceAll(inFolder, "\r\n", `\r\n`) + `"`, `//xn--r8jz45g.example/robots.txt 200 "User-agent:*\n"`,
		`//zipped.example/robots.txt 200 failed ""`,
		`http://w.example/robots.txt 404 ""`, `http://y.example/robots.txt 404 ""`,
	})
	for i, want := range []string{
		"README, : the name of the file is not that of a host", "Upper.example, : the name of the file is not that of a host", "a b, : the name of the file is not that of a host",
		"a.example.txt, : heed does not use this file, because a.example has the robots.txt of the same host", "robots.txt, : heed does not use this file, because b.example.txt has the robots.txt of the same host",
		"warc.example, : the file contains WARC, but it has the name of the robots.txt of the host warc.example", "z.example, : heed does not know the format of the file; expected WARC", "例え.example, : the name of the file is not that of a host",
	} {
		if i >= len(got.rejected) || !strings.HasPrefix(got.rejected[i], want) {
			t.Fatalf("rejection %d: %q, want %s", i, got.rejected, want)
		}
	}
	if p := got.progress; p.Rejected != 8 || p.Captures != 17 || p.Files != 24 || p.AllFiles != 24 || p.Bytes != p.AllBytes {
		t.Errorf("%+v", p)
	}
	for _, c := range got.captures {
		if isOfHost := strings.HasPrefix(c.URL, "//"); isOfHost && !c.At.IsZero() {
			t.Errorf("%s is of %s", c.URL, c.At)
		}
	}
}

// Lines have the fields of "heed cache import", and a body or a location.
func TestLines(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"origin":"http://A.example","robots":"User-agent: *\n"}`, `http://a.example/robots.txt 200 "User-agent: *\n"`},
		{`{"url":"https://a.example/page?x","robots_b64":"VXNlci1hZ2VudDogKgo="}`, `https://a.example/robots.txt 200 "User-agent: *\n"`},
		{`{"url":"https://a.example/","status":404}`, `https://a.example/ 404 ""`},
		{`{"url":"https://a.example/x","status":200,"body":"User-agent: *"}`, `https://a.example/x 200 "User-agent: *"`},
		{`{"url":"https://a.example/x","body":"<html>"}`, `https://a.example/x 200 html ""`},
		{`{"url":"https://a.example/robots.txt","status":301,"location":"/x"}`, `https://a.example/robots.txt 301 to https://a.example/x ""`},
		{`{"url":"https://a.example/robots.txt","status":500,"body":"<h1>Page not found</h1>"}`, `https://a.example/robots.txt 500 says-not-found ""`},
		{`{"origin":"ftp://a.example","status":550}`, `ftp://a.example/robots.txt 550 ""`},
		{`{"origin":"ftp://a.example","body":"x"}`, `ftp://a.example/robots.txt 226 "x"`},
		{`{"origin":"http://a.example","robots_b64":"AQACAAEB"}`, `http://a.example/robots.txt 200 failed ""`},

		{`{"origin":"http://a.example","status":204}`, `rejected: the robots.txt is missing; expected "body", "robots" or "robots_b64", or a status such as 404, which says that there is no robots.txt`},
		{`{"origin":"http://a.example"}`, `rejected: the robots.txt is missing; expected "body", "robots" or "robots_b64", or a status such as 404, which says that there is no robots.txt`},
		{`{"status":404}`, `rejected: expected either "url" or "origin", and not both`},
		{`{"origin":"http://a.example","url":"http://a.example","status":404}`, `rejected: expected either "url" or "origin", and not both`},
		{`{"origin":"http://a.example","body":"","robots":""}`, `rejected: expected only one of "body", "robots", "robots_b64" and "robots_file"`},
		{`{"origin":"http://a.example","status":600}`, `rejected: the status is 600; expected the status of a response, such as 200 or 404`},
		{`{"origin":"http://a.example","status":404,"Status":200,"body":""}`, `rejected: the member "Status" is unknown; expected one of url, origin, host, robots, robots_b64, robots_file, body, location, status, fetched. If your members have other names, give these names with --columns`},
		{`{"origin":"http://a.example","code":404}`, `rejected: the member "code" is unknown; expected one of url, origin, host, robots, robots_b64, robots_file, body, location, status, fetched. If your members have other names, give these names with --columns`},
		{`{"origin":"http://a.example","robots_file":"/etc/passwd"}`, `rejected: "robots_file": heed reads no files here: give the text of the robots.txt as "robots" or "robots_b64"`},
		{"{\"origin\":\"http://a.example\",\"body\":\"\xff\"}", `rejected: not JSON: invalid UTF-8 within "/body" after offset 37; give bytes that are not UTF-8 in base64, as "robots_b64" or "url_b64"`},
		{`{"origin":"http://a b","status":404}`, `rejected: "http://a b": expected a host name, found "a b"`},
		{`{"origin":"http://a.example","status":404,"fetched":"today"}`, `rejected: "fetched" is "today"; expected a time such as 2026-05-03T14:00:00Z`},
	} {
		const first = `{"origin":"http://first.example","status":404,"fetched":"2026-05-03T14:00:00+02:00"}`
		dir := write(t, map[string]string{"w": first + "\n\r\n" + c.line + "\r\n" + first})
		got := load(t, filepath.Join(dir, "w"))
		var found []string
		for _, text := range texts(got.captures) {
			if !strings.HasPrefix(text, "http://first.example") {
				found = append(found, text)
			}
		}
		for _, r := range got.rejected {
			found = append(found, strings.Replace(r, "w, line 3", "rejected", 1))
		}
		checkTexts(t, c.line, found, []string{c.want})
		if n := len(got.captures) + len(got.rejected); n != 3 || got.captures[0].At.UTC().Format(time.RFC3339) != "2026-05-03T12:00:00Z" {
			t.Errorf("%s: %d captures and rejections, the first at %s", c.line, n, got.captures[0].At)
		}
	}
}

// A file of lines that breaks off is an error: what is lost could be the captures that disallow.
func TestCutLines(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "{\"origin\":\"http://h%d.example\",\"status\":%d}\n", i, 400+i%100)
	}
	for name, packed := range map[string]string{"gzip": zipped(text.String()), "zstd": zstandard(t, text.String())} {
		dir := write(t, map[string]string{"w": packed[:len(packed)-100]})
		if _, err := tryLoad(&source.Loader{}, filepath.Join(dir, "w")); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each version of the history of a store is a capture at its first time, and one at its last.
func TestStore(t *testing.T) {
	ctx, store := context.Background(), cache.NewMemory(0, 0)
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	put := func(site string, status int, body string, minutes int) {
		o, err := origin.Parse(site)
		if err != nil {
			t.Fatal(err)
		}
		end := at.Add(time.Duration(minutes) * time.Minute)
		r := fetch.Saved(fetch.Result{Origin: o, Status: status, Body: []byte(body), Start: end, End: end}, 0)
		if err := errors.Join(cache.Import(ctx, store, nil, []fetch.Result{r})...); err != nil {
			t.Fatal(err)
		}
	}
	put("http://a.example", 200, rules, 1)
	put("http://a.example", 404, "", 2)
	put("http://a.example", 404, "", 3)
	put("http://a.example", 200, "<html>", 4)
	put("https://b.example:8443", 410, "", 5)
	put("http://c.example", 503, "", 6)
	put("https://d.example", 200, rules, 7)
	put("https://d.example", 503, "", 8)

	l := source.Loader{OpenStore: func(name string) (cache.Store, func() error, error) {
		if name != "redis://127.0.0.1:1" {
			t.Error(name)
		}
		return store, func() error { return nil }, nil
	}}
	got, err := tryLoad(&l, "redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(got.captures, func(a, b *capture.Capture) int { return cmp.Compare(a.URL, b.URL) })
	checkTexts(t, "store", texts(got.captures), []string{
		`http://a.example/robots.txt 200 "User-agent: *\nDisallow: /x\n"`, `http://a.example/robots.txt 404 ""`, `http://a.example/robots.txt 404 ""`,
		`http://a.example/robots.txt 200 html "<html>"`, `http://c.example/robots.txt 503 failed ""`, `https://b.example:8443/robots.txt 410 ""`,
		`https://d.example/robots.txt 200 "User-agent: *\nDisallow: /x\n"`, `https://d.example/robots.txt 503 failed ""`})
	for i, minutes := range []int{1, 2, 3, 4, 6, 5, 7, 8} {
		if c := got.captures[i]; !c.At.Equal(at.Add(time.Duration(minutes) * time.Minute)) {
			t.Errorf("%s, %d: at %s", c.URL, c.Status, c.At)
		}
	}
	if _, err := tryLoad(&source.Loader{}, "redis://127.0.0.1:1"); err == nil {
		t.Error("a store is read without OpenStore")
	}
	broken := errors.New("broken")
	l.OpenStore = func(string) (cache.Store, func() error, error) {
		return brokenGet{store, broken}, func() error { return nil }, nil
	}
	if _, err := tryLoad(&l, "redis://127.0.0.1:1"); !errors.Is(err, broken) { // an older answer must not hold then
		t.Error(err)
	}
	l.OpenStore = func(string) (cache.Store, func() error, error) { return nil, nil, broken }
	if _, err := tryLoad(&l, "redis://127.0.0.1:1"); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// brokenGet is a store that cannot say what the last retrieval was.
type brokenGet struct {
	cache.Store
	error
}

func (s brokenGet) Get(context.Context, origin.Origin) (*cache.Record, error) { return nil, s.error }

// A file of HOST:PORT that cannot be read is a failure: the file of HOST does not take its place.
func TestFileOfPortThatCannotBeRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows allows no colon in the name of a file")
	}
	dir := t.TempDir()
	for name, size := range map[string]int64{"a.example": 0, "a.example:8080": saved.MaxBytes + 1, "b.example": saved.MaxBytes + 1} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
	}
	got := load(t, dir)
	slices.SortFunc(got.captures, func(a, b *capture.Capture) int { return cmp.Compare(a.URL, b.URL) })
	checkTexts(t, "captures", texts(got.captures), []string{`//a.example/robots.txt 200 ""`, `//a.example:8080/robots.txt 200 failed ""`})
	if len(got.rejected) != 2 {
		t.Errorf("rejected %q", got.rejected)
	}
}

// A Parquet file of hyparquet-writer; the third row has no origin.
func TestParquet(t *testing.T) {
	got := load(t, "../parquetfile/testdata/hyparquet-robots.parquet")
	checkTexts(t, "captures", texts(got.captures), []string{
		`https://a.example/robots.txt 200 "User-agent: *\nDisallow: /cart\n"`, `https://b.example/robots.txt 404 ""`})
	if at := got.captures[0].At.UTC().Format(time.RFC3339); at != "2026-05-03T14:00:00Z" || len(got.rejected) != 1 || !strings.Contains(got.rejected[0], "row 3") {
		t.Errorf("at %s, rejected %q", at, got.rejected)
	}
}
