package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
)

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func manPage(c *cobra.Command, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s heed heed\n.nh\n", roff(strings.ToUpper(pageName(c))), date)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n", roff(pageName(c)), roff(c.Short), roff(flags.UsageLine(c)))
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	b.WriteString(".SH DESCRIPTION\n" + paragraphs(about))
	section(&b, "OPTIONS", c.NonInheritedFlags())
	section(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + paragraphs(c.Example))
	}
	if others := related(c); others != nil {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(others, ",\n"))
	}
	return b.String()
}

// Lines that begin with a space or a tab are not joined.
func paragraphs(text string) string {
	var b strings.Builder
	asIs := false
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" {
			line = ".PP"
		} else {
			if indented := line[0] == ' ' || line[0] == '\t'; indented != asIs {
				asIs = indented
				b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[asIs])
			}
			line = roff(line)
		}
		b.WriteString(line + "\n")
	}
	if asIs {
		b.WriteString(".fi\n")
	}
	return b.String()
}

func section(b *strings.Builder, title string, all *pflag.FlagSet) {
	if !all.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	all.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(flags.FlagSyntax(f))), roff(flags.FlagUsage(f)))
		}
	})
}

func related(c *cobra.Command) (pages []string) {
	if c.HasParent() {
		pages = append(pages, fmt.Sprintf("\\fB%s\\fP(1)", roff(pageName(c.Parent()))))
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			pages = append(pages, fmt.Sprintf("\\fB%s\\fP(1)", roff(pageName(below))))
		}
	}
	return pages
}

func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
