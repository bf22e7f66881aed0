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
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// parse is one run of "heed parse".
type parse struct {
	source
	dialectName, format string
	strict              bool

	counts  lineCounts
	limited bool // a line beyond the limit was shown
}

func (a *app) parseCommand() *cobra.Command {
	o := &parse{source: source{app: a}}
	c := &cobra.Command{
		Use:   "parse SITE|FILE",
		Short: "Show a robots.txt as heed reads it, line by line",
		Long: `Show a robots.txt as heed reads it: each line with its number, its kind and, where
needed, a remark, for example that the line is ignored and why. A summary
follows: the number of groups and rules, the lines with a remark, and what
records mean that are not part of the protocol.

` + sourceHelp + `

Exit status: 0 the file is shown, 1 a line has a remark (with --strict), 2 wrong
usage or input, 3 the site is unreachable.`,
		Example: `  heed parse robots.txt
  heed parse https://www.example.com/
  heed parse --strict robots.txt > /dev/null || echo 'something is odd'
  heed parse --dialect google robots.txt
  heed parse --format jsonl - < robots.txt`,
		Args: oneSource,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	dialectFlag(c, &o.dialectName, "dialect to read the file in (default rfc9309)")
	formatFlag(c, &o.format, "text", "json", "jsonl")
	c.Flags().BoolVar(&o.strict, "strict", false, "exit status 1 if a line has a remark")
	o.flags(c)
	return c
}

func (o *parse) run(arg string) error {
	if err := oneOf("format", o.format, "text", "json", "jsonl"); err != nil {
		return err
	}
	d, err := dialectNamed(o.dialectName)
	if err != nil {
		return err
	}
	switch err := o.read(arg, d); {
	case errors.Is(err, fetch.NoRobotsTxt): // whoever looks into it may want to see why
		o.notice(err.Error())
	case err != nil:
		return err
	}
	if o.site != nil {
		o.notice(fmt.Sprintf("%s: %s, %s", o.name, o.site.Outcome, retrievalText(o.site)))
	}
	if o.format == "text" {
		o.text()
	} else {
		o.json()
	}
	if o.truncated {
		o.notice(restIgnored)
	}
	if o.strict && o.counts.odd > 0 {
		o.raise(exitDisallowed)
	}
	return nil
}

func (o *parse) json() {
	l := list{w: o.out, array: o.format == "json"}
	for line := range o.file.Lines() {
		o.counts.add(line, report.Remarks(line, o.file.Dialect()))
		l.add(appendItem(nil, report.LineOf(line, o.file.Dialect()), l.array))
	}
	l.close()
}

func (o *parse) text() {
	for line := range o.file.Lines() {
		remarks := report.Remarks(line, o.file.Dialect())
		o.counts.add(line, remarks)
		o.show(line, remarks)
	}
	if o.counts.lines > 0 || o.site == nil {
		o.summary()
	}
}

// beforeLine is how many cells stand before the text of a line: its number and kind.
const beforeLine = len("    1  user-agent  ")

// show prints a line, and below it what is worth knowing about it.
func (o *parse) show(line robotstxt.Line, remarks []report.Remark) {
	text := o.fitBehind(strings.ReplaceAll(visibleLine(line.Raw), "\t", "    "), beforeLine)
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
		o.paintedBehind(faint, strings.Repeat(" ", beforeLine), "^ "+visible(r.Text), 2)
	}
}

// lineCounts is what is counted while a file is shown.
type lineCounts struct {
	lines, groups, rules, sitemaps, odd int

	remarks []counted // by their kinds
	records []counted // by their names
}

// counted are lines that have something in common.
type counted struct {
	name  string
	about string // what a record means
	lines int
	first []span // of neighbouring lines, some
}

// span is neighbouring lines, by the numbers of the first and the last.
type span struct{ first, last int }

func (s span) String() string {
	if s.first == s.last {
		return strconv.Itoa(s.first)
	}
	return fmt.Sprintf("%d–%d", s.first, s.last)
}

// mostSpans is how many are named at most.
const mostSpans = 5

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
		t.odd++
	}
	for _, r := range remarks {
		t.remarks = count(t.remarks, counted{name: r.Kind}, line.Number)
	}
	if name, about := report.AboutRecord(line); name != "" {
		t.records = count(t.records, counted{name: name, about: about}, line.Number)
	}
}

// count adds a line to those with which it has a name in common.
func count(all []counted, one counted, line int) []counted {
	i := slices.IndexFunc(all, func(c counted) bool { return c.name == one.name })
	if i < 0 {
		i = len(all)
		all = append(all, one)
	}
	c := &all[i]
	switch n := len(c.first); {
	case n > 0 && c.first[n-1].last == line:
		return all // the line has two such remarks
	case n > 0 && c.first[n-1].last == line-1:
		c.first[n-1].last = line
	case n <= mostSpans: // one more than are named tells that there are more
		c.first = append(c.first, span{line, line})
	}
	c.lines++
	return all
}

// where names the lines that are counted.
func (c counted) where() string {
	var numbers []string
	for i, s := range c.first {
		if i == mostSpans {
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

// summary says what the file holds.
func (o *parse) summary() {
	t := &o.counts
	o.out.WriteString("\n")
	parts := []string{report.Counted(t.lines, "line"), report.Counted(t.groups, "group"), report.Counted(t.rules, "rule"), report.Counted(t.sitemaps, "sitemap")}
	if t.odd > 0 {
		parts = append(parts, report.Counted(t.odd, "odd line"))
	}
	o.paintedBehind(bold, "", strings.Join(parts, ", "), 2)
	slices.SortStableFunc(t.remarks, func(a, b counted) int { return cmp.Compare(b.lines, a.lines) })
	o.counted("Odd lines", t.remarks)
	o.counted("Records that are not of the protocol", t.records)
}

// counted shows lines that are counted, if there are any.
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
		o.behind(before, fmt.Sprintf("%s (%s)", c.name, c.where()), 2)
		if c.about != "" {
			o.behind(strings.Repeat(" ", len(before)), c.about, 0)
		}
	}
}
