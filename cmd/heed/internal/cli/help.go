package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
)

// Text is wrapped at the width of the terminal, but on a wide one at what is easily read,
// and on a tiny one at what still looks like text.
const (
	mostReadable  = 100
	leastReadable = 30
)

// textWidth returns how wide text is.
func (a *app) textWidth() int { return min(max(a.width, leastReadable), mostReadable) }

// helpText lays out the help of a command. The texts of commands are paragraphs, which
// an empty line parts; lines that begin with a space stay lines.
type helpText struct {
	*app
	width int
	b     strings.Builder
}

// help shows the help of a command.
func (a *app) help(c *cobra.Command) {
	h := helpText{app: a, width: a.textWidth()}
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	h.b.WriteString(layout.Paragraphs(about, h.width))
	h.b.WriteByte('\n')
	h.heading("Usage")
	if c.Runnable() && (c.HasParent() || !c.HasSubCommands()) {
		h.item(usageLine(c))
	}
	if c.HasAvailableSubCommands() {
		h.item(c.CommandPath() + " COMMAND [flags]")
	}
	h.examples(c)
	h.commands(c)
	h.flags(c)
	if c.HasAvailableSubCommands() {
		h.b.WriteByte('\n')
		h.b.WriteString(layout.Wrap(fmt.Sprintf("%s COMMAND --help says more about a command.", c.CommandPath()), h.width, 0))
		h.b.WriteByte('\n')
		if !c.HasParent() {
			h.b.WriteString("\nWhat the words mean:\n" + glossary + "\n")
		}
	}
	fmt.Fprint(a.out, h.b.String())
}

func usageLine(c *cobra.Command) string {
	if strings.Contains(c.Use, "[") || !c.HasAvailableLocalFlags() {
		return strings.TrimSuffix(c.CommandPath(), c.Name()) + c.Use
	}
	return strings.TrimSuffix(c.CommandPath(), c.Name()) + c.Use + " [flags]"
}

func (h *helpText) heading(title string) { fmt.Fprintf(&h.b, "\n%s\n", h.paint(bold, title)) }

// item writes a line of a list, and what of it is too long below it.
func (h *helpText) item(text string) {
	fmt.Fprintf(&h.b, "  %s\n", layout.Wrap(text, h.width, 4))
}

// glossary is the address of docs/glossary.md.
const glossary = "https://github.com/heed-robots/heed/blob/main/docs/glossary.md"

func (h *helpText) examples(c *cobra.Command) {
	if c.Example == "" {
		return
	}
	h.heading("Examples")
	for line := range strings.Lines(c.Example) {
		fmt.Fprintf(&h.b, "  %s\n", layout.Shell(strings.TrimSpace(line), h.width, 2))
	}
}

func (h *helpText) commands(c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	h.heading("Commands")
	var rows [][2]string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() || below.Name() == "help" {
			rows = append(rows, [2]string{below.Name(), below.Short})
		}
	}
	h.pairs(rows, widest(rows))
}

// A flagGroup is some flags that are shown together.
type flagGroup struct {
	title string
	names []string
	rows  [][2]string
}

// flagGroups returns the groups of flags; those that are in none come first.
func flagGroups() []flagGroup {
	return []flagGroup{
		{title: "Flags"},
		{title: "Retrieval", names: []string{"offline", "refresh", "user-agent", "timeout", "allow-private", htmlFlag, "jobs", "unordered"}},
		{title: "Cache", names: []string{"store"}},
		{title: "Output", names: []string{"format", "color", "help", "version"}},
	}
}

func (h *helpText) flags(c *cobra.Command) {
	groups := flagGroups()
	add := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		in := max(0, slices.IndexFunc(groups, func(g flagGroup) bool { return slices.Contains(g.names, f.Name) }))
		groups[in].rows = append(groups[in].rows, [2]string{flagSyntax(f), flagUsage(f)})
	}
	c.NonInheritedFlags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	column := 0
	for _, g := range groups {
		column = max(column, widest(g.rows))
	}
	for _, g := range groups {
		if len(g.rows) > 0 {
			h.heading(g.title)
			h.pairs(g.rows, column)
		}
	}
}

// flagSyntax is how a flag is written, such as "-a, --agent CRAWLER".
func flagSyntax(f *pflag.Flag) string {
	s := "    --" + f.Name
	if f.Shorthand != "" {
		s = "-" + f.Shorthand + ", --" + f.Name
	}
	if f.Value.Type() != "bool" {
		s += " " + placeholder(f)
	}
	return s
}

// placeholders are the words for what flags take, where neither the usage has one between
// backquotes nor the type says it.
var placeholders = map[string]string{
	"agent": "CRAWLER", "at": "TIME", "color": "WHEN", "dialect": "NAME", "for": "PURPOSE", "format": "NAME", "input": "FORMAT",
	"origin": "URL", "robots": "FILE|URL", "robots-dir": "DIR", "root": "DIR", "store": "DIR|URL", "user-agent": "HEADER",
}

// placeholder is the word for what a flag takes.
func placeholder(f *pflag.Flag) string {
	if strings.Contains(f.Usage, "`") {
		word, _ := pflag.UnquoteUsage(f)
		return word
	}
	if word, ok := placeholders[f.Name]; ok {
		return word
	}
	switch f.Value.Type() {
	case "duration":
		return "TIME"
	case "int", "uint":
		return "N"
	}
	return strings.ToUpper(f.Name)
}

// flagUsage says what a flag is for, and its default.
func flagUsage(f *pflag.Flag) string {
	usage := strings.ReplaceAll(strings.Join(strings.Fields(f.Usage), " "), "`", "")
	switch f.DefValue {
	case "", "0", "false", "[]":
		return usage
	}
	if strings.Contains(usage, "default") {
		return usage
	}
	return usage + " (default " + f.DefValue + ")"
}

// narrow is a width at which what a name means stands below the name.
const narrow = 60

// widest returns the width of the widest name.
func widest(rows [][2]string) int {
	column := 0
	for _, row := range rows {
		column = max(column, layout.Width(row[0]))
	}
	return column
}

// pairs writes names with what they mean, which stands in a column of its own behind
// names of a width.
func (h *helpText) pairs(rows [][2]string, column int) {
	below := column > 12 && h.width < narrow
	for _, row := range rows {
		if below {
			fmt.Fprintf(&h.b, "  %s\n        %s\n", strings.TrimSpace(row[0]), layout.Wrap(row[1], h.width, 8))
			continue
		}
		indent := 2 + column + 2
		fmt.Fprintf(&h.b, "  %s  %s\n", layout.Pad(row[0], column), layout.Wrap(row[1], h.width, indent))
	}
}
