package robotstxt

import (
	"iter"
	"strings"
)

// A Pattern is what the pattern of a rule matches, and what the rule then decides. It is for
// programs that compare policies; Policy.Check is the way to decide about a URL.
//
// A normal path matches if it begins with the first segment, and contains the other segments
// behind it, in this order and without overlap. See Paths.
//
// The normal form is also that of Trace.Path and Candidate.Pattern. In Draft1996 it has all
// octets decoded, except that an encoded slash is "%2F", and "%" itself is "%25" (S96-4).
type Pattern struct {
	Rule     Rule     // zero: the path /robots.txt itself, which the dialect always allows
	Allowed  bool     // the verdict if the pattern decides
	Segments []string // the texts between the wildcards, in normal form; at least one
	Anchored bool     // the last segment must also end the path
	Lax      bool     // a "/" behind the first "?" of the segments also matches "%2F"
	Length   int      // in octets, as precedence counts it
}

// Patterns yields the patterns of the policy by precedence: the first one that matches
// decides. If none matches, Otherwise is the decision. In the Google dialect, an Allow of an
// index page has two patterns (M-6).
func (p *Policy) Patterns() iter.Seq[Pattern] {
	return func(yield func(Pattern) bool) {
		if p.rules == nil || p.fixed != nil {
			return
		}
		d := p.file.Dialect()
		if d.robotsAllowed && !yield(Pattern{Allowed: true, Segments: []string{"/robots.txt"}, Anchored: true}) {
			return
		}
		for i := range p.rules.patterns {
			if !yield(p.exported(&p.rules.patterns[i])) {
				return
			}
		}
	}
}

func (p *Policy) exported(m *pattern) Pattern {
	rule := p.rule(m)
	e := Pattern{
		Rule: rule, Allowed: rule.Allow || rule.Pattern == "", Segments: []string{m.text},
		Anchored: m.is(anchored), Lax: m.is(lax),
	}
	form, _, ends := p.file.Dialect().normalPattern(rule.Pattern)
	if m.is(indexPage) {
		form, _ = indexDirectory(form)
		ends = true
	}
	e.Length = len(form) + boolOrder(ends)
	if m.is(wild) {
		e.Segments = strings.Split(m.text, "*")
	}
	return e
}

// Otherwise returns the decision about a URL that no pattern of the policy matches. It is the
// decision about every URL if the policy has no rules, such as that of an unreachable origin.
func (p *Policy) Otherwise() Decision {
	switch {
	case p.file == nil:
		return Decision{}
	case p.fixed != nil:
		return *p.fixed
	}
	return Decision{Allowed: true, Reason: p.unmatched()}
}

// Dialect returns the dialect of the policy's file.
func (p *Policy) Dialect() *Dialect {
	if p.file == nil {
		return RFC9309
	}
	return p.file.Dialect()
}

// LongestDecides reports whether the longest pattern decides (R-5, M-3). Otherwise the first
// one in the file does (S96-3).
func (d *Dialect) LongestDecides() bool { return d.orDefault().longest }

// NamesAreParts reports whether a name in the file names every crawler whose name contains it
// (S94-6). Otherwise it names one crawler.
func (d *Dialect) NamesAreParts() bool { return d.orDefault().names == substringNames }

// GroupsThatApply returns the numbers of the groups of the file that apply, counted from 0 in
// file order.
func (p *Policy) GroupsThatApply() (groups []int) {
	if p.rules == nil {
		return nil
	}
	for _, line := range p.rules.lines {
		groups = append(groups, int(p.file.agentLines[line].group))
	}
	return groups
}

// IsNamed reports whether the groups that apply name the crawler. If not, they are those for
// "*", or there are none.
func (p *Policy) IsNamed() bool {
	if p.rules == nil || len(p.rules.lines) == 0 {
		return false
	}
	n := p.file.naming(p.agents)
	return n.groupRank(p.rules.lines[0]) < len(p.agents)
}
