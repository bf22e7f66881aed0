package bulk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// The answers about real questions are those that a case file has, which Google's parser gave, from
// each kind of source. The questions are those about files whose name is a host, at that host.
func TestSourcesAgree(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("HEED_CONFORMANCE")
	if dir == "" {
		t.Skip("HEED_CONFORMANCE is not set: it names the folder that holds google-real.jsonl.gz")
	}
	files := filesByHost(t)
	asked := questions(t, filepath.Join(dir, "google-real.jsonl.gz"), files)
	sources := makeSources(t, slices.Sorted(maps.Keys(files)), files)
	names := slices.Sorted(maps.Keys(sources))
	questions := 0
	for agent, some := range asked {
		questions += len(some.want)
		var first string
		for _, name := range names {
			got := answers(t, capture.Archives{sources[name]}, agent, some.urls)
			if first == "" {
				first = got
				compareWith(t, name, agent, got, some, files)
			}
			if got != first {
				a, b := strings.Split(first, "\n"), strings.Split(got, "\n")
				for i := range a {
					if a[i] != b[i] {
						t.Errorf("%s: from %s %q, from %s %q", agent, names[0], a[i], name, b[i])
					}
				}
			}
		}
	}
	t.Logf("%d questions about %d files, from %d sources", questions, len(files), len(sources))
	if questions < 100_000 && portion.Whole() {
		t.Errorf("only %d questions", questions)
	}
}

// filesByHost returns the files of the corpus whose name is a host.
func filesByHost(t *testing.T) map[string][]byte {
	all := map[string][]byte{}
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		host := strings.TrimSuffix(filepath.Base(name), ".txt")
		o, err := origin.Parse("https://" + host)
		if err == nil && o.Host() == host && portion.Of(12) {
			all[host] = body
		}
	}
	return all
}

// asked are the questions about a crawler.
type asked struct {
	urls []byte
	want []string // the verdict and the line
}

