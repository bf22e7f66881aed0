package diffcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

func (o *diff) printText(c report.Comparison) {
	o.printHead(c, o.headline(c)+andPreferences(c))
	o.truncated("old", c.OldTruncated)
	o.truncated("new", c.NewTruncated)
	if c.Incomplete {
		o.inputs.Term.PrintAfter("", incomplete, 2)
	}
	if c.OtherChains {
		o.inputs.Term.PrintPainted(term.Faint, o.otherChains(), 0)
	}
	o.printManaged(c.Managed)
	sections := changedSections(c)
	for i, s := range sections {
		if o.inputs.Term.Tty && i == maxSections {
			o.inputs.Term.PrintAfter("\n", "… and changes for "+printable.Counted(len(slices.Concat(sections[i:]...)), "crawler")+"; --format json has them all", 2)
			break
		}
		o.section(s)
	}
	if slices.ContainsFunc(c.Crawlers, hasMoreURLs) {
		o.inputs.Term.Out.WriteString("\n")
		o.inputs.Term.PrintPainted(term.Faint, moreURLs, 0)
	}
	o.printPurposes(c.Purposes)
	o.printUnchanged(c)
	o.printPreferences(c.Preferences)
}

func (o *diff) printHead(c report.Comparison, headline string) {
	fmt.Fprintf(o.inputs.Term.Out, "Old: %s\n", o.inputs.Term.FitAfter(printable.Text(c.Old), 5))
	fmt.Fprintf(o.inputs.Term.Out, "New: %s\n", o.inputs.Term.FitAfter(printable.Text(c.New), 5))
	o.inputs.Term.PrintPaintedAfter(term.Bold, "", fmt.Sprintf("%s (%s)", headline, o.dialect.Title()), 2)
}

const moreURLs = "One URL is shown for each changed rule. More URLs may change."

func hasMoreURLs(c report.Compared) bool { return c.More && c.New.Everything == "" }

const incomplete = "The files name so many crawlers that heed did not compare all of them."

func (o *diff) otherChains() string {
	if len(o.crawlers) > 0 {
		return "This may be false for the real crawlers with these names, because more is known of them than these product tokens: to use that, write @ before the name, as in -a @AdsBot-Google."
	}
	return "This is not proved for a crawler that only one of the files names, if it has another fallback than heed knows, or does not follow the groups for \"*\": compare for such a crawler with -a, as in -a shopbot:base or -a 'shopbot:!*'."
}

const (
	maxSections = 8
	maxChanges  = 4
)

func (o *diff) headline(c report.Comparison) string {
	switch {
	case len(c.Crawlers) == 0:
		return "No crawler is compared, only preferences"
	case c.Result == compare.Undecided.String():
		return "Not decided: no difference was found, but it is not proved that there is none"
	case c.Result == compare.Differs.String():
		return "The verdicts differ for " + o.inWords(withResult(c, compare.Differs))
	case len(o.crawlers) > 0 && c.OtherChains:
		return "Proved equal only for the given product tokens: every URL has the same verdict"
	case len(o.crawlers) > 0:
		return "Proved equal: every URL has the same verdict for " + o.inWords(withResult(c, compare.Equal))
	}
	return "Proved equal: every URL has the same verdict for every crawler"
}

func andPreferences(c report.Comparison) string {
	switch {
	case len(c.Crawlers) == 0 || !c.Preferences.Is(compare.Differs):
		return ""
	case c.Result == compare.Differs.String():
		return ", and preferences differ"
	case c.Result == compare.Equal.String():
		return ", but preferences differ"
	}
	return ""
}

const provedUnchanged = "Verdicts proved unchanged"

func (o *diff) inWords(crawlers []report.Compared) string {
	others, madeUp := false, false
	var named []string
	for _, c := range crawlers {
		switch {
		case c.Agent.IsEveryone() && !o.known.IsNameless(c.Agent):
			others = true
		case c.MadeUp:
			madeUp = true
		default:
			named = append(named, c.Agent[0])
		}
	}
	named = append(named, o.otherTokens(crawlers)...)
	var parts []string
	if len(named) > 0 {
		parts = append(parts, crawlernames.Counted(named))
	}
	if others {
		parts = append(parts, crawlernames.WithoutGroup)
	}
	if madeUp {
		parts = append(parts, "crawlers whose names contain two names")
	}
	return strings.Join(parts, " and ")
}

