package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/cli"
)

// Every command has a man page and every shell a completion script. The files show neither
// the machine nor the time at which they were made.
func TestManPagesAndCompletions(t *testing.T) {
	t.Setenv("HOME", "/nowhere-home")
	t.Setenv("XDG_CACHE_HOME", "/nowhere-cache")
	folder := t.TempDir()
	if err := write(cli.Command(), folder, time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, pattern := range []string{"man/*.1", "completions/*"} {
		names, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.Base(name)] = string(text)
		}
	}
	for name, text := range texts {
		if strings.Contains(text, "nowhere") {
			t.Errorf("%s shows a folder of this machine", name)
		}
		if strings.HasSuffix(name, ".1") && !strings.Contains(text, " 2026-05-03 ") {
			t.Errorf("%s does not show the date that was given", name)
		}
	}
	for _, name := range append(pages(cli.Command()), "heed.bash", "heed.zsh", "heed.fish", "heed.ps1") {
		if texts[name] == "" {
			t.Errorf("%s is missing or empty", name)
		}
	}
}

// pages returns the names of the man pages of a command and those below it.
func pages(c *cobra.Command) []string {
	names := []string{pageName(c) + ".1"}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, pages(below)...)
		}
	}
	return names
}

// mandoc, the program that shows man pages on BSD and Alpine, finds nothing wrong in them.
func TestManPagesPassMandoc(t *testing.T) {
	program, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("mandoc is not installed: the man pages are not checked")
	}
	folder := t.TempDir()
	if err := write(cli.Command(), folder, time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(folder, "man", "*.1"))
	out, err := exec.Command(program, append([]string{"-Tlint", "-Wwarning"}, names...)...).CombinedOutput()
	if err != nil || len(out) > 0 || names == nil {
		t.Errorf("%d man pages: %v\n%s", len(names), err, out)
	}
}

// A line with spaces at its start stays a line of its own, and no text is a request of roff.
func TestManPageText(t *testing.T) {
	const want = "a \\e \\-a\n.nf\n  b\n.PP\n  c\n.fi\n\\&.d\n"
	if got := paragraphs("a \\ -a\n  b\n\n  c\n.d"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
