package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// The parts of a list that split and GNU parallel make, checked at the same time, have the same output as
// one run.
func TestFilterInParallel(t *testing.T) {
	t.Parallel()
	p := newPipe(t)
	dir := t.TempDir()
	list := strings.Join(pipeList(), "\n") // the last line has no end
	alone, block := 5, "32k"               // each line alone and each block is a process
	if portion.Whole() {
		alone, block = 30, "16k"
	}
	if err := os.WriteFile(filepath.Join(dir, "list"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range portion.One("--input plain", "--input jsonl -a b", "--input cdx --disallowed") {
		p.flags = strings.Fields(flags)
		heed, want := strings.Join(p.args(), " "), p.once(t, list)
		for name, script := range map[string]string{
			"split":    "split -n l/7 list part. && for part in part.??; do " + heed + " <$part >$part.out & done; wait; cat part.??.out",
			"one line": fmt.Sprintf("head -n %d list | split -l 1 - line. && for line in line.??; do %s <$line || exit; done; tail -n +%d list | %s", alone, heed, alone+1, heed),
			"pipe":     "parallel --pipe --keep-order --block " + block + " " + heed + " <list",
			"pipepart": "parallel --pipepart --keep-order --block " + block + " -a list " + heed,
		} {
			if isInstalled(t, strings.Fields(script)[0]) {
				command := exec.Command("sh", "-c", script)
				command.Dir = dir
				if got, err := command.Output(); err != nil || string(got) != want {
					t.Errorf("%s, %s: %v, the output of the parts is another one: %d bytes, want %d", flags, name, err, len(got), len(want))
				}
			}
		}
	}
}

// GNU parallel gives each part of a table the header, so that heed finds the column.
func TestFilterTableInParallel(t *testing.T) {
	t.Parallel()
	if !isInstalled(t, "parallel") {
		return
	}
	p := newPipe(t)
	p.flags = []string{"--input", "csv", "--column", "page"}
	dir := t.TempDir()
	list := "id,page\n"
	for i := range 1000 {
		list += fmt.Sprintf("%d,https://stars.example/%d\n%d\n", i, i, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "list"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range portion.One("--pipe <list", "--pipepart -a list") {
		command := exec.Command("sh", "-c", "parallel --keep-order --header '.*\\n' --block 16k "+from+" "+strings.Join(p.args(), " "))
		command.Dir = dir
		if got, err := command.Output(); err != nil || string(got) != p.once(t, list) {
			t.Errorf("%s: %v, the output of the parts is another one: %d bytes", from, err, len(got))
		}
	}
}

// isInstalled reports whether a program is there. In CI it must be.
func isInstalled(t *testing.T, program string) bool {
	t.Helper()
	_, err := exec.LookPath(program)
	if err != nil && os.Getenv("CI") != "" {
		t.Errorf("%s is not installed", program)
	} else if err != nil {
		t.Logf("%s is not installed: heed filter is not tested with it", program)
	}
	return err == nil
}

// Who reads the output may stop early, as head does: heed ends then, and does not wait for its input.
func TestFilterReaderStops(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	p := newPipe(t)
	p.flags = []string{"--input", "plain"}
	command := exec.Command("sh", "-c", "{ yes https://closed.example/ | timeout 60 "+strings.Join(p.args(), " ")+"; echo $? >&2; } | head -n 1")
	var told strings.Builder
	command.Stderr = &told
	out, err := command.Output()
	if want := "https://closed.example/\tdisallowed\trule\t2\tDisallow: /\n"; err != nil || string(out) != want || told.String() == "124\n" {
		t.Errorf("%v: %q, want %q; status of heed %s", err, out, want, told.String())
	}
}
