package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
)

// captured is when all robots.txt files were captured.
const captured = "2026-05-01T00:00:00Z"

// writeFolder writes a folder with a file for each host.
func (w *world) writeFolder(to string) error {
	err := os.MkdirAll(to, 0o755)
	for i := range w.count {
		h, name := w.at(i)
		err = errors.Join(err, os.WriteFile(filepath.Join(to, name+".txt"), h.robots, 0o644))
	}
	return err
}

// writeOneRobots writes a folder with an empty file of a host that no list has.
func writeOneRobots(to string) error {
	return errors.Join(os.MkdirAll(to, 0o755), os.WriteFile(filepath.Join(to, "no-such-host.example.txt"), nil, 0o644))
}

// writeJSON writes JSON lines with the robots.txt of each origin.
func (w *world) writeJSON(to string) error {
	return writeFile(to, func(out *bufio.Writer) {
		lines := json.NewEncoder(out)
		lines.SetEscapeHTML(false)
		for origin, robots := range w.sites {
			object := map[string]any{"origin": origin, "status": 200, "fetched": captured, "body": string(robots)}
			if !utf8.Valid(robots) {
				delete(object, "body")
				object["robots_b64"] = base64.StdEncoding.EncodeToString(robots)
			}
			lines.Encode(object)
		}
	})
}

const warcFiles = 8

// writeWARC writes WARC files with the robots.txt of each origin, each record in a gzip member of its own. A
// crawl also writes a request and metadata for each.
func (w *world) writeWARC(to string, isCrawl bool) error {
	for n := range warcFiles {
		i, records := 0, 0
		err := writeFile(filepath.Join(to, fmt.Sprintf("%05d.warc.gz", n)), func(out *bufio.Writer) {
			members := gzip.NewWriter(out)
			record := func(kind, url, contentType string, block []byte) {
				members.Reset(out)
				records++
				members.Write(warcRecord(records, kind, url, contentType, block))
				members.Close()
			}
			record("warcinfo", "", "application/warc-fields", []byte("software: heed bench/bulk\r\nformat: WARC File Format 1.0\r\n"))
			for origin, robots := range w.sites {
				if i++; i%warcFiles != n {
					continue
				}
				url := origin + "/robots.txt"
				if isCrawl {
					record("request", url, "application/http; msgtype=request", crawlRequest(origin))
				}
				head := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nDate: Fri, 01 May 2026 00:00:00 GMT\r\nServer: nginx\r\nContent-Type: text/plain\r\n"+
					"Content-Length: %d\r\nConnection: keep-alive\r\nVary: Accept-Encoding\r\n\r\n", len(robots))
				record("response", url, "application/http; msgtype=response", append(head, robots...))
				if isCrawl {
					record("metadata", url, "application/warc-fields", []byte("fetchTimeMs: 210\r\ncharset-detected: UTF-8\r\n"))
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// crawlRequest returns the request of a crawler.
func crawlRequest(origin string) []byte {
	_, host, _ := strings.Cut(origin, "://")
	return fmt.Appendf(nil, "GET /robots.txt HTTP/1.1\r\n"+
		"User-Agent: CCBot/2.0 (https://commoncrawl.org/faq/)\r\nAccept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"+
		"Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: br,gzip\r\nHost: %s\r\nConnection: Keep-Alive\r\n\r\n", host)
}

func warcRecord(number int, kind, url, contentType string, block []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Date: %s\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012x>\r\n", kind, captured, number)
	fmt.Fprintf(&b, "Content-Length: %d\r\nContent-Type: %s\r\n", len(block), contentType)
	if url != "" {
		fmt.Fprintf(&b, "WARC-IP-Address: 192.0.2.1\r\nWARC-Target-URI: %s\r\nWARC-Protocol: h2\r\n", url)
	}
	fmt.Fprintf(&b, "\r\n%s\r\n\r\n", block)
	return b.Bytes()
}