func (o *diff) truncated(which string, is bool) {
	if is {
		o.inputs.Term.PrintAfter("", "The "+which+" file is longer than 500 KiB: the rest is ignored, and not compared.", 2)
	}
}

func where[T any](list []T, is func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(each T) bool { return !is(each) })
}

func withResult(c report.Comparison, result compare.Outcome) []report.Compared {
	return where(c.Crawlers, func(each report.Compared) bool { return each.Result == result.String() })
}

func changedSections(c report.Comparison) [][]report.Compared {
	sections := term.GroupBy(withResult(c, compare.Differs), changesKey)
	slices.SortStableFunc(sections, func(a, b []report.Compared) int { return a[0].Gravity() - b[0].Gravity() })
	return sections
}

func changesKey(c report.Compared) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %t %q %q %d", c.Effect, c.MadeUp, c.Old, c.New, c.Undecided)
	for _, change := range shownChanges(c) {
		fmt.Fprintf(&b, " %q %q %q", change.Witness, change.Old.Because(), change.New.Because())
	}
	return b.String()
}

func shownChanges(c report.Compared) []report.Change {
	if c.Effect == report.ShutOut {
		return c.Changes[:1]
	}
	opens := func(change report.Change) bool { return !change.Blocks() }
	return slices.Concat(where(c.Changes, report.Change.Blocks), where(c.Changes, opens))
}

func agentsOf(crawlers []report.Compared) (agents []report.Agent) {
	for _, c := range crawlers {
		agents = append(agents, c.Agent)
	}
	return agents
}

func (o *diff) namesOf(agents []report.Agent) string {
	if o.inputs.Term.Tty {
		return printable.Some(o.names(agents), ", ")
	}
	return o.allNames(agents)
}

func (o *diff) allNames(agents []report.Agent) string { return strings.Join(o.names(agents), ", ") }

func (o *diff) names(agents []report.Agent) []string {
	return report.NamesOf(agents, func(agent report.Agent) string { return o.known.NameInFile(agent) + o.known.Remark(agent) })
}

func (o *diff) section(crawlers []report.Compared) {
	c := crawlers[0]
	o.inputs.Term.Out.WriteString("\n")
	o.inputs.Term.PrintPaintedAfter(term.Bold, "", capitalized(o.namesOf(agentsOf(crawlers))), 2)
	for _, sentence := range slices.Concat(sentencesAbout(c, len(crawlers) > 1), o.sameGroupsInWords(crawlers)) {
		o.inputs.Term.PrintAfter("  ", sentence, 2)
	}
	changes := shownChanges(c)
	for i, change := range changes {
		if o.inputs.Term.Tty && i == maxChanges {
			o.inputs.Term.PrintAfter("  ", fmt.Sprintf("… and %d more; --format json has them all", len(changes)-i), 2)
			break
		}
		o.printChange(change)
	}
	if c.Undecided > 0 {
		o.inputs.Term.PrintAfter("  ", "Not decided for "+printable.Counted(c.Undecided, "more changed rule")+": that takes too much work.", 0)
	}
}

func capitalized(text string) string {
	if rest, is := strings.CutPrefix(text, crawlernames.WithoutGroup); is {
		return "All crawlers without a group" + rest
	}
	return text
}

const madeUpName = "No file has this name; it is made up of two names. In this dialect a name also applies to each crawler whose name contains it, so such a crawler gets one verdict by the one name, and one by the other."

