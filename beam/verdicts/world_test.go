package verdicts

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
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

// A saved is what a URL answered, as a line of JSON or a row of Parquet.
type saved struct {
	URL      string  `json:"url,omitempty" parquet:"url,optional"`
	Origin   string  `json:"origin,omitempty" parquet:"origin,optional"`
	Status   int32   `json:"status" parquet:"status"`
	Location string  `json:"location,omitempty" parquet:"location,optional"`
	Body     *string `json:"body,omitempty" parquet:"body,optional"`
	Fetched  string  `json:"fetched,omitempty" parquet:"fetched,optional"`
}

// answers returns n answers.
func (w *world) answers(n int) (all []saved) {
	for range n {
		answer := saved{Status: 200, Fetched: fmt.Sprintf("2024-0%d-01T00:00:00Z", 1+w.IntN(8))}
		switch w.IntN(8) {
		case 0: // an answer of another URL, to which others redirect
			answer.URL, answer.Body = pick(w, w.targets), new(w.robots())
		case 1:
			answer.URL, answer.Status, answer.Location = pick(w, w.targets), 302, pick(w, w.targets)
		case 2, 3:
			answer.Origin, answer.Status, answer.Location = w.origin(), 301, pick(w, w.targets)
		case 4:
			answer.Origin, answer.Status = w.origin(), pick(w, []int32{404, 403, 503, 204, 429})
			if answer.Status == 204 {
				answer.Body = new("")
			}
		default:
			answer.Origin, answer.Body = w.origin(), new(w.robots())
		}
		all = append(all, answer)
	}
	return all
}

// source writes JSON lines with n answers.
func (w *world) source(t *testing.T, n int) string { return w.linesOf(t, w.answers(n)) }

// linesOf writes answers as JSON lines, of which some have nothing.
func (w *world) linesOf(t *testing.T, answers []saved) string {
	var text strings.Builder
	for i := range answers {
		line, err := json.Marshal(&answers[i])
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

// sameTime returns answers with many of one URL at one time, or without a time, in a random order: others, and some of these answers
// again, with other bodies.
func (w *world) sameTime(answers []saved) []saved {
	all := slices.Clone(answers)
	for _, a := range answers {
		if w.IntN(2) == 0 {
			if a.Body != nil && w.IntN(2) == 0 {
				a.Body = new(w.robots())
			} else {
				a.Status, a.Body, a.Location = pick(w, []int32{404, 403, 503, 302}), nil, ""
				if a.Status == 302 {
					a.Location = pick(w, w.targets)
				}
			}
			all = append(all, a)
		}
	}
	for i := range all {
		if w.IntN(4) == 0 {
			all[i].Fetched = ""
		}
	}
	w.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// anySource writes answers as a source of some kind. It may be empty or damaged.
func (w *world) anySource(t *testing.T, answers []saved) (name string) {
	switch answers = w.sameTime(answers); w.IntN(6) {
	case 0, 1:
		name = filepath.Join(w.folder, fmt.Sprintf("source%d.parquet", w.Uint32()))
		if err := parquet.WriteFile(name, answers, parquet.MaxRowsPerRowGroup(int64(1+w.IntN(30)))); err != nil {
			t.Fatal(err)
		}
	case 2:
		name = compiled(t, w.linesOf(t, answers))
	case 3:
		text, err := os.ReadFile(w.linesOf(t, answers))
		if err != nil {
			t.Fatal(err)
		}
		name = w.compressed(t, strings.Split(string(text), "\n"), false)
	default:
		name = w.linesOf(t, answers)
	}
	switch w.IntN(8) {
	case 0:
		w.damage(t, name)
	case 1:
		if err := os.Truncate(name, pick(w, []int64{0, 0, 4, 20})); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// damage cuts a file, or changes a byte.
func (w *world) damage(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if at := w.IntN(len(text)); w.IntN(2) == 0 {
		text = text[:at]
	} else {
		text[at] ^= 1 << w.IntN(8)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
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
