package robotstxt

import (
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

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
