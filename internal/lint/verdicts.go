package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

func blockAll(f *file, report func(Finding)) {
	everyone := f.policies()[0]
	if !f.blocksAll(everyone.Policy) {
		return
	}
	var open []string // the names of crawlers that may fetch some URLs
	var blocked []string
	for _, p := range f.policies()[1:] {
		if !f.blocksAll(p.Policy) {
			open = append(open, p.crawlers()...)
		}
	}
	for _, c := range searchCrawlers() {
		policy := f.parsed.Agent(c.Agents()...)
		if ignoresEveryone(policy) {
			continue // the method ignoringCrawlers returns them: there is no group for them, and they do not follow "*"
		}
		if !f.blocksAll(policy) {
			return
		}
		blocked = append(blocked, c.Token)
	}
	line := f.line(everyone.Check("/").Rule.Line)
	found := findingAt(line, line.Value, "disallows the whole site for every crawler")
	if len(open) > 0 {
		found.Message = fmt.Sprintf("disallows the whole site for every known search engine; only %s something", listText(open, mayFetch, mayFetch))
		found.Crawlers = blocked
	}
	if stays := f.ignoringCrawlers(); len(stays) > 0 {
		found.Message += `; these do not follow "*" and stay allowed: ` + strings.Join(stays, ", ")
	}
	report(found)
}

// ignoresEveryone is true if there is no group for the crawler, and the crawler does not follow the groups for "*".
func ignoresEveryone(p *robotstxt.Policy) bool {
	return p.Otherwise().Reason == robotstxt.IgnoresEveryone
}

func (f *file) ignoringCrawlers() (tokens []string) {
	for c := range crawlers.Known().All() {
		if c.ObeysWildcard == crawlers.No && ignoresEveryone(f.parsed.Agent(c.Agents()...)) {
			tokens = append(tokens, c.Token)
		}
	}
	return tokens
}

func namedGroupDropsWildcard(f *file, report func(Finding)) {
	disallowed := f.disallowed(f.policies()[0])
	if slices.ContainsFunc(disallowed, func(use compare.RuleUse) bool { return isForSite(use.Rule) }) {
		return // "*" disallows the whole site, so the groups with a name are meant as exceptions
	}
	var all []drop
	place := map[string]int{} // drops of the same rules become one; the value is its index in the slice all
	for _, p := range f.policies()[1:] {
		d := f.newDrop(p, disallowed)
		if d == nil {
			continue
		}
		key := fmt.Sprint(ruleLinesOf(d.rules), len(d.repeats) > 0)
		i, again := place[key]
		if alone := f.turnsOff("named-group-drops-wildcard", d.line.Number); again && !alone {
			all[i].names = append(all[i].names, d.names...)
			all[i].repeats = append(all[i].repeats, d.repeats...)
			continue
		} else if !alone {
			place[key] = len(all)
		}
		all = append(all, *d)
	}
	for _, d := range all {
		found := findingAt(d.line, d.line.Value, fmt.Sprintf("%s %s: the \"*\" group disallows it in line %d, but does not apply to crawlers with their own group%s",
			listText(d.names, mayFetch, mayFetch), printable.Text(d.rules[0].Witness), d.rules[0].Rule.Line, andMore(len(d.rules)-1)))
		found.Fix = d.fix()
		report(found.withCrawlers(d.names))
	}
}

// A drop is a set of crawlers with their own group, and the rules of "*" that they therefore do not follow.
type drop struct {
	line    robotstxt.Line // the first User-agent line that names one of the crawlers
	names   []string
	rules   []compare.RuleUse
	repeats []repetition // empty: no fix is known
}

// newDrop returns nil if the crawlers miss no rule of "*", or if the owner seems to want other rules for them.
func (f *file) newDrop(p *policy, disallowed []compare.RuleUse) *drop {
	names := slices.DeleteFunc(p.crawlers(), ignoresWildcard)
	isRight := func(name string) bool { return f.meantBy(name) == "" }
	if !slices.ContainsFunc(names, isRight) || f.saysForSite(p) {
		return nil // a rule for the whole site shows that the owner wants other rules for these crawlers
	}
	var dropped []compare.RuleUse
	for _, use := range disallowed {
		if len(dropped) <= maxDropped && p.Check(urlWithPath(use.Witness)).Reason == robotstxt.NoRuleMatched {
			dropped = append(dropped, use)
		}
	}
	if len(dropped) == 0 {
		return nil
	}
	return &drop{f.firstLineNaming(p), names, dropped, f.repeat(p, dropped)}
}

