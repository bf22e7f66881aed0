package verdicts

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"

	"github.com/heed-robots/heed/internal/bulk/stream"
)

var (
	ccbot   = "CCBot"
	rfc9309 = []string{"rfc9309"}
	now     = []string{"now"}
)

const (
	oneSource = `{"origin":"https://a.example","body":"User-agent: *\nDisallow: /private\n"}` + "\n"
	oneList   = "https://a.example/private\nno url\nhttps://a.example/\n"
)

// TestOtherFileSystems: sources, lists and outputs may be on any file system that Beam knows. What is no
// source is rejected.
func TestOtherFileSystems(t *testing.T) {
	memfs.Write("memfs://in/source.jsonl", []byte(oneSource))
	memfs.Write("memfs://in/image.jsonl", []byte("\x89PNG"))
	memfs.Write("memfs://in/list.txt", []byte(oneList))
	run(t, Options{Crawlers: ccbot, Dialects: rfc9309, Times: now, Sources: []string{"memfs://in/*.jsonl"}, Lists: []string{"memfs://in/list.txt"}, To: "memfs://out/v", Shards: 1})
	read := func(name string) string {
		f, err := openFile(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rows := read("memfs://out/v-00000-of-00001.tsv")
	for _, want := range []string{"https://a.example/private\tdisallowed\trule\t2\tDisallow: /private\n", "no url\tunknown\tno-url\t\t\n", "https://a.example/\tallowed\tno-rule-matched\t\t\n"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is not in %q", want, rows)
		}
	}
	if s := read("memfs://out/v-summary.json"); !strings.Contains(s, `"rejected_records": 1,`) || !strings.Contains(s, `"urls": 2,`) {
		t.Error(s)
	}
	if r := read("memfs://out/v-rejects.jsonl"); !strings.Contains(r, `"input":"memfs://in/image.jsonl","place":"the whole file"`) || !strings.Contains(r, `"place":"line 2"`) {
		t.Error(r)
	}
}

// TestUnreadable: a list or a source that cannot be read ends the run without a Summary, so that nobody
// takes the output for complete, or a robots.txt that nobody could read for one that is not there.
func TestUnreadable(t *testing.T) {
	folder := t.TempDir()
	w := &world{folder: folder}
	source, list := w.write(t, "source*.jsonl", oneSource), w.write(t, "list*", oneList)
	gone := filepath.Join(folder, "gone")
	if err := os.Symlink(filepath.Join(folder, "nowhere"), gone); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ source, list, want string }{
		{source, folder, "is a directory"},
		{source, gone, "no such file"},
		{gone, list, "no such file"},
	} {
		o := Options{Crawlers: ccbot, Dialects: rfc9309, Times: now, Sources: []string{test.source}, Lists: []string{test.list}, To: filepath.Join(folder, "v")}
		p, s := beam.NewPipelineWithRoot()
		if err := Build(context.Background(), s, o); err != nil {
			t.Fatal(err)
		}
		_, err := beam.Run(context.Background(), "prism", p)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, %s: %v", test.source, test.list, err)
		}
		if _, err := os.Stat(SummaryOf(o.To)); err == nil {
			t.Fatal("there is a summary")
		}
	}
}

