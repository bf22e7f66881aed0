package robotstxt

import "strings"

// LongestOf returns a policy of patterns from any source, such as Content-Usage lines (AI-5). The longest pattern that
// matches decides. If two are equally long, the first one decides. Rule.Line is the number of the pattern, from 1. Patterns
// are read as in RFC9309, but /robots.txt is not special.
func LongestOf(patterns []string) *Policy { return policyOf(allowsOf(patterns), longestOfPaths) }

// FirstOf is like LongestOf, but the first pattern that matches decides, as in tdmrep.json (AI-13).
func FirstOf(patterns []string) *Policy { return policyOf(allowsOf(patterns), firstOfPaths) }

// FirstOfRules is FirstOf for Allow and Disallow rules. In a Decision, Rule.Line is the number of the rule in the list;
// the first rule has the number 1. The field Line of the given rules is ignored.
func FirstOfRules(rules []Rule) *Policy { return policyOf(rules, firstOfPaths) }

func allowsOf(patterns []string) []Rule {
	rules := make([]Rule, len(patterns))
	for i, pattern := range patterns {
		rules[i] = Rule{Allow: true, Pattern: pattern}
	}
	return rules
}

var (
	longestOfPaths = RFC9309.with(func(d *Dialect) { d.robotsAllowed = false })
	firstOfPaths   = longestOfPaths.with(func(d *Dialect) { d.longest = false })
)

func policyOf(rules []Rule, d *Dialect) *Policy {
	const agent = "*"
	var body strings.Builder
	body.WriteString(agent)
	var index indexWriter
	index.addAgent(true, 0, 0, len(agent))
	for i, rule := range rules {
		kind := disallowEntry
		if rule.Allow {
			kind = allowEntry
		}
		at := body.Len()
		body.WriteString(rule.Pattern)
		index.add(kind, i+1, at, body.Len())
	}
	f := &File{body: body.String(), dialect: d}
	index.copyTo(f)
	return f.Agent()
}
