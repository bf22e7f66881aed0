package robotstxt

import (
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// Patterns and URLs are compared in a normal form, which depends on the dialect.

// An escaped slash stays an escape in normal form, because it does not separate the parts of a path (R-8, S96-4).
const encodedSlash = "%2F"

// byteClass says how the canonical form writes a byte and its escape %XX.
type byteClass uint8

const (
	plain      byteClass = iota // byte and escape are both written as the byte, so they are equal
	structural                  // byte and escape are both unchanged, so they are not equal
	special                     // "*" and "$": both are written as %XX, except where they are wildcards of a pattern
	encoded                     // byte and escape are both written as %XX, so they are equal
)

var byteClasses = classifyBytes()

func classifyBytes() (classes [256]byteClass) {
	for c := range classes {
		classes[c] = encoded
	}
	set := func(class byteClass, chars string) {
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

func (d *Dialect) appendForm(dst []byte, pattern string) []byte {
	switch d.form {
	case decodedForm:
		return appendDecoded(dst, pattern)
	case canonicalForm:
		return appendCanonical(dst, pattern, true)
	default:
		return appendEscaped(dst, pattern)
	}
}

func (d *Dialect) bytesOf(pattern string) (bytes uint64) {
	bytes = patternBytes[d.form].bitsOf(pattern)
	if !d.wildcards {
		bytes &^= star
	}
	return bytes
}

func (d *Dialect) scan(path string) (bytes uint64, isNormal bool) {
	bytes = pathBytes[d.form].bitsOf(path)
	return bytes &^ changes, bytes&changes == 0
}

const (
	changes uint64 = 1 << 63 // the normal form or a browser changes this byte, or the path is cut here
	star    uint64 = 1 << 62 // in a pattern: the byte is "*"; in a path: the byte has a special meaning in patterns
)

// A byteTable has the bit of each byte (see byteBits). Some bytes also have one of two other bits: the one named "changes"
// or the one named "star".
type byteTable [256]uint64

func (t *byteTable) bitsOf(text string) (bytes uint64) {
	i := 0
	for ; i+8 <= len(text); i += 8 { // eight bytes at a time are faster than one by one
		e := eightAt(text, i)
		bytes |= t[byte(e)] | t[byte(e>>8)] | t[byte(e>>16)] | t[byte(e>>24)] |
			t[byte(e>>32)] | t[byte(e>>40)] | t[byte(e>>48)] | t[byte(e>>56)]
	}
	for ; i < len(text); i++ {
		bytes |= t[text[i]]
	}
	return bytes
}

func newByteTable(changed func(c byte) bool) *byteTable {
	var table byteTable
	for c, bit := range byteBits {
		table[c] = 1 << bit
		if changed(byte(c)) {
			table[c] |= changes
		}
	}
	return &table
}

var pathBytes = [...]*byteTable{
	asWritten:      newPathBytes(asWritten, func(c byte) bool { return false }),
	decodedForm:    newPathBytes(decodedForm, func(c byte) bool { return c == '?' || c == '%' }),
	canonicalForm:  newPathBytes(canonicalForm, func(c byte) bool { return byteClasses[c] == encoded || byteClasses[c] == special }),
	escapedPattern: newPathBytes(escapedPattern, func(c byte) bool { return false }),
}

func newPathBytes(form normalForm, changed func(c byte) bool) *byteTable {
	table := newByteTable(func(c byte) bool { return c <= ' ' || c == '\\' || c == '#' || changed(c) })
	for c := range table {
		if specialBytes[form][c] != 0 {
			table[c] |= star
		}
	}
	return table
}

var patternBytes = [...]*byteTable{
	asWritten:      newPatternBytes(func(byte) bool { return false }),
	decodedForm:    newPatternBytes(func(c byte) bool { return c == '%' }),
	canonicalForm:  newPatternBytes(func(c byte) bool { return byteClasses[c] == encoded || c == '$' }),
	escapedPattern: newPatternBytes(func(c byte) bool { return c == '%' || c >= 0x80 }),
}

func newPatternBytes(changed func(c byte) bool) *byteTable {
	table := newByteTable(changed)
	table['*'] = star // without the bit of "*", because a matching path need not contain "*"
	return table
}

// specialBytes are the bytes that cannot be compared as they are written: "*", "$", and those that the normal form changes.
var specialBytes = [...]*byteSet{
	asWritten:      newSpecialBytes(asWritten),
	decodedForm:    newSpecialBytes(decodedForm),
	canonicalForm:  newSpecialBytes(canonicalForm),
	escapedPattern: newSpecialBytes(escapedPattern),
}

func newSpecialBytes(form normalForm) *byteSet {
	return newByteSet(func(c byte) bool { return c == '$' || patternBytes[form][c]&(changes|star) != 0 })
}

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

func appendCanonical(dst []byte, s string, pattern bool) []byte {
	kept, query := 0, -1 // s[kept:i] is unchanged and not appended yet
	if pattern {
		query = strings.IndexByte(s, '?')
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		class := byteClasses[c]
		if class < special || c == '*' && pattern {
			continue
		}
		dst = append(dst, s[kept:i]...)
		switch v, ok := ascii.Unescape(s[i:]); {
		case ok && (byteClasses[v] == plain || v == '/' && 0 <= query && query < i): // after a "?" in a pattern, "%2F" equals "/"
			dst = append(dst, v)
			i += 2
		case ok:
			dst = appendHex(dst, v)
			i += 2
		case c == '%':
			dst = append(dst, c) // a "%" that begins no escape, as in "%4"
		default:
			dst = appendHex(dst, c)
		}
		kept = i + 1
	}
	return append(dst, s[kept:]...)
}

// appendDecoded decodes escapes, but keeps "%2F" (S96-4). A "%" that remains after decoding is written as "%25", so "%252F"
// does not become "%2F".
func appendDecoded(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		v, escape := ascii.Unescape(s[i:])
		if escape {
			i += 2
			c = v
		}
		if c == '%' || escape && c == '/' {
			dst = appendHex(dst, c)
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// appendEscaped escapes a pattern as Google's parser does: "ä" becomes "%C3%A4", and "%c3" becomes "%C3" (K-8).
func appendEscaped(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		v, ok := ascii.Unescape(s[i:])
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

// A byte becomes at most maxGrowth bytes in normal form: %XX.
const maxGrowth = 3
