package verdicts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/stream"
)

var heed string // the command

func TestMain(m *testing.M) {
	beam.Init()
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "heed")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		os.Setenv("TMPDIR", folder) // Prism leaves files
		heed = filepath.Join(folder, "heed")
		if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", heed, "github.com/heed-robots/heed/cmd/heed").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// run runs the pipeline on Prism.
func run(t *testing.T, o Options) (result beam.PipelineResult) {
	t.Helper()
	ctx := context.Background()
	p, s := beam.NewPipelineWithRoot()
	if err := Build(ctx, s, o); err != nil {
		t.Fatal(err)
	}
	result, err := beam.Run(ctx, "prism", p)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// rowsOf returns the rows of all output files, sorted.
func rowsOf(t *testing.T, o Options) (rows []string) {
	names, err := filepath.Glob(o.To + "-0*")
	if err != nil || len(names) != o.Shards {
		t.Fatalf("%q, %v; want %d files", names, err, o.Shards)
	}
	for _, name := range names {
		rows = append(rows, linesOfFile(t, name)...)
	}
	slices.Sort(rows)
	return rows
}

func linesOfFile(t *testing.T, name string) []string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(string(text), "\n")[:bytes.Count(text, []byte("\n"))]
}

func summaryOf(t *testing.T, o Options) (s Summary) {
	text, err := os.ReadFile(SummaryOf(o.To))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sentence is the Summary as heed filter prints it.
func sentence(s Summary) string {
	var columns []string
	for _, c := range s.Columns {
		text := fmt.Sprintf("%d allowed, %d disallowed, %d unknown", c.Allowed, c.Disallowed, c.Unknown)
		if len(s.Columns) > 1 {
			text = c.Column + ": " + text
		}
		columns = append(columns, text)
	}
	return fmt.Sprintf("heed filter: %d URLs checked: %s\n", s.URLs, strings.Join(columns, "; "))
}

// uses is what the Summary says of the use of pages, as heed filter prints it; "": nothing.
func uses(s Summary) (text string) {
	for _, c := range s.Columns {
		if len(c.Use) == 0 {
			continue
		}
		text += "heed filter: use"
		if len(s.Columns) > 1 {
			text += " by " + c.Column
		}
		var all []string
		for _, u := range c.Use {
			all = append(all, fmt.Sprintf("%s %d allowed, %d disallowed, %d unknown", u.Purpose, u.Allowed, u.Disallowed, u.Unknown))
		}
		text += fmt.Sprintf(": %s; not crawlable %d\n", strings.Join(all, "; "), c.Use[0].NotCrawlable)
	}
	return text
}

// TestSameAsFilter: the rows, what is rejected, and the numbers are those of heed filter, over sources
// with redirects, several captures, and files for all schemes, and lists in which one host has a tenth
// of all lines.
func TestSameAsFilter(t *testing.T) {
	tests := []struct {
		name   string
		json   bool
		o      Options
		filter []string
	}{
		{"one column", false, Options{Crawlers: ccbot, Dialects: rfc9309, Times: now}, []string{"-a", "CCBot"}},
		{"crawlers, dialects and times", false, Options{
			Crawlers: "CCBot,ExampleBot:Other", Dialects: []string{"rfc9309", "google"}, Times: []string{"2024-05-01", "now"},
		}, []string{"-a", "CCBot,ExampleBot:Other", "--dialect", "rfc9309,google", "--as-of", "2024-05-01,now"}},
		{"JSON lines", true, Options{Format: stream.JSONLines, IfMissing: bulk.Disallowed, Crawlers: ccbot, Dialects: []string{"google"}, Times: now},
			[]string{"-a", "CCBot", "--dialect", "google", "--input", "jsonl", "--missing", "disallowed"}},
		{"AI-16, use", false, Options{For: "train-ai,search", Profile: "eu-art4", Crawlers: ccbot, Dialects: rfc9309, Times: now}, []string{"-a", "CCBot", "--for", "train-ai,search", "--profile", "eu-art4"}},
		{"use of JSON lines", true, Options{For: "search", UnknownDisallows: true, Keep: bulk.OnlyDisallowed, Output: stream.JSONRows, Crawlers: "CCBot,Other", Dialects: rfc9309, Times: now},
			[]string{"-a", "CCBot,Other", "--for", "search", "--unknown", "disallow", "--disallowed", "--format", "jsonl"}},
		{"allowed", true, Options{Keep: bulk.OnlyAllowed, Crawlers: ccbot, Dialects: rfc9309, Times: now}, []string{"-a", "CCBot", "--allowed"}},
	}
	for seed, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, uint64(seed))
			o := test.o
			o.Sources = []string{w.source(t, 300), w.files(t), w.source(t, 200)}
			lines, more := w.lines(20_000), w.lines(500)
			if test.json {
				lines, more = asJSON(lines), asJSON(more)
			}
			o.Lists = []string{
				w.write(t, "list*.txt", strings.Join(lines[:15_000], "\n")), // without the last line end
				w.compressed(t, lines[15_000:], false),
				w.compressed(t, more, true),
			}
			o.To, o.Shards, o.MaxShare = filepath.Join(w.folder, "out", "100%d"), 3, 200
			run(t, o)

			rejects := filepath.Join(w.folder, "rejects")
			want, status, notices := filtered(t, &o, o.Sources, append(test.filter, "--rejects", rejects)...)
			if status != 2 { // an input is cut
				t.Fatalf("%d\n%s", status, notices)
			}
			got := rowsOf(t, o)
			if len(want) < 5000 || !slices.Equal(got, want) {
				t.Errorf("%d rows, %d of heed filter; the first that differs: %s", len(got), len(want), firstDifference(got, want))
			}
			s := summaryOf(t, o)
			if !strings.Contains(notices, sentence(s)) {
				t.Errorf("the summary is %q; heed filter:\n%s", sentence(s), notices)
			}
			if uses := uses(s); !strings.Contains(notices, uses) || (uses == "") != (o.For == "") {
				t.Errorf("the summary is %q; heed filter:\n%s", uses, notices)
			}
			rejected := linesOfFile(t, o.To+"-rejects.jsonl")
			all := linesOfFile(t, rejects)
			if told := len(rejected) - int(s.RejectedRecords); s.BrokenLists != 1 || s.RejectedRecords == 0 || told != len(all) || s.Rejected != int64(len(all)-1) {
				t.Errorf("%+v, %d rejects; heed filter: %d", s, len(rejected), len(all))
			}
			for _, line := range all[:len(all)-1] { // the last one is the cut
				if !slices.Contains(rejected, line) {
					t.Errorf("heed filter rejects %s", line)
				}
			}
		})
	}
}

// filtered runs heed filter with the lists of Options, and returns its rows, sorted, its status, and what it says beside them.
func filtered(t *testing.T, o *Options, sources []string, args ...string) (rows []string, status int, notices string) {
	args = append([]string{"filter"}, args...)
	for _, source := range sources {
		args = append(args, "--robots", source)
	}
	output, status, notices := runHeed(t, append(args, o.Lists...)...)
	rows = strings.SplitAfter(output, "\n")
	rows = rows[:len(rows)-1]
	slices.Sort(rows)
	return rows, status, notices
}

func runHeed(t *testing.T, args ...string) (output string, status int, notices string) {
	command := exec.Command(heed, args...)
	var errs strings.Builder
	command.Stderr = &errs
	out, err := command.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), command.ProcessState.ExitCode(), errs.String()
}

// compiled makes an archive of sources.
func compiled(t *testing.T, sources ...string) (name string) {
	name = sources[0] + ".heed"
	if _, status, notices := runHeed(t, append([]string{"compile", "-o", name}, sources...)...); status != 0 {
		t.Fatal(notices)
	}
	return name
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("%q; want %q", got[i], want[i])
		}
	}
	return "in the number"
}
