package lint

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// A repetition is a change of the file that writes rules of the "*" group again in the group of some crawlers.
type repetition struct {
	edits []Edit
	rules []robotstxt.Rule
}

// A repeated value has totals for all repetitions of a file so far: the work of package compare, and the number and the bytes
// of the rules that were added. Each total has a limit. For example, the new file must not be so large that crawlers do not
// read all of it.
type repeated struct{ work, rules, bytes int }

// The method fix returns a fix that writes the rules of "*" also in the groups of d's crawlers; nil if there is no such fix.
func (d *drop) fix() *Fix {
	if len(d.repeats) == 0 {
		return nil
	}
	fix := &Fix{} // not marked as safe, because the fix is meant to change verdicts
	lines := map[int]bool{} // whether the rule in a line is an Allow, an exception to the others
	allows := 0
	for _, r := range d.repeats {
		fix.Edits = append(fix.Edits, r.edits...)
		for _, rule := range r.rules {
			if _, has := lines[rule.Line]; !has && rule.Allow {
				allows++
			}
			lines[rule.Line] = rule.Allow
		}
	}
	what := printable.Counted(len(lines), "rule")
	if allows > 0 {
		what = printable.Counted(len(lines)-allows, "Disallow rule") + " and " + printable.Counted(allows, "Allow rule")
	}
	slices.SortFunc(fix.Edits, func(a, b Edit) int { return a.Start - b.Start })
	const mayNot = "may not fetch"
	fix.Title = fmt.Sprintf(`repeat %s of the "*" group%s, so that %s %s`, what,
		counted(len(fix.Edits), "", " in %d groups"), listed(d.names, mayNot, mayNot), printable.Short(d.rules[0].Witness))
	return fix
}

// The method repeat returns a repetition for the crawlers of a policy. With this repetition, the verdict of "*" applies to
// URLs that match none of their own rules. All other verdicts stay the same. If no such repetition is found, the result is
// nil.
func (f *file) repeat(p *policy, dropped []compare.RuleUse) []repetition {
	ends := f.endsOfOwnGroup(p)
	if len(ends) == 0 || f.isFull() {
		return nil
	}
	r := repetition{rules: f.lost(p, dropped)}
	if len(r.rules) == 0 {
		return nil
	}
	for _, above := range ends {
		end, text := above.Offset+len(above.Raw), f.linesBelow(above, r.rules)
		r.edits = append(r.edits, Edit{end, end, text})
		f.repeated.rules += len(r.rules)
		f.repeated.bytes += len(text)
		if f.isFull() || !utf8.ValidString(text) { // JSON cannot contain text that is not UTF-8, and the rule "encoding" reports such a file
			return nil
		}
	}
	return []repetition{r}
}

// isFull reports whether the file with all repetitions so far would be too large, or would have too many rules.
func (f *file) isFull() bool {
	rules := f.repeated.rules
	for _, g := range f.groups {
		rules += len(g.Rules)
	}
	return rules > maxRules || len(f.body)+f.repeated.bytes > maxSize
}

// endsOfOwnGroup looks for a group to which new rules for the crawlers of a policy can be added, because the group names only
// these crawlers. It returns the lines after which the rules must be written; see endsOf. It returns nil if there is no such
// group. The group must name no purpose token, and no crawler that never follows "*".
func (f *file) endsOfOwnGroup(p *policy) []robotstxt.Line {
	for _, i := range p.GroupsThatApply() {
		g := f.groups[i]
		isOther := func(a robotstxt.Agent) bool {
			return a.Name != "" && (f.policyFor(a) != p || isPurposeToken(a.Name) || ignoresWildcard(a.Name))
		}
		if !slices.ContainsFunc(g.Agents, isOther) && f.endsAlike(g) {
			return f.endsOf(g)
		}
	}
	return nil
}

// endsOf returns the lines after which new rules for a group must be written. If the group has rules, this is only the line
// of its last rule. A group without rules must be the last group of the file. If it looks like several groups, for example
// because of Crawl-delay lines between its User-agent lines, each part gets the rules, and so becomes a group of its own.
// endsOf returns nil if two parts would name the same crawler.
func (f *file) endsOf(g robotstxt.Group) (ends []robotstxt.Line) {
	if last := lastRule(g); last > 0 {
		return append(ends, f.line(last))
	}
	for i, agent := range g.Agents {
		if i+1 == len(g.Agents) || f.apart(g, i+1) != "" {
			ends = append(ends, f.lastRecord(agent.Line))
		}
	}
	if len(ends) > 1 && len(sortedNames(g)) < len(g.Agents) {
		return nil
	}
	return ends
}

