package robotstxt

import "strings"

// Patterns and URLs are compared in a normal form, which depends on the
// dialect.

// decodedMark leads "%2F" ("#/") and "#" ("##") in the decoded form, where one
// must differ from what "%252F" is decoded to: a "#" of a file or a URL begins a
// comment or a fragment and never reaches a comparison itself.
const decodedMark = '#'

// encodedSlash is what the canonical form makes of an encoded "/", except
// behind a literal "?" of a pattern.
const encodedSlash = "%2F"

// octetClass is what the canonical form does with an octet.
type octetClass uint8

const (
	plain      octetClass = iota // unreserved, or reserved without structure: %XX means the same
	structural                   // reserved: as it is, and its %XX is something else
	special                      // "*" and "$", which a pattern uses for itself
	encoded                      // always as %XX
)

var octetClasses = classifyOctets()

func classifyOctets() (classes [256]octetClass) {
	for c := range classes {
		classes[c] = encoded
	}
	set := func(class octetClass, chars string) {
		for i := range len(chars) {
			classes[chars[i]] = class
		}
	}
	set(plain, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
	set(plain, ":[]@!'()+,;")
	set(structural, "/?#&=")
	set(special, "*$")
	return classes
}

// patternForm returns the normal form of a pattern that is not its own, without the "$"
// that anchors it. A "*" in the result is a wildcard where the dialect has any.
func (d *Dialect) patternForm(pattern string) string {
	room := make([]byte, 0, maxGrowth*len(pattern))
	switch d.form {
	case decodedForm:
		return string(appendDecoded(room, pattern))
	case canonicalForm:
		return string(appendCanonical(room, pattern, true))
	default:
		return string(appendEscaped(room, pattern))
	}
}

// octetsOf returns the bits of the octets of a pattern, see octetBits. Among them are
// changes, where it is not its own normal form, and star.
func (d *Dialect) octetsOf(pattern string) (octets uint64) {
	octets = patternOctets[d.form].of(pattern)
	if !d.wildcards {
		octets &^= star
	}
	return octets
}

// scan returns the bits of the octets that a path holds, see octetBits, and
// whether it is its own normal form, and no fragment or query has to be cut.
func (d *Dialect) scan(path string) (octets uint64, normal bool) {
	octets = pathOctets[d.form].of(path)
	return octets &^ changes, octets&changes == 0
}

// Bits of an octetTable beside octetBits.
const (
	changes uint64 = 1 << 63 // not its own normal form; in a path, or that it is cut there
	star    uint64 = 1 << 62 // a "*" in a pattern
)

// An octetTable has bits for each octet.
type octetTable [256]uint64

// of returns the bits of all octets of a text.
func (t *octetTable) of(text string) (octets uint64) {
	i := 0
	for ; i+8 <= len(text); i += 8 { // loading them one by one takes longer
		e := eight(text, i)
		octets |= t[byte(e)] | t[byte(e>>8)] | t[byte(e>>16)] | t[byte(e>>24)] |
			t[byte(e>>32)] | t[byte(e>>40)] | t[byte(e>>48)] | t[byte(e>>56)]
	}
	for ; i < len(text); i++ {
		octets |= t[text[i]]
	}
	return octets
}

func newOctetTable(changed func(c byte) bool) *octetTable {
	var table octetTable
	for c, bit := range octetBits {
		table[c] = 1 << bit
		if changed(byte(c)) {
			table[c] |= changes
		}
	}
	return &table
}

var pathOctets = [...]*octetTable{
	asWritten:      newOctetTable(func(c byte) bool { return c == '#' }),
	decodedForm:    newOctetTable(func(c byte) bool { return c == '#' || c == '?' || c == '%' }),
	canonicalForm:  newOctetTable(func(c byte) bool { return c == '#' || octetClasses[c] == encoded || octetClasses[c] == special }),
	escapedPattern: newOctetTable(func(c byte) bool { return c == '#' || c == 0 }),
}

var patternOctets = [...]*octetTable{
	asWritten:      newPatternOctets(func(byte) bool { return false }),
	decodedForm:    newPatternOctets(func(c byte) bool { return c == '%' }),
	canonicalForm:  newPatternOctets(func(c byte) bool { return octetClasses[c] == encoded || c == '$' }),
	escapedPattern: newPatternOctets(func(c byte) bool { return c == '%' || c >= 0x80 }),
}

func newPatternOctets(changed func(c byte) bool) *octetTable {
	table := newOctetTable(changed)
	table['*'] = star // which a path need not hold
	return table
}

// appendPath appends the normal form of a path of a URL.
func (d *Dialect) appendPath(dst []byte, path string) []byte {
	switch d.form {
	case decodedForm:
		return appendDecoded(dst, path)
	case canonicalForm:
		return appendCanonical(dst, path, false)
	default:
		return append(dst, path...)
	}
}

// formText returns a normal form as it is shown to people.
func (d *Dialect) formText(form string) string {
	if d.form != decodedForm {
		return strings.Clone(form)
	}
	var shown []byte
	for i := 0; i < len(form); i++ {
		c := form[i]
		if c == decodedMark {
			i++ // what it marks follows
			if form[i] == '/' {
				shown = append(shown, encodedSlash...)
				continue
			}
		}
		shown = append(shown, c)
	}
	return string(shown)
}

// appendCanonical appends the form of RFC 9309.
func appendCanonical(dst []byte, s string, pattern bool) []byte {
	kept := 0 // from here on, nothing is appended yet
	for i := 0; i < len(s); i++ {
		c := s[i]
		class := octetClasses[c]
		if class < special || c == '*' && pattern {
			continue
		}
		dst = append(dst, s[kept:i]...)
		kept = i + 1
		v, ok := unhex(s[i:])
		switch {
		case ok:
			query := pattern && strings.IndexByte(s[:i], '?') >= 0
			dst = appendEscape(dst, v, query)
			i += 2
			kept = i + 1
		case c == '%':
			dst = append(dst, c) // a broken escape is ordinary characters
		default:
			dst = appendHex(dst, c)
		}
	}
	return append(dst, s[kept:]...)
}

// appendEscape appends what %xx of octet v becomes in the canonical form;
// query says that it stands behind a literal "?" of a pattern.
func appendEscape(dst []byte, v byte, query bool) []byte {
	if octetClasses[v] < structural || v == '/' && query {
		return append(dst, v)
	}
	return appendHex(dst, v)
}

// appendDecoded appends the form of the 1996 draft: %xx decoded, except that
// "%2F" stays what it is (S96-4).
func appendDecoded(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if v, ok := unhex(s[i:]); ok {
				i += 2
				switch v {
				case '/', decodedMark:
					dst = append(dst, decodedMark, v)
				default:
					dst = append(dst, v)
				}
				continue
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// appendEscaped appends what Google's parser makes of a pattern: octets
// outside ASCII as %XX, the hex digits of escapes in upper case, and nothing
// else (K-8).
func appendEscaped(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		v, ok := unhex(s[i:])
		switch {
		case ok:
			dst = appendHex(dst, v)
			i += 2
		case c >= 0x80:
			dst = appendHex(dst, c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func appendHex(dst []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[c>>4], digits[c&15])
}

// unhex reads the escape that s begins with, if it does.
func unhex(s string) (v byte, ok bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	hi, lo := hexValues[s[1]], hexValues[s[2]]
	return hi<<4 | lo, hi|lo < noHex
}

// hexValues holds the value of each hexadecimal digit, and noHex for all others.
var hexValues = newHexValues()

const noHex = 16

func newHexValues() (values [256]uint8) {
	for c := range values {
		values[c] = noHex
	}
	for i := range uint8(16) {
		values["0123456789abcdef"[i]] = i
		values["0123456789ABCDEF"[i]] = i
	}
	return values
}
