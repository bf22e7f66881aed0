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

// A repetition adds rules of the "*" group to the group of some crawlers.
type repetition struct {
	edits []Edit
	rules []robotstxt.Rule
}

// The totals are for all fixes of one file together. Each total has a limit.
type repeatTotals struct{ work, rules, bytes int }

func (d *drop) fix() *Fix {
	if len(d.repeats) == 0 {
		return nil
	}
	fix := &Fix{closes: d.rules[0].Witness} // not marked as safe, because the fix is meant to change verdicts
	lines := map[int]bool{}                 // for each line with a rule, whether the rule is an Allow
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
	slices.SortStableFunc(fix.Edits, func(a, b Edit) int { return a.Start - b.Start })
	const mayNot = "may not fetch"
	fix.Title = fmt.Sprintf(`repeat %s of the "*" group%s, so that %s %s`, what,
		countText(len(fix.Edits), "", " in %d groups"), listText(d.names, mayNot, mayNot), printable.Short(d.rules[0].Witness))
	return fix
}

// repeat returns at most one repetition. A repetition is a fix that adds rules to the crawlers' own group. After the
// fix, the rules of "*" decide about every URL that no rule of this group matches.
func (f *file) repeat(p *policy, dropped []compare.RuleUse) []repetition {
	ends := f.endsOfOwnGroup(p)
	if len(ends) == 0 || f.isFull() {
		return nil
	}
	r := repetition{rules: f.rulesToRepeat(p, dropped)}
	if len(r.rules) == 0 {
		return nil
	}
	for _, above := range ends {
		end, text := above.Offset+len(above.Raw), f.linesBelow(above, r.rules)
		r.edits = append(r.edits, Edit{end, end, text})
		f.repeatTotals.rules += len(r.rules)
		f.repeatTotals.bytes += len(text)
		if f.isFull() || !utf8.ValidString(text) { // JSON cannot contain text that is not UTF-8, and the rule "encoding" reports such a file
			return nil
		}
	}
	return []repetition{r}
}

func (f *file) isFull() bool {
	return f.countRules()+f.repeatTotals.rules > maxRules || len(f.body)+f.repeatTotals.bytes > maxSize
}

func (f *file) endsOfOwnGroup(p *policy) []robotstxt.Line {
	for _, i := range p.GroupsThatApply() {
		g := f.groups[i]
		isOther := func(a robotstxt.Agent) bool {
			return a.Name != "" && (f.policyFor(a.Name) != p || isPurposeToken(a.Name) || ignoresWildcard(a.Name))
		}
		if !slices.ContainsFunc(g.Agents, isOther) && f.endsAlike(g) {
			return f.endsOf(g)
		}
	}
	return nil
}

// endsOf returns the lines after which new rules can be written. If the group looks like several groups, all without rules,
// there is one such line for each of them. If it looks like several groups with rules, endsOf returns nil, because the lint
// rule groups-merged has a fix that makes several groups.
func (f *file) endsOf(g robotstxt.Group) (ends []robotstxt.Line) {
	for i, agent := range g.Agents {
		if i+1 == len(g.Agents) || f.separatorBefore(g, i+1) != "" {
			ends = append(ends, f.lastRecord(agent.Line))
		}
	}
	switch last := lastRule(g); {
	case len(ends) > 1 && (last > 0 || len(sortedNames(g)) < len(g.Agents)):
		return nil
	case last > 0:
		return []robotstxt.Line{f.line(last)}
	}
	return ends
}

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

func (f *file) endsAlike(g robotstxt.Group) bool {
	i := f.googleLines[g.Agents[0].Line-1].Group
	if i == 0 {
		return false
	}
	other := f.bothReadings()[1].groups[i-1]
	return slices.EqualFunc(g.Agents, other.Agents, func(a, b robotstxt.Agent) bool { return a.Line == b.Line }) &&
		lastRule(g) == lastRule(other)
}

func lastRule(g robotstxt.Group) int {
	if n := len(g.Rules); n > 0 {
		return g.Rules[n-1].Line
	}
	return 0
}

// rulesToRepeat begins with the dropped rules. For each wrong verdict that package compare finds, it adds the rule of
// "*" that should decide.
func (f *file) rulesToRepeat(p *policy, dropped []compare.RuleUse) (rules []robotstxt.Rule) {
	for _, use := range dropped {
		rules = append(rules, use.Rule)
	}
	own := slices.Collect(p.Rules())
	itself := robotstxt.Rule{Allow: true, Pattern: "/robots.txt$"}
	inOrder := slices.Concat([]robotstxt.Rule{itself}, own, slices.Collect(f.policies()[0].Rules()))
	wanted := robotstxt.FirstOfRules(inOrder)
	for f.repeatTotals.work <= maxWork {
		r := compare.Policies(context.Background(), wanted, policyWith(slices.Concat(own, rules), robotstxt.RFC9309))
		f.repeatTotals.work += r.Work
		if r.Outcome == compare.Equal {
			slices.SortStableFunc(rules, func(a, b robotstxt.Rule) int { return a.Line - b.Line })
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

// If the file has no line end at its end, the text begins with a line end.
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

// ignoredOn returns a lint comment for a copy of the line. This comment turns off the lint rules
// that are turned off for the line.
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
	return " # " + lintMark + " ignore " + strings.Join(codes, ", ")
}