// lastRecord returns the last record, such as Crawl-delay, that follows a User-agent line. If no record follows, it returns
// the User-agent line.
func (f *file) lastRecord(agent int) robotstxt.Line {
	last := f.line(agent)
	for _, line := range f.lines[agent:] {
		switch line.Kind {
		case robotstxt.KindOther:
			last = line
		case robotstxt.KindComment:
		default:
			return last
		}
	}
	return last
}

// endsAlike reports whether a group has the same User-agent lines and the same last rule in RFC 9309 and in Google's parser.
// If so, a rule that is added after the last rule belongs to the same crawlers in both.
func (f *file) endsAlike(g robotstxt.Group) bool {
	i := f.googleLines[g.Agents[0].Line-1].Group
	if i == 0 {
		return false
	}
	other := f.inBoth()[1].groups[i-1]
	return slices.EqualFunc(g.Agents, other.Agents, func(a, b robotstxt.Agent) bool { return a.Line == b.Line }) &&
		lastRule(g) == lastRule(other)
}

// lastRule returns the line of the last rule of a group; 0 if the group has no rule.
func lastRule(g robotstxt.Group) int {
	if n := len(g.Rules); n > 0 {
		return g.Rules[n-1].Line
	}
	return 0
}

// The method lost returns the rules of "*" that must be repeated for a policy, in file order. With the repeated rules, the
// policy must have the verdict of "*" about each URL that none of its own rules matches, and must keep its verdict about all
// other URLs. Package compare proves this. If it is impossible, lost returns nil. For example, a repeated rule could match
// the same URL as a shorter rule of the policy with the opposite verdict, and would then decide.
//
// The search begins with the dropped Disallow rules. As long as package compare finds a URL with a wrong verdict, the rule of
// "*" that decides about this URL is added. It may be an Allow rule that makes an exception.
func (f *file) lost(p *policy, dropped []compare.RuleUse) (rules []robotstxt.Rule) {
	for _, use := range dropped {
		rules = append(rules, use.Rule)
	}
	own := slices.Collect(p.Rules())
	itself := robotstxt.Rule{Allow: true, Pattern: "/robots.txt$"}
	inOrder := slices.Concat([]robotstxt.Rule{itself}, own, slices.Collect(f.policies()[0].Rules()))
	wanted := robotstxt.FirstOfRules(inOrder)
	for f.repeated.work <= maxUses {
		r := compare.Policies(context.Background(), wanted, policyWith(slices.Concat(own, rules), robotstxt.RFC9309))
		f.repeated.work += r.Work
		if r.Outcome == compare.Equal {
			slices.SortFunc(rules, func(a, b robotstxt.Rule) int { return a.Line - b.Line })
			return rules
		}
		var more []robotstxt.Rule
		for _, c := range r.Changes {
			i := c.Old.Rule.Line - 1 // FirstOfRules uses the number of a rule, counted from 1, as its line number
			if i <= len(own) {
				return nil
			}
			if rule := inOrder[i]; !slices.Contains(more, rule) {
				more = append(more, rule)
			}
		}
		if len(more) == 0 {
			return nil // package compare could not decide
		}
		rules = append(rules, more...)
	}
	return nil
}

// linesBelow returns rules as text that can be inserted after a line. If this line is the end of the file and has no line
// end, the inserted text has no line end at its end, too.
func (f *file) linesBelow(above robotstxt.Line, rules []robotstxt.Rule) string {
	lineEnd := lineEndOf(above)
	atEnd := lineEnd == ""
	if atEnd {
		lineEnd = lineEndOf(f.lines[0])
	}
	var b strings.Builder
	for _, rule := range rules {
		b.WriteString(rule.Text() + f.ignoredOn(rule.Line) + lineEnd)
	}
	if atEnd {
		return lineEnd + strings.TrimSuffix(b.String(), lineEnd)
	}
	return b.String()
}

func lineEndOf(line robotstxt.Line) string {
	return line.Raw[len(strings.TrimRight(line.Raw, "\r\n")):]
}

// ignoredOn returns a comment to write after a repeated rule. The comment turns off the lint rules that comments turn off for
// the original rule, because the repeated rule would have the same findings. If there are none, the result is "".
func (f *file) ignoredOn(line int) string {
	var codes []string
	for _, c := range f.comments {
		if c.About == line {
			codes = append(codes, c.Codes...)
		}
	}
	if len(codes) == 0 {
		return ""
	}
	return " # " + mark + " ignore " + strings.Join(codes, ", ")
}
