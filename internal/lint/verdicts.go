package lint

import (
	"context"
	"fmt"
	"maps"
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
	if !everyone.blocksAll() {
		return
	}
	var open []string // the names of crawlers that may fetch some URLs
	var blocked []string
	for _, p := range f.policies()[1:] {
		if !p.blocksAll() {
			open = append(open, p.crawlers()...)
		}
	}
	for _, c := range searchCrawlers() {
		policy := f.parsed.Agent(c.Agents()...)
		if ignoresEveryone(policy) {
			continue // the method ignoringCrawlers returns them: no group names them, and they do not follow "*"
		}
		if !blocksAll(policy) {
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

// ignoresEveryone is true if no group names the crawler, and the crawler does not follow the groups for "*".
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
	place := map[string]int{} // the key is the result of ruleLinesOf for a drop, the value its index in the slice all
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
	if len(names) == 0 || f.saysForSite(p) {
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
	return &drop{f.line(f.groups[p.GroupsThatApply()[0]].Agents[0].Line), names, dropped, f.repeat(p, dropped)}
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
	slices.SortFunc(needed, func(a, b compare.RuleUse) int { return a.Rule.Line - b.Rule.Line })
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

// The value of a line is true if, for every crawler, its rule has one of the given uses.
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
	slices.SortFunc(found, func(a, b robotstxt.Line) int { return a.Number - b.Number })
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

// If all rules of a group are useless, none of them is removable: a group without rules would join the next group.
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
	var lines []string
	for _, r := range use.Blockers {
		if isInFile(r) {
			lines = append(lines, fmt.Sprint(r.Line))
			if len(use.Blockers) == 1 {
				_, text, _ := strings.Cut(r.String(), ": ") // remove the line number from the text of the rule
				lines[0] += fmt.Sprintf(" (%s)", printable.Short(text))
			}
		}
	}
	switch {
	case len(lines) == 0:
		return "has no effect: /robots.txt itself is always allowed"
	case len(use.Opposite()) > 0:
		return fmt.Sprintf("has no effect: %s, and %s the opposite", decidesInstead(lines), oneOrMore(lines, "says", "say"))
	}
	return "has no effect: " + decidesInstead(lines)
}

func decidesInstead(lines []string) string {
	return oneOrMore(lines, "line", "lines") + " " + listText(lines, "decides instead", "decide instead")
}

func oneOrMore(lines []string, one, more string) string {
	if len(lines) == 1 {
		return one
	}
	return more
}

func tie(f *file, report func(Finding)) {
	reported, tried := map[int]bool{}, 0
	for _, p := range f.policies() {
		lines := f.equallyLong(p)
		for _, length := range slices.Sorted(maps.Keys(lines)) {
			if tried == maxTied {
				return
			}
			some := lines[length][:min(len(lines[length]), maxTied-tried)]
			tried += len(some)
			meeting := p.linesMeetingDisallow(some, length)
			if len(meeting) == 0 {
				continue
			}
			for _, use := range f.usesAmong(f.longRules(p, length), meeting) {
				if use.Use != compare.Needed || reported[use.Rule.Line] {
					continue
				}
				reported[use.Rule.Line] = true
				line := f.line(use.Rule.Line)
				report(findingAt(line, line.Value, fmt.Sprintf("the Disallow of line %d is equally long, and both match %s: RFC 9309 and Google allow it, some other parsers do not",
					beatenDisallow(p, use).Line, printable.Text(use.Witness))).withCrawlers(p.names))
			}
		}
	}
}

const maxTied = 1000

// equallyLong returns the lines of needed Allow rules whose pattern is as long as a Disallow pattern. The key is the
// length.
func (f *file) equallyLong(p *policy) map[int][]int {
	disallows := map[int]bool{}
	for _, pattern := range p.patterns {
		disallows[pattern.Length] = disallows[pattern.Length] || !pattern.Allowed
	}
	needed := map[int]bool{}
	for _, use := range f.ruleUses(p) {
		needed[use.Rule.Line] = use.Use == compare.Needed
	}
	lines := map[int][]int{}
	for _, pattern := range p.patterns {
		if rule := pattern.Rule; rule.Allow && disallows[pattern.Length] && needed[rule.Line] {
			lines[pattern.Length] = append(lines[pattern.Length], rule.Line)
		}
	}
	return lines
}

func (p *policy) linesMeetingDisallow(lines []int, length int) (meeting []int) {
	var allows, disallows []robotstxt.Pattern
	for _, pattern := range p.patterns {
		switch {
		case pattern.Length != length:
		case !pattern.Allowed:
			disallows = append(disallows, pattern)
		case slices.Contains(lines, pattern.Rule.Line):
			allows = append(allows, pattern)
		}
	}
	for _, a := range allows {
		if slices.ContainsFunc(disallows, func(b robotstxt.Pattern) bool { return headsMeet(a, b) }) {
			meeting = append(meeting, a.Rule.Line)
		}
	}
	return meeting
}

// headsMeet compares only the texts before the first "*" or "?". It may be true although no path matches both patterns.
func headsMeet(a, b robotstxt.Pattern) bool {
	textA, _, _ := strings.Cut(a.Segments[0], "?")
	textB, _, _ := strings.Cut(b.Segments[0], "?")
	return strings.HasPrefix(textA, textB) || strings.HasPrefix(textB, textA)
}

func (f *file) longRules(p *policy, length int) (rules []robotstxt.Rule) {
	useless := map[int]bool{}
	for _, use := range f.ruleUses(p) {
		useless[use.Rule.Line] = use.Use == compare.NeverDecides
	}
	for _, pattern := range p.patterns {
		if rule := pattern.Rule; pattern.Length >= length && isInFile(rule) && !(rule.Allow && useless[rule.Line]) {
			rules = append(rules, rule)
		}
	}
	return rules
}

func beatenDisallow(p *policy, use compare.RuleUse) robotstxt.Rule {
	for _, c := range p.Explain(urlWithPath(use.Witness)).Candidates {
		if !c.Rule.Allow && c.Beaten == robotstxt.ByAllow {
			return c.Rule
		}
	}
	return robotstxt.Rule{}
}

// The lint rule percent-encoding reports odd patterns, so they are left out here.
func divergesFromGoogle(f *file, report func(Finding)) {
	if len(f.lines) > 0 && f.lines[len(f.lines)-1].Notes.Has(robotstxt.NotePastLimit) {
		return // the rule too-large reports the file
	}
	for _, p := range f.policies() {
		if sameExceptOdd(p.patterns, p.googlePatterns) {
			continue
		}
		for _, c := range compare.Policies(context.Background(), p.Policy, p.google).Changes {
			rule := c.Old.Rule
			if len(c.New.Rule.Pattern) > len(rule.Pattern) {
				rule = c.New.Rule
			}
			if rule.Line == 0 || c.Witness == "/robots.txt" || isOdd(c.Old.Rule.Pattern) || isOdd(c.New.Rule.Pattern) ||
				f.hasOwnReason(rule) || sameInGoogle(p, c.Old.Rule) && sameInGoogle(p, c.New.Rule) {
				continue // /robots.txt does not matter, because crawlers fetch it without asking
			}
			line := f.line(rule.Line)
			report(findingAt(line, line.Value, fmt.Sprintf("%s is %s in RFC 9309, and %s for Google's parser",
				printable.Text(c.Witness), allowed(c.Old.Allowed), allowed(c.New.Allowed))).withCrawlers(p.names))
			break
		}
	}
}

// Other lint rules explain a "$" inside a pattern, and a key that Google's parser reads differently.
func (f *file) hasOwnReason(rule robotstxt.Rule) bool {
	i := strings.IndexByte(rule.Pattern, '$')
	return i >= 0 && i < len(rule.Pattern)-1 || f.line(rule.Line).Kind != f.googleLines[rule.Line-1].Kind
}

func sameInGoogle(p *policy, rule robotstxt.Rule) bool {
	return slices.EqualFunc(rulePatterns(p.patterns, rule), rulePatterns(p.googlePatterns, rule), sameForm)
}

func rulePatterns(all []robotstxt.Pattern, rule robotstxt.Rule) (patterns []robotstxt.Pattern) {
	for _, pattern := range all {
		if pattern.Rule.Line == rule.Line {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

func sameExceptOdd(a, b []robotstxt.Pattern) bool {
	for {
		a, b = skipOdd(a), skipOdd(b)
		if len(a) == 0 || len(b) == 0 {
			return len(a) == len(b)
		}
		if !sameForm(a[0], b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

func skipOdd(patterns []robotstxt.Pattern) []robotstxt.Pattern {
	for len(patterns) > 0 && (patterns[0].Rule.Pattern == "" || isOdd(patterns[0].Rule.Pattern)) {
		patterns = patterns[1:]
	}
	return patterns
}

// In the normal form of a query, "/" and "%2F" are equal.
func sameForm(a, b robotstxt.Pattern) bool {
	return a.Allowed == b.Allowed && a.Anchored == b.Anchored && a.Length == b.Length && slices.Equal(a.Segments, b.Segments)
}

func oldParsers(f *file, report func(Finding)) {
	old := robotstxt.ParseString(f.body, robotstxt.Draft1996)
	outside := map[int]bool{} // the line numbers of the rules that an empty line separates from their group
	for line := range old.Lines() {
		if isRule(line.Kind) && line.Notes.Has(robotstxt.NoteOutsideGroup) {
			outside[line.Number] = true
		}
	}
	f.endsAtBlank(old, outside, report)
	f.firstDecides(old, outside, report)
}

// For old crawlers, an empty line ends the group, so they ignore the rules after the line.
func (f *file) endsAtBlank(old *robotstxt.File, outside map[int]bool, report func(Finding)) {
	if len(outside) == 0 {
		return
	}
	reported := map[int]bool{} // the numbers of the groups that were reported
	for _, p := range f.policies() {
		if p.isPreference() {
			continue
		}
		policy := old.Agent(p.names[:min(len(p.names), 1)]...)
		for _, use := range f.ruleUses(p) {
			line := f.line(use.Rule.Line)
			if use.Witness == "" || !outside[line.Number] || reported[line.Group] || policy.Check(use.Witness).Allowed == allows(use.Rule) {
				continue
			}
			reported[line.Group] = true
			report(findingAt(line, line.Value, fmt.Sprintf("%s is %s for %s: for them, an empty line above ends the group",
				printable.Text(use.Witness), allowed(!allows(use.Rule)), oldReaders)).withCrawlers(p.names))
		}
	}
}

const oldReaders = "old crawlers, which follow the draft of 1996"

// For old crawlers, the first matching rule decides. They know no wildcards, so rules with wildcards are not checked.
func (f *file) firstDecides(old *robotstxt.File, outside map[int]bool, report func(Finding)) {
	reported := map[int]bool{}
	for _, p := range f.policies() {
		if p.isPreference() || !f.contradicts(p) {
			continue
		}
		policy := old.Agent(p.names[:min(len(p.names), 1)]...)
		for _, use := range f.ruleUses(p) {
			if use.Witness == "" || outside[use.Rule.Line] || hasWildcard(use.Rule) {
				continue
			}
			d := policy.Check(urlWithPath(use.Witness))
			if d.Reason != robotstxt.ByRule || d.Allowed == allows(use.Rule) || d.Rule.Line > use.Rule.Line || hasWildcard(d.Rule) {
				continue
			}
			if !slices.Contains(p.GroupsThatApply(), f.line(d.Rule.Line).Group-1) {
				// Old crawlers read the names of the groups differently. The lint rule agent-not-token reports such names.
				break
			}
			line := f.line(use.Rule.Line)
			if reported[line.Number] {
				break
			}
			reported[line.Number] = true
			report(findingAt(line, line.Value, fmt.Sprintf("%s is %s for %s: for them, the first rule that matches decides, in line %d",
				printable.Text(use.Witness), allowed(d.Allowed), oldReaders, d.Rule.Line)).withCrawlers(p.names))
			break
		}
	}
}

func (f *file) contradicts(p *policy) bool {
	some := map[bool]bool{}
	for _, g := range p.GroupsThatApply() {
		for _, rule := range f.groups[g].Rules {
			some[allows(rule)] = true
		}
	}
	return len(some) == 2
}

func hasWildcard(rule robotstxt.Rule) bool { return strings.ContainsAny(rule.Pattern, "*$?") }

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
