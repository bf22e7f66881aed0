// Package printable makes text from strangers safe to print: it must not control a terminal or fake a log line.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text writes everything that is not printable, and letters that imitate ASCII, as escapes such as \x1b and \u{202e}.
func Text(s string) string { return escaped(s, false) }

// Line is like Text, but keeps tabs.
func Line(s string) string { return escaped(s, true) }

func escaped(s string, tabs bool) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	var words words
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		mixed := words.isInMixed(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\t' && !tabs:
			b.WriteString(`\t`)
		case r == '\t' || strconv.IsPrint(r) && !(mixed && lookAlike(r)):
			b.WriteString(s[:size])
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		s = s[size:]
	}
	return b.String()
}

const maxShort = 300

// Short is like Text, but cuts a long text after 300 bytes and adds "…".
func Short(s string) string {
	if len(s) <= maxShort {
		return Text(s)
	}
	end := maxShort
	for end > maxShort-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end-- // a character must not be cut
	}
	return Text(s[:end]) + "…"
}

const maxQuoted = 100

// Quote returns a text in quotation marks for an error. It cuts a long text after 100 bytes and adds "…".
func Quote(s string) string {
	if len(s) <= maxQuoted {
		return quoteLookalikes(s)
	}
	return quoteLookalikes(s[:maxQuoted]) + "…"
}

func quoteLookalikes(s string) string {
	if isPlain(s) {
		return strconv.Quote(s)
	}
	var b strings.Builder
	var words words
	b.WriteByte('"')
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		text := strconv.Quote(s[:size])
		if words.isInMixed(s) && lookAlike(r) {
			text = strconv.QuoteToASCII(s[:size])
		}
		b.WriteString(text[1 : len(text)-1])
		s = s[size:]
	}
	b.WriteByte('"')
	return b.String()
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
