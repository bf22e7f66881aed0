package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/cmd/heed/internal/cli"
	"github.com/heed-robots/heed/internal/bulk/stream"
)

type page struct {
	ID  int64  `parquet:"id"`
	URL string `parquet:"url,optional"`
}

type checkedPage struct {
	page
	Verdict string `parquet:"verdict,optional"`
	Line    int32  `parquet:"line,optional"`
	Rule    string `parquet:"rule,optional"`
}

// Several inputs in Parquet have an output each, a run goes on with the input that has none, and one
// file that is damaged does not end the run.
func TestFilterParquet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sites := filepath.Join(dir, "sites")
	os.Mkdir(sites, 0o700)
	os.WriteFile(filepath.Join(sites, "a.example"), []byte("User-agent: *\nDisallow: /x\n"), 0o600)
	var inputs []string
	for _, name := range []string{"1.parquet", "2.parquet", "3.parquet"} {
		inputs = append(inputs, filepath.Join(dir, name))
		rows := []page{{1, "a.example/x"}, {2, ""}, {3, "https://a.example/" + name}, {4, "https://none.example/"}}
		if err := parquet.WriteFile(inputs[len(inputs)-1], rows); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(inputs[1])
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(inputs[1], whole[:len(whole)-9], 0o600)

	out, rejects := filepath.Join(dir, "out"), filepath.Join(dir, "rejects")
	args := append([]string{"filter", "-a", "a", "--robots", sites, "-o", out, "--rejects", rejects}, inputs...)
	run := func(want int, args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if got := cli.Run(args, strings.NewReader(""), &stdout, &stderr); got != want || stdout.Len() > 0 {
			t.Errorf("status %d, want %d: %s%s", got, want, &stdout, &stderr)
		}
		return stderr.String()
	}
	if told := run(2, args...); !strings.Contains(told, "2.parquet") || !strings.Contains(told, "6 URLs checked: 2 allowed, 2 disallowed, 2 unknown") {
		t.Errorf("told\n%s", told)
	}
	rows, err := parquet.ReadFile[checkedPage](filepath.Join(out, "3.parquet"))
	if want := `[{{1 a.example/x} disallowed 2 Disallow: /x} {{2 } unknown 0 } {{3 https://a.example/3.parquet} allowed 0 } {{4 https://none.example/} unknown 0 }]`; err != nil || fmt.Sprint(rows) != want {
		t.Errorf("%v, %v; want %s", rows, err, want)
	}
	if text, err := os.ReadFile(rejects); err != nil || strings.Count(string(text), `"place":"row 2"`) != 2 {
		t.Errorf("rejects %s, %v", text, err)
	}
	if told := run(2, append(args, "--resume")...); !strings.Contains(told, "heed wrote no output for 1 input; to check them again") || !strings.Contains(told, "0 URLs checked") {
		t.Errorf("told\n%s", told)
	}
	if told := run(2, args...); !strings.Contains(told, "continue that run with --resume") {
		t.Errorf("told\n%s", told)
	}

	// The file is fixed, and is the only one that is checked then. What a run that was killed wrote about it is dropped.
	os.WriteFile(inputs[1], whole, 0o600)
	before, err := os.ReadFile(rejects)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(rejects, fmt.Appendf(before, "{\"input\":%q,\"place\":\"row 2\",\"error\":\"x\",\"text\":\"\"}\n{\"inp", inputs[1]), 0o600)
	if told := run(0, append(args, "--resume")...); !strings.Contains(told, "3 URLs checked: 1 allowed, 1 disallowed, 1 unknown") {
		t.Errorf("told\n%s", told)
	}
	if text, err := os.ReadFile(rejects); err != nil || !bytes.HasPrefix(text, before) || bytes.Count(text, []byte("\n")) != 3 || bytes.Contains(text, []byte(`"x"`)) || !bytes.Contains(text, []byte("2.parquet")) {
		t.Errorf("rejects %s, %v", text, err)
	}
	if told := run(2, append(args, "--resume")...); !strings.Contains(told, "an earlier run has ended, perhaps with other arguments or lists: to check these lists, leave --resume out") {
		t.Errorf("told\n%s", told)
	}

	// A row group that is damaged: status 2, no output under the name of a whole one, and no advice for CSV.
	torn := bytes.Clone(whole)
	clear(torn[4:20])
	os.WriteFile(inputs[1], torn, 0o600)
	single := filepath.Join(dir, "single.parquet")
	for _, resume := range [][]string{nil, {"--resume"}} {
		told := run(2, append([]string{"filter", "-a", "a", "--robots", sites, "-o", single, inputs[1]}, resume...)...)
		if !strings.Contains(told, "4 rows rejected") || !strings.Contains(told, "4 rows of row group 0, from row 1: ") || !strings.Contains(told, "the verdicts of the other rows are in "+single+".damaged") || strings.Contains(told, "CSV") {
			t.Errorf("told\n%s", told)
		}
		if _, err := os.Stat(single); err == nil {
			t.Error("a damaged input has an output")
		}
	}
	var stdout, stderr bytes.Buffer
	if got := cli.Run([]string{"filter", "-a", "a", "--robots", sites, inputs[1]}, strings.NewReader(""), &stdout, &stderr); got != 2 || stdout.Len() == 0 || !strings.Contains(stderr.String(), "4 rows of row group 0") {
		t.Errorf("a damaged input without --output: status %d, %d bytes: %s", got, stdout.Len(), &stderr)
	}
	os.WriteFile(inputs[1], whole, 0o600)
	run(0, "filter", "-a", "a", "--robots", sites, "-o", single, inputs[1])
	if _, err := os.Stat(single + ".damaged"); err == nil {
		t.Error("what a run before could read stays beside the output of the whole input")
	}

	os.Remove(filepath.Join(out, "3.parquet"))
	os.WriteFile(out+".checkpoint", []byte("other\n"), 0o600)
	if told := run(2, append(args, "--resume")...); !strings.Contains(told, "the interrupted run had other arguments") {
		t.Errorf("told\n%s", told)
	}
	os.Remove(out + ".checkpoint")
	run(0, args...)
	for _, name := range []string{"v.tsv", "v.jsonl.gz", "v.CSV"} {
		if told := run(2, "filter", "-a", "a", "--robots", sites, "-o", filepath.Join(dir, name), inputs[0]); !strings.Contains(told, "so heed writes Parquet: give a name that ends in .parquet") {
			t.Errorf("%s: told\n%s", name, told)
		}
	}
	if told := run(2, "filter", "-a", "a", "--robots", sites, inputs[0], inputs[1]); !strings.Contains(told, "the output must be a file") {
		t.Errorf("told\n%s", told)
	}
}

