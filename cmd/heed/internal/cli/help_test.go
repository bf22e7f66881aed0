package cli

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
)

// No help is cut inside a word: each of its lines fits the terminal, or is one word.
func TestHelpFits(t *testing.T) {
	for _, width := range []int{40, 80, 160} {
		t.Setenv("COLUMNS", fmt.Sprint(width))
		for _, path := range commandPaths(Command()) {
			var out strings.Builder
			if status := Run(append(path, "--help"), strings.NewReader(""), &out, io.Discard); status != exitAllowed {
				t.Errorf("%q --help: exit status %d", path, status)
			}
			for line := range strings.Lines(out.String()) {
				line = strings.TrimRight(line, "\n")
				word := strings.TrimSuffix(strings.TrimLeft(line, " "), ` \`)
				quoted := strings.HasPrefix(word, "'") && strings.HasSuffix(word, "'") // a shell takes it whole
				if layout.Width(line) > width && strings.Contains(word, " ") && !quoted {
					t.Errorf("%q --help at %d columns: %d in %q", path, width, layout.Width(line), line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("%q --help at %d columns: white space at the end of %q", path, width, line)
				}
			}
		}
	}
}

// Every command says what it is for, and every one but those of cobra has an example.
func TestHelpIsThere(t *testing.T) {
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		if c.Short == "" || c.Example == "" && c.Name() != "help" {
			t.Errorf("%s has no short text or no example", c.CommandPath())
		}
		for _, below := range c.Commands() {
			each(below)
		}
	}
	each(Command())
}

// commandPaths returns the arguments that name each command.
func commandPaths(c *cobra.Command) [][]string {
	paths := [][]string{strings.Fields(c.CommandPath())[1:]}
	for _, below := range c.Commands() {
		paths = append(paths, commandPaths(below)...)
	}
	return paths
}

// What a flag takes is named by its usage, or by what is known of it, or by its type.
func TestPlaceholders(t *testing.T) {
	c := &cobra.Command{Use: "x"}
	c.Flags().String("crawlers", "", "add those of `FILE`")
	c.Flags().Int("most", 0, "at most so many")
	c.Flags().String("agent", "", "who asks")
	for name, want := range map[string]string{"crawlers": "--crawlers FILE", "most": "--most N", "agent": "--agent CRAWLER"} {
		f := c.Flags().Lookup(name)
		if got := strings.TrimSpace(flagSyntax(f)); got != want || strings.Contains(flagUsage(f), "`") {
			t.Errorf("%s: %q, %q", name, got, flagUsage(f))
		}
	}
}
