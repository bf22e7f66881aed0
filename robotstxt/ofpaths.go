package robotstxt

import "strings"

// LongestOf returns a policy whose rules are an Allow of each pattern, for other statements about paths than rules, such
// as Content-Usage lines (AI-5). Patterns, paths and lengths are those of RFC9309, but /robots.txt is a path like others.
// The Rule of a Decision has the number of the pattern as its line, counted from 1. Of equally long patterns
// the first one decides; if none matches, the reason is NoRuleMatched.
func LongestOf(patterns []string) *Policy { return policyOf(patterns, longestOfPaths) }

// FirstOf is LongestOf, except that the first pattern which matches decides, as in tdmrep.json (AI-13).
func FirstOf(patterns []string) *Policy { return policyOf(patterns, firstOfPaths) }

var longestOfPaths, firstOfPaths = dialectsOfPaths()

func dialectsOfPaths() (longest, first *Dialect) {
	l := *RFC9309
	l.robotsAllowed = false
	f := l
	f.longest = false
	return &l, &f
}

func policyOf(patterns []string, d *Dialect) *Policy {
	const agent = "*"
	body := agent + strings.Join(patterns, "")
	var index indexWriter
	index.addAgent(true, 0, 0, len(agent))
	at := len(agent)
	for i, pattern := range patterns {
		index.add(allowEntry, i+1, at, at+len(pattern))
		at += len(pattern)
	}
	f := &File{body: body, dialect: d}
	index.copyTo(f)
	return f.Agent()
}
