package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/heed-robots/heed/beam/verdicts"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/robotstxt"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// parse returns what reads the flags of a command line.
func parse(t *testing.T, args ...string) func() (verdicts.Options, error) {
	t.Helper()
	f := flag.NewFlagSet("beam", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	options := flags(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return options
}

// TestReadme runs the command of the README.
func TestReadme(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // Prism leaves files
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile("(?m)^```sh\ngo run \\. (.*)\n```$").FindSubmatch(text)
	if command == nil {
		t.Fatal("there is no command")
	}
	to := filepath.Join(t.TempDir(), "verdicts")
	args := strings.Fields(strings.ReplaceAll(string(command[1]), "--output verdicts", "--output "+to))
	var out strings.Builder
	if err := run(context.Background(), parse(t, args...), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"urls": 3,`, `"disallowed": 3,`, `"files": 17`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
	files, err := filepath.Glob(to + "-000*-of-00016.tsv")
	if err != nil || len(files) != 16 {
		t.Errorf("%q, %v", files, err)
	}
	if err := run(context.Background(), parse(t, args...), &out); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("a second run with the same output: %v", err)
	}
}

// TestNoTemporaryFiles: Beam ends with a nil pointer if it cannot make a temporary file.
func TestNoTemporaryFiles(t *testing.T) {
	gone, folder := filepath.Join(t.TempDir(), "gone"), t.TempDir()
	t.Setenv("TMPDIR", gone)
	args := []string{"--agent", "CCBot", "--robots", filepath.Join("..", "examples", "sites"), "--urls", filepath.Join("..", "examples", "urls.txt"), "--output", filepath.Join(folder, "v")}
	err := run(context.Background(), parse(t, args...), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "temporary file;") || !strings.Contains(err.Error(), gone) {
		t.Error(err)
	}
	if files, err := os.ReadDir(folder); len(files) > 0 || err != nil {
		t.Errorf("%v, %v", files, err)
	}
}

func TestFlags(t *testing.T) {
	o, err := parse(t, "--agent", "CCBot,A:B", "--dialect", "rfc9309", "--dialect", "google", "--as-of", "2024-05-01,now", "--urls", "a", "--urls", "b", "--robots", "c",
		"--output", "o", "--missing", "allowed", "--disallowed", "--input", "jsonl", "--field", "page", "--column", "address", "--shards", "3", "--max-share", "5",
		"--format", "jsonl", "--pages-unreachable", "--for", "search", "--profile", "ietf", "--unknown", "disallow")()
	want := verdicts.Options{
		Lists: []string{"a", "b"}, Sources: []string{"c"}, To: "o", IfMissing: bulk.Allowed, Keep: bulk.OnlyDisallowed, PagesUnreachable: true,
		For: "search", Profile: "ietf", UnknownDisallows: true,
		Format: stream.JSONLines, Fields: stream.Fields{Field: "page", Column: "address"}, Shards: 3, MaxShare: 5, Output: stream.JSONRows,
		Crawlers: "CCBot,A:B", Dialects: []string{"rfc9309", "google"}, Times: []string{"2024-05-01", "now"},
	}
	if err != nil || !reflect.DeepEqual(o, want) {
		t.Errorf("%+v, %v; want %+v", o, err, want)
	}
	// A known crawler is what the command has for it.
	o, err = parse(t, "--agent", "@AdsBot-Google,@Googlebot-Image", "--urls", "a", "--robots", "c", "--output", "o")()
	columns, wrong := o.Columns()
	if err != nil || wrong != nil || len(columns) != 2 || columns[0].Name != "@AdsBot-Google" || !slices.Equal(columns[0].Agents, []string{"AdsBot-Google", robotstxt.NotEveryone}) ||
		!slices.Equal(columns[1].Agents, []string{"Googlebot-Image", "Googlebot"}) {
		t.Errorf("%+v, %v, %v", columns, err, wrong)
	}
}

// TestWrongFlags: a wrong command line is refused before anything is read, and says what was expected.
func TestWrongFlags(t *testing.T) {
	source := filepath.Join("..", "examples", "sites")
	list := filepath.Join("..", "examples", "urls.txt")
	good := map[string]string{"--agent": "CCBot", "--robots": source, "--urls": list, "--output": filepath.Join(t.TempDir(), "o")}
	for _, test := range []struct{ flag, value, want string }{
		{"--agent", "", "--agent CRAWLER is missing"},
		{"--agent", "@nobody", "no known crawler has this name"},
		{"--agent", strings.Repeat("a", 513), "at most 512"},
		{"--agent", ",", "a name is missing"},
		{"--dialect", "1995", "1995"},
		{"--dialect", ",", "at least one crawler, one dialect"},
		{"--as-of", "may", "expected a day"},
		{"--robots", "", "--robots PATTERN is missing"},
		{"--robots", "nowhere/*", "nowhere/*: no file matches the pattern"},
		{"--urls", "", "--urls PATTERN is missing"},
		{"--urls", list + "x", "no file matches the pattern"},
		{"--urls", "hdfs://x/y", "hdfs"},
		{"--output", "", "expected a prefix for the names"},
		{"--output", "folder/", "expected a prefix for the names"},
		{"--output", filepath.Join("main.go", "v"), "main.go"},
		{"--missing", "no", "expected one of"},
		{"--for", "training", "expected train-ai, search or ai-use"},
		{"--profile", "ietf", "add --for PURPOSE"},
		{"--unknown", "disallow", "add --for PURPOSE"},
		{"--unknown", "fail", "expected allow or disallow"},
		{"--input", "xml", "expected one of"},
		{"--format", "same", "expected tsv or jsonl"},
		{"--shards", "-1", "expected at least 1"},
		{"--max-share", "-1", "expected at least 1"},
	} {
		args := []string{test.flag, test.value}
		for name, value := range good {
			if name != test.flag {
				args = append(args, name, value)
			}
		}
		if err := run(context.Background(), parse(t, args...), io.Discard); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %q: %v; want %q", test.flag, test.value, err, test.want)
		}
	}
	all := []string{"--agent", "CCBot", "--robots", source, "--urls", list, "--output", good["--output"]}
	for _, more := range [][]string{{"--allowed", "--disallowed"}, {"b.warc.gz", "--disallowed"}} { // the shell makes b of a pattern
		if err := run(context.Background(), parse(t, append(all, more...)...), io.Discard); err == nil || !strings.Contains(err.Error(), more[0]) {
			t.Errorf("%q: %v", more, err)
		}
	}
}

// TestDamagedList: a run whose list is cut has its summary, and is an error.
func TestDamagedList(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // Prism leaves files
	list := filepath.Join(t.TempDir(), "cut.gz")
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	io.WriteString(w, "https://news.example/\n")
	w.Close()
	if err := os.WriteFile(list, zipped.Bytes()[:zipped.Len()-4], 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--agent", "CCBot", "--robots", filepath.Join("..", "examples", "sites"), "--urls", list, "--output", filepath.Join(t.TempDir(), "o")}
	var out strings.Builder
	if err := run(context.Background(), parse(t, args...), &out); err == nil || !strings.Contains(err.Error(), "heed did not read 1 of the lists to their end") {
		t.Error(err)
	}
	if !strings.Contains(out.String(), `"broken_lists": 1,`) || !strings.HasSuffix(out.String(), "}\n") {
		t.Error(out.String())
	}
}
