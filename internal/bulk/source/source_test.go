package source_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/source"
)

// loaded is what a Loader gave.
type loaded struct {
	captures []*capture.Capture // by Order
	rejected []string           // sorted
	progress source.Progress
}

// load loads sources.
func load(t testing.TB, names ...string) loaded {
	t.Helper()
	got, err := tryLoad(&source.Loader{}, names...)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func tryLoad(l *source.Loader, names ...string) (got loaded, err error) {
	var mu sync.Mutex
	l.Add = func(c *capture.Capture) error {
		mu.Lock()
		defer mu.Unlock()
		got.captures = append(got.captures, c)
		return nil
	}
	l.Rejected = func(r source.Rejection) {
		mu.Lock()
		defer mu.Unlock()
		got.rejected = append(got.rejected, fmt.Sprint(filepath.Base(r.Source), ", ", r.Place, ": ", r.Err))
	}
	err = l.Load(context.Background(), names)
	slices.SortFunc(got.captures, func(a, b *capture.Capture) int { return cmp.Compare(a.Order, b.Order) })
	slices.Sort(got.rejected)
	got.progress = l.Progress()
	return got, err
}

// write writes files, and returns their folder.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// texts returns URL, status, facts and body of captures.
func texts(captures []*capture.Capture) (all []string) {
	for _, c := range captures {
		text := fmt.Sprint(c.URL, " ", c.Status)
		if c.Location != "" {
			text += " to " + c.Location
		}
		for word, is := range map[string]bool{" failed": c.Failed, " html": c.Page == fetch.HTML, " json": c.Page == fetch.JSON, " says-not-found": c.SaysNotFound, " truncated": c.Truncated} {
			if is {
				text += word // at most one in the tests
			}
		}
		all = append(all, fmt.Sprintf("%s %q", text, c.Body))
	}
	return all
}

func checkTexts(t *testing.T, name string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const rules = "User-agent: *\nDisallow: /x\n"

// What npm's warcio writes.
func TestFilesOfWarcio(t *testing.T) {
	want := []string{
		`https://example.com/robots.txt 200 "User-agent: *\nDisallow: /private\n"`,
		`http://xn--r8jz45g.example/robots.txt 301 to https://example.com/robots.txt ""`,
		`https://gone.example/robots.txt 404 ""`,
	}
	for _, name := range []string{"../../warc/testdata/warcio.warc", "../../warc/testdata/warcio.warc.gz"} {
		got := load(t, name)
		checkTexts(t, name, texts(got.captures), want)
		if at := got.captures[0].At.Format("2006-01-02T15:04:05Z"); at != "2026-01-02T03:04:05Z" {
			t.Errorf("%s: at %s", name, at)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if p := (source.Progress{Files: 1, AllFiles: 1, Bytes: info.Size(), AllBytes: info.Size(), Captures: 3, Others: 3}); got.progress != p {
			t.Errorf("%s: %+v, want %+v", name, got.progress, p)
		}
	}
}

// Kinds are found by content, whatever the name is.
func TestKindOf(t *testing.T) {
	record := string(record(0, "http://a.example/robots.txt", "HTTP/1.1 404 x\r\n\r\n"))
	line := `{"origin":"http://a.example","status":404}` + "\n"
	dir := write(t, map[string]string{
		"warc": record, "warc.gz": zipped(record), "warc.zst": zstandard(t, record), "warc damaged": "X" + record,
		"warc damaged in front.gz": "\x1f\x8b\x08xxxxxxx" + zipped(record),
		"lines":                    line, "lines.gz": zipped(line), "lines.zst": zstandard(t, line), "lines with a wrong one": "{\"url\n" + line,
		"long line": `{"body":"` + strings.Repeat("a", 100_000) + `","origin":"http://a.example"}`, "mark": "\ufeff\n" + line,
		"csv": "host,status\na.example,404\n", "tsv.gz": zipped("\"url\"\tbody"), "csv.zst": zstandard(t, "\ufeffn, origin ,body\r\n"),
		"list.csv": "url,n\nhttps://a.example/robots.txt,1\n", "no site.csv": "status,body\n", "one column": "host\na.example\n", "wrong header": "host,\"status\n404\n",
		"long header": strings.Repeat("x,", 40_000) + "host,status\na.example,404\n",
		"parquet":     "PAR1....", "sqlite": "SQLite format 3\x00", "archive": "HEEDARC1",
		"robots.txt": rules, "page of JSON": `{"error":"x","url":"/robots.txt"}` + "\n", "empty": "", "text.gz": zipped(rules), "cut.gz": "\x1f\x8b\x08",
		"parquet.gz": zipped("PAR1"), "folder/x": "", "warc in text": rules + "WARC/1.0\n",
	})
	for name, want := range map[string]source.Kind{
		"warc": source.WARC, "warc.gz": source.WARC, "warc.zst": source.WARC, "warc damaged": source.WARC, "warc damaged in front.gz": source.WARC,
		"lines": source.JSONLines, "lines.gz": source.JSONLines, "lines.zst": source.JSONLines, "lines with a wrong one": source.JSONLines,
		"long line": source.JSONLines, "mark": source.JSONLines,
		"csv": source.Table, "tsv.gz": source.Table, "csv.zst": source.Table, "list.csv": 0, "no site.csv": 0, "one column": 0, "wrong header": 0, "long header": 0,
		"parquet": source.Parquet, "sqlite": source.Store, "archive": source.Archive, "folder": source.Folder,
		"robots.txt": 0, "page of JSON": 0, "empty": 0, "text.gz": 0, "cut.gz": 0, "parquet.gz": 0, "warc in text": 0, "absent": 0,
	} {
		kind, err := source.KindOf(filepath.Join(dir, name))
		if kind != want || (err == nil) != (want != 0) {
			t.Errorf("%s: %v, %v; want %v", name, kind, err, want)
		}
	}
	if kind, err := source.KindOf("redis://127.0.0.1:1/0"); kind != source.Store || err != nil {
		t.Errorf("redis: %v, %v", kind, err)
	}
}

// The later source has the higher Order; so has the later record.
func TestOrder(t *testing.T) {
	dir := write(t, map[string]string{
		"b.jsonl": `{"origin":"http://a.example","body":"#1"}` + "\n" + `{"origin":"http://a.example","body":"#2"}` + "\n",
		"a.warc":  string(record(0, "http://a.example/robots.txt", "HTTP/1.1 200 x\r\n\r\n#3")) + string(record(1, "http://a.example/robots.txt", "HTTP/1.1 200 x\r\n\r\n#4")),
		"c.jsonl": `{"origin":"http://a.example","body":"#5"}` + "\n",
	})
	got := load(t, filepath.Join(dir, "b.jsonl"), filepath.Join(dir, "[ac].*"))
	bodies := ""
	for i, c := range got.captures {
		bodies += c.Body
		if i > 0 && c.Order == got.captures[i-1].Order {
			t.Errorf("%q: the Order is that of the one before", c.Body)
		}
	}
	if bodies != "#1#2#3#4#5" {
		t.Error(bodies)
	}
}

// What is wrong with the names is an error before anything is read.
func TestWrongNames(t *testing.T) {
	dir := write(t, map[string]string{"good.jsonl": `{"origin":"http://a.example","status":404}`, "text": rules, "empty/.hidden": "", "useless/README": "x", "p": "PAR1"})
	good := filepath.Join(dir, "good.jsonl")
	for name, want := range map[string]string{
		"absent": "no such file", "*.absent": "no file matches", "text": "expected WARC", "empty": "no files",
	} {
		got, err := tryLoad(&source.Loader{}, good, filepath.Join(dir, name))
		if err == nil || !strings.Contains(err.Error(), want) || len(got.captures) > 0 {
			t.Errorf("%s: %v, %d captures; want %s", name, err, len(got.captures), want)
		}
	}
	if _, err := tryLoad(&source.Loader{}, filepath.Join(dir, "useless")); err == nil || !strings.Contains(err.Error(), "no file of the folder") {
		t.Errorf("useless: %v", err)
	}
	if got := load(t, filepath.Join(dir, "p"), good); len(got.captures) != 1 || len(got.rejected) != 1 {
		t.Errorf("a kind that is not read: %+v", got)
	}
}

// An error of Add, and the end of the context, end Load.
func TestEnd(t *testing.T) {
	dir := write(t, map[string]string{"a": strings.Repeat(`{"origin":"http://a.example","status":404}`+"\n", 1000)})
	full := errors.New("full")
	n := 0
	l := source.Loader{Add: func(*capture.Capture) error { n++; return full }}
	if err := l.Load(context.Background(), []string{filepath.Join(dir, "a")}); !errors.Is(err, full) || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l = source.Loader{Add: func(*capture.Capture) error { cancel(); return nil }}
	if err := l.Load(ctx, []string{filepath.Join(dir, "a")}); !errors.Is(err, context.Canceled) || l.Progress().Captures != 1 {
		t.Errorf("%v, %+v", err, l.Progress())
	}
}
