package cli

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
)

// Each line of a help text fits the terminal, or is a single word.
func TestHelpFits(t *testing.T) {
	for _, width := range []int{40, 80, 160} {
		t.Setenv("COLUMNS", fmt.Sprint(width))
		for _, path := range commandPaths(Command()) {
			var out strings.Builder
			if status := Run(append(path, "--help"), strings.NewReader(""), &out, io.Discard); status != exit.Allowed {
				t.Errorf("%q --help: exit status %d", path, status)
			}
			for line := range strings.Lines(out.String()) {
				line = strings.TrimRight(line, "\n")
				word := strings.TrimSuffix(strings.TrimLeft(line, " "), ` \`)
				quoted := strings.HasPrefix(word, "'") && strings.HasSuffix(word, "'") // one argument in a shell
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

// Every command has a short text and an example, except help and those that cobra adds for completion.
func TestCommandsHaveHelp(t *testing.T) {
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		if c.Name() == "completion" {
			return
		}
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

// The placeholder of a flag comes from its usage, from the map placeholders, or from its type.
func TestPlaceholders(t *testing.T) {
	c := &cobra.Command{Use: "x"}
	c.Flags().String("crawlers", "", "add the crawlers in `FILE`")
	c.Flags().Int("limit", 0, "how many")
	c.Flags().String("agent", "", "the crawler")
	var format string
	flags.FormatFlag(c, &format, "text", "json") // the usage has the choices
	for name, want := range map[string]string{"crawlers": "--crawlers FILE", "limit": "--limit N", "agent": "--agent CRAWLER", "format": "--format NAME"} {
		f := c.Flags().Lookup(name)
		if got := strings.TrimSpace(flags.FlagSyntax(f)); got != want || strings.Contains(flags.FlagUsage(f), "`") {
			t.Errorf("%s: %q, %q", name, got, flags.FlagUsage(f))
		}
	}
}

// -h is the help without the description, and says where that is. The commands are in groups of what people want.
func TestShortHelp(t *testing.T) {
	help := func(args ...string) string {
		var out strings.Builder
		if status := Run(args, strings.NewReader(""), &out, io.Discard); status != exit.Allowed {
			t.Errorf("%q: exit status %d", args, status)
		}
		return out.String()
	}
	short, long := help("check", "-h"), help("check", "--help")
	const described, more = "With --robots DIR, heed fetches nothing.", "heed check --help shows more."
	if strings.Contains(short, described) || !strings.Contains(long, described) || !strings.Contains(short, more) || strings.Contains(long, more) || !strings.Contains(short, "--robots SOURCE") {
		t.Errorf("short:\n%s", short)
	}
	all := help("-h")
	for _, s := range subcommands {
		if !strings.Contains(all, "\n  "+s.name+" ") || s.group != "" && strings.Index(all, "\n"+s.group+"\n") > strings.Index(all, "\n  "+s.name+" ") {
			t.Errorf("%s is not in the group %q of\n%s", s.name, s.group, all)
		}
	}
}
