// Package crawlerscmd has the command "heed crawlers".
package crawlerscmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/spelling"
	"github.com/heed-robots/heed/usage"
)

type listing struct {
	term     *term.Terminal
	known    sites.Known
	format   string
	purposes []string
}

func Command(a *term.Terminal) *cobra.Command {
	o := &listing{term: a}
	c := &cobra.Command{
		Use:   "crawlers [NAME…]",
		Short: "List known crawlers, or show the facts about some",
		Long: `List the crawlers that heed knows: the product token (the name in robots.txt), the
purposes, and the operator. With NAMES, show more about these crawlers: the
groups that they follow, the records that they read, and the sources of these
facts with their dates. A NAME is a product token or the part of it that crawlers
read in a User-agent line, another name of a crawler, or the name of an operator,
which means all its crawlers; also @NAME and @PURPOSE, as in -a.

The table is part of heed. Its facts come from operators and public lists, each
with a date; "unknown" means that no source states it. The table changes an answer
only if you use "@NAME", "@PURPOSE" or --chains.

Exit status: 0, or 2 if a name is unknown or the usage is wrong.`,
		Example: `  heed crawlers
  heed crawlers --for ai-training
  heed crawlers Googlebot-Image GPTBot
  heed crawlers Amazon
  heed crawlers --crawlers mine.jsonl --format jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, names []string) error { return o.run(names) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return crawlernames.NamesAndOperators(crawlers.Known()), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().StringSliceVar(&o.purposes, "for", nil, "list only the crawlers for this `PURPOSE`; commas separate several: "+strings.Join(crawlernames.PurposeNames(), ", "))
	flags.Complete(c, "for", crawlernames.PurposeNames())
	o.known.CrawlersFlag(a, c)
	flags.FormatFlag(c, &o.format, "text", "json", "jsonl")
	return c
}

func (o *listing) run(names []string) error {
	for _, p := range o.purposes {
		if err := flags.OneOf("for", p, crawlernames.PurposeNames()...); err != nil {
			return err
		}
	}
	if len(names) > 0 && len(o.purposes) > 0 {
		return errors.New("give either the names of crawlers and operators, or --for PURPOSE")
	}
	table := o.known.KnownTable()
	rows := o.lookup(table, names)
	if len(names) == 0 {
		rows = o.chosen(table)
	}
	switch {
	case o.format != "text":
		o.write(rows)
	case len(names) == 0:
		o.printList(rows, table.Date())
	default:
		o.describe(rows)
	}
	return nil
}

func (o *listing) lookup(table *crawlers.Table, names []string) []crawlers.Crawler {
	var rows []crawlers.Crawler
	for _, name := range names {
		found, err := find(name, table)
		if err != nil {
			o.term.Complain(err)
		}
		rows = append(rows, found...)
	}
	return rows
}

func find(name string, table *crawlers.Table) ([]crawlers.Crawler, error) {
	if set, isSet := strings.CutPrefix(name, "@"); isSet {
		found, err := crawlernames.Known(table, set)
		if err != nil {
			err = fmt.Errorf("%q: %w", name, err)
		}
		return found, err
	}
	found := crawlernames.Called(table, name)
	if found == nil {
		found = crawlernames.ReadAs(table, name)
	}
	if found == nil {
		return nil, unknownName(name, table)
	}
	return found, nil
}

func unknownName(name string, table *crawlers.Table) error {
	if t, ok := usage.TokenNamed(name); ok {
		return fmt.Errorf("%q is not a crawler: in a robots.txt, the rules for this name say for which pages the use %s is allowed (see %s)", name, t.Purpose, t.Source.Document)
	}
	if name == "*" {
		return errors.New(`"*" is not the name of a crawler, but means all crawlers without a group: give a name, such as GPTBot`)
	}
	hint := `"heed crawlers" lists all`
	if meant := spelling.Closest(name, crawlernames.NamesAndOperators(table)); meant != "" {
		hint = "did you mean " + meant + "?"
	}
	if crawlernames.Purposes(name) != nil {
		hint = "it is a purpose: use --for " + strings.ToLower(name)
	}
	return fmt.Errorf("no known crawler or operator has the name %q; %s", name, hint)
}

func (o *listing) chosen(table *crawlers.Table) []crawlers.Crawler {
	if len(o.purposes) == 0 {
		return slices.Collect(table.All())
	}
	var purposes []crawlers.Purpose
	for _, name := range o.purposes {
		purposes = append(purposes, crawlernames.Purposes(name)...)
	}
	return crawlernames.ForAny(table, purposes)
}

func (o *listing) printList(rows []crawlers.Crawler, date string) {
	var cells [][3]string
	var names, unnamed []string
	for _, c := range rows {
		if c.ReadAs() == "" {
			unnamed = append(unnamed, c.Token)
		}
		names = append(names, c.Token)
		cells = append(cells, [3]string{printable.Text(c.Token), printable.Text(purposesOf(c)), printable.Text(c.Operator)})
	}
	printColumns(o.term, cells)
	notice := crawlernames.Counted(names)
	if len(rows) > 0 {
		notice += "; the newest source was read on " + date
	}
	o.term.Notice(notice)
	if len(unnamed) > 0 {
		o.term.Notice("note: " + crawlernames.NamelessNote + printable.Some(unnamed, ", "))
	}
}

func purposesOf(c crawlers.Crawler) string { return strings.Join(printable.Words(c.Purposes), ", ") }

func printColumns(a *term.Terminal, rows [][3]string) {
	if a.Tty && len(rows) > 0 { // in other output, each line is a crawler
		rows = slices.Insert(rows, 0, [3]string{"crawler", "purposes", "operator"})
	}
	names := layout.Widest(rows, func(row [3]string) string { return row[0] })
	purposes := layout.Widest(rows, func(row [3]string) string { return row[1] })
	for n, row := range rows {
		line := layout.Pad(row[0], names) + "  " + layout.Pad(row[1], purposes) + "  "
		line += a.FitAfter(row[2], layout.Width(line))
		if n == 0 && a.Tty {
			line = a.Paint(term.Bold, line)
		}
		fmt.Fprintln(a.Out, line)
	}
}

func (o *listing) write(rows []crawlers.Crawler) {
	l := o.term.JsonList(o.format)
	defer l.Close()
	for _, c := range rows {
		l.Put(c)
	}
}

func (o *listing) describe(rows []crawlers.Crawler) {
	for i, c := range rows {
		if i > 0 {
			fmt.Fprintln(o.term.Out)
		}
		o.describeOne(c)
	}
}

func (o *listing) describeOne(c crawlers.Crawler) {
	fmt.Fprintln(o.term.Out, o.term.Paint(term.Bold, printable.Text(c.Token)))
	o.fact("operator", c.Operator)
	o.fact("purpose", purposesOf(c))
	o.fact("named as", namedAs(c))
	if len(c.Names) > 0 {
		o.fact("other names", strings.Join(c.Names, ", "))
	}
	o.fact("own groups", groupsOf(c))
	o.fact(`group "*"`, inWords(c.ObeysWildcard, "followed if there is none of its own groups", "not followed", "not known if it follows this group"))
	o.fact("robots.txt", inWords(c.Obeys, "followed", "not followed, or not always", "not known if it is followed"))
	if c.Crawls == crawlers.No {
		o.fact("requests", "none: the token is only for robots.txt")
	}
	if c.Active == crawlers.No {
		o.fact("active", "no: it makes no requests any more")
	}
	if t, ok := usage.TokenNamed(c.Token); ok {
		o.fact("purpose token", fmt.Sprintf("for %s: the rules of its group say where %s may do that", t.Purpose, t.Operator))
	}
	o.fact("IP addresses", cmp.Or(c.Ranges, "unknown"))
	o.fact("host names", hostsOf(c))
	o.fact("other records", recordsOf(c))
	if c.Note != "" {
		o.fact("note", c.Note)
	}
	o.showSources(c)
}

func (o *listing) fact(name, value string) {
	o.term.PrintAfter(fmt.Sprintf("  %-13s  ", name), printable.Text(value), 0)
}

func inWords(a crawlers.YesNo, yes, no, unknown string) string {
	switch a {
	case crawlers.Yes:
		return yes
	case crawlers.No:
		return no
	}
	return unknown
}

func namedAs(c crawlers.Crawler) string {
	switch c.ReadAs() {
	case "":
		return "nothing: no line can name it; " + crawlernames.OnlyEveryone
	case c.Token:
		return "User-agent: " + c.Token
	}
	return c.ReadAs() + ": heed reads only this part of the token in a User-agent line"
}

func groupsOf(c crawlers.Crawler) string {
	if len(c.Chain) == 1 {
		return c.Token + " only"
	}
	return cmp.Or(strings.Join(c.Chain, ", or else "), "not known if it follows groups with other names too")
}

func hostsOf(c crawlers.Crawler) string {
	if len(c.Hosts) == 0 {
		return "unknown"
	}
	return "under " + strings.Join(c.Hosts, ", ")
}

func recordsOf(c crawlers.Crawler) string {
	var parts []string
	if len(c.Reads) > 0 {
		parts = append(parts, "reads "+strings.Join(c.Reads, ", "))
	}
	if len(c.Ignores) > 0 {
		parts = append(parts, "ignores "+strings.Join(c.Ignores, ", "))
	}
	return cmp.Or(strings.Join(parts, "; "), "unknown")
}

func (o *listing) showSources(c crawlers.Crawler) {
	o.showSource("source", c.Source)
	facts := map[crawlers.Source][]string{}
	for _, f := range factNames {
		if s, own := c.Sources[f.inJSON]; own && !slices.Contains(facts[s], f.shown) {
			facts[s] = append(facts[s], f.shown)
		}
	}
	for _, f := range factNames {
		s, own := c.Sources[f.inJSON]
		if own && facts[s] != nil {
			o.showSource("source of "+strings.Join(facts[s], ", "), s)
			facts[s] = nil
		}
	}
}

var factNames = []struct{ inJSON, shown string }{
	{"operator", "operator"}, {"purposes", "purpose"}, {"names", "other names"}, {"chain", "own groups"}, {"wildcard", `group "*"`}, {"obeys", "robots.txt"},
	{"crawls", "requests"}, {"active", "active"}, {"ranges", "IP addresses"}, {"hosts", "host names"}, {"reads", "other records"}, {"ignores", "other records"}, {"note", "note"},
}

func (o *listing) showSource(name string, s crawlers.Source) {
	by := "its operator's page"
	if s.By == crawlers.ByOthers {
		by = "a page by somebody else"
	}
	if s.Dated != "" {
		by += ", dated " + s.Dated
	}
	about := fmt.Sprintf("%s: %s, read %s%s", name, by, s.Read, ageWarning(s.Read, time.Now()))
	o.term.PrintAfter("  ", about, 2)
	fmt.Fprintf(o.term.Out, "    %s\n", printable.Text(s.URL))
}

func ageWarning(day string, now time.Time) string {
	if read, err := time.Parse(time.DateOnly, day); err != nil || !read.Before(now.AddDate(-1, 0, 0)) {
		return ""
	}
	return " (more than a year ago)"
}