func ruleLinesOf(uses []compare.RuleUse) string {
	var b strings.Builder
	for _, use := range uses {
		fmt.Fprint(&b, use.Rule.Line, " ")
	}
	return b.String()
}

func ignoresWildcard(name string) bool {
	c, known := crawlers.Known().Lookup(name)
	return known && c.ObeysWildcard == crawlers.No
}

const mayFetch = "may fetch" // the verb is the same for one crawler and for several crawlers

func (f *file) disallowed(p *policy) []compare.RuleUse {
	needed := slices.DeleteFunc(slices.Clone(f.ruleUses(p)), func(use compare.RuleUse) bool { return use.Rule.Allow || use.Witness == "" })
	slices.SortStableFunc(needed, func(a, b compare.RuleUse) int { return a.Rule.Line - b.Rule.Line })
	return needed
}

const maxDropped = 100

func andMore(rules int) string {
	switch {
	case rules == 0:
		return ""
	case rules == maxDropped:
		return fmt.Sprintf("; the same is true for at least %d more rules", rules)
	}
	return fmt.Sprintf("; the same is true for %s", printable.Counted(rules, "more rule"))
}

func (f *file) saysForSite(p *policy) bool {
	for _, g := range p.GroupsThatApply() {
		if slices.ContainsFunc(f.groups[g].Rules, isForSite) {
			return true
		}
	}
	return false
}

func isForSite(rule robotstxt.Rule) bool {
	text := strings.Trim(strings.TrimSuffix(rule.Pattern, "*$"), "*")
	return text == "" || text == "/"
}

func ruleNeverDecides(f *file, report func(Finding)) {
	useless := f.linesOfUses(compare.NeverDecides)
	inGoogle := f.linesInGoogle(useless, compare.NeverDecides)
	removable := f.removableLines(inGoogle)
	for _, p := range f.policies() {
		for _, use := range f.ruleUses(p) {
			line := f.line(use.Rule.Line)
			if !useless[use.Rule.Line] || len(use.Blockers) == 0 || f.repeatsGroup(use) {
				continue
			}
			if !inGoogle[use.Rule.Line] && slices.ContainsFunc(use.Blockers, isInFile) {
				continue // RFC 9309 reads "/a%3A" and "/a:" as equal, but other dialects do not, so owners rightly write both
			}
			useless[use.Rule.Line] = false // so that each line is reported only once
			found := findingAt(line, line.Value, neverDecides(use))
			found.Crawlers = p.names
			if removable[use.Rule.Line] {
				found.Fix = &Fix{Title: "remove the rule", Edits: []Edit{removeRecord(line)}, Safe: true}
			}
			report(found)
		}
	}
}

// The lint rule duplicate-group reports a rule that stands in two groups.
func (f *file) repeatsGroup(use compare.RuleUse) bool {
	first := use.Blockers[0]
	return len(use.Blockers) == 1 && first.Pattern == use.Rule.Pattern && first.Allow == use.Rule.Allow &&
		isInFile(first) && f.line(first.Line).Group != f.line(use.Rule.Line).Group
}

// The map has true for a line if, for every crawler, the rule of this line has one of the given uses.
func (f *file) linesOfUses(some ...compare.Use) map[int]bool {
	lines := map[int]bool{}
	for _, p := range f.policies() {
		addUses(lines, f.ruleUses(p), some)
	}
	return lines
}

func addUses(lines map[int]bool, uses []compare.RuleUse, some []compare.Use) {
	for _, use := range uses {
		has, known := lines[use.Rule.Line]
		lines[use.Rule.Line] = slices.Contains(some, use.Use) && (has || !known)
	}
}

