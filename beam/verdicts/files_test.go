package verdicts

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
)

var ccbot = []Column{{"CCBot", []string{"CCBot"}, "rfc9309", time.Time{}}}

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
	run(t, Options{Columns: ccbot, Sources: []string{"memfs://in/*.jsonl"}, Lists: []string{"memfs://in/list.txt"}, To: "memfs://out/v", Shards: 1})
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
	for _, want := range []string{"https://a.example/private\tdeny\trule\t2\tDisallow: /private\n", "no url\tunknown\tno-url\t\t\n", "https://a.example/\tallow\tno-rule-matched\t\t\n"} {
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

// TestUnreadableList: a list that cannot be read ends the run without a Summary, so that nobody takes the
// output for complete.
func TestUnreadableList(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "source.jsonl")
	if err := os.WriteFile(source, []byte(oneSource), 0o644); err != nil {
		t.Fatal(err)
	}
	o := Options{Columns: ccbot, Sources: []string{source}, Lists: []string{folder}, To: filepath.Join(folder, "v")}
	p, s := beam.NewPipelineWithRoot()
	if err := Build(context.Background(), s, o); err != nil {
		t.Fatal(err)
	}
	_, err := beam.Run(context.Background(), "prism", p)
	if err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(SummaryOf(o.To)); err == nil {
		t.Error("there is a summary")
	}
}

// TestWatched: an error of reading is not taken for damage.
func TestWatched(t *testing.T) {
	w := &watched{from: io.MultiReader(bytes.NewReader([]byte("x")), brokenReader{})}
	if _, err := io.ReadAll(w); err != io.ErrClosedPipe || w.err != io.ErrClosedPipe {
		t.Error(err, w.err)
	}
	w = &watched{from: strings.NewReader("x")}
	if _, err := io.ReadAll(w); err != nil || w.err != nil {
		t.Error(err, w.err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }
