// Package layout fits text into the cells of a terminal. Text is measured in cells: a
// CJK character takes two, a combining mark and a colour's escape sequence none.
package layout

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width returns how many cells a line of text takes.
func Width(s string) int { return ansi.StringWidth(s) }

// Pad returns text with spaces behind it, up to a width.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

// Wrap breaks text into lines of at most width cells, at spaces: a word is never cut, and
// one that is longer has a line of its own. Each line but the first begins with indent
// spaces, for which the first has room too. Lines of text stay lines.
func Wrap(text string, width, indent int) string {
	return wrap(text, width, indent, func(word string) string { return word })
}

// WrapShort is Wrap, but a word that is longer than most cells loses its middle.
func WrapShort(text string, width, indent, most int) string {
	return wrap(text, width, indent, func(word string) string { return Middle(word, max(1, most)) })
}

func wrap(text string, width, indent int, shown func(word string) string) string {
	pad := "\n" + strings.Repeat(" ", indent)
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString(pad)
		}
		used := 0
		for line = strings.TrimLeft(line, " "); line != ""; {
			end := strings.IndexByte(line+" ", ' ')
			word := shown(line[:end])
			rest := strings.TrimLeft(line[end:], " ")
			gap := len(line) - end - len(rest) // to the next word
			b.WriteString(word)
			used += Width(word)
			if rest == "" {
				break
			}
			next := Width(shown(rest[:strings.IndexByte(rest+" ", ' ')]))
			if used+gap+next > width-indent {
				b.WriteString(pad)
				used = 0
			} else {
				b.WriteString(strings.Repeat(" ", gap))
				used += gap
			}
			line = rest
		}
	}
	return b.String()
}

// Cut returns the cells of text from one on, up to another.
func Cut(s string, from, to int) string { return ansi.Cut(s, from, to) }

// Middle returns text without its middle where it takes more than width cells: what is
// left out is "…". The ends of URLs and patterns say most.
func Middle(s string, width int) string {
	n := Width(s)
	switch {
	case n <= width:
		return s
	case width < 2:
		return "…"
	}
	head := width / 2
	return ansi.Truncate(s, head, "") + "…" + ansi.TruncateLeft(s, n-(width-1-head), "")
}