func sentencesAbout(c report.Compared, several bool) (sentences []string) {
	chain := where(c.Agent, func(token string) bool { return token != robotstxt.NotEveryone })
	if len(chain) > 1 && !several {
		sentences = append(sentences, printable.Text(fmt.Sprintf("If there is no group for %s, it follows that of %s.", chain[0], strings.Join(chain[1:], ", then of "))))
	}
	if c.MadeUp {
		sentences = append(sentences, madeUpName)
	}
	names, it, notIt, never := "it", "it follows", "it no longer follows", "it does not follow"
	if several {
		names, it, notIt, never = "these crawlers", "they follow", "they no longer follow", "they do not follow"
	}
	const group = `the group for "*"`
	none := `there is no group for "*"`
	if slices.Contains(c.Agent, robotstxt.NotEveryone) {
		none = never + ` the groups for "*"`
	}
	switch {
	case c.LostGroup() && c.New.Group == compare.Everyone:
		sentences = append(sentences, fmt.Sprintf("There is no group for %s any more: %s %s now.", names, it, group))
	case c.LostGroup():
		sentences = append(sentences, fmt.Sprintf("There is no group for %s any more, and %s.", names, none))
	case c.New.Group == "own" && c.Old.Group == compare.Everyone:
		sentences = append(sentences, fmt.Sprintf("There is a group for %s now, so %s %s.", names, notIt, group))
	case c.Old.Group == compare.Everyone && c.New.Group != compare.Everyone:
		sentences = append(sentences, `There is no group for "*" any more.`)
	case c.New.Group == "own" && c.Old.Group != "own":
		sentences = append(sentences, fmt.Sprintf("There is a group for %s now.", names))
	}
	if text := everythingInWords(c.Effect, c.Old.Everything, c.New.Everything); text != "" {
		sentences = append(sentences, text)
	}
	return sentences
}

// otherTokens returns the names of the crawlers with the same groups as the listed crawlers. A User-agent line with
// one of these names may be read as the product token of a listed crawler. For example, AI2Bot is read as "AI".
// otherTokens leaves such a name out.
func (o *diff) otherTokens(crawlers []report.Compared) (names []string) {
	listed := map[string]bool{}
	for _, c := range crawlers {
		listed[ascii.ToLower(c.Agent[0])] = true
	}
	for _, c := range crawlers {
		for _, name := range c.SameGroups {
			if as, _ := o.dialect.ReadAgent(name); !listed[ascii.ToLower(as)] {
				names = append(names, name)
			}
		}
	}
	return names
}

