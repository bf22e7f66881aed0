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

// A repetition writes rules of the "*" group into the group of some crawlers as well.
type repetition struct {
	edits []Edit
	rules []robotstxt.Rule
}

// repeated is what has been done for repetitions so far, which is limited for each file: the work of
// compare, and the lines and bytes that all of them would add. The file must stay one that
// crawlers read to its end.
type repeated struct{ work, rules, octets int }

// fix returns a fix with which the crawlers follow the rules of "*" that they drop; nil: there is none.
func (d *drop) fix() *Fix {
	if len(d.repeats) == 0 {
		return nil
	}
	fix := &Fix{} // never safe: verdicts shall change
	lines := map[int]bool{}
	for _, r := range d.repeats {
		fix.Edits = append(fix.Edits, r.edits...)
		for _, rule := range r.rules {
			lines[rule.Line] = true
		}
	}
	slices.SortFunc(fix.Edits, func(a, b Edit) int { return a.Start - b.Start })
	const mayNot = "may not fetch"
	fix.Title = fmt.Sprintf(`repeat %s of the "*" group%s, so that %s %s`, printable.Counted(len(lines), "rule"),
		counted(len(fix.Edits), "", " in %d groups"), listed(d.names, mayNot, mayNot), printable.Short(d.rules[0].Witness))
	return fix
}

// repeat returns the repetition with which the crawlers of a policy follow their own rules, and those of "*" where
// their own say nothing; none if this is not possible without another effect.
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
		f.repeated.octets += len(text)
		if f.isFull() || !utf8.ValidString(text) { // JSON cannot have it, and encoding speaks of it
			return nil
		}
	}
	return []repetition{r}
}

// isFull reports whether the file would be too large, or would have too many rules, with all repetitions.
func (f *file) isFull() bool {
	rules := f.repeated.rules
	for _, g := range f.groups {
		rules += len(g.Rules)
	}
	return rules > maxRules || len(f.body)+f.repeated.octets > maxSize
}

// endsOfOwnGroup is endsOf for a group that applies to the crawlers of a policy, and to nobody else. There is none if
// the group also names a purpose token, or a crawler that never follows "*": for it, the rules of "*" would be new, and
// not those that it lost. A new group beside the old one would be a duplicate-group.
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

// endsOf returns the lines below which rules are written for a group: its last rule. A group without rules is the last
// one of the file. If it looks like several groups, with a delay each, these all get the rules, and are several then;
// there are no such lines if two of them would be for one crawler.
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

// lastRecord returns the last of the records, such as Crawl-delay, below a User-agent line; or that line.
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

// endsAlike reports whether Google's parser reads the same User-agent lines for a group, and the same rule as its
// last one. Then a rule below belongs to the same crawlers there.
func (f *file) endsAlike(g robotstxt.Group) bool {
	i := f.googleLines[g.Agents[0].Line-1].Group
	if i == 0 {
		return false
	}
	other := f.inBoth()[1].groups[i-1]
	return slices.EqualFunc(g.Agents, other.Agents, func(a, b robotstxt.Agent) bool { return a.Line == b.Line }) &&
		lastRule(g) == lastRule(other)
}

// lastRule returns the line of the last rule of a group; 0: it has none.
func lastRule(g robotstxt.Group) int {
	if n := len(g.Rules); n > 0 {
		return g.Rules[n-1].Line
	}
	return 0
}

// lost returns rules of "*" with which a policy has the verdict of "*" about each URL that none of its own rules
// matches, and keeps its verdict about all others. This is proved, so there are none if a rule of "*" is longer than
// one of its own with another verdict, and both match a URL: it would decide where the crawler's group has spoken.
//
// It begins with the Disallow rules that are dropped. Those that compare then finds to decide otherwise are added: Allow
// rules that except from them, and rules of which the policy has an exception itself.
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
			i := c.Old.Rule.Line - 1 // FirstOfRules counts its rules
			if i <= len(own) {
				return nil
			}
			if rule := inOrder[i]; !slices.Contains(more, rule) {
				more = append(more, rule)
			}
		}
		if len(more) == 0 {
			return nil // undecided
		}
		rules = append(rules, more...)
	}
	return nil
}

// linesBelow returns rules as lines that are written below a line. If that is the last one and has no line end, the
// new last one has none either.
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

// ignoredOn returns a comment that turns off what comments turn off for a line, because a repeated rule has the same
// findings.
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
