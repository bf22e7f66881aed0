package robotstxt

// Patterns and URLs are compared in a normal form, which depends on the
// dialect.

// decodedMark leads "%2F" ("#/") and "#" ("##") in the decoded form, where one
// must differ from what "%252F" is decoded to: a "#" of a file or a URL begins a
// comment or a fragment and never reaches a comparison itself.
const decodedMark = '#'

// encodedSlash is what the canonical form makes of an encoded "/", except
// behind a literal "?" of a pattern.
var encodedSlash = []byte("%2F")

// octetClass is what the canonical form does with an octet.
type octetClass uint8

const (
	encoded    octetClass = iota // always as %XX
	unreserved                   // always as it is
	reserved                     // as it is; its %XX means the same
	structural                   // reserved, but its %XX is something else
	special                      // "*" and "$", which a pattern uses for itself
)

var octetClasses = classifyOctets()

func classifyOctets() (classes [256]octetClass) {
	set := func(chars string, class octetClass) {
		for i := range len(chars) {
			classes[chars[i]] = class
		}
	}
	set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", unreserved)
	set(":[]@!'()+,;", reserved)
	set("/?#&=", structural)
	set("*$", special)
	return classes
}

// appendPattern appends the normal form of a pattern, without the "$" that
// anchors it. A "*" in the result is a wildcard where the dialect has any.
func (d *Dialect) appendPattern(dst []byte, pattern string) []byte {
	switch d.form {
	case decodedForm:
		return appendDecoded(dst, pattern)
	case canonicalForm:
		return appendCanonical(dst, pattern, true)
	case escapedPattern:
		return appendEscaped(dst, pattern)
	default:
		return append(dst, pattern...)
	}
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
func (d *Dialect) formText(form []byte) string {
	if d.form != decodedForm {
		return string(form)
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
	query := false // behind a literal "?" of a pattern
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			v, ok := unhex(s[i:])
			if !ok {
				dst = append(dst, c) // a broken escape is ordinary characters
				continue
			}
			dst = appendEscape(dst, v, query)
			i += 2
			continue
		}
		switch octetClasses[c] {
		case unreserved, reserved, structural:
			dst = append(dst, c)
			query = query || c == '?' && pattern
		case special:
			if c == '*' && pattern {
				dst = append(dst, c)
			} else {
				dst = appendHex(dst, c)
			}
		default:
			dst = appendHex(dst, c)
		}
	}
	return dst
}

// appendEscape appends what %xx of octet v becomes in the canonical form.
func appendEscape(dst []byte, v byte, query bool) []byte {
	class := octetClasses[v]
	if class == unreserved || class == reserved || v == '/' && query {
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
// else (K8).
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
	hi, ok1 := hexDigit(s[1])
	lo, ok2 := hexDigit(s[2])
	return hi<<4 | lo, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= lower(c) && lower(c) <= 'f':
		return lower(c) - 'a' + 10, true
	}
	return 0, false
}