func (f *file) linesInGoogle(chosen map[int]bool, some ...compare.Use) map[int]bool {
	inGoogle := map[int]bool{}
	for _, p := range f.policies() {
		var lines []int
		for rule := range p.Rules() {
			if chosen[rule.Line] {
				lines = append(lines, rule.Line)
			}
		}
		if len(lines) > 0 {
			addUses(inGoogle, f.usesOf(p.google, lines...), some)
		}
	}
	return inGoogle
}

func ruleChangesNothing(f *file, report func(Finding)) {
	idle := f.linesOfUses(compare.ChangesNothing, compare.NeverDecides)
	for line, never := range f.linesOfUses(compare.NeverDecides) {
		idle[line] = idle[line] && !never // the lint rule rule-never-decides reports a rule that never decides
	}
	var found []robotstxt.Line
	for number, same := range f.linesInGoogle(idle, compare.ChangesNothing, compare.NeverDecides) {
		if line := f.line(number); same && (line.Kind == robotstxt.KindDisallow || line.Value != "/") { // "Allow: /" is not reported, because people write this line on purpose
			found = append(found, line)
		}
	}
	if len(found) == 0 {
		return
	}
	slices.SortStableFunc(found, func(a, b robotstxt.Line) int { return a.Number - b.Number })
	text := "changes nothing: without it, every URL has the same verdict"
	if len(found) > 1 {
		var others []string
		for _, line := range found[1:] {
			others = append(others, strconv.Itoa(line.Number))
		}
		text += "; that is true of each of these lines too: " + printable.Some(others, ", ")
	}
	report(findingAt(found[0], found[0].Value, text))
}

// If all rules of a group are useless, none of them is removable. A group without rules would join
// the next group.
func (f *file) removableLines(useless map[int]bool) map[int]bool {
	removable := map[int]bool{}
	for _, g := range f.groups {
		var lines []int
		for _, rule := range g.Rules {
			if useless[rule.Line] {
				lines = append(lines, rule.Line)
			}
		}
		for _, line := range lines {
			removable[line] = len(lines) < len(g.Rules)
		}
	}
	if len(removable) == 0 || !slices.EqualFunc(f.groups, slices.Collect(f.google.Groups()), sameGroup) {
		return nil // nothing to remove, or (rarely) Google's parser reads different groups
	}
	return removable
}

func sameGroup(a, b robotstxt.Group) bool {
	return slices.Equal(a.Agents, b.Agents) && slices.Equal(a.Rules, b.Rules)
}

func neverDecides(use compare.RuleUse) string {
	var lines []int
	for _, r := range use.Blockers {
		if isInFile(r) {
			lines = append(lines, r.Line)
		}
	}
	if len(lines) == 0 {
		return "has no effect: /robots.txt itself is always allowed"
	}
	text, s := "has no effect: "+printable.Lines(lines), ""
	if len(lines) == 1 {
		s = "s"
	}
	if len(use.Blockers) == 1 {
		_, rule, _ := strings.Cut(use.Blockers[0].String(), ": ") // remove the line number from the text of the rule
		text += fmt.Sprintf(" (%s)", printable.Short(rule))
	}
	text += " decide" + s + " instead"
	if len(use.Opposite()) > 0 {
		text += ", and say" + s + " the opposite"
	}
	return text
}

func hiddenNoindex(f *file, report func(Finding)) {
	for _, line := range f.lines {
		if line.Kind != robotstxt.KindOther || !ascii.EqualFold(line.Key, "noindex") || line.Value == "" || line.Group == 0 {
			continue
		}
		path := strings.TrimSuffix(strings.ReplaceAll(line.Value, "*", ""), "$")
		for _, p := range f.policiesOf(line.Group) {
			d := p.Check(path)
			if d.Reason != robotstxt.ByRule || d.Allowed || !p.forSearch() {
				continue
			}
			report(findingAt(line, line.Value, fmt.Sprintf("line %d disallows %s, so no search engine sees a noindex there", d.Rule.Line, printable.Text(path))).withCrawlers(p.search))
			break
		}
	}
}