// A second run at the same time is refused, and what is no file, such as /dev/null, is written and not replaced.
func TestFilterParquetOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sites, list, out, null := filepath.Join(dir, "sites"), filepath.Join(dir, "list"), filepath.Join(dir, "out"), filepath.Join(dir, "null")
	os.WriteFile(sites, []byte(`{"origin":"https://a.example","status":404}`+"\n"), 0o600)
	if err := parquet.WriteFile(list, []page{{1, "https://a.example/x"}, {2, ""}}); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		got := cli.Run(append([]string{"filter", "-a", "a", "--robots", sites, list}, args...), strings.NewReader(""), &stdout, &stderr)
		return got, stderr.String()
	}
	release, err := stream.Claim(out)
	if err != nil {
		t.Fatal(err)
	}
	if got, told := run("-o", out); got != 2 || !strings.Contains(told, "another run is writing "+out) {
		t.Errorf("status %d: %s", got, told)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if got, told := run("-o", out); got != 0 {
		t.Errorf("status %d: %s", got, told)
	}
	if err := os.Symlink(os.DevNull, null); err != nil {
		t.Skip(err)
	}
	if got, told := run("-o", null); got != 0 {
		t.Errorf("status %d: %s", got, told)
	}
	if got, told := run("-o", null, "--resume"); got != 2 || !strings.Contains(told, "is not a regular file") {
		t.Errorf("status %d: %s", got, told)
	}
	if info, err := os.Stat(null); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}
