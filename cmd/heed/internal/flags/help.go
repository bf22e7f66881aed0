package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
)

// WithHelp splits a help text at the line "Examples:", and gives both parts to a command.
func WithHelp(text string, c *cobra.Command) *cobra.Command {
	c.Long, c.Example, _ = strings.Cut(strings.TrimSuffix(text, "\n"), "\n\nExamples:\n")
	return c
}

// helpText joins and wraps the lines of a paragraph, except lines that begin with a space.
type helpText struct {
	term  *term.Terminal
	width int
	b     strings.Builder
}

// If isShort is true, the help has no description.
func Help(a *term.Terminal, c *cobra.Command, isShort bool) {
	h := helpText{term: a, width: a.TextWidth()}
	about := c.Long
	if about == "" || isShort {
		about = c.Short + "."
	}
	h.b.WriteString(layout.Paragraphs(about, h.width))
	h.b.WriteByte('\n')
	h.heading("Usage")
	if c.Runnable() && (c.HasParent() || !c.HasSubCommands()) {
		h.item(UsageLine(c))
	}
	if c.HasAvailableSubCommands() {
		h.item(c.CommandPath() + " COMMAND [flags]")
	}
	h.examples(c)
	h.commands(c)
	h.flags(c)
	if isShort && c.Long != "" {
		fmt.Fprintf(&h.b, "\n%s --help shows more.\n", c.CommandPath())
	}
	if c.HasAvailableSubCommands() {
		h.b.WriteByte('\n')
		h.b.WriteString(layout.Wrap(fmt.Sprintf("%s COMMAND --help shows the help of a command.", c.CommandPath()), h.width, 0))
		h.b.WriteByte('\n')
		if !c.HasParent() {
			h.b.WriteString("\nWhat the words mean:\n" + Glossary + "\n")
		}
	}
	fmt.Fprint(a.Out, h.b.String())
}

// UsageLine returns a text such as "heed fetch URL… [flags]".
func UsageLine(c *cobra.Command) string {
	if !c.HasAvailableLocalFlags() {
		return strings.TrimSuffix(c.CommandPath(), c.Name()) + c.Use
	}
	return strings.TrimSuffix(c.CommandPath(), c.Name()) + c.Use + " [flags]"
}

func (h *helpText) heading(title string) { fmt.Fprintf(&h.b, "\n%s\n", h.term.Paint(term.Bold, title)) }

func (h *helpText) item(text string) {
	fmt.Fprintf(&h.b, "  %s\n", layout.Wrap(text, h.width, 4))
}

// Glossary is the URL of docs/glossary.md.
const Glossary = "https://github.com/heed-robots/heed/blob/main/docs/glossary.md"

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
	rows, all := map[string][][2]string{}, [][2]string{} // rows: the commands of each group; all: all commands
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() || below.Name() == "help" {
			row := [2]string{below.Name(), below.Short}
			rows[below.GroupID], all = append(rows[below.GroupID], row), append(all, row)
		}
	}
	others := "Commands"
	for _, group := range c.Groups() {
		h.heading(group.Title)
		h.pairs(rows[group.ID], widest(all))
		others = "Others"
	}
	h.heading(others)
	h.pairs(rows[""], widest(all))
}

type flagGroup struct {
	title string
	names []string
	rows  [][2]string
}

// The first group is for all flags that are not in another group.
func flagGroups() []flagGroup {
	return []flagGroup{
		{title: "Flags"},
		{title: "Retrieval", names: []string{"offline", "refresh", "user-agent", "timeout", "allow-private", PagesFlag, "jobs", "unordered"}},
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
		groups[in].rows = append(groups[in].rows, [2]string{FlagSyntax(f), FlagUsage(f)})
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

// FlagSyntax returns a text such as "-a, --agent CRAWLER".
func FlagSyntax(f *pflag.Flag) string {
	s := "    --" + f.Name
	if f.Shorthand != "" {
		s = "-" + f.Shorthand + ", --" + f.Name
	}
	if f.Value.Type() != "bool" {
		s += " " + placeholder(f)
	}
	return s
}

// placeholders has names for the values of flags. Other flags name their value in their usage text.
var placeholders = map[string]string{
	"agent": "CRAWLER", "allow-host": "HOST", "at": "TIME", "color": "WHEN", "column": "NAME", "cors": "ORIGIN", "deny-host": "HOST", "dialect": "NAME",
	"field": "NAME", "for": "PURPOSE", "format": "NAME", "input": "FORMAT", "listen": "ADDRESS", "live": "URL", "log": "FORMAT", "max-memory": "MIB", "missing": "VERDICT", "origin": "URL", "output": "FILE",
	"prefix": "TEXT", "profile": "NAME", "profiling": "ADDRESS", "rate": "N", "rejects": "FILE", "robots": "SOURCE", "root": "DIR", "store": "DIR|URL",
	"unknown": "MEANING", "user-agent": "HEADER",
}

// choicesOf is the key of the annotation that has the choices of a flag.
const choicesOf = "heed-choices"

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

func FlagUsage(f *pflag.Flag) string {
	usage := strings.ReplaceAll(strings.Join(strings.Fields(f.Usage), " "), "`", "")
	switch f.DefValue {
	case "", "0", "false", "[]":
		return usage
	}
	if strings.Contains(usage, "default") {
		return usage
	}
	return usage + " (default " + strings.Trim(f.DefValue, "[]") + ")" // the text of a list has brackets
}

// If the terminal has fewer columns than this, the description of a long name goes below the name.
const narrow = 60

func widest(rows [][2]string) int {
	return layout.Widest(rows, func(row [2]string) string { return row[0] })
}

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
