package verdicts

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A world is random sources and lists.
type world struct {
	*rand.Rand
	folder  string
	hosts   int
	targets []string // URLs to which robots.txt files redirect
}

// paths are of URLs and of patterns: with several stars, escapes and anchors.
var paths = []string{
	"/", "/a", "/a/b", "/a%2Fb", "/a%2fb", "/a/b/c.php", "/shop/cart?id=1&sort=asc", "/%7Euser/", "/~user/", "/ü", "/%C3%BC",
	"/x/y/z/x/y/z/end", "/a*b", "/a$", "/robots.txt", "?q=1", "/private/a.html", "/private/public/",
}

var patterns = []string{
	"/", "/*", "/a", "/a$", "/a%2Fb", "/a/b", "/*/b/*.php$", "/*x*y*z*end", "/*?*sort=", "/*?id=", "/~user", "/%7Euser", "/ü",
	"/private/", "/private/*/", "/*a*a*a*a*$", "", "/*$", "/%2A",
}

func pick[T any](w *world, all []T) T { return all[w.IntN(len(all))] }

// host returns the name of a host; the first one is the large one.
func (w *world) host(i int) string { return fmt.Sprintf("h%d.example", i) }

func (w *world) origin() string {
	return pick(w, []string{"https://", "https://", "http://"}) + w.host(w.IntN(w.hosts)) + pick(w, []string{"", "", "", ":8080"})
}

// robots returns a robots.txt.
func (w *world) robots() string {
	var text strings.Builder
	for range w.IntN(4) { // it may be empty
		fmt.Fprintf(&text, "User-agent: %s\n", pick(w, []string{"*", "CCBot", "ExampleBot", "Other"}))
		for range w.IntN(5) {
			fmt.Fprintf(&text, "%s: %s\n", pick(w, []string{"Allow", "Disallow", "disallow"}), pick(w, patterns))
		}
		if w.IntN(2) == 0 {
			text.WriteString(pick(w, []string{"Content-Usage: train-ai=n\n", "Content-Usage: /a train-ai=y, search=n\n", "Content-Signal: search=yes, ai-train=no\n", "User-agent: __usage_ai-training\nDisallow: /a\n"}))
		}
	}
	return text.String()
}

// source writes JSON lines with n answers.
func (w *world) source(t *testing.T, n int) string {
	var text strings.Builder
	for range n {
		answer := map[string]any{"fetched": fmt.Sprintf("2024-0%d-01T00:00:00Z", 1+w.IntN(8))}
		switch w.IntN(8) {
		case 0: // an answer of another URL, to which others redirect
			answer["url"], answer["body"] = pick(w, w.targets), w.robots()
		case 1:
			answer["url"], answer["status"], answer["location"] = pick(w, w.targets), 302, pick(w, w.targets)
		case 2, 3:
			answer["origin"], answer["status"], answer["location"] = w.origin(), 301, pick(w, w.targets)
		case 4:
			answer["origin"], answer["status"] = w.origin(), pick(w, []int{404, 403, 503, 204, 429})
		default:
			answer["origin"], answer["body"] = w.origin(), w.robots()
		}
		line, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
		if w.IntN(50) == 0 {
			text.WriteString(pick(w, []string{"{}\n", "no answer\n", "{\"url\":\"mailto:x\",\"status\":404}\n"}))
		}
	}
	return w.write(t, "source*.jsonl", text.String())
}

// files writes a folder with the files of some hosts.
func (w *world) files(t *testing.T) string {
	folder, err := os.MkdirTemp(w.folder, "hosts")
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.hosts / 4 {
		name := w.host(i*3) + pick(w, []string{"", ":8080", ".txt"})
		if err := os.WriteFile(filepath.Join(folder, name), []byte(w.robots()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// lines returns n lines of a list: a tenth are of one host, and some have no URL.
func (w *world) lines(n int) (lines []string) {
	for range n {
		url := w.origin() + pick(w, paths)
		switch w.IntN(100) {
		case 0:
			url = pick(w, []string{"", "no url", "http://", "mailto:x@h1.example", "https://h1.example:99999/", "\t", "a\x00b\xff", "x" + strings.Repeat("é", 1000)})
		case 1:
			url = "https://unknown.example/" + pick(w, paths)
		case 2:
			url = "https://user:password@" + w.host(1) + ":443" + pick(w, paths)
		case 3:
			url = "ftp://" + w.host(w.IntN(w.hosts)) + pick(w, paths)
		default:
			if w.IntN(10) == 0 {
				url = "https://" + w.host(0) + pick(w, paths)
			}
		}
		lines = append(lines, url)
	}
	return lines
}

// asJSON returns lines as JSON lines.
func asJSON(lines []string) (all []string) {
	for i, url := range lines {
		line, _ := json.Marshal(map[string]any{"n": i, "url": url})
		if i%97 == 0 {
			line = line[:len(line)/2]
		}
		all = append(all, string(line))
	}
	return all
}

func (w *world) write(t *testing.T, pattern, text string) string {
	f, err := os.CreateTemp(w.folder, pattern)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 18)), folder: t.TempDir(), hosts: 120}
	for i := range 25 {
		w.targets = append(w.targets, fmt.Sprintf("https://%s/%s", w.host(w.IntN(2*w.hosts)), pick(w, []string{"robots.txt", "robots.txt", "r", "robots.txt?v=1"})))
		w.targets = append(w.targets, fmt.Sprintf("https://chain.example/%d", i))
	}
	return w
}

// compressed returns a list of lines, compressed with gzip; cut without its end.
func (w *world) compressed(t *testing.T, lines []string, cut bool) string {
	var text strings.Builder
	z := gzip.NewWriter(&text)
	for _, line := range lines {
		fmt.Fprintln(z, line)
	}
	z.Flush()
	if !cut {
		z.Close()
	}
	return w.write(t, "list*.gz", text.String())
}
