package robotstxt

import (
	"iter"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// A Pattern says what the pattern of a rule matches, for programs that compare policies. A path must begin with the first
// segment. The other segments follow in this order, and do not overlap.
//
// The normal form is that of Trace.Path. In Draft1996, bytes are decoded, but a slash is "%2F", and "%" is "%25" (S96-4).
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

// Dialect returns the dialect of the policy's file.
func (p *Policy) Dialect() *Dialect {
	if p.file == nil {
		return RFC9309
	}
	return p.file.Dialect()
}

// LongestDecides reports whether the longest pattern that matches decides (R-5, M-3). In other dialects, the first one in
// the file decides (S96-3).
func (d *Dialect) LongestDecides() bool { return d.orDefault().longest }

// NamesAreParts reports whether a User-agent line names every crawler whose name contains the name in the line (S94-6). In
// other dialects, the two names must be equal.
func (d *Dialect) NamesAreParts() bool { return d.orDefault().names == substringNames }

// GroupsThatApply returns the numbers of the groups that apply, counted from 0 in file order.
func (p *Policy) GroupsThatApply() (groups []int) {
	if p.rules == nil {
		return nil
	}
	for _, g := range p.rules.groups {
		groups = append(groups, int(p.file.agentLines[g.named].group))
	}
	return groups
}

// IsNamed reports whether the groups that apply name the crawler. It is false if the "*" groups or no groups apply.
func (p *Policy) IsNamed() bool {
	if p.rules == nil || len(p.rules.groups) == 0 {
		return false
	}
	n := p.file.naming(p.agents)
	return n.groupRank(p.rules.groups[0].named) < len(p.agents)
}

// Paths is the set of all paths in the normal form of two policies. It is an automaton: it begins in state 0, and Next
// reads one byte.
//
// If the normal forms differ, Restricted is true, and Paths has only the paths that are equal in both.
type Paths struct {
	Restricted bool

	form      normalForm
	whole     bool   // in every path of the set, a "%" begins an escape such as "%C3"
	excluded  string // the bytes that no path contains
	canonical bool   // no path contains a byte that the canonical form escapes
}

// PathsOf returns the paths in which a search looks for differences between two policies.
func PathsOf(a, b *Policy) Paths {
	da, db := a.Dialect(), b.Dialect()
	s := Paths{form: da.form, excluded: "#"}
	if da.path == googlePath || db.path == googlePath {
		s.excluded += "\x00"
	}
	if da.form == db.form && da.path == db.path {
		s.canonical = da.form == canonicalForm
		s.whole = s.canonical && a.hasWholeEscapes() && b.hasWholeEscapes()
		return s
	}
	s.Restricted, s.form = true, asWritten
	for _, d := range []*Dialect{da, db} {
		switch d.form {
		case canonicalForm:
			s.canonical, s.whole = true, true
		case decodedForm:
			s.excluded += "?%"
		}
	}
	return s
}

func (p *Policy) hasWholeEscapes() bool {
	for pattern := range p.Patterns() {
		for _, s := range pattern.Segments {
			for i := range len(s) {
				if s[i] == '%' && !isNormalEscape(s[i:]) {
					return false
				}
			}
		}
	}
	return true
}

func isNormalEscape(s string) bool {
	v, ok := ascii.Unescape(s)
	return ok && byteClasses[v] >= structural && isUpperHex(s[1]) && isUpperHex(s[2])
}

func isUpperHex(c byte) bool { return '0' <= c && c <= '9' || 'A' <= c && c <= 'F' }

// States of Paths. After "%3", the state is '3'.
const (
	betweenUnits uint8 = 0
	afterPercent uint8 = 1
)

// Next returns the state after a byte. ok is false if no path continues with that byte.
func (s Paths) Next(state, c byte) (next uint8, ok bool) {
	switch {
	case s.form == decodedForm: // here the only escapes are "%25" and "%2F"
		switch {
		case state == afterPercent:
			return c, c == '2'
		case state != betweenUnits:
			return betweenUnits, c == '5' || c == 'F'
		case c == '%':
			return afterPercent, true
		}
		return betweenUnits, true
	case state == afterPercent:
		return c, isUpperHex(c)
	case state != betweenUnits:
		v, _ := ascii.Unescape(string([]byte{'%', state, c}))
		return betweenUnits, isUpperHex(c) && byteClasses[v] >= structural
	case strings.IndexByte(s.excluded, c) >= 0:
		return 0, false
	case s.whole && c == '%':
		return afterPercent, true
	}
	return betweenUnits, !s.canonical || byteClasses[c] <= structural || c == '%'
}

// Ends reports whether a path may end in the given state.
func (s Paths) Ends(state uint8) bool { return state == betweenUnits }

// URLPath returns a path, perhaps with a query, whose normal form is the given form.
func (s Paths) URLPath(form string) string {
	var path strings.Builder
	for i := 0; i < len(form); i++ {
		c := form[i]
		switch {
		case s.form == decodedForm && (c == '#' || c == '?' || c <= ' ' || c >= 0x7f):
			path.WriteString(escapeOf(c))
		case s.form == canonicalForm && c == '%' && !isNormalEscape(form[i:]):
			path.WriteByte(c)
			if _, escape := ascii.Unescape(form[i:]); escape { // "%" begins no escape in the form, so it must not begin one in the path
				i++
				path.WriteString(escapeOf(form[i]))
			}
		default:
			path.WriteByte(c)
		}
	}
	return path.String()
}

func escapeOf(c byte) string { return string(appendHex(nil, c)) }