// questions returns the questions of a case file, by crawler.
func questions(t *testing.T, name string, files map[string][]byte) map[string]*asked {
	all := map[string]*asked{}
	n := 0
	err := conformance.Run(name, conformance.Options{ReadFile: func(string) ([]byte, error) { return nil, nil }}, func(r conformance.Result) {
		host := strings.TrimSuffix(filepath.Base(r.Case.RobotsFile), ".txt")
		o, err := origin.Parse(r.Case.URL)
		if _, ok := files[host]; !ok || err != nil || len(r.Case.Agents) != 1 {
			return
		}
		if n++; !portion.Of(4) {
			return
		}
		rest := strings.TrimPrefix(r.Case.URL, o.String())
		if strings.ContainsAny(rest, "\n\r") || strings.TrimSpace(rest) != rest || rest == r.Case.URL {
			return
		}
		a := all[r.Case.Agents[0]]
		if a == nil {
			a = &asked{}
			all[r.Case.Agents[0]] = a
		}
		a.urls = fmt.Appendf(a.urls, "https://%s%s\n", host, rest)
		a.want = append(a.want, fmt.Sprint(r.Case.Allow, " ", *r.Case.Line))
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Of captures with the same time the same one is used, whatever keeps them, and in whatever order the sources are given.
func TestSourcesAgreeAboutSameTime(t *testing.T) {
	t.Parallel()
	files := filesByHost(t)
	hosts := slices.Sorted(maps.Keys(files))
	others := map[string][]byte{} // each host has the file of the next one
	var urls []byte
	for i, host := range hosts {
		others[host] = files[hosts[(i+1)%len(hosts)]]
		for _, path := range []string{"", "admin", "search?q=1", "a/b.pdf", "wp-admin/x"} {
			urls = fmt.Appendf(urls, "https://%s/%s\n", host, path)
		}
	}
	some, more := makeSources(t, hosts, files), makeSources(t, hosts, others)
	first := ""
	for _, a := range []string{"JSON lines", "CSV", "Parquet", "archive of JSON lines"} {
		for _, b := range []string{"JSON lines", "CSV", "Parquet", "archive of JSON lines"} {
			for name, archives := range map[string]capture.Archives{a + ", " + b: {some[a], more[b]}, b + ", " + a: {more[b], some[a]}} {
				got := answers(t, archives, "ExampleBot", urls)
				if first == "" {
					first = got
				}
				if got != first {
					t.Errorf("from %s: other answers", name)
				}
			}
		}
	}
	if n := strings.Count(first, "\tdisallowed\t"); n < 100 {
		t.Errorf("only %d URLs are disallowed", n)
	}
}

// answers returns the rows about URLs.
func answers(t *testing.T, archives capture.Archives, agent string, urls []byte) string {
	d := robotstxt.Google
	columns := []bulk.Column{{Name: agent, Agents: []string{agent}, Dialect: d, Statuses: fetch.StatusesOf(d)}}
	var out bytes.Buffer
	o := &stream.Options{Decider: bulk.NewDecider(archives, columns, bulk.Unknown, 0), Columns: []string{agent}, Workers: 1,
		Inputs: []string{"-"}, Stdin: bytes.NewReader(urls), Stdout: &out}
	if _, err := stream.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// compareWith compares rows with what the case file says.
func compareWith(t *testing.T, source, agent, got string, some *asked, files map[string][]byte) {
	rows := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(rows) != len(some.want) {
		t.Fatalf("%s: %d rows for %d questions", agent, len(rows), len(some.want))
	}
	for i, row := range rows {
		cells := strings.Split(row, "\t")
		line := cells[3]
		if line == "" {
			line = "0"
		}
		if fmt.Sprint(cells[1] == "allowed", " ", line) == some.want[i] && cells[1] != "unknown" {
			continue
		}
		if o, err := origin.Parse(cells[0]); err != nil || isPlainText(files[o.Host()]) {
			t.Errorf("%s, from %s: %s; want %s", agent, source, row, some.want[i])
		}
	}
}

// isPlainText reports whether a file is read as it is. Google's parser, which gave the answers of the case
// file, reads binary files and UTF-16 in the same way; a source reads them as if a server had sent them
//
func isPlainText(body []byte) bool {
	_, encoding, err := fetch.Text(body)
	return encoding == "" && err == nil
}

// makeSources makes a source of each kind with the same files, and reads it.
func makeSources(t *testing.T, hosts []string, files map[string][]byte) map[string]capture.Archive {
	dir := t.TempDir()
	all := map[string]capture.Archive{}
	for kind, write := range map[string]func(name string, hosts []string, files map[string][]byte) error{
		"folder": writeFolder, "JSON lines": writeJSON, "CSV": writeCSV, "Parquet": writeParquet, "WARC": writeWARC,
	} {
		name := filepath.Join(dir, kind)
		if err := write(name, hosts, files); err != nil {
			t.Fatal(err)
		}
		s := &capture.Set{}
		load(t, name, func(c *capture.Capture) error { s.Add(c); return nil })
		s.Seal()
		all[kind] = s
	}
	for _, kind := range []string{"WARC", "JSON lines"} {
		all["archive of "+kind] = compile(t, filepath.Join(dir, kind))
	}
	return all
}

// compile makes an archive of a source.
func compile(t *testing.T, name string) capture.Archive {
	compiled, err := archive.Create(name + ".heed")
	if err != nil {
		t.Fatal(err)
	}
	load(t, name, compiled.Add)
	if _, err := compiled.Commit(); err != nil {
		t.Fatal(err)
	}
	opened, err := archive.Open(name + ".heed")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return opened
}

func load(t *testing.T, name string, add func(*capture.Capture) error) {
	t.Helper()
	var mu sync.Mutex
	l := &source.Loader{Add: add, Rejected: func(r source.Rejection) {
		mu.Lock()
		defer mu.Unlock()
		if !strings.Contains(r.Err.Error(), " counts as unreachable: ") { // only WARC says why
			t.Errorf("%s, %s: %v", r.Source, r.Place, r.Err)
		}
	}}
	if err := l.Load(context.Background(), []string{name}); err != nil {
		t.Fatal(err)
	}
}

func writeFolder(name string, hosts []string, files map[string][]byte) error {
	if err := os.Mkdir(name, 0o700); err != nil {
		return err
	}
	for _, host := range hosts {
		if err := os.WriteFile(filepath.Join(name, host+".txt"), files[host], 0o600); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(name string, hosts []string, files map[string][]byte) error {
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	for _, host := range hosts {
		if err := to.Encode(map[string]any{"origin": "https://" + host, "status": 200, "robots_b64": files[host]}); err != nil {
			return err
		}
	}
	return os.WriteFile(name, out.Bytes(), 0o600)
}

func writeCSV(name string, hosts []string, files map[string][]byte) error {
	out := bytes.NewBufferString("origin,status,content\n")
	for _, host := range hosts {
		fmt.Fprintf(out, "https://%s,200,\"%s\"\n", host, bytes.ReplaceAll(files[host], []byte(`"`), []byte(`""`)))
	}
	return os.WriteFile(name, out.Bytes(), 0o600)
}

func writeParquet(name string, hosts []string, files map[string][]byte) error {
	type row struct {
		Origin string `parquet:"origin"`
		Status int32  `parquet:"status"`
		Body   []byte `parquet:"body"`
	}
	var rows []row
	for _, host := range hosts {
		rows = append(rows, row{"https://" + host, 200, files[host]})
	}
	return parquet.WriteFile(name, rows)
}

// writeWARC writes a file with a gzip member for each record.
func writeWARC(name string, hosts []string, files map[string][]byte) error {
	var out bytes.Buffer
	member := gzip.NewWriter(&out)
	for _, host := range hosts {
		member.Reset(&out)
		block := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n%s", files[host])
		fmt.Fprintf(member, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://%s/robots.txt\r\nWARC-Date: 2024-05-01T12:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", host, len(block), block)
		if err := member.Close(); err != nil {
			return err
		}
	}
	return os.WriteFile(name, out.Bytes(), 0o600)
}