func (o *diff) sameGroupsInWords(crawlers []report.Compared) []string {
	shown := o.names(agentsOf(crawlers))
	var names []string
	for _, c := range crawlers {
		for _, name := range c.SameGroups {
			if !slices.Contains(shown, o.known.Name([]string{name})) {
				names = append(names, printable.Text(name))
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"The same groups apply to " + printable.Some(names, ", ") + "."}
}

func everythingInWords(effect, old, new string) string {
	switch {
	case old != "" && new != "":
		return fmt.Sprintf("Everything was %s, and everything is %s now.", old, new)
	case effect == report.ShutOut:
		return "Everything is disallowed now."
	case new != "":
		return "Everything is " + new + " now."
	case old != "":
		return "Everything was " + old + " before."
	}
	return ""
}

// printChange prints a URL with both verdicts:
//
//	/products/
//	  was allowed     line 4: Allow: /products/
//	  is disallowed   line 2: Disallow: /
func (o *diff) printChange(c report.Change) {
	fmt.Fprintf(o.inputs.Term.Out, "  %s\n", o.inputs.Term.FitAfter(printable.Text(c.Witness), 2))
	o.decided("was", c.Old)
	o.decided("is", c.New)
}

const decidedWidth = len("was disallowed")

// minReason is the smallest number of columns for a reason. If fewer are left, the reason goes to the next line.
const minReason = 30

func (o *diff) decided(when string, d report.Decision) {
	verdict, before := "    "+when+" ", 4+decidedWidth+2
	words := report.Verdict(d.Allowed)
	pad := strings.Repeat(" ", before-layout.Width(verdict+words))
	if o.inputs.Term.Width-before < minReason {
		pad, before = "\n      ", 6
	}
	because, pattern := d.Because(), ""
	if d.Rule != nil { // only the pattern of the rule may be shortened
		pattern = printable.Text(d.Rule.Pattern)
		because = strings.TrimSuffix(because, pattern)
	}
	fmt.Fprintf(o.inputs.Term.Out, "%s%s%s%s%s\n", verdict, o.inputs.Term.Paint(term.GreenIf(d.Allowed), words), pad, because, o.inputs.Term.FitAfter(pattern, before+len(because)))
}

func (o *diff) printPurposes(all []report.Purpose) {
	rows := purposeRows(all)
	if len(rows) == 0 {
		return
	}
	o.inputs.Term.PrintHeading("Known crawlers, by purpose")
	for _, row := range rows {
		o.inputs.Term.PrintAfter("  ", row.inWords(), 2)
	}
}

// Purposes share a purposeRow (a line of output) if they have the same single change.
type purposeRow struct {
	names         []string
	changes       []report.Affected
	comparedCount int
	affectsAll    bool // one change affects all known crawlers, and there is no other change
}

func purposeRows(purposes []report.Purpose) (rows []purposeRow) {
	for _, p := range purposes {
		if len(p.Changes) == 0 {
			continue
		}
		row := purposeRow{names: []string{purposeTitle(p.Purpose)}, changes: p.Changes, comparedCount: p.Known}
		row.affectsAll = len(p.Changes) == 1 && len(p.Changes[0].Crawlers) == p.Known
		i := slices.IndexFunc(rows, func(other purposeRow) bool {
			return row.affectsAll && other.affectsAll && effectInWords(row.changes[0]) == effectInWords(other.changes[0])
		})
		if i < 0 {
			rows = append(rows, row)
			continue
		}
		rows[i].names = append(rows[i].names, row.names...)
	}
	slices.SortStableFunc(rows, func(a, b purposeRow) int { return a.changes[0].Gravity() - b.changes[0].Gravity() })
	return rows
}

func purposeTitle(name string) string {
	switch {
	case name == "seo":
		return "SEO"
	case strings.HasPrefix(name, "ai-"):
		return "AI " + name[3:]
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func (r *purposeRow) inWords() string {
	var changes []string
	for _, change := range r.changes {
		changes = append(changes, fmt.Sprintf("%s (%s)", effectInWords(change), r.agentsInWords(change)))
	}
	return strings.Join(r.names, ", ") + ": " + strings.Join(changes, "; ")
}

func (r *purposeRow) agentsInWords(a report.Affected) string {
	if r.affectsAll {
		return "all known crawlers"
	}
	var names []string
	for _, name := range a.Crawlers {
		names = append(names, printable.Text(name))
	}
	return fmt.Sprintf("%d of %d: %s", len(names), r.comparedCount, printable.Some(names, ", "))
}

func effectInWords(a report.Affected) string {
	switch {
	case a.Result == compare.Undecided.String():
		return "not decided"
	case a.OldEverything != "" && a.NewEverything != "":
		return fmt.Sprintf("%s everywhere before, %s everywhere now", a.OldEverything, a.NewEverything)
	case a.Effect == report.ShutOut:
		return "disallowed everywhere now"
	case a.NewEverything != "":
		return a.NewEverything + " everywhere now"
	case a.Effect == report.Blocked:
		return "some URLs are disallowed now"
	case a.Effect == report.BlockedAndOpened:
		return "some URLs are disallowed now, others are allowed"
	case a.OldEverything != "":
		return "no longer " + a.OldEverything + " everywhere"
	}
	return "some URLs are allowed now"
}

func (o *diff) listNames(title string, agents []report.Agent) {
	if len(agents) > 0 {
		o.inputs.Term.PrintHeading(title)
		o.inputs.Term.PrintAfter("  ", capitalized(o.namesOf(agents)), 0)
	}
}

func (o *diff) printUnchanged(c report.Comparison) {
	if c.Result != compare.Equal.String() {
		o.listNames(provedUnchanged, agentsOf(withResult(c, compare.Equal)))
	}
	if undecided := withResult(c, compare.Undecided); len(undecided) > 0 {
		o.listNames("Not decided", agentsOf(undecided))
		o.inputs.Term.PrintAfter("  ", fmt.Sprintf("No difference was found within %d million steps. That is no proof: some URLs may have changed.", compare.MaxWork/1_000_000), 0)
	}
}
