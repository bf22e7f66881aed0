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

// A repetition writes rules of the "*" group again in the group of some crawlers.
type repetition struct {
	edits []Edit
	rules []robotstxt.Rule
}

// repeated has the totals of all repetitions of a file so far: the work of package compare, the number of rules that the
// repetitions would add, and their bytes. Each total has a limit. The file with all repetitions must not become so large that
// crawlers do not read it to its end.
type repeated struct{ work, rules, bytes int }

// fix returns a fix after which the crawlers also follow the rules of "*" that they do not follow now; nil if there is none.
func (d *drop) fix() *Fix {
	if len(d.repeats) == 0 {
		return nil
	}
	fix := &Fix{} // not marked as safe: the aim of the fix is to change verdicts
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

// repeat returns a repetition for the crawlers of a policy. After the repetition, the crawlers follow their own rules. For URLs
// that none of their own rules matches, they follow the rules of "*". repeat returns nil if a repetition would also have other
// effects.
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

// isFull reports whether the file with all repetitions would be too large, or would have too many rules.
func (f *file) isFull() bool {
	rules := f.repeated.rules
	for _, g := range f.groups {
		rules += len(g.Rules)
	}
	return rules > maxRules || len(f.body)+f.repeated.bytes > maxSize
}

// endsOfOwnGroup returns the lines after which new rules must be written for a group that applies only to the crawlers of a
// policy; see endsOf. It returns nil if there is no such group. A group that also names a purpose token, or a crawler that never
// follows "*", is not such a group, because the rules of "*" would be new for these names.
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

// endsOf returns the lines after which new rules for a group must be written. If the group has rules, this is the line of its
// last rule. A group without rules must be the last group of the file. Such a group may look like several groups, for example if
// it has several Crawl-delay records. Then each part gets the rules, and so becomes a group of its own. endsOf returns nil if
// two of these parts would name the same crawler.
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

// lastRecord returns the last of the records, such as Crawl-delay, that follow a User-agent line; the User-agent line
// itself if none follows.
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

// endsAlike reports whether Google's parser reads the same User-agent lines and the same last rule for a group. If so, a rule
// that is added after this rule belongs to the same crawlers in Google's parser.
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

// lost returns the rules of "*" to repeat for a policy, in file order. With these rules, the policy has the verdict of
// "*" about each URL that none of its own rules matches, and keeps its verdict about all other URLs. Package compare
// proves both. lost returns nil if this is impossible: if a rule of "*" and a shorter own rule with the other verdict
// match one URL, the repeated rule would overrule the own rule.
//
// The search begins with the Disallow rules that are dropped. As long as compare finds a URL with a wrong verdict, the
// rule of "*" that decides about this URL is added, such as an Allow rule that is an exception.
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
			i := c.Old.Rule.Line - 1 // FirstOfRules numbers the rules from 1, and uses these numbers as line numbers
			if i <= len(own) {
				return nil
			}
			if rule := inOrder[i]; !slices.Contains(more, rule) {
				more = append(more, rule)
			}
		}
		if len(more) == 0 {
			return nil // compare could not decide
		}
		rules = append(rules, more...)
	}
	return nil
}

// linesBelow returns rules as text to insert after a line. If that line is the last one of the file and has no line end,
// the last inserted line has no line end either.
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

// ignoredOn returns a comment for a repeated rule that turns off the same lint rules as the comments for the original
// line; "" if there are none. The repeated rule would have the same findings.
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
