package lint

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// The lint rules in this file are about URLs for which some parsers decide differently from RFC 9309.

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
		if slices.EqualFunc(withoutOdd(p.patterns), withoutOdd(p.googlePatterns), sameForm) {
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

func withoutOdd(patterns []robotstxt.Pattern) []robotstxt.Pattern {
	return slices.DeleteFunc(slices.Clone(patterns), func(p robotstxt.Pattern) bool { return p.Rule.Pattern == "" || isOdd(p.Rule.Pattern) })
}

// In the normal form of a query, "/" and "%2F" are equal.
func sameForm(a, b robotstxt.Pattern) bool {
	return a.Allowed == b.Allowed && a.Anchored == b.Anchored && a.Length == b.Length && slices.Equal(a.Segments, b.Segments)
}

func oldParsers(f *file, report func(Finding)) {
	old := readAsOld(f.body)
	filled := old
	if len(old.outside) > 0 {
		filled = readAsOld(f.withoutBlanks())
		f.endsAtBlank(old, filled, report)
	}
	f.firstDecides(old, filled, report)
}

// An oldFile is a file as it is read by crawlers that follow the draft of 1996.
type oldFile struct {
	*robotstxt.File
	outside map[int]bool // the line numbers of the rules that belong to no group
}

func readAsOld(body string) oldFile {
	old := oldFile{robotstxt.ParseString(body, robotstxt.Draft1996), map[int]bool{}}
	for line := range old.Lines() {
		if isRule(line.Kind) && line.Notes.Has(robotstxt.NoteOutsideGroup) {
			old.outside[line.Number] = true
		}
	}
	return old
}

func (old oldFile) policyFor(p *policy) *robotstxt.Policy {
	return old.Agent(p.names[:min(len(p.names), 1)]...)
}

// withoutBlanks returns the file with a comment in place of each empty line within a group, so all lines keep their numbers.
func (f *file) withoutBlanks() string {
	inGroup := map[int]bool{}
	for _, g := range f.groups {
		if len(g.Rules) > 0 {
			for number := g.Agents[0].Line; number < g.Rules[len(g.Rules)-1].Line; number++ {
				inGroup[number] = true
			}
		}
	}
	var b strings.Builder
	for _, line := range f.lines {
		if line.Kind == robotstxt.KindBlank && inGroup[line.Number] {
			b.WriteByte('#')
		}
		b.WriteString(line.Raw)
	}
	return b.String()
}

// For old crawlers, an empty line ends the group, so they ignore the rules after the line.
func (f *file) endsAtBlank(old, filled oldFile, report func(Finding)) {
	reported := map[int]bool{} // the numbers of the groups that were reported
	for _, p := range f.policies() {
		if p.isPreference() {
			continue
		}
		withBlanks, without := old.policyFor(p), filled.policyFor(p)
		for _, use := range f.ruleUses(p) {
			line := f.line(use.Rule.Line)
			if use.Witness == "" || !old.outside[line.Number] || filled.outside[line.Number] || reported[line.Group] ||
				withBlanks.Check(use.Witness).Allowed == allows(use.Rule) || without.Check(use.Witness).Allowed != allows(use.Rule) {
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
func (f *file) firstDecides(old, filled oldFile, report func(Finding)) {
	reported := map[int]bool{}
	for _, p := range f.policies() {
		if p.isPreference() || !f.contradicts(p) {
			continue
		}
		withBlanks, without := old.policyFor(p), filled.policyFor(p)
		for _, use := range f.ruleUses(p) {
			if use.Witness == "" || filled.outside[use.Rule.Line] || hasWildcard(use.Rule) {
				continue
			}
			url := urlWithPath(use.Witness)
			d := without.Check(url)
			if d.Reason != robotstxt.ByRule || d.Allowed == allows(use.Rule) || d.Rule.Line > use.Rule.Line || old.outside[d.Rule.Line] ||
				hasWildcard(d.Rule) || withBlanks.Check(url).Allowed != d.Allowed {
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
