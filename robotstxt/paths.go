package robotstxt

import (
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// Paths is the set of all paths of URLs, in the normal form in which two policies compare
// them. It is an automaton, for programs that search for a path: the state is 0 at the start,
// and Next reads one octet.
//
// If the policies have different normal forms, it contains only paths which are equal in
// both, and Restricted is true.
type Paths struct {
	Restricted bool

	form      normalForm
	whole     bool // a "%" is the start of an escape in normal form, as in all usual URLs
	excluded  string
	canonical bool // octets that the canonical form escapes are not in it
}

// PathsOf returns the paths that two policies compare.
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

// hasWholeEscapes reports whether every "%" of the patterns begins an escape in normal form.
// Then it makes no difference whether paths contain other "%": as no pattern has one, they
// are matched as any other octet.
func (p *Policy) hasWholeEscapes() bool {
	for pattern := range p.Patterns() {
		for _, s := range pattern.Segments {
			for i := strings.IndexByte(s, '%'); i >= 0; {
				if !isNormalEscape(s[i:]) {
					return false
				}
				s = s[i+3:]
				i = strings.IndexByte(s, '%')
			}
		}
	}
	return true
}

// isNormalEscape reports whether s begins with an escape as appendEscape writes it.
func isNormalEscape(s string) bool {
	v, ok := ascii.Unescape(s)
	return ok && octetClasses[v] >= structural && isUpperHex(s[1]) && isUpperHex(s[2])
}

func isUpperHex(c byte) bool { return '0' <= c && c <= '9' || 'A' <= c && c <= 'F' }

// States of Paths inside of a unit of several octets. The state behind "%" and a digit is
// that digit.
const (
	betweenUnits uint8 = 0
	behindMark   uint8 = 1 // "%"
)

// Next returns the state behind an octet. ok is false if no path goes on with it.
func (s Paths) Next(state, c byte) (next uint8, ok bool) {
	switch {
	case s.form == decodedForm: // the only escapes are %25 and %2F
		switch {
		case state == behindMark:
			return c, c == '2'
		case state != betweenUnits:
			return betweenUnits, c == '5' || c == 'F'
		case c == '%':
			return behindMark, true
		}
		return betweenUnits, true
	case state == behindMark:
		return c, isUpperHex(c)
	case state != betweenUnits:
		v, _ := ascii.Unescape(string([]byte{'%', state, c}))
		return betweenUnits, isUpperHex(c) && octetClasses[v] >= structural
	case strings.IndexByte(s.excluded, c) >= 0:
		return 0, false
	case s.whole && c == '%':
		return behindMark, true
	}
	return betweenUnits, !s.canonical || octetClasses[c] <= structural || c == '%'
}

// Ends reports whether a path may end in a state.
func (s Paths) Ends(state uint8) bool { return state == betweenUnits }

// URLPath returns a path, with its query, whose normal form is the given one.
func (s Paths) URLPath(form string) string {
	var path strings.Builder
	for i := 0; i < len(form); i++ {
		c := form[i]
		switch {
		case s.form == decodedForm && (c == '#' || c == '?' || c <= ' ' || c >= 0x7f):
			path.WriteString(escapeOf(c))
		case s.form == canonicalForm && c == '%' && !isNormalEscape(form[i:]):
			path.WriteByte(c)
			if _, escape := ascii.Unescape(form[i:]); escape { // it must not be read as one
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
