package explaincmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

type parse struct {
	sites.Source
	dialect *robotstxt.Dialect
	format  string
	strict  bool

	counts      lineCounts
	passedLimit bool
}

func Parse(a *term.Terminal) *cobra.Command {
	o := &parse{Source: sites.Source{Live: sites.Live{Term: a}}}
	c := &cobra.Command{
		Use:   "parse SITE|FILE",
		Short: "Show a robots.txt as heed reads it, line by line",
		Long: `Show a robots.txt as heed reads it: each line with its number, its kind and, where
needed, a remark, for example that the line is ignored and why. A summary
follows: the number of groups and rules, the lines with a remark, and the meaning
of records that the protocol does not define.

` + sites.SourceHelp + `

Exit status: 0 the file is shown, 1 a line has a remark (with --strict), 2 wrong
usage or input, 3 the site is unreachable.`,
		Example: `  heed parse robots.txt
  heed parse https://www.example.com/
  heed parse --strict robots.txt > /dev/null || echo 'a line has a remark'
  heed parse --dialect google robots.txt
  heed parse --format jsonl - < robots.txt`,
		Args: sites.OneSource,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	flags.DialectFlag(c, &o.dialect, robotstxt.RFC9309, "dialect to read the file in")
	flags.FormatFlag(c, &o.format, "text", "json", "jsonl")
	c.Flags().BoolVar(&o.strict, "strict", false, "exit status 1 if a line has a remark")
	o.SourceFlags(c)
	return c
}

func (o *parse) run(arg string) error {
	switch err := o.Read(arg, o.dialect); {
	case errors.Is(err, fetch.NoRobotsTxt): // continue, because the lines of the text show why it is not a robots.txt
		o.Term.Notice(err.Error())
	case err != nil:
		return err
	}
	if o.Site != nil {
		o.Term.Notice(fmt.Sprintf("%s: %s, %s", o.Name, o.Site.Outcome, sites.RetrievalText(o.Site)))
	}
	o.printLines()
	if o.Truncated {
		o.Term.Notice(sites.RestIgnored)
	}
	if o.strict && o.counts.remarkedLines > 0 {
		o.Term.Raise(exit.Disallowed)
	}
	return nil
}

func (o *parse) printLines() {
	l, isText := o.Term.JsonList(o.format), o.format == "text"
	defer l.Close()
	for line := range o.File.Lines() {
		remarks := report.Remarks(line, o.File.Dialect())
		o.counts.add(line, remarks)
		if isText {
			o.show(line, remarks)
		} else {
			l.Put(report.LineOf(line, o.File.Dialect()))
		}
	}
	if isText && (o.counts.lines > 0 || o.Site == nil) {
		o.summary()
	}
}

const prefixWidth = len("    1  user-agent  ")

func (o *parse) show(line robotstxt.Line, remarks []report.Remark) {
	text := o.Term.FitAfter(strings.ReplaceAll(term.PrintableLine(line.Raw), "\t", "    "), prefixWidth)
	if o.File.Dialect().Ignores(line) {
		text = o.Term.Paint(term.Faint, text)
	}
	fmt.Fprintln(o.Term.Out, strings.TrimRight(fmt.Sprintf("%5d  %-10s  %s", line.Number, line.Kind, text), " "))
	if line.Notes.Has(robotstxt.NotePastLimit) {
		if o.passedLimit {
			return
		}
		o.passedLimit = true
		remarks[0].Text += ", as is all that follows"
	}
	for _, r := range remarks {
		o.Term.PrintPaintedAfter(term.Magenta, strings.Repeat(" ", prefixWidth), "^ "+printable.Text(r.Text), 2)
	}
}

type lineCounts struct {
	lines, groups, rules, sitemaps int
	remarkedLines                  int

	remarks []term.LineCount
	records []term.LineCount
}

func (t *lineCounts) add(line robotstxt.Line, remarks []report.Remark) {
	t.lines++
	t.groups = max(t.groups, line.Group)
	switch line.Kind {
	case robotstxt.KindAllow, robotstxt.KindDisallow:
		t.rules++
	case robotstxt.KindSitemap:
		t.sitemaps++
	}
	if len(remarks) > 0 {
		t.remarkedLines++
	}
	for _, r := range remarks {
		t.remarks = term.CountLine(t.remarks, term.LineCount{Name: r.Kind}, line.Number)
	}
	if name, about := report.AboutRecord(line); name != "" {
		t.records = term.CountLine(t.records, term.LineCount{Name: name, About: about}, line.Number)
	}
}

func (o *parse) summary() {
	t := &o.counts
	o.Term.Out.WriteString("\n")
	parts := []string{printable.Counted(t.lines, "line"), printable.Counted(t.groups, "group"), printable.Counted(t.rules, "rule"), printable.Counted(t.sitemaps, "sitemap")}
	if t.remarkedLines > 0 {
		parts = append(parts, printable.Counted(t.remarkedLines, "line")+" with remarks")
	}
	o.Term.PrintPaintedAfter(term.Bold, "", fmt.Sprintf("%s (%s)", strings.Join(parts, ", "), o.File.Dialect().Title()), 2)
	slices.SortStableFunc(t.remarks, func(a, b term.LineCount) int { return cmp.Compare(b.Lines, a.Lines) })
	o.counted("Remarks", t.remarks)
	o.counted("Records that the protocol does not define", t.records)
}

func (o *parse) counted(title string, all []term.LineCount) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(o.Term.Out, "\n%s\n", o.Term.Paint(term.Bold, title))
	digits := layout.Widest(all, func(c term.LineCount) string { return strconv.Itoa(c.Lines) })
	for _, c := range all {
		before := "  " + layout.Pad(strconv.Itoa(c.Lines), digits) + "  "
		o.Term.PrintAfter(before, fmt.Sprintf("%s (%s)", c.Name, c.LineNumbers()), 2)
		if c.About != "" {
			o.Term.PrintAfter(strings.Repeat(" ", len(before)), c.About, 0)
		}
	}
}
