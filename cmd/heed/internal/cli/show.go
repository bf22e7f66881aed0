package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// show is one run of "heed show".
type show struct {
	source
	agent               []string
	dialectName, format string
}

func (a *app) showCommand() *cobra.Command {
	o := &show{source: source{app: a}}
	c := &cobra.Command{
		Use:   "show -a CRAWLER… SITE|FILE",
		Short: "Show the groups and rules that apply to a crawler",
		Long: `Show what applies to a crawler in a robots.txt: the groups and why they apply, its
rules in the order in which they decide, its crawl delay, the sitemaps, and
the records on the use of content. For a site it also shows when the robots.txt
was retrieved and how long it is fresh. Crawlers to which the same groups apply
are shown together.

` + sourceHelp + `

Exit status: 0 the rules are shown, 2 wrong usage or input, 3 the site is
unreachable.`,
		Example: `  heed show -a GPTBot https://www.example.com/
  heed show -a Googlebot,GPTBot,'*' robots.txt
  heed show -a Googlebot-Image:Googlebot --format json www.example.com`,
		Args: func(c *cobra.Command, args []string) error {
			if len(o.agent) == 0 {
				return errNoCrawler
			}
			return oneSource(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	o.crawlerFlags(c, &o.agent)
	dialectFlag(c, &o.dialectName, "dialect to read the file in (default rfc9309)")
	formatFlag(c, &o.format, "text", "json")
	o.flags(c)
	return c
}

func (o *show) run(arg string) error {
	if err := oneOf("format", o.format, "text", "json"); err != nil {
		return err
	}
	d, err := dialectNamed(o.dialectName)
	if err != nil {
		return err
	}
	crawlers, err := o.readCrawlers(o.agent, d)
	if err != nil {
		return err
	}
	var tokens [][]string
	for _, c := range crawlers {
		tokens = append(tokens, c.tokens)
	}
	if err := o.live.checkFor(crawlers); err != nil {
		return err
	}
	for _, c := range crawlers {
		o.noteMisspelt(c)
	}
	if err := o.read(arg, d); err != nil {
		return err
	}
	s := report.SheetOf(o.name, o.file, tokens)
	s.Truncated = s.Truncated || o.truncated
	switch {
	case o.format == "text":
		o.text(s)
	case o.site != nil:
		o.out.Write(append(marshal(live.SheetOf(s, o.site)), '\n'))
	default:
		o.out.Write(append(marshal(s), '\n'))
	}
	return nil
}

// text shows a sheet: first what it says in short, then what applies to each crawler, then
// what holds for all.
func (o *show) text(s report.Sheet) {
	fmt.Fprintf(o.out, "%s\n", o.paint(bold, fmt.Sprintf("%s (%s)", o.fitBehind(visible(s.Source), 20), o.file.Dialect().Title())))
	o.aboutSite()
	if s.Truncated {
		o.behind("  ", restIgnored, 0)
	}
	told := tellTogether(s.Crawlers)
	names := 0
	for _, t := range told {
		names = max(names, layout.Width(t.names))
	}
	for _, t := range told {
		summary := summaryOf(t.applies)
		switch {
		case names < o.width/3:
			o.behind("  "+layout.Pad(t.names, names)+"  ", summary, 0)
		default:
			o.behind("  ", t.names+": "+summary, 2)
		}
	}
	for _, t := range told {
		o.applies(t)
	}
	o.forAll(s)
}

// restIgnored is what crawlers read at least, and Heed of most dialects and of all sites.
const restIgnored = "The file is longer than 500 KiB: the rest is ignored."

// told is what is said of crawlers to which the same applies.
type told struct {
	names   string
	applies []report.Applies
}

// tellTogether puts crawlers to which the same applies together.
func tellTogether(all []report.Applies) []told {
	var groups []told
	for _, a := range all {
		name := visible(crawler{a.Agent}.String())
		i := slices.IndexFunc(groups, func(t told) bool { return t.applies[0].SameAs(a) })
		if i < 0 {
			groups = append(groups, told{name, []report.Applies{a}})
			continue
		}
		groups[i].names += ", " + name
		groups[i].applies = append(groups[i].applies, a)
	}
	return groups
}

// summaryOf says in a line what applies.
func summaryOf(all []report.Applies) string {
	a := all[0]
	if a.Everything != "" {
		return "everything is " + a.Everything + whyEverything(a)
	}
	allows := 0
	for _, r := range a.Rules {
		if r.Allow {
			allows++
		}
	}
	disallows := len(a.Rules) - allows
	if allows == 0 {
		return report.Counted(disallows, "Disallow rule")
	}
	return report.Counted(disallows, "Disallow rule") + ", " + report.Counted(allows, "Allow rule")
}

// whyEverything says why there is one answer to all questions, where no rule says so.
func whyEverything(a report.Applies) string {
	switch {
	case a.Reason == robotstxt.NoGroup:
		return `: no group names it, and there is none for "*"`
	case a.Reason != robotstxt.NoRuleMatched:
		return ": " + a.Reason.String()
	case a.Everything == a.Otherwise:
		return ": no rule disallows anything"
	}
	return ""
}

// aboutSite says what the answer of a site means and how long it is used.
func (o *show) aboutSite() {
	if o.site == nil {
		return
	}
	o.behind("  ", fmt.Sprintf("%s, %s", o.site.Outcome, o.freshness()), 0)
	if meaning := meaningOf(o.site); meaning != "" {
		o.behind("  ", meaning, 0)
	}
}

// freshness says what the answer rests on, and until when it is fresh.
func (o *show) freshness() string {
	text := retrievalText(o.site)
	if o.site.Outcome != fetch.Unreachable && !o.site.Stale {
		text += ", fresh until " + live.When(o.site.NextRetrieval)
	}
	return text
}

// meaningOf says what it means that a site has no robots.txt that counts.
func meaningOf(a *cache.Answer) string {
	switch {
	case a.Err == cache.ErrNotCached:
		return "Without --offline heed retrieves it."
	case a.Outcome == fetch.Unreachable:
		return "No crawler may fetch anything until the site answers."
	case a.Outcome == fetch.Unavailable && a.Stale:
		return "It has been unreachable for so long that every crawler may fetch everything."
	case a.Outcome == fetch.Unavailable:
		return "The site has no robots.txt: every crawler may fetch everything."
	case a.Outcome == fetch.Restricted:
		return "The site lets nobody read its robots.txt: no crawler may fetch anything."
	}
	return ""
}

// applies shows what applies to crawlers.
func (o *show) applies(t told) {
	a := t.applies[0]
	if len(a.Groups) == 0 && len(a.Rules) == 0 {
		return // the summary has said all
	}
	o.out.WriteString("\n")
	o.paintedBehind(bold, "", t.names, 2)
	o.groups(t)
	o.rules("Rules, in the order in which they decide ("+precedence(o.file.Dialect())+")", a.Rules, true)
	if a.Everything == "" {
		o.behind("    ", "where no rule matches: "+a.Otherwise, 2)
	}
	o.rules("Rules without effect (no pattern, or one that matches nothing)", a.Useless, false)
	if a.CrawlDelay != nil {
		o.behind("  ", fmt.Sprintf("Crawl delay: %s (line %d)", inSeconds(a.CrawlDelay.Seconds), a.CrawlDelay.Line), 2)
	}
	o.records("Other records", slices.DeleteFunc(slices.Clone(a.Records), func(r report.Record) bool {
		return a.CrawlDelay != nil && r.Line == a.CrawlDelay.Line // it is there already
	}))
}

// groups shows the groups that apply, once for each line by which one is chosen.
func (o *show) groups(t told) {
	var all []report.Chosen
	for _, a := range t.applies {
		all = append(all, a.Groups...)
	}
	slices.SortFunc(all, func(a, b report.Chosen) int { return cmp.Compare(a.Line, b.Line) })
	all = slices.Compact(all)
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(o.out, "  %s\n", "Groups that apply")
	for _, g := range all {
		o.behind("    ", fmt.Sprintf("line %d: User-agent: %s (%s; %s)", g.Line, visible(g.Value), g.Why, report.Counted(g.Length, "rule")), 2)
	}
}

// precedence says which rule of those that match decides.
func precedence(d *robotstxt.Dialect) string {
	switch d.String() {
	case robotstxt.Standard1994.String(), robotstxt.Draft1996.String():
		return "as they stand in the file"
	}
	return "the longest pattern first"
}

// rules shows rules, if there are any: those that may decide in colour.
func (o *show) rules(title string, rules []report.Rule, decide bool) {
	if len(rules) == 0 {
		return
	}
	o.behind("  ", title, 2)
	widest := 0
	for _, r := range rules {
		widest = max(widest, r.Line)
	}
	number := len(strconv.Itoa(widest))
	for _, r := range rules {
		verdict, colour := "disallow", red
		if r.Allow {
			verdict, colour = "allow   ", green
		}
		if !decide {
			colour = faint
		}
		fmt.Fprintf(o.out, "    line %*d  %s  %s\n", number, r.Line, o.paint(colour, verdict), o.fitBehind(visible(cmp.Or(r.Pattern, "(no pattern)")), number+21))
	}
}

// forAll shows what holds for every crawler.
func (o *show) forAll(s report.Sheet) {
	if len(s.Sitemaps) == 0 && len(s.Records) == 0 {
		return
	}
	fmt.Fprintf(o.out, "\n%s\n", o.paint(bold, "Every crawler"))
	o.records("Sitemaps", s.Sitemaps)
	o.records("Other records", s.Records)
}

// records shows records, if there are any.
func (o *show) records(title string, records []report.Record) {
	if len(records) == 0 {
		return
	}
	fmt.Fprintf(o.out, "  %s\n", title)
	number := len(strconv.Itoa(records[len(records)-1].Line))
	for _, r := range records {
		text := r.Name + ": " + visible(r.Value)
		if r.Name == "Sitemap" {
			text = visible(r.Value)
		}
		fmt.Fprintf(o.out, "    line %*d  %s\n", number, r.Line, o.fitBehind(text, number+11))
		if remark := remarkOn(r, o.file.Dialect()); remark != "" {
			o.paintedBehind(faint, strings.Repeat(" ", number+11), "^ "+visible(remark), 2)
		}
	}
}

// remarkOn says why a record has no effect; "": it may have one.
func remarkOn(r report.Record, d *robotstxt.Dialect) string {
	switch {
	case r.Ignored && r.Value != "":
		return "ignored: " + d.Title() + " does not read such records"
	case r.Error != "":
		return "cannot be read: " + r.Error
	case r.Dead:
		return "no known crawler reads such records any more"
	}
	return ""
}

// inSeconds says a number of seconds, which may be a fraction.
func inSeconds(n float64) string {
	text := strconv.FormatFloat(n, 'f', -1, 64) + " second"
	if n != 1 {
		text += "s"
	}
	return text
}

// fitBehind is fit for what stands behind so many cells of a line.
func (a *app) fitBehind(text string, before int) string {
	return a.fit(text, max(a.width-before, leastCells))
}

// leastCells are shown of a text, however narrow the terminal is.
const leastCells = 10

// behind prints text that is broken at words behind what stands before it, below which
// further lines begin, so many cells further in.
func (a *app) behind(before, text string, further int) {
	fmt.Fprintf(a.out, "%s%s\n", before, layout.Wrap(text, a.width, layout.Width(before)+further))
}

// paintedBehind is behind for text in a colour, which each line has by itself.
func (a *app) paintedBehind(colour, before, text string, further int) {
	indent := layout.Width(before) + further
	for i, line := range strings.Split(layout.Wrap(text, a.width, indent), "\n") {
		if i > 0 {
			before, line = strings.Repeat(" ", indent), line[indent:]
		}
		fmt.Fprintf(a.out, "%s%s\n", before, a.paint(colour, line))
	}
}
