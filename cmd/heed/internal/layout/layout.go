// Package layout fits text into a terminal. It counts in cells: a Chinese character takes two
// cells, a combining mark or the escape sequence of a colour takes none.
package layout

import (
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width returns the number of cells of a line of text.
func Width(s string) int { return ansi.StringWidth(s) }

// Pad appends spaces to text, up to a width.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

// Wrap breaks text at spaces into lines of at most width cells. It never cuts a word: a longer
// word has a line of its own. Each line except the first begins with indent spaces. The
// caller prints the first line after indent cells, so it is shorter by indent too. Line ends
// of text stay.
func Wrap(text string, width, indent int) string {
	return WrapShort(text, width, indent, math.MaxInt)
}

// WrapShort is Wrap, but replaces the middle of a word longer than maxWord cells by "…".
func WrapShort(text string, width, indent, maxWord int) string {
	pad := "\n" + strings.Repeat(" ", indent)
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString(pad)
		}
		used := 0
		for line = strings.TrimLeft(line, " "); line != ""; {
			first := firstWord(line)
			word := Middle(first, max(1, maxWord))
			rest := strings.TrimLeft(line[len(first):], " ")
			gap := len(line) - len(first) - len(rest) // spaces before the next word
			b.WriteString(word)
			used += Width(word)
			if rest == "" {
				break
			}
			next := Width(Middle(firstWord(rest), max(1, maxWord)))
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

// firstWord returns a text up to its first space.
func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// Cut returns the cells of text from the number from up to, but not including, to.
func Cut(s string, from, to int) string { return ansi.Cut(s, from, to) }

// Middle replaces the middle of a text longer than width cells by "…". Both ends of a URL or
// a pattern stay, because they identify it best.
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
