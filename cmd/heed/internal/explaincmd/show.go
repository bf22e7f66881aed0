package explaincmd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

type show struct {
	sites.Source
	known   sites.Known
	agent   []string
	dialect *robotstxt.Dialect
	format  string
}

func Show(a *term.Terminal) *cobra.Command {
	o := &show{Source: sites.Source{Live: sites.Live{Term: a}}}
	c := &cobra.Command{
		Use:   "show -a CRAWLER… SITE|FILE",
		Short: "Show the groups and rules that apply to a crawler",
		Long: `Show what applies to a crawler in a robots.txt: the groups and why they apply, the
rules in the order in which they decide, the crawl delay, the sitemaps, and the records
about the use of content. For a site, heed also shows when the robots.txt was fetched
and how long it is fresh. If the same groups apply to several crawlers for the same
reasons, heed shows these crawlers together. A remark says which rules never decide,
because other lines decide about all their URLs, and which rules change nothing. Delete
such rules one at a time, and look again after each: if two rules mean the same, you can
delete only one of them.

` + sites.SourceHelp + `

Exit status: 0 the rules are shown, 2 wrong usage or input, 3 the site is
unreachable.`,
		Example: `  heed show -a GPTBot https://www.example.com/
  heed show -a Googlebot,GPTBot,'*' robots.txt
  heed show -a Googlebot-Image:Googlebot --format json www.example.com`,
		Args: func(c *cobra.Command, args []string) error {
			if len(o.agent) == 0 {
				return sites.ErrNoCrawler
			}
			return sites.OneSource(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	o.known.CrawlerFlags(o.Term, c, &o.agent)
	flags.DialectFlag(c, &o.dialect, robotstxt.RFC9309, "dialect to read the file in")
	flags.FormatFlag(c, &o.format, "text", "json")
	o.SourceFlags(c)
	return c
}

func (o *show) run(arg string) error {
	crawlers, err := o.known.ReadCrawlers(o.agent, o.dialect)
	if err != nil {
		return err
	}
	if err := o.Live.CheckFor(crawlers); err != nil {
		return err
	}
	o.known.NoteMisspelt(crawlers...)
	if err := o.Read(arg, o.dialect); err != nil {
		return err
	}
	s := report.SheetOf(o.known.Table, o.Name, o.File, crawlers)
	s.Truncated = s.Truncated || o.Truncated
	switch {
	case o.format == "text":
		o.printText(s)
	case o.Site != nil:
		o.Term.Out.Write(append(term.Marshal(live.SheetOf(s, o.Site)), '\n'))
	default:
		o.Term.Out.Write(append(term.Marshal(s), '\n'))
	}
	return nil
}

func (o *show) printText(s report.Sheet) {
	fmt.Fprintf(o.Term.Out, "%s\n", o.Term.Paint(term.Bold, fmt.Sprintf("%s (%s)", o.Term.FitAfter(printable.Text(s.Source), 20), o.File.Dialect().Title())))
	o.aboutSite()
	if s.Truncated {
		o.Term.PrintAfter("  ", sites.RestIgnored, 0)
	}
	sections := o.sectionsOf(s.Crawlers)
	names := layout.Widest(sections, func(s section) string { return s.names })
	for _, each := range sections {
		summary := summaryOf(each.perCrawler[0])
		if names < o.Term.Width/3 {
			o.Term.PrintAfter("  "+layout.Pad(each.names, names)+"  ", summary, 0)
		} else {
			o.Term.PrintAfter("  ", each.names+": "+summary, 2)
		}
	}
	for _, each := range sections {
		o.showSection(each)
	}
	o.everyCrawler(s)
}

type section struct {
	names      string
	perCrawler []report.Applies
}

func (o *show) sectionsOf(all []report.Applies) []section {
	var sections []section
	for _, a := range all {
		name := o.known.Name(a.Agent)
		i := slices.IndexFunc(sections, func(s section) bool { return s.perCrawler[0].SameAs(a) && s.perCrawler[0].Facts == a.Facts })
		if i < 0 {
			sections = append(sections, section{name, []report.Applies{a}})
			continue
		}
		sections[i].names += ", " + name
		sections[i].perCrawler = append(sections[i].perCrawler, a)
	}
	return sections
}

func summaryOf(a report.Applies) string {
	if facts := a.Facts; facts != (report.Facts{}) && a.Reason != robotstxt.IgnoresEveryone {
		remark := "; " + facts.String()
		if statesNothing(a) {
			remark += "; no group names it, so no preference is stated"
		}
		a.Facts = report.Facts{}
		return summaryOf(a) + remark
	}
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
		return printable.Counted(disallows, "Disallow rule")
	}
	return printable.Counted(disallows, "Disallow rule") + ", " + printable.Counted(allows, "Allow rule")
}

// The group for "*" states no preference for a purpose token (AI-10).
func statesNothing(a report.Applies) bool {
	names := func(g report.Chosen) bool { _, ok := usage.TokenNamed(g.Value); return ok }
	return a.PurposeToken != "" && !slices.ContainsFunc(a.Groups, names)
}

func whyEverything(a report.Applies) string {
	switch {
	case a.Reason == robotstxt.NoGroup:
		return `: there is no group for it, and none for "*"`
	case a.Reason != robotstxt.NoRuleMatched:
		return ": " + a.Reason.String()
	case a.Everything == a.Otherwise:
		return ": no rule disallows anything"
	}
	return ""
}

func (o *show) aboutSite() {
	if o.Site == nil {
		return
	}
	text := sites.RetrievalText(o.Site)
	if o.Site.Outcome != fetch.Unreachable && !o.Site.Stale {
		text += ", fresh until " + live.When(o.Site.NextRetrieval)
	}
	o.Term.PrintAfter("  ", fmt.Sprintf("%s, %s", o.Site.Outcome, text), 0)
	if meaning := sites.MeaningOf(o.Site); meaning != "" {
		o.Term.PrintAfter("  ", meaning, 0)
	}
}

func (o *show) showSection(s section) {
	a := s.perCrawler[0]
	if len(a.Groups) == 0 && len(a.Rules) == 0 {
		return // the summary says everything
	}
	o.Term.Out.WriteString("\n")
	o.Term.PrintPaintedAfter(term.Bold, "", s.names, 2)
	o.printGroups(s)
	o.printRules("Rules, in the order in which they decide ("+precedence(o.File.Dialect())+")", shownRules(a))
	switch {
	case a.PurposeToken != "":
		o.Term.PrintAfter("    ", "if no rule matches: allowed, but no preference is stated", 2)
	case a.Everything == "":
		o.Term.PrintAfter("    ", "if no rule matches: "+a.Otherwise, 2)
	}
	o.useless(a.Useless)
	if a.CrawlDelay != nil {
		text := fmt.Sprintf("Crawl delay: %s (line %d)", inSeconds(a.CrawlDelay.Seconds), a.CrawlDelay.Line)
		if names := o.ignoringDelay(s); len(names) > 0 {
			text += ", not read by " + printable.Some(names, ", ")
		}
		o.Term.PrintAfter("  ", text, 2)
	}
	o.records("Other records", slices.DeleteFunc(slices.Clone(a.Records), func(r report.Record) bool {
		return a.CrawlDelay != nil && r.Line == a.CrawlDelay.Line // output has already shown the crawl delay
	}))
}

func (o *show) ignoringDelay(s section) (names []string) {
	for _, a := range s.perCrawler {
		if c, ok := o.known.KnownTable().Lookup(a.Agent[0]); ok && c.ReadsRecord("Crawl-delay") == crawlers.No {
			names = append(names, o.known.Name(a.Agent))
		}
	}
	return names
}

// For a purpose token, an Allow rule always matters, because it states a preference.
func shownRules(a report.Applies) []report.UsedRule {
	if a.PurposeToken == "" {
		return a.Rules
	}
	rules := slices.Clone(a.Rules)
	for i := range rules {
		if !rules[i].NeverDecides() {
			rules[i].Use = report.Use{}
		}
	}
	return rules
}

func (o *show) printGroups(s section) {
	var all []report.Chosen
	for _, a := range s.perCrawler {
		all = append(all, a.Groups...)
	}
	slices.SortFunc(all, func(a, b report.Chosen) int { return cmp.Compare(a.Line, b.Line) })
	all = slices.Compact(all)
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(o.Term.Out, "  Groups that apply")
	for _, g := range all {
		o.Term.PrintAfter("    ", fmt.Sprintf("line %d: User-agent: %s  (%s; %s)", g.Line, printable.Text(g.Value), g.Why, printable.Counted(g.Length, "rule")), 2)
	}
}

func precedence(d *robotstxt.Dialect) string {
	if d.LongestDecides() {
		return "the longest pattern first"
	}
	return "file order"
}

func (o *show) printRules(title string, rules []report.UsedRule) {
	if len(rules) == 0 {
		return
	}
	o.Term.PrintAfter("  ", title, 2)
	number := layout.Widest(rules, func(r report.UsedRule) string { return strconv.Itoa(r.Line) })
	for _, r := range rules {
		colour := term.GreenIf(r.Allow)
		if r.NeverDecides() {
			colour = term.Faint
		}
		o.printRule(r.Rule, number, colour, r.NeverDecides())
		if remark := r.Remark(); remark != "" {
			o.Term.PrintPaintedAfter(term.Faint, strings.Repeat(" ", number+11), "^ "+remark, 2)
		}
	}
}

func (o *show) useless(rules []report.Rule) {
	if len(rules) == 0 {
		return
	}
	o.Term.PrintAfter("  ", "Rules without effect (no pattern, or one that matches nothing)", 2)
	number := len(strconv.Itoa(rules[len(rules)-1].Line))
	for _, r := range rules {
		o.printRule(r, number, term.Faint, false)
	}
}

func (o *show) printRule(r report.Rule, digits int, colour string, isGrey bool) {
	verdict := "disallow"
	if r.Allow {
		verdict = "allow   "
	}
	pattern := o.Term.FitAfter(printable.Text(cmp.Or(r.Pattern, "(no pattern)")), digits+21)
	if isGrey {
		pattern = o.Term.Paint(term.Faint, pattern)
	}
	fmt.Fprintf(o.Term.Out, "    line %*d  %s  %s\n", digits, r.Line, o.Term.Paint(colour, verdict), pattern)
}

func (o *show) everyCrawler(s report.Sheet) {
	if len(s.Sitemaps) == 0 && len(s.Records) == 0 {
		return
	}
	fmt.Fprintf(o.Term.Out, "\n%s\n", o.Term.Paint(term.Bold, "Every crawler"))
	o.records("Sitemaps", s.Sitemaps)
	o.records("Other records", s.Records)
}

func (o *show) records(title string, records []report.Record) {
	if len(records) == 0 {
		return
	}
	fmt.Fprintf(o.Term.Out, "  %s\n", title)
	number := len(strconv.Itoa(records[len(records)-1].Line))
	for _, r := range records {
		text := r.Name + ": " + printable.Text(r.Value)
		if r.Name == "Sitemap" {
			text = printable.Text(r.Value)
		}
		fmt.Fprintf(o.Term.Out, "    line %*d  %s\n", number, r.Line, o.Term.FitAfter(text, number+11))
		if remark := remarkOn(r, o.File.Dialect()); remark != "" {
			o.Term.PrintPaintedAfter(term.Faint, strings.Repeat(" ", number+11), "^ "+printable.Text(remark), 2)
		}
	}
}

func remarkOn(r report.Record, d *robotstxt.Dialect) string {
	switch {
	case r.Ignored && r.Value != "":
		return "ignored: " + d.InSentence() + " does not read such records"
	case r.Error != "":
		return "cannot be read: " + r.Error
	case r.Dead:
		return "no known crawler reads such records any more"
	}
	return ""
}

func inSeconds(n float64) string {
	text := strconv.FormatFloat(n, 'f', -1, 64) + " second"
	if n != 1 {
		text += "s"
	}
	return text
}
