// Package ascii is what the protocol calls letters and letter case: Unicode has
// letters outside ASCII that fold to "k" and "s".
package ascii

// Lower returns a letter A-Z in lower case, and any other byte as it is.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// IsLetter reports whether c is A-Z or a-z.
func IsLetter(c byte) bool { return 'a' <= Lower(c) && Lower(c) <= 'z' }

// IsDigit reports whether c is 0-9.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// Space are the bytes that IsSpace holds for.
const Space = " \t\n\v\f\r"

// IsSpace reports whether C's isspace holds for c (K-2).
func IsSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// IsControl reports whether c is a control character, of which DEL is one.
func IsControl(c byte) bool { return c < ' ' || c == 0x7f }

// EqualFold reports whether a and b are equal but for the case of letters.
func EqualFold(a, b string) bool {
	return len(a) == len(b) && HasPrefixFold(a, b)
}

// HasPrefixFold reports whether s begins with the prefix, but for the case of letters.
func HasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if Lower(s[i]) != Lower(prefix[i]) {
			return false
		}
	}
	return true
}

// ContainsFold reports whether the part is in s, but for the case of letters.
func ContainsFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if HasPrefixFold(s[i:], part) {
			return true
		}
	}
	return false
}