// TestRejectedInFolder: a file of a folder that cannot be used is named.
func TestRejectedInFolder(t *testing.T) {
	folder := t.TempDir()
	w := &world{folder: folder}
	hosts := filepath.Join(folder, "hosts")
	if err := os.Mkdir(hosts, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.example", "NO HOST"} {
		if err := os.WriteFile(filepath.Join(hosts, name), []byte("User-agent: *\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Crawlers: ccbot, Dialects: rfc9309, Times: now, Sources: []string{hosts}, Lists: []string{w.write(t, "list*", oneList)}, To: filepath.Join(folder, "v")}
	run(t, o)
	if r := strings.Join(linesOfFile(t, o.To+"-rejects.jsonl"), ""); !strings.Contains(r, `/hosts/NO HOST","place":""`) {
		t.Error(r)
	}
}

// TestClash: a line with a member that heed would add is rejected, and the run goes on.
func TestClash(t *testing.T) {
	w := &world{folder: t.TempDir()}
	o := Options{Crawlers: ccbot, Dialects: rfc9309, Times: now, Output: stream.JSONRows, Sources: []string{w.write(t, "source*", oneSource)}, To: filepath.Join(w.folder, "v")}
	o.Lists = []string{w.write(t, "list*", `{"url":"https://a.example/","allowed":true}`+"\n"+`{"url":"https://a.example/"}`+"\n")}
	run(t, o)
	if s := summaryOf(t, o); s.URLs != 1 || s.Rejected != 1 {
		t.Errorf("%+v", s)
	}
	if r := strings.Join(linesOfFile(t, o.To+"-rejects.jsonl"), ""); !strings.Contains(r, `"line 1","error":"the line already has a member \"allowed\"`) {
		t.Error(r)
	}
}

// TestNoList: a file that has no lines is not read as if it had.
func TestNoList(t *testing.T) {
	folder := t.TempDir()
	o := Options{Crawlers: ccbot, Dialects: rfc9309, Times: now, Sources: []string{filepath.Join(folder, "source")}, Lists: []string{filepath.Join(folder, "list")}, To: filepath.Join(folder, "v")}
	for name, text := range map[string]string{"source": oneSource, "list": "PAR1\x15\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, o)
	rejects, err := os.ReadFile(o.To + "-rejects.jsonl")
	if err != nil || !strings.Contains(string(rejects), `"place":"after line 0","error":"the input is Parquet`) {
		t.Errorf("%s, %v", rejects, err)
	}
	if s := summaryOf(t, o); s.BrokenLists != 1 || s.Rejected != 0 {
		t.Errorf("%+v", s)
	}
}

// TestWatched: an error of reading is not taken for damage.
func TestWatched(t *testing.T) {
	w := &watchedReader{from: io.MultiReader(bytes.NewReader([]byte("x")), brokenReader{})}
	if _, err := io.ReadAll(w); err != io.ErrClosedPipe || w.err != io.ErrClosedPipe {
		t.Error(err, w.err)
	}
	w = &watchedReader{from: strings.NewReader("x")}
	if _, err := io.ReadAll(w); err != nil || w.err != nil {
		t.Error(err, w.err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestLeftOver: what another run left under the names of the output is neither mixed with that of a new run nor removed. Other
// files do not matter.
func TestLeftOver(t *testing.T) {
	w := &world{folder: t.TempDir()}
	source, list := w.write(t, "source*.jsonl", oneSource), w.write(t, "list*", oneList)
	to := filepath.Join(w.folder, "100%*[a]", "v")
	for name, want := range map[string]string{
		"v-00000-of-00016.tsv":                   "v-00000-of-00016.tsv",
		"v-00002-of-00003.jsonl":                 "v-00002-of-00003.jsonl",
		"v-00002-of-00003.tsv.123456789.partial": "v-00002-of-00003.tsv.123456789.partial",
		"v-100000-of-200000.txt":                 "v-100000-of-200000.txt",
		"v-summary.json":                         "v-summary.json",
		"v-rejects.jsonl":                        "v-rejects.jsonl",
		"v-rejects.jsonl.123456789.partial":      "v-rejects.jsonl.123456789.partial",
		"v2-00000-of-00016.tsv":                  "",
		"v-notes.txt":                            "",
		"v":                                      "",
		"old-v-00000-of-00016.tsv":               "",
	} {
		for _, folder := range []string{filepath.Dir(to), "memfs://" + strings.ReplaceAll(name, ".", "_")} {
			to := folder + "/v"
			f, err := createFile(context.Background(), folder+"/"+name)
			if err == nil {
				_, err = io.WriteString(f, "a row\n")
			}
			if err == nil {
				err = f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			_, s := beam.NewPipelineWithRoot()
			err = Build(context.Background(), s, Options{Crawlers: ccbot, Dialects: rfc9309, Times: now, Sources: []string{source}, Lists: []string{list}, To: to})
			if want == "" != (err == nil) || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "another run")) {
				t.Errorf("%s, %s: %v", folder, name, err)
			}
			from, err := openFile(context.Background(), folder+"/"+name)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(from); string(text) != "a row\n" || err != nil {
				t.Errorf("%s: it has %q now, %v", name, text, err)
			}
			from.Close()
			os.RemoveAll(folder)
		}
	}
	// A run that ended before it wrote anything leaves an empty file.
	for range 2 {
		_, s := beam.NewPipelineWithRoot()
		if err := Build(context.Background(), s, Options{Crawlers: ccbot, Dialects: rfc9309, Times: now, Sources: []string{source}, Lists: []string{list}, To: to}); err != nil {
			t.Error(err)
		}
	}
}

// TestCreateLocal: a file has its name when all of it is written, and not if that failed.
func TestCreateLocal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new", "100%*[a].tsv")
	files := func() (all []string) {
		found, _ := os.ReadDir(filepath.Dir(name))
		for _, f := range found {
			all = append(all, f.Name())
		}
		return all
	}
	for _, text := range []string{"one", "two"} {
		f, err := createFile(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, text)
		if before, _ := os.ReadFile(name); string(before) == text {
			t.Error("it has its name too early")
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(name); string(after) != text {
			t.Errorf("%q, %v", after, err)
		}
	}
	f, err := createFile(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	f.(*renamed).File.Close()
	if _, err := io.WriteString(f, "three"); err == nil {
		t.Error("no error")
	}
	if err := f.Close(); err == nil {
		t.Error("no error")
	}
	if text, _ := os.ReadFile(name); string(text) != "two" || len(files()) != 1 {
		t.Errorf("%q; %q", text, files())
	}
}
