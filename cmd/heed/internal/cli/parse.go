package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// parse is one run of "heed parse".
type parse struct {
	source
	dialect *robotstxt.Dialect
	format  string
	strict  bool

	counts  lineCounts
	limited bool // a line beyond the limit is already shown
}

func (a *app) parseCommand() *cobra.Command {
	o := &parse{source: source{app: a}}
	c := &cobra.Command{
		Use:   "parse SITE|FILE",
		Short: "Show a robots.txt as heed reads it, line by line",
		Long: `Show a robots.txt as heed reads it: each line with its number, its kind and, where
needed, a remark, for example that the line is ignored and why. A summary
follows: the number of groups and rules, the lines with a remark, and the meaning
of records that the protocol does not define.

` + sourceHelp + `

Exit status: 0 the file is shown, 1 a line has a remark (with --strict), 2 wrong
usage or input, 3 the site is unreachable.`,
		Example: `  heed parse robots.txt
  heed parse https://www.example.com/
  heed parse --strict robots.txt > /dev/null || echo 'a line has a remark'
  heed parse --dialect google robots.txt
  heed parse --format jsonl - < robots.txt`,
		Args: oneSource,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	dialectFlag(c, &o.dialect, robotstxt.RFC9309, "dialect to read the file in")
	formatFlag(c, &o.format, "text", "json", "jsonl")
	c.Flags().BoolVar(&o.strict, "strict", false, "exit status 1 if a line has a remark")
	o.flags(c)
	return c
}

func (o *parse) run(arg string) error {
	switch err := o.read(arg, o.dialect); {
	case errors.Is(err, fetch.NoRobotsTxt): // its lines show why
		o.notice(err.Error())
	case err != nil:
		return err
	}
	if o.site != nil {
		o.notice(fmt.Sprintf("%s: %s, %s", o.name, o.site.Outcome, retrievalText(o.site)))
	}
	o.lines()
	if o.truncated {
		o.notice(restIgnored)
	}
	if o.strict && o.counts.remarked > 0 {
		o.raise(exitDisallowed)
	}
	return nil
}

// lines shows the lines and, as text, a summary.
func (o *parse) lines() {
	l, isText := o.jsonList(o.format), o.format == "text"
	defer l.close()
	for line := range o.file.Lines() {
		remarks := report.Remarks(line, o.file.Dialect())
		o.counts.add(line, remarks)
		if isText {
			o.show(line, remarks)
		} else {
			l.put(report.LineOf(line, o.file.Dialect()))
		}
	}
	if isText && (o.counts.lines > 0 || o.site == nil) {
		o.summary()
	}
}

// prefixWidth is the width of what is printed before the text of a line.
const prefixWidth = len("    1  user-agent  ")

// show prints a line, with its remarks below.
func (o *parse) show(line robotstxt.Line, remarks []report.Remark) {
	text := o.fitAfter(strings.ReplaceAll(printableLine(line.Raw), "\t", "    "), prefixWidth)
	if o.file.Dialect().Ignores(line) {
		text = o.paint(faint, text)
	}
	fmt.Fprintln(o.out, strings.TrimRight(fmt.Sprintf("%5d  %-10s  %s", line.Number, line.Kind, text), " "))
	if line.Notes.Has(robotstxt.NotePastLimit) {
		if o.limited {
			return
		}
		o.limited = true
		remarks[0].Text += ", as is all that follows"
	}
	for _, r := range remarks {
		o.printPaintedAfter(faint, strings.Repeat(" ", prefixWidth), "^ "+printable.Text(r.Text), 2)
	}
}

// lineCounts is what is counted while a file is shown.
type lineCounts struct {
	lines, groups, rules, sitemaps int
	remarked                       int // lines with a remark

	remarks []counted // one for each kind of remark
	records []counted // one for each name of a record
}

// counted is the lines that have one kind of remark, or are one kind of record.
type counted struct {
	name  string // of the remark or the record
	about string // what the record means
	lines int
	spans []span // at most maxSpans+1
}

// A span is consecutive lines, by the numbers of the first and the last.
type span struct{ first, last int }

func (s span) String() string {
	if s.first == s.last {
		return strconv.Itoa(s.first)
	}
	return fmt.Sprintf("%d–%d", s.first, s.last)
}

// maxSpans limits how many spans are printed for one kind.
const maxSpans = 5

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
		t.remarked++
	}
	for _, r := range remarks {
		t.remarks = count(t.remarks, counted{name: r.Kind}, line.Number)
	}
	if name, about := report.AboutRecord(line); name != "" {
		t.records = count(t.records, counted{name: name, about: about}, line.Number)
	}
}

// count adds a line to the element of all with the name of one, or adds one to all.
func count(all []counted, one counted, line int) []counted {
	i := slices.IndexFunc(all, func(c counted) bool { return c.name == one.name })
	if i < 0 {
		i = len(all)
		all = append(all, one)
	}
	c := &all[i]
	switch n := len(c.spans); {
	case n > 0 && c.spans[n-1].last == line:
		return all // the second remark of this kind on one line
	case n > 0 && c.spans[n-1].last == line-1:
		c.spans[n-1].last = line
	case n <= maxSpans: // for one span too many, where prints "…"
		c.spans = append(c.spans, span{line, line})
	}
	c.lines++
	return all
}

// where returns the numbers of the lines, such as "lines 2–4, 9".
func (c counted) where() string {
	var numbers []string
	for i, s := range c.spans {
		if i == maxSpans {
			numbers = append(numbers, "…")
			break
		}
		numbers = append(numbers, s.String())
	}
	if c.lines == 1 {
		return "line " + numbers[0]
	}
	return "lines " + strings.Join(numbers, ", ")
}

// summary shows what the file contains.
func (o *parse) summary() {
	t := &o.counts
	o.out.WriteString("\n")
	parts := []string{printable.Counted(t.lines, "line"), printable.Counted(t.groups, "group"), printable.Counted(t.rules, "rule"), printable.Counted(t.sitemaps, "sitemap")}
	if t.remarked > 0 {
		parts = append(parts, printable.Counted(t.remarked, "line")+" with remarks")
	}
	o.printPaintedAfter(bold, "", strings.Join(parts, ", "), 2)
	slices.SortStableFunc(t.remarks, func(a, b counted) int { return cmp.Compare(b.lines, a.lines) })
	o.counted("Remarks", t.remarks)
	o.counted("Records that the protocol does not define", t.records)
}

// counted shows how many lines there are of each kind, if there are any.
func (o *parse) counted(title string, all []counted) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(o.out, "\n%s\n", o.paint(bold, title))
	digits := 0
	for _, c := range all {
		digits = max(digits, len(strconv.Itoa(c.lines)))
	}
	for _, c := range all {
		before := "  " + layout.Pad(strconv.Itoa(c.lines), digits) + "  "
		o.printAfter(before, fmt.Sprintf("%s (%s)", c.name, c.where()), 2)
		if c.about != "" {
			o.printAfter(strings.Repeat(" ", len(before)), c.about, 0)
		}
	}
}
