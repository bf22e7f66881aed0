package robotstxt

import (
	"iter"
	"strings"
)

// A Pattern says what the pattern of a rule matches, for programs that compare policies. A path must begin with the first
// segment. The other segments follow in this order, and do not overlap.
//
// Texts are in the normal form of Trace.Path. In Draft1996, an escaped slash is "%2F", and a "%" is "%25" (S96-4).
type Pattern struct {
	Rule     Rule     // the rule with this pattern; zero if the pattern is /robots.txt itself, which the dialect always allows
	Allowed  bool     // the verdict about a URL if this pattern decides
	Segments []string // the texts between the wildcards, in normal form; there is at least one
	Anchored bool     // the last segment must be at the end of the path
	Lax      bool     // a "/" after the first "?" in the segments also matches "%2F"
	Length   int      // length of the pattern in bytes; in most dialects the longest pattern decides
}

// Patterns yields the patterns of the policy, sorted so that the first one that matches decides. If no pattern matches, the
// method Otherwise returns the decision. In the Google dialect, an Allow of a page such as /index.html has two patterns
// (M-6).
func (p *Policy) Patterns() iter.Seq[Pattern] {
	return func(yield func(Pattern) bool) {
		if p.rules == nil || p.fixed != nil {
			return
		}
		d := p.file.Dialect()
		if d.robotsAllowed && !yield(Pattern{Allowed: true, Segments: []string{"/robots.txt"}, Anchored: true}) {
			return
		}
		for _, m := range p.rules.byPrecedence() {
			if !yield(p.exported(&m)) {
				return
			}
		}
	}
}

func (p *Policy) exported(m *pattern) Pattern {
	rule := m.rule(p.file.body)
	e := Pattern{
		Rule: rule, Allowed: rule.Allow || rule.Pattern == "", Segments: []string{m.text},
		Anchored: m.is(anchored), Lax: m.is(lax), Length: int(m.length),
	}
	if m.is(wild) {
		e.Segments = strings.Split(m.text, "*")
	}
	return e
}

// Otherwise returns the decision about a URL that no pattern matches. Without rules, as for an unreachable origin, it is
// the decision about every URL.
func (p *Policy) Otherwise() Decision {
	switch {
	case p.file == nil:
		return Decision{}
	case p.fixed != nil:
		return *p.fixed
	}
	return Decision{Allowed: true, Reason: p.unmatched()}
}
