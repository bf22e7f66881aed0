// Package printable makes text of others safe to show: what a remote file or
// server sends must not steer a terminal or forge a line of a log.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text returns a text in which control bytes, line ends among them, characters that
// change the direction of writing and bytes that are no text show as escapes such as
// \t, \x1b and \u{202e}. Printable text is returned as it is.
func Text(s string) string {
	if isPlain(s) {
		return s
	}
	return escaped(s, false)
}

// Line is Text for a line of a file that is shown as it stands: a tab stays.
func Line(s string) string {
	if isPlain(s) {
		return s
	}
	return escaped(s, true)
}

func escaped(s string, tabs bool) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\t' && !tabs:
			b.WriteString(`\t`)
		case r == '\t' || strconv.IsPrint(r):
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

// most is how many bytes of a text Short shows.
const most = 300

// Short is Text for an error or a log: of a long text it shows the first 300 bytes
// and "…".
func Short(s string) string {
	if len(s) <= most {
		return Text(s)
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end-- // half a character would show as bytes
	}
	return Text(s[:end]) + "…"
}

// mostQuoted is how many bytes of a text Quote shows.
const mostQuoted = 100

// Quote returns a text in quotation marks for an error. Of a long text it shows the first
// 100 bytes and "…".
func Quote(s string) string {
	if len(s) <= mostQuoted {
		return strconv.Quote(s)
	}
	return strconv.Quote(s[:mostQuoted]) + "…"
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
