package source_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// record returns a response.
func record(n int, url, block string, fields ...string) []byte {
	return fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-01-02T03:04:%02dZ\r\nContent-Type: application/http; msgtype=response\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n",
		url, n, strings.Join(fields, ""), len(block), block)
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text)) // into memory
	z.Close()
	return b.String()
}

func brotlied(text string) string {
	var b bytes.Buffer
	z := brotli.NewWriter(&b)
	z.Write([]byte(text)) // into memory
	z.Close()
	return b.String()
}

func zstandard(t testing.TB, text string) string {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(z.EncodeAll([]byte(text), nil))
}

// What a response means: its capture, or why it is rejected (R-14, R-17, R-19, R-21, G-6).
func TestResponses(t *testing.T) {
	const site = "https://a.example/robots.txt"
	const unreachable = "\nrejected: " + site + " counts as unreachable: "
	page := "<!DOCTYPE html>\n<title>Shop</title>\n"
	for _, c := range []struct{ name, url, block, fields, want string }{
		{"rules", site, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + rules, "", site + ` 200 "User-agent: *\nDisallow: /x\n"`},
		{"single line ends", site, "HTTP/1.0 200\nA: b\n\n" + rules, "", site + ` 200 "User-agent: *\nDisallow: /x\n"`},
		{"HTTP/2", site, "HTTP/2 200\r\n\r\n" + rules, "", site + ` 200 "User-agent: *\nDisallow: /x\n"`},
		{"wrong headers", site, "HTTP/1.1 200 OK\r\nno colon\r\n: none\r\n\x00\xff: x\r\n folded\r\n\r\n" + rules, "", site + ` 200 "User-agent: *\nDisallow: /x\n"`},
		{"interim", site, "HTTP/1.1 103 Early Hints\r\nLocation: /y\r\n\r\nHTTP/1.1 404 No\r\n\r\n", "", site + ` 404 ""`},
		{"empty", site, "HTTP/1.1 200 OK\r\n\r\n", "", site + ` 200 ""`},
		{"404 with a page", site, "HTTP/1.1 404 Not Found\r\n\r\n" + page, "", site + ` 404 ""`},
		{"404, headers cut", site, "HTTP/1.1 404 Not Found\r\nServ", "", site + ` 404 ""`},
		{"200, headers cut", site, "HTTP/1.1 200 OK\r\nServer: x\r\n", "", `rejected: the HTTP response in the WARC record ends before the end of its headers, so heed does not use it`},
		{"500 says not found", site, "HTTP/1.1 500 x\r\n\r\n<title>404 Not Found</title>", "", site + ` 500 says-not-found ""`},
		{"503 with rules", site, "HTTP/1.1 503 x\r\n\r\n" + rules, "", site + ` 503 ""`},
		{"a part", site, "HTTP/1.1 206 x\r\n\r\n" + rules, "", site + ` 206 failed ""` + unreachable + `status 206 with a part of the file, which was not requested`},
		{"a range", site, "HTTP/1.1 200 x\r\nContent-Range: bytes 0-1/2\r\n\r\n" + rules, "", site + ` 200 failed ""` + unreachable + `status 200 with a part of the file, which was not requested`},
		{"an image", site, "HTTP/1.1 200 x\r\n\r\n\x89PNG\r\n\x1a\n\x00\x00", "", site + ` 200 failed ""` + unreachable + `the body is binary, without a record`},
		{"UTF-16 by charset", site, "HTTP/1.1 200 x\r\nContent-Type: text/plain; charset=utf-16le\r\n\r\nU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00", "", site + ` 200 "User-agent:*\n"`},
		{"a page", site, "HTTP/1.1 200 x\r\n\r\n" + page, "", site + ` 200 html ""`},
		{"a page with rules", site, "HTTP/1.1 200 x\r\n\r\n<html>\n" + rules, "", site + ` 200 html "<html>\nUser-agent: *\nDisallow: /x\n"`},
		{"a page that asks for the agent", site, "HTTP/1.1 200 x\r\n\r\n<html>\nif (navigator.userAgent) {}", "", site + ` 200 html ""`},
		{"comments", site, "HTTP/1.1 200 x\r\n\r\n# none\n", "", site + ` 200 "# none\n"`},
		{"a target", "https://a.example/r?x=1", "HTTP/1.1 200 x\r\n\r\n \tUserAgent: *", "", `https://a.example/r?x=1 200 " \tUserAgent: *"`},
		{"another text", "https://a.example/style.css", "HTTP/1.1 200 x\r\n\r\na { color: red }", "", `https://a.example/style.css 200 ""`},

		{"redirect", site, "HTTP/1.1 301 x\r\nlocation:  /robots2.txt#x \r\n\r\n", "", site + ` 301 to https://a.example/robots2.txt ""`},
		{"redirect to another host", site, "HTTP/1.1 308 x\r\nLocation: //B.example\r\n\r\n", "", site + ` 308 to https://b.example/ ""`},
		{"redirect, headers not ended", site, "HTTP/1.1 302 x\r\nLocation: /y\r\n", "", site + ` 302 to https://a.example/y ""`},
		{"redirect, Location cut", site, "HTTP/1.1 302 x\r\nLocation: /y", "", `rejected: the HTTP response in the WARC record ends before the end of its headers, so heed does not use it`},
		{"redirect to FTP", site, "HTTP/1.1 302 x\r\nLocation: ftp://a.example/\r\n\r\n", "", site + ` 302 ""` + unreachable + `the response has the status 302, but no Location that heed can follow`},
		{"redirect to nowhere", site, "HTTP/1.1 302 x\r\n\r\n", "", site + ` 302 ""` + unreachable + `the response has the status 302, but no Location that heed can follow`},
		{"not modified", site, "HTTP/1.1 304 x\r\n\r\n", "", site + ` 304 ""` + unreachable + `the response has the status 304, so the robots.txt is only in an earlier response`},
		{"redirect to a long URL", site, "HTTP/1.1 302 x\r\nLocation: /" + strings.Repeat("a", 3000) + "\r\n\r\n", "", site + ` 302 ""` + unreachable + `the response has the status 302, but no Location that heed can follow`},
		{"300 is not followed", site, "HTTP/1.1 300 x\r\nLocation: /y\r\n\r\n", "", site + ` 300 ""`},

		{"gzip", site, "HTTP/1.1 200 x\r\nContent-Encoding: gzip\r\nContent-Length: 9999\r\n\r\n" + zipped(rules), "", site + ` 200 "User-agent: *\nDisallow: /x\n"`},
		{"gzip, cut", site, "HTTP/1.1 200 x\r\nContent-Encoding: gzip\r\n\r\n" + zipped(rules)[:len(zipped(rules))-9], "WARC-Truncated: length\r\n", site + ` 200 truncated "User-agent: *\nDisallow: /x\n"`},
		{"gzip without its end", site, "HTTP/1.1 200 x\r\nContent-Encoding: gzip\r\n\r\n" + zipped(rules)[:len(zipped(rules))-9], "", site + ` 200 failed ""` + unreachable + `body: the end of the compressed body is missing`},
		{"gzip, wrong", site, "HTTP/1.1 200 x\r\nContent-Encoding: gzip\r\n\r\n" + zipped(rules)[:len(zipped(rules))-8] + "xxxxxxxx", "", site + ` 200 failed ""` + unreachable + `body: the body cannot be decoded as "gzip": gzip: invalid checksum`},
		{"gzip, already decompressed", site, "HTTP/1.1 200 x\r\nContent-Encoding: gzip\r\nContent-Length: 9999\r\n\r\n# none\n", "", site + ` 200 "# none\n"`},
		{"gzip without the header", site, "HTTP/1.1 200 x\r\n\r\n" + zipped(rules), "", site + ` 200 failed ""` + unreachable + `the body is still compressed, as gzip`},
		{"br of a short file", site, "HTTP/1.1 200 x\r\nContent-Encoding: br\r\n\r\n" + brotlied(rules), "", site + ` 200 "User-agent: *\nDisallow: /x\n"`},
		{"gzip and br", site, "HTTP/1.1 200 x\r\nContent-Encoding: gzip, br\r\n\r\n" + brotlied(zipped(rules)), "", site + ` 200 "User-agent: *\nDisallow: /x\n"`},
		{"br without its end", site, "HTTP/1.1 200 x\r\nContent-Encoding: br\r\n\r\n" + brotlied(rules)[:len(brotlied(rules))-1], "", site + ` 200 failed ""` + unreachable + `body: the end of the compressed body is missing`},
		{"br without the header", site, "HTTP/1.1 200 x\r\n\r\n" + brotlied(rules), "", site + ` 200 failed ""` + unreachable + `the body is binary at its beginning, without a whole group`},
		{"zstd", site, "HTTP/1.1 200 x\r\nContent-Encoding: zstd\r\n\r\n" + zstandard(t, rules), "", site + ` 200 "User-agent: *\nDisallow: /x\n"`},
		{"202", site, "HTTP/1.1 202 x\r\n\r\n", "", site + ` 202 failed ""` + unreachable + `status 202 without a group of rules`},
		{"202 with rules", site, "HTTP/1.1 202 x\r\n\r\n" + rules, "", site + ` 202 "User-agent: *\nDisallow: /x\n"`},
		{"br, already decompressed", site, "HTTP/1.1 200 x\r\nContent-Encoding: br\r\n\r\n" + rules, "", site + ` 200 "User-agent: *\nDisallow: /x\n"`},
		{"br", site, "HTTP/1.1 200 x\r\nContent-Encoding: br\r\n\r\n\x0b\x06abcd", "", site + ` 200 failed ""` + unreachable + `body: the end of the compressed body is missing`},
		{"an interim encoding of Common Crawl", site, "HTTP/1.1 200 x\r\nX-Crawl-Content-Encoding: gzip\r\n\r\n# none\n", "", site + ` 200 "# none\n"`},

		{"chunks", site, "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUser-\r\n00a;x=y\r\nagent: *\nD\r\n0\r\n\r\n", "", site + ` 200 "User-agent: *\nD"`},
		{"chunks, cut", site, "HTTP/1.1 200 x\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n5\r\nUser-\r\n0a\r\nagent: *\nD\r\n", "WARC-Truncated: length\r\n", site + ` 200 truncated "User-agent: *\n"`},
		{"a chunk, cut", site, "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n" + rules + "Dis", "WARC-Truncated: length\r\n", site + ` 200 truncated "User-agent: *\nDisallow: /x\n"`},
		{"no chunks", site, "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n" + rules, "", site + ` 200 "User-agent: *\nDisallow: /x\n"`},
		{"a chunk of more than there can be", site, "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n" + rules, "", site + ` 200 "ffffffffffffffffff\r\nUser-agent: *\nDisallow: /x\n"`},

		{"cut by the archive", site, "HTTP/1.1 200 x\r\n\r\n" + rules + "Disallow: /a", "WARC-Truncated: length\r\n", site + ` 200 truncated "User-agent: *\nDisallow: /x\n"`},
		{"cut by the archive, with the length that it had", site, "HTTP/1.1 200 x\r\nContent-Length: 1000\r\n\r\n" + rules + "Disallow: /a", "WARC-Truncated: length\r\n", site + ` 200 truncated "User-agent: *\nDisallow: /x\n"`},
		{"nothing is left", site, "HTTP/1.1 200 x\r\n\r\nUser-agent: *", "WARC-Truncated: length\r\n", site + ` 200 failed ""` + unreachable + `body: unexpected EOF`},
		{"disconnected", site, "HTTP/1.1 200 x\r\n\r\n" + rules, "WARC-Truncated: disconnect\r\n", site + ` 200 failed ""` + unreachable + `the end of the response is missing, so heed does not use it: the record has WARC-Truncated: "disconnect"`},
		{"out of time", site, "HTTP/1.1 200 x\r\n\r\n" + rules, "WARC-Truncated: time\r\n", site + ` 200 failed ""` + unreachable + `the end of the response is missing, so heed does not use it: the record has WARC-Truncated: "time"`},
		{"disconnected, but gone", site, "HTTP/1.1 404 x\r\n\r\nNot f", "WARC-Truncated: disconnect\r\n", site + ` 404 ""`},
		{"shorter than its length", site, "HTTP/1.1 200 x\r\nContent-Length: 1000\r\n\r\n" + rules, "", site + ` 200 failed ""` + unreachable + `the end of the body is missing, so heed does not use the body: it has 27 bytes, but Content-Length says 1000`},
		{"chunks without their end", site, "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUser-\r\n", "", site + ` 200 failed ""` + unreachable + `the last chunk of the HTTP response is missing, so heed does not use the response`},
		{"chunks without the end of the first size", site, "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n1a4\r", "", site + ` 200 failed ""` + unreachable + `the last chunk of the HTTP response is missing, so heed does not use the response`},
		{"chunks without the end of the last size", site, "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUser-\r\n0", "", site + ` 200 failed ""` + unreachable + `the last chunk of the HTTP response is missing, so heed does not use the response`},
		{"longer than its length", site, "HTTP/1.1 200 x\r\nContent-Length: 1\r\n\r\n" + rules, "", site + ` 200 "User-agent: *\nDisallow: /x\n"`},

		{"no response", site, "GET / HTTP/1.1\r\n\r\n", "", `rejected: the record has no HTTP response; expected a response, which begins with a line such as "HTTP/1.1 200 OK"`},
		{"no status", site, "HTTP/1.1 OK\r\n\r\n", "", `rejected: the record has no HTTP response; expected a response, which begins with a line such as "HTTP/1.1 200 OK"`},
		{"status 2000", site, "HTTP/1.1 2000\r\n\r\n", "", `rejected: the record has no HTTP response; expected a response, which begins with a line such as "HTTP/1.1 200 OK"`},
		{"long headers", site, "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 200_000) + "\r\n", "", `rejected: the HTTP response in the WARC record has headers of more than 1048576 bytes, so heed does not use it`},
		{"a wrong URL", "https://a b/robots.txt", "HTTP/1.1 404 x\r\n\r\n", "", `rejected: "https://a b/robots.txt": expected a host name, found "a b"`},
	} {
		dir := write(t, map[string]string{"w": string(record(1, c.url, c.block, c.fields))})
		got := load(t, filepath.Join(dir, "w"))
		found := texts(got.captures)
		for _, r := range got.rejected {
			found = append(found, strings.Replace(r, "w, offset 0", "rejected", 1))
		}
		checkTexts(t, c.name, found, strings.Split(c.want, "\n"))
	}
}

// Records of npm's warcio, with the forms of bodies that archives have; testdata/make.mjs says which.
var ofWarcio = []string{
	`https://www.example.com/robots.txt 302 to https://www.example.com/gzip?a=b%7Cc ""`,
	`https://www.example.com/gzip?a=b%7Cc 200 "User-agent: *\nDisallow: /private\n"`,
	`https://www.example.com/chunks 200 "User-agent: *\nDisallow: /private\n"`,
	`https://www.example.com/both 200 "User-agent: *\nDisallow: /private\n"`,
	`https://www.example.com/cut 200 truncated "User-agent: *\nDisallow: /private\n"`,
	`https://www.example.com/utf16 200 "User-agent: *\nDisallow: /private\n"`,
	`https://www.example.com/page 200 html ""`,
	`https://www.example.com/down 503 ""`,
	`https://www.example.com/robots.txt 302 to https://www.example.com/elsewhere ""`,
}

func TestBodiesOfWarcio(t *testing.T) {
	got := load(t, "testdata/warcio.warc.gz")
	checkTexts(t, "captures", texts(got.captures), ofWarcio)
	if got.progress.Others != 4 || got.progress.Rejected != 0 {
		t.Errorf("%+v, %q", got.progress, got.rejected)
	}
	set := &capture.Set{}
	for _, c := range got.captures {
		set.Add(c)
	}
	set.Seal()
	o, err := origin.Parse("https://www.example.com")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := capture.Archives{set}.Find(o, time.Time{}, fetch.StatusesOf(robotstxt.RFC9309))
	if body, _ := set.Body(answer.Body); err != nil || answer.Status != 200 || body == "" || answer.At.Nanosecond() != 678_000_000 {
		t.Errorf("the redirect is not followed: %+v, %v", answer, err)
	}
}

// A wrong byte in that file costs one capture at most, and then it is told.
func TestWrongByteOfWarcio(t *testing.T) {
	file, err := os.ReadFile("testdata/warcio.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "w")
	for at := 0; at < len(file); at += 3 {
		if !portion.Of(8) {
			continue
		}
		wrong := bytes.Clone(file)
		wrong[at] ^= 0x15
		if err := os.WriteFile(path, wrong, 0o600); err != nil {
			t.Fatal(err)
		}
		got := load(t, path)
		lost := slices.Clone(ofWarcio)
		for _, text := range texts(got.captures) {
			i := slices.Index(lost, text)
			if i < 0 {
				t.Fatalf("byte %d: %s", at, text)
			}
			lost = slices.Delete(lost, i, i+1)
		}
		if len(lost) > 1 || len(lost) > 0 && len(got.rejected) == 0 {
			t.Errorf("byte %d: lost %q, rejected %q", at, lost, got.rejected)
		}
	}
}

// Other records are counted: requests, resources, and answers over DNS. If the content of a robots.txt is in such a record, it is
// rejected.
func TestOtherRecords(t *testing.T) {
	const answer = "HTTP/1.1 404 x\r\n\r\n"
	n := 0
	of := func(url, block string, changes ...string) string {
		n++
		return strings.NewReplacer(changes...).Replace(string(record(n, url, block)))
	}
	typed := func(kind, url string) string { return of(url, answer, "WARC-Type: response", "WARC-Type: "+kind) }
	const at, contentType = "2026-01-02T03:04:", "application/http; msgtype=response"
	text := of("dns:a.example", "1.2.3.4", contentType, "text/dns") + of("http://a.example/robots.txt", "HTTP/1.1 200 x\r\n\r\n"+rules) +
		of("<http://b.example/robots.txt>", answer) + of("http://d.example/robots.txt", answer, "Content-Type:", "X:") + typed("Response", "http://e.example/robots.txt") +
		typed("resource", "http://a.example/x") + typed("request", "http://a.example/robots.txt") + typed("metadata", "http://a.example/robots.txt") +
		typed("resource", "http://f.example/robots.txt") + typed("conversion", "http://f.example/robots.txt") + typed("continuation", "http://f.example/robots.txt") +
		of("http://f.example/robots.txt", answer, contentType, "message/http") +
		of("http://c.example/robots.txt", answer, at, "2026-02T03:04:") + of("http://c.example/robots.txt", answer, at, "9999-01-02T03:04:") + of("http://c.example/robots.txt", answer, at, "1990-01-02T03:04:")
	got := load(t, filepath.Join(write(t, map[string]string{"w": text}), "w"))
	checkTexts(t, "captures", texts(got.captures), []string{
		`http://a.example/robots.txt 200 "User-agent: *\nDisallow: /x\n"`, `http://b.example/robots.txt 404 ""`, `http://d.example/robots.txt 404 ""`, `http://e.example/robots.txt 404 ""`})
	rejected := strings.Join(got.rejected, "\n")
	for _, want := range []string{
		`WARC-Date is "2026-02T03:04:13Z"`, "WARC-Date: expected a time between 1994 and now, found 9999-01-02T03:04:14Z", "found 1990-01-02T03:04:15Z",
		`the type "resource"`, `the type "conversion"`, `the type "continuation"`, `the type "response" and the Content-Type "message/http"`} {
		if !strings.Contains(rejected, want) {
			t.Errorf("%s is not in\n%s", want, rejected)
		}
	}
	if len(got.rejected) != 7 || got.progress.Others != 8 {
		t.Errorf("%s\n%+v", rejected, got.progress)
	}
}

// A revisit of a robots.txt has the content of the record that it refers to, not that of the last one before it.
func TestRevisits(t *testing.T) {
	const site, profile = "https://a.example/robots.txt", "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
	const unmodified = "WARC-Profile: <http://netpreserve.org/warc/1.0/revisit/server-not-modified>\r\n"
	const ok, refers, toDate = "HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\n", "WARC-Refers-To: ", "WARC-Refers-To-Date: "
	at := func(n int) string { return fmt.Sprintf("2026-01-02T03:04:%02dZ\r\n", n) }
	first := string(record(1, site, "HTTP/1.1 200 x\r\n\r\n"+rules, "WARC-Record-ID: <urn:1>\r\nWARC-Payload-Digest: sha1:A\r\n"))
	second := string(record(2, site, "HTTP/1.1 200 x\r\n\r\nUser-agent: *\nDisallow:\n", "WARC-Record-ID: <urn:2>\r\nWARC-Payload-Digest: sha1:B\r\n"))
	other := string(record(1, "http://b.example/r", "HTTP/1.1 200 x\r\n\r\n"+rules, "WARC-Record-ID: <urn:3>\r\nWARC-Payload-Digest: sha1:C\r\n"))
	page := string(record(2, "http://c.example/", "HTTP/1.1 200 x\r\nContent-Type: text/html\r\n\r\n<html>", "WARC-Record-ID: <urn:5>\r\nWARC-Payload-Digest: sha1:D\r\n"))
	const found, missed, rejected = "found", "missed", "missed and rejected"
	for _, c := range []struct{ name, block, fields, want string }{
		{"by date and URL", ok, profile + toDate + at(1) + "WARC-Refers-To-Target-URI: " + site + "\r\n", found},
		{"by date and another URL", ok, profile + toDate + at(1) + "WARC-Refers-To-Target-URI: <http://b.example/r>\r\n", found},
		{"by date", ok, profile + toDate + at(1), found},
		{"without a block", "", profile + toDate + at(1), found},
		{"headers not ended", "HTTP/1.1 200 OK\r\nServer: x\r\n", profile + toDate + at(1), found},
		{"by id", ok, profile + refers + "<urn:1>\r\n", found},
		{"by the id of another URL", ok, profile + refers + "urn:3\r\n", found},
		{"by digest", ok, profile + "WARC-Payload-Digest: sha1:A\r\n", found},
		{"by the digest of another URL", ok, profile + "WARC-Payload-Digest: sha1:C\r\n", rejected},
		{"not modified", "HTTP/1.1 304 x\r\n\r\n", unmodified + toDate + at(1), found},
		{"not modified, by id", "", unmodified + refers + "<urn:1>\r\n", found},
		{"not modified since an unknown time", "HTTP/1.1 304 x\r\n\r\n", unmodified, rejected},
		{"by the id of a page", ok, profile + refers + "<urn:5>\r\n", "200"},
		{"a later record", ok, profile + refers + "<urn:4>\r\n", rejected},
		{"a date that no record has", ok, profile + toDate + at(5), missed},
		{"a date in the future", ok, profile + toDate + "9999-01-02T03:04:05Z\r\n", rejected},
		{"another status", "HTTP/1.1 203 OK\r\n\r\n", profile + toDate + at(1), missed},
		{"another profile", ok, strings.Replace(profile, "identical", "similar", 1) + toDate + at(1), rejected},
		{"gone", "HTTP/1.1 404 x\r\n\r\n", profile, "404"},
		{"another website answers", "HTTP/1.1 301 x\r\nLocation: http://b.example/r\r\n\r\n", profile, found},
		{"down", "HTTP/1.1 503 x\r\n\r\n", profile, "503"},
	} {
		revisit := strings.Replace(string(record(9, site, c.block, c.fields)), "WARC-Type: response", "WARC-Type: revisit", 1)
		set := &capture.Set{}
		got := load(t, filepath.Join(write(t, map[string]string{"w": first + second + other + page + revisit}), "w"))
		for _, one := range got.captures {
			set.Add(one)
		}
		set.Seal()
		o, err := origin.Parse("https://a.example")
		if err != nil {
			t.Fatal(err)
		}
		answer, err := capture.Archives{set}.Find(o, time.Time{}, fetch.StatusesOf(robotstxt.RFC9309))
		body, _ := set.Body(answer.Body)
		is := fmt.Sprint(answer.Status)
		switch {
		case err != nil:
			is = err.Error()
		case capture.IsRevisit(answer.Missed):
			is = missed
		case body == rules:
			is = found
		}
		for _, r := range got.rejected {
			is += " and rejected"
			if !strings.Contains(r, "is a revisit") {
				t.Errorf("%s: %s", c.name, r)
			}
		}
		if is != c.want {
			t.Errorf("%s: %s, want %s; rejected %q", c.name, is, c.want, got.rejected)
		}
	}
}

// damaged is a file with records, and what they are.
func damaged() (plain, members string, ends []int, want []string) {
	for i, block := range []string{"HTTP/1.1 200 OK\r\n\r\n" + rules, "HTTP/1.1 301 x\r\nLocation: /y\r\n\r\n", "HTTP/1.1 404 x\r\n\r\n", "HTTP/1.1 200 x\r\n\r\nUser-agent: a"} {
		text := string(record(i, fmt.Sprintf("http://h%d.example/robots.txt", i), block))
		plain += text
		members += zipped(text)
		ends = append(ends, len(members))
	}
	return plain, members, ends, []string{
		`http://h0.example/robots.txt 200 "User-agent: *\nDisallow: /x\n"`, `http://h1.example/robots.txt 301 to http://h1.example/y ""`,
		`http://h2.example/robots.txt 404 ""`, `http://h3.example/robots.txt 200 "User-agent: a"`}
}

// A file that is cut anywhere gives all captures in front of the cut, and one rejection.
func TestCut(t *testing.T) {
	portion.Skip(t, 4)
	_, members, ends, want := damaged()
	path := filepath.Join(t.TempDir(), "w")
	for n := ends[0]; n < len(members); n++ { // a shorter file has no record, and so no kind
		if err := os.WriteFile(path, []byte(members[:n]), 0o600); err != nil {
			t.Fatal(err)
		}
		whole := 0
		for ends[whole] <= n {
			whole++
		}
		got := load(t, path)
		found := texts(got.captures)
		if len(found) < whole || !slices.Equal(found, want[:len(found)]) {
			t.Errorf("cut at %d: %q", n, found)
		}
		if text := fmt.Sprint(got.rejected); strings.Contains(text, "EOF") {
			t.Errorf("cut at %d: %s", n, text)
		}
		isTold := len(got.rejected) == 1
		if mustTell := n > ends[whole-1] && len(found) == whole; isTold != mustTell || len(got.rejected) > 1 {
			t.Errorf("cut at %d: %q", n, got.rejected)
		}
	}
}

// So does a file with zstd.
func TestCutZstandard(t *testing.T) {
	plain, _, _, want := damaged()
	packed := zstandard(t, plain)
	dir := write(t, map[string]string{"w": packed + packed[:len(packed)-1]})
	got := load(t, filepath.Join(dir, "w"))
	if found := texts(got.captures); len(found) < len(want) || !slices.Equal(found[:len(want)], want) || len(got.rejected) == 0 {
		t.Errorf("%q, %q", found, got.rejected)
	}
}

// A wrong byte costs no other capture than its own, where each record is a gzip member, and is told.
func TestWrongByte(t *testing.T) {
	plain, members, ends, want := damaged()
	path := filepath.Join(t.TempDir(), "w")
	for name, file := range map[string]string{"members": members, "plain": plain, "whole": zipped(plain)} {
		for at := range file {
			if !portion.Of(8) {
				continue
			}
			wrong := []byte(file)
			wrong[at] ^= 0x15
			if err := os.WriteFile(path, wrong, 0o600); err != nil {
				t.Fatal(err)
			}
			l, err := tryLoad(&source.Loader{}, path)
			if name != "members" {
				continue
			}
			if err != nil {
				t.Errorf("byte %d: %v", at, err)
				continue
			}
			own := 0
			for ends[own] <= at {
				own++
			}
			found, others := texts(l.captures), slices.Delete(slices.Clone(want), own, own+1)
			isWhole := slices.Equal(found, want) // a header of gzip has bytes that mean nothing
			if !isWhole && (!slices.Equal(found, others) || len(l.rejected) == 0) || isWhole && len(l.rejected) > 0 {
				t.Errorf("byte %d: %q, %q", at, found, l.rejected)
			}
		}
	}
}

// FuzzResponse: no block makes Load fail, and what is added or rejected is counted.
func FuzzResponse(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUser-\r\n0\r\n\r\n")
	f.Add("HTTP/1.1 302 OK\r\nLocation: /y\r\n x\r\n\r\n")
	f.Add("HTTP/1.1 103 x\r\n\r\nHTTP/1.1 200 x\r\nContent-Encoding: gzip\r\n\r\n" + zipped(rules))
	path := filepath.Join(f.TempDir(), "w")
	f.Fuzz(func(t *testing.T, block string) {
		if err := os.WriteFile(path, record(0, "http://a.example/robots.txt", block), 0o600); err != nil {
			t.Fatal(err)
		}
		got := load(t, path)
		if len(got.captures)+len(got.rejected) != 1 {
			t.Errorf("%q: %q, %q", block, texts(got.captures), got.rejected)
		}
		for _, c := range got.captures {
			if c.Status < 100 || c.Status > 999 || c.Body != "" && (c.Failed || c.Status > 299) || len(c.Body) > 3*len(block)+1<<20 {
				t.Errorf("%q: %+v", block, c)
			}
		}
	})
}
