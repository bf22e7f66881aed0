package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/cmd/heed/internal/cli"
)

// An output never replaces a file that the run reads, whatever its name there is.
func TestFilterOverwrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const urls = "https://a.example/x\n"
	list, source, link := filepath.Join(dir, "list"), filepath.Join(dir, "source"), filepath.Join(dir, "link")
	out := filepath.Join(dir, "out")
	folder := filepath.Join(dir, "folder")
	os.Mkdir(folder, 0o700)
	os.Mkdir(filepath.Join(dir, "x"), 0o700)
	os.Mkdir(filepath.Join(folder, "sub"), 0o700)
	os.WriteFile(filepath.Join(folder, "a.example"), nil, 0o600)
	const robots = `{"origin":"https://a.example","body":"User-agent: *\nDisallow: /x\n"}` + "\n"
	os.WriteFile(list, []byte(urls), 0o600)
	os.WriteFile(source, []byte(robots), 0o600)
	if err := os.Link(list, link); err != nil {
		t.Skip(err)
	}
	alias := filepath.Join(dir, "alias")
	if err := os.Symlink(dir, alias); err != nil {
		t.Skip(err)
	}
	dangling, again := filepath.Join(dir, "dangling"), filepath.Join(dir, "again")
	os.Symlink("x/../folder/new", dangling)
	os.Symlink("dangling", again)
	for _, flags := range [][]string{
		{"--robots", folder, "-o", dangling}, {"--robots", folder, "--rejects", again}, {"-o", filepath.Join(folder, "new"), "--rejects", again},
		{"--robots", folder, "-o", filepath.Join(folder, "sub", "out")}, {"--robots", folder, "--rejects", alias + "/folder/sub/rejects"},
		{"-o", out, "--rejects", alias + "/out"}, {"-o", out, "--rejects", alias + "/out.checkpoint"},
		{"-o", list}, {"-o", link}, {"--rejects", list}, {"-o", source}, {"--rejects", source},
		{"-o", out, "--rejects", filepath.Dir(out) + "/./out"}, {"-o", out, "--rejects", out + ".checkpoint"}, {"-o", out, "--rejects", dir + "/./out.checkpoint.lock"},
		{"--robots", folder, "-o", filepath.Join(folder, "out")}, {"--robots", folder, "--rejects", dir + "/x/../folder/rejects"},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"filter", "-a", "a", "--robots", source, list}, flags...)
		if got := cli.Run(args, strings.NewReader(""), &stdout, &stderr); got != 2 || !strings.Contains(stderr.String(), ": name a") && !strings.Contains(stderr.String(), "name the same file") {
			t.Errorf("%s: status %d: %s", flags, got, &stderr)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a refused run has an output")
	}
	for name, want := range map[string]string{list: urls, source: robots} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s is %q now (%v)", name, got, err)
		}
	}
}

// Several inputs in Parquet are not replaced by their outputs.
func TestFilterOverwritesParquet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := filepath.Join(dir, "source")
	os.WriteFile(source, []byte(`{"origin":"https://a.example","body":""}`+"\n"), 0o600)
	args := []string{"filter", "-a", "a", "--robots", source, "-o", dir}
	for _, name := range []string{"1.parquet", "2.parquet"} {
		args = append(args, filepath.Join(dir, name))
		if err := parquet.WriteFile(args[len(args)-1], []page{{1, "https://a.example/x"}}); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	if got := cli.Run(args, strings.NewReader(""), &stdout, &stderr); got != 2 || !strings.Contains(stderr.String(), "name another folder") {
		t.Errorf("status %d: %s", got, &stderr)
	}

	// A refused run makes no folder.
	out := filepath.Join(dir, "out")
	args = append(args, args[len(args)-1], "-o", out)
	if got := cli.Run(args, strings.NewReader(""), &stdout, &stderr); got != 2 || !strings.Contains(stderr.String(), "two inputs have the name") {
		t.Errorf("status %d: %s", got, &stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a refused run made a folder")
	}
}

// A run in another dialect does not go on with an interrupted one.
func TestFilterResumeDialect(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list, source, out := filepath.Join(dir, "list"), filepath.Join(dir, "source"), filepath.Join(dir, "out")
	os.WriteFile(list, []byte("https://a.example/x\n"), 0o600)
	os.WriteFile(source, []byte(`{"origin":"https://a.example","body":""}`+"\n"), 0o600)
	limit := filepath.Join(dir, "full")
	run := func(args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		got := cli.Run(append([]string{"filter", "-a", "a", "--robots", source, "-o", out}, append(args, list)...), strings.NewReader(""), &stdout, &stderr)
		return got, stderr.String()
	}
	if err := os.Mkdir(limit, 0o700); err != nil {
		t.Fatal(err)
	}
	// The rejects cannot be opened: the run ends, and its checkpoint stays.
	if got, told := run("--rejects", limit); got != 2 {
		t.Fatalf("status %d: %s", got, told)
	}
	if got, told := run("--rejects", limit, "--resume", "--dialect", "google"); got != 2 || !strings.Contains(told, "other arguments") {
		t.Errorf("status %d: %s", got, told)
	}
	os.WriteFile(source, []byte(`{"origin":"https://a.example","body":"# changed"}`+"\n"), 0o600)
	if got, told := run("--rejects", limit, "--resume"); got != 2 || !strings.Contains(told, "a source of --robots has changed since the interrupted run") || strings.Contains(told, "arguments") {
		t.Errorf("a changed source: status %d: %s", got, told)
	}
}
