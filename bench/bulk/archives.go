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
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
)

// captured is when all robots.txt files were captured.
const captured = "2026-05-01T00:00:00Z"

// writeFolder writes a folder with a file for each host.
func writeFolder(to string, d *data) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, h := range d.hosts {
		if err := os.WriteFile(filepath.Join(to, h.name+".txt"), h.robots, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writeOneRobots writes a folder with an empty file of a host that no list has.
func writeOneRobots(to string, _ *data) error {
	return errors.Join(os.MkdirAll(to, 0o755), os.WriteFile(filepath.Join(to, "no-such-host.example.txt"), nil, 0o644))
}

const warcFiles = 8

// writeWARC writes WARC files with the robots.txt of each host over https and http, each record in a
// gzip member of its own. A crawl also writes a request and metadata for each.
func (d *data) writeWARC(to string, isCrawl bool) error {
	for n := range warcFiles {
		err := writeFile(filepath.Join(to, fmt.Sprintf("%05d.warc.gz", n)), func(w *bufio.Writer) error {
			out := &warcWriter{to: w, members: gzip.NewWriter(w)}
			out.record("warcinfo", "", "application/warc-fields", []byte("software: heed bench/bulk\r\nformat: WARC File Format 1.0\r\n"))
			for i := n; i < 2*len(d.hosts); i += warcFiles {
				h := d.hosts[i/2]
				out.capture(h, []string{"https://", "http://"}[i%2]+h.name+"/robots.txt", isCrawl)
			}
			return out.err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A warcWriter writes records of a WARC file.
type warcWriter struct {
	to      *bufio.Writer
	members *gzip.Writer
	n       int
	err     error
}

// capture writes the records of a robots.txt.
func (w *warcWriter) capture(h *host, url string, isCrawl bool) {
	if isCrawl {
		w.record("request", url, "application/http; msgtype=request", fmt.Appendf(nil, "GET /robots.txt HTTP/1.1\r\n"+
			"User-Agent: CCBot/2.0 (https://commoncrawl.org/faq/)\r\nAccept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"+
			"Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: br,gzip\r\nHost: %s\r\nConnection: Keep-Alive\r\n\r\n", h.name))
	}
	response := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nDate: Fri, 01 May 2026 00:00:00 GMT\r\nServer: nginx\r\nContent-Type: text/plain\r\n"+
		"Content-Length: %d\r\nConnection: keep-alive\r\nVary: Accept-Encoding\r\n\r\n", len(h.robots))
	w.record("response", url, "application/http; msgtype=response", append(response, h.robots...))
	if isCrawl {
		w.record("metadata", url, "application/warc-fields", []byte("fetchTimeMs: 210\r\ncharset-detected: UTF-8\r\n"))
	}
}

// record writes a record.
func (w *warcWriter) record(kind, url, contentType string, block []byte) {
	if w.err != nil {
		return
	}
	w.n++
	var b bytes.Buffer
	fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Date: %s\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012x>\r\n", kind, captured, w.n)
	fmt.Fprintf(&b, "Content-Length: %d\r\nContent-Type: %s\r\n", len(block), contentType)
	if url != "" {
		fmt.Fprintf(&b, "WARC-IP-Address: 192.0.2.1\r\nWARC-Target-URI: %s\r\nWARC-Protocol: h2\r\n", url)
	}
	b.WriteString("\r\n")
	b.Write(block)
	b.WriteString("\r\n\r\n")
	w.members.Reset(w.to)
	_, err := w.members.Write(b.Bytes())
	w.err = errors.Join(err, w.members.Close())
}

// writeJSON writes JSON lines with the robots.txt of each host. With times above 1 there are that many
// hosts with each file, and each copy has a comment of its own.
func (d *data) writeJSON(to string, times int) error {
	return writeFile(to, func(w *bufio.Writer) error {
		for n := range times {
			for _, h := range d.hosts {
				name, robots := h.name, h.robots
				if n > 0 {
					name = fmt.Sprintf("n%d.%s", n, name)
					robots = append(bytes.Clone(robots), fmt.Sprintf("\n# copy %d", n)...)
				}
				for _, scheme := range []string{"https://", "http://"} {
					if err := writeObject(w, scheme+name, robots); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

func writeObject(w *bufio.Writer, origin string, robots []byte) error {
	object := map[string]any{"origin": origin, "status": 200, "fetched": captured}
	if utf8.Valid(robots) {
		object["body"] = string(robots)
	} else {
		object["robots_b64"] = base64.StdEncoding.EncodeToString(robots)
	}
	line, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
