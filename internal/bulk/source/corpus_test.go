package source_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// WARC files, JSON lines and a folder give the same robots.txt for each file of the corpus, except that
// of pages without rules WARC files and lines give no body.
func TestCorpus(t *testing.T) {
	var records, lines bytes.Buffer
	dir := t.TempDir()
	n := 0
	z := gzip.NewWriter(nil)
	for _, body := range corpus.Files(t, "robots-txt.tar.gz") {
		if !portion.Of(12) {
			continue
		}
		records.Write(zippedRecord(z, n, body))
		line, err := json.Marshal(map[string]any{"origin": fmt.Sprintf("https://h%d.example", n), "robots_b64": body})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("h%d.example", n)), body, 0o600); err != nil {
			t.Fatal(err)
		}
		n++
	}
	other := write(t, map[string]string{"w": records.String(), "l": lines.String()})
	folder := load(t, dir)
	byURL := map[string]*capture.Capture{}
	for _, c := range folder.captures {
		byURL["https:"+c.URL] = c
	}
	pages := 0
	for _, name := range []string{"w", "l"} {
		got := load(t, filepath.Join(other, name))
		failed := 0
		for _, c := range got.captures {
			of := byURL[c.URL]
			switch {
			case of == nil || c.Page != of.Page || c.Status != of.Status || c.Failed != of.Failed || c.Truncated:
				t.Errorf("%s: %s is %+v, and in the folder %+v", name, c.URL, c.Facts, of)
			case c.Page != fetch.NoPage && c.Body == "" && robotstxt.ParseString(of.Body, robotstxt.Google).Agent("x").Check("https://x.example/") != robotstxt.ParseString("", robotstxt.Google).Agent("x").Check("https://x.example/"):
				t.Errorf("%s: %s lost its rules", name, c.URL)
			case c.Failed:
				failed++
			case c.Page != fetch.NoPage && c.Body == "":
				pages++
			case c.Body != of.Body:
				t.Errorf("%s: the body of %s is %.100q, and in the folder %.100q", name, c.URL, c.Body, of.Body)
			}
		}
		if wrong := len(got.rejected); len(got.captures) != n || len(folder.captures) != n || wrong > 0 && (name != "w" || wrong != failed) || len(folder.rejected) > 0 {
			t.Errorf("%s: %d captures of %d, rejected %q; the folder rejects %q", name, len(got.captures), n, got.rejected, folder.rejected)
		}
		t.Logf("%s: %d files, %d that are no robots.txt", name, n, failed)
	}
	t.Logf("%d captures of pages without rules", pages)
}

// BenchmarkWARC loads the files of the corpus from WARC files with a gzip member for each record.
func BenchmarkWARC(b *testing.B) {
	const files = 8
	var texts [files]bytes.Buffer
	n := 0
	request, z := gzip.NewWriter(nil), gzip.NewWriter(nil)
	for _, body := range corpus.Files(b, "robots-txt.tar.gz") {
		text := &texts[n%files]
		request.Reset(text)
		fmt.Fprintf(request, "WARC/1.0\r\nWARC-Type: request\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\nContent-Length: 0\r\nContent-Type: application/http; msgtype=request\r\nWARC-Target-URI: https://h%d.example/robots.txt\r\n\r\n\r\n\r\n", n, n)
		request.Close() // into memory
		text.Write(zippedRecord(z, n, body))
		n++
	}
	dir := b.TempDir()
	for i := range texts {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".warc.gz")), texts[i].Bytes(), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	start := time.Now()
	for b.Loop() {
		var set capture.Set
		l := source.Loader{Add: func(c *capture.Capture) error { set.Add(c); return nil }}
		if err := l.Load(context.Background(), []string{filepath.Join(dir, "*.warc.gz")}); err != nil {
			b.Fatal(err)
		}
		if p := l.Progress(); p.Captures != int64(n) {
			b.Fatalf("%+v", p)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/time.Since(start).Seconds(), "captures/s")
}

// zippedRecord returns a response with the headers that Common Crawl has, as a gzip member.
func zippedRecord(z *gzip.Writer, n int, body []byte) []byte {
	var text bytes.Buffer
	z.Reset(&text)
	block := fmt.Sprintf("HTTP/1.1 200 OK\r\nDate: Fri, 02 Jan 2026 03:04:05 GMT\r\nServer: nginx\r\nContent-Type: text/plain; charset=utf-8\r\nX-Crawl-Content-Length: 1234\r\nLast-Modified: Fri, 02 Jan 2025 03:04:05 GMT\r\nConnection: close\r\nETag: \"5f0-1\"\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0001-%012d>\r\nContent-Length: %d\r\nContent-Type: application/http; msgtype=response\r\nWARC-Warcinfo-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\nWARC-Concurrent-To: <urn:uuid:00000000-0000-0000-0000-%012d>\r\nWARC-IP-Address: 192.0.2.1\r\nWARC-Target-URI: https://h%d.example/robots.txt\r\nWARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n\r\n%s\r\n\r\n", n, len(block), n, n, block)
	z.Close() // into memory
	return text.Bytes()
}
