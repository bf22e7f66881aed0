// Package ascii compares texts without regard to the case of ASCII letters, and reads percent escapes and hexadecimal digits.
package ascii

import "strings"

// Lower returns a letter A-Z in lower case, and any other byte unchanged.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func ToLower(s string) string {
	for i := range len(s) {
		if Lower(s[i]) != s[i] {
			lower := []byte(s)
			for ; i < len(lower); i++ {
				lower[i] = Lower(lower[i])
			}
			return string(lower)
		}
	}
	return s
}

func IsLetter(c byte) bool { return 'a' <= Lower(c) && Lower(c) <= 'z' }

func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

func IsSHA256(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

const Space = " \t\n\v\f\r"

// IsSpace accepts the same bytes as isspace in C (K-2).
func IsSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func IsControl(c byte) bool { return c < ' ' || c == 0x7f }

func EqualFold(a, b string) bool {
	return len(a) == len(b) && HasPrefixFold(a, b)
}

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

func ContainsFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if HasPrefixFold(s[i:], part) {
			return true
		}
	}
	return false
}

func Compare(a, b string) int {
	for i := range min(len(a), len(b)) {
		if c, d := Lower(a[i]), Lower(b[i]); c != d {
			return int(c) - int(d)
		}
	}
	return len(a) - len(b)
}
