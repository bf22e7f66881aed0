// Command static builds the page for use without "heed serve", as one folder for any web server:
//
//	go run ./cmd/heed/internal/page/static FOLDER
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/page"
	"github.com/heed-robots/heed/packages/js"
)

const source = "cmd/heed/internal/page"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: static FOLDER")
		os.Exit(2)
	}
	err := build(os.Args[1])
	if err == nil {
		err = printSizes(os.Stdout, os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "static:", err)
		os.Exit(1)
	}
}

func build(folder string) (err error) {
	files := map[string][]byte{}
	for _, name := range []string{"index.html", "app.js", "app.css", "worker.js", "licences.txt"} {
		if files[name], err = os.ReadFile(source + "/dist/" + name); err != nil {
			return err
		}
	}
	if files["index.html"], err = withoutServer(files["index.html"]); err != nil {
		return err
	}
	if files["licences.txt"], err = withLicences(files["licences.txt"]); err != nil {
		return err
	}
	return js.Write(folder, files)
}

// The HTML file has this Content-Security-Policy, because some web servers cannot send it as a header.
const policy = page.Policy + "; worker-src 'self'; trusted-types heed-worker"

func withoutServer(index []byte) ([]byte, error) {
	const charset, daemon = `<meta charset="utf-8">`, `<meta name="heed-engine" content="daemon">`
	if bytes.Count(index, []byte(charset)) != 1 || bytes.Count(index, []byte(daemon)) != 1 {
		return nil, fmt.Errorf("dist/index.html must have %s and %s once each: add them to index.html, and build the page again", charset, daemon)
	}
	index = bytes.Replace(index, []byte(charset), []byte(charset+"\n"+`<meta http-equiv="Content-Security-Policy" content="`+policy+`">`), 1)
	return bytes.Replace(index, []byte(daemon), []byte(`<meta name="heed-engine" content="wasm">`), 1), nil
}

// The licence of Go is needed because heed.wasm contains the runtime of Go.
func withLicences(text []byte) ([]byte, error) {
	ours, ofGo, err := js.Licences()
	line := strings.Repeat("=", 72)
	for _, each := range []struct {
		name    string
		licence []byte
	}{
		{"Heed (heed.wasm, worker.js, app.js)", ours},
		{"Go (heed.wasm), BSD-3-Clause", ofGo},
	} {
		text = fmt.Appendf(text, "\n%s\n%s\n\n%s\n", line, each.name, bytes.TrimSpace(each.licence))
	}
	return text, err
}

// maxSize is in bytes, after compression with Brotli.
const maxSize = 1_500_000

func printSizes(out io.Writer, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	_, missing := exec.LookPath("brotli")
	var all [3]int
	fmt.Fprintf(out, "%-13s %9s %9s %9s\n", "file", "bytes", "gzip", "brotli")
	print := func(name string, n [3]int) {
		brotli := fmt.Sprint(n[2])
		if missing != nil {
			brotli = "-"
		}
		fmt.Fprintf(out, "%-13s %9d %9d %9s\n", name, n[0], n[1], brotli)
	}
	for _, e := range entries {
		body, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		n := [3]int{len(body), gzipped(body)}
		if missing == nil {
			sent, err := exec.Command("brotli", "--best", "--stdout", filepath.Join(folder, e.Name())).Output()
			if err != nil {
				return fmt.Errorf("brotli: %w", err)
			}
			n[2] = len(sent)
		}
		for i := range n {
			all[i] += n[i]
		}
		print(e.Name(), n)
	}
	print("all", all)
	if missing == nil && all[2] > maxSize {
		return fmt.Errorf("the page has %d bytes after compression with Brotli: make it smaller than %d bytes", all[2], maxSize)
	}
	return nil
}

func gzipped(body []byte) int {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // never fails, because gzip has this level
	z.Write(body)                                         // never fails, because b is in memory
	z.Close()
	return b.Len()
}
