package report

import (
	"slices"
	"strings"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// A Use says whether a rule has an effect on any verdict for a crawler.
type Use struct {
	// "needed"; "changes nothing" (no verdict needs the rule); "never decides"; or "unknown" (too much work). Absent if
	// not asked for.
	Use string `json:"use,omitempty"`
	// The lines that decide instead, if the rule never decides. 0 is the built-in rule for /robots.txt. Absent if no URL
	// matches.
	BlockedBy []int `json:"blocked_by,omitempty"`
	Opposite  []int `json:"opposite,omitempty"` // the lines in "blocked_by" that have the opposite verdict
	// The rule is the only rule of its group. Without it, the User-agent lines would belong to the next group.
	EndsNames bool `json:"ends_names,omitempty"`
}

// A UsedRule is a rule with its use.
type UsedRule struct {
	Rule
	Use
}

// UsesOf returns the use of each rule of a policy. If lines are given, it returns only the rules on these lines.
func UsesOf(p *robotstxt.Policy, lines ...int) []UsedRule {
	var all []UsedRule
	for _, u := range compare.Rules(p, lines...) {
		used := UsedRule{*RuleOf(u.Rule), Use{Use: u.Use.String()}}
		for _, b := range u.Blockers {
			used.BlockedBy = append(used.BlockedBy, b.Line)
		}
		for _, b := range u.Opposite() {
			used.Opposite = append(used.Opposite, b.Line)
		}
		all = append(all, used)
	}
	return all
}

func (u Use) NeverDecides() bool { return u.Use == compare.NeverDecides.String() }

// Remark returns why a rule is useless; "" if the rule is not useless.
func (u Use) Remark() string {
	text := ""
	switch {
	case u.NeverDecides():
		text = u.Use + ": " + u.decidingLines()
	case u.Use == compare.ChangesNothing.String() && u.EndsNames:
		text = "changes nothing itself"
	case u.Use == compare.ChangesNothing.String():
		return "changes nothing: without it, every URL has the same verdict"
	default:
		return ""
	}
	if u.EndsNames {
		text += ". But keep the line: without it, the crawlers of its group would be in the next group"
	}
	return text
}

func (u Use) decidingLines() string {
	own := slices.DeleteFunc(slices.Clone(u.BlockedBy), func(line int) bool { return line == 0 })
	switch {
	case len(u.BlockedBy) == 0:
		return "it matches no URL"
	case len(own) == 0:
		return "/robots.txt itself is always allowed"
	}
	s := func(lines []int) string { // "decides" and "says" if there is one line
		if len(lines) == 1 {
			return "s"
		}
		return ""
	}
	text := printable.Lines(own) + " decide" + s(own) + " instead"
	opposite := slices.DeleteFunc(slices.Clone(u.Opposite), func(line int) bool { return line == 0 })
	switch len(opposite) {
	case 0:
		return text + ", and say" + s(own) + " the same"
	case len(own):
		return text + ", and say" + s(own) + " the opposite"
	}
	return text + "; " + printable.Lines(opposite) + " say" + s(opposite) + " the opposite"
}

// Without the only rule of a group, the User-agent lines of the group may belong to the next group.
func onlyRules(f *robotstxt.File) map[int]bool {
	var raw []string
	for line := range f.Lines() {
		raw = append(raw, line.Raw)
	}
	ends := map[int]bool{}
	var group robotstxt.Group
	for next := range f.Groups() {
		if len(group.Rules) == 1 {
			line := group.Rules[0].Line
			before, after := raw[group.Agents[0].Line-1:line-1], raw[line:next.Agents[0].Line]
			rest := robotstxt.ParseString(strings.Join(before, "")+strings.Join(after, ""), f.Dialect())
			groups := 0
			for range rest.Groups() {
				groups++
			}
			ends[line] = groups == 1
		}
		group = next
	}
	return ends
}
