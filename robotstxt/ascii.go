package robotstxt

// What the protocol calls letters, and letter case, is ASCII's: Unicode has
// letters outside ASCII that fold to "k" and "s".

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isLetter(c byte) bool { return 'a' <= lower(c) && lower(c) <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// whiteSpace are the bytes that isSpace holds for.
const whiteSpace = " \t\n\v\f\r"

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func isControl(c byte) bool { return c < ' ' || c == 0x7f }

func equalFold(a, b string) bool {
	return len(a) == len(b) && hasPrefixFold(a, b)
}

func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != lower(prefix[i]) {
			return false
		}
	}
	return true
}

func containsFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if hasPrefixFold(s[i:], part) {
			return true
		}
	}
	return false
}
