package source_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/heed-robots/heed/bulk/capture"
	"github.com/heed-robots/heed/bulk/source"
	"github.com/heed-robots/heed/internal/corpus"
)

// BenchmarkWARC loads the files of the corpus from WARC files with a gzip member for each record.
func BenchmarkWARC(b *testing.B) {
	const files = 8
	var texts [files]bytes.Buffer
	n := 0
	for name, body := range corpus.Files(b, "robots-txt.tar.gz") {
		text := &texts[n%files]
		z := gzip.NewWriter(text)
		fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: request\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\nContent-Length: 0\r\nContent-Type: application/http; msgtype=request\r\nWARC-Target-URI: https://h%d.example/robots.txt\r\n\r\n\r\n\r\n", n, n)
		z.Close() // into memory
		text.Write(zippedRecord(n, path.Base(name), body))
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
		if p := l.Progress(); p.Captures != int64(n) || p.Rejected > 0 {
			b.Fatalf("%+v", p)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/time.Since(start).Seconds(), "captures/s")
	runtime.KeepAlive(texts)
}

func zippedRecord(n int, host string, body []byte) []byte {
	var text bytes.Buffer
	z := gzip.NewWriter(&text)
	block := fmt.Sprintf("HTTP/1.1 200 OK\r\nDate: Fri, 02 Jan 2026 03:04:05 GMT\r\nServer: nginx\r\nContent-Type: text/plain; charset=utf-8\r\nX-Crawl-Content-Length: 1234\r\nLast-Modified: Fri, 02 Jan 2025 03:04:05 GMT\r\nConnection: close\r\nETag: \"5f0-1\"\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0001-%012d>\r\nContent-Length: %d\r\nContent-Type: application/http; msgtype=response\r\nWARC-Warcinfo-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\nWARC-Concurrent-To: <urn:uuid:00000000-0000-0000-0000-%012d>\r\nWARC-IP-Address: 192.0.2.1\r\nWARC-Target-URI: https://h%d.example/robots.txt\r\nWARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n\r\n%s\r\n\r\n", n, len(block), n, n, block)
	z.Close() // into memory
	return text.Bytes()
}
