package term

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// Fit returns a text, such as a URL, so that it fits a terminal: if the text is wider than room cells,
// "…" replaces its middle. If the output is no terminal, Fit returns the whole text.
func (a *Terminal) Fit(s string, room int) string {
	if !a.Tty {
		return s
	}
	return layout.Middle(s, room)
}

// Wrapped returns text that is wrapped at words. On a terminal a word that is longer than a
// line, such as a URL, loses its middle.
func (a *Terminal) Wrapped(text string, width, indent int) string {
	if a.Tty {
		return layout.WrapShort(text, width, indent, a.Width-indent)
	}
	return layout.Wrap(text, width, indent)
}

// Wrap prints text that is wrapped at words. The first line begins after indent spaces, the
// others after below spaces.
func (a *Terminal) Wrap(indent, below int, text string) {
	fmt.Fprintf(a.Out, "%*s%s\n", indent, "", a.Wrapped(text, max(a.TextWidth(), indent+MinTextWidth), below))
}

// Painted prints wrapped text in a colour. Each line has its own escape sequences.
func (a *Terminal) Painted(colour, text string, indent int) {
	for line := range strings.SplitSeq(a.Wrapped(text, a.TextWidth(), indent), "\n") {
		fmt.Fprintf(a.Out, "%*s%s\n", indent, "", a.Paint(colour, strings.TrimLeft(line, " ")))
	}
}

// Heading prints the title of a section.
func (a *Terminal) Heading(s string) {
	fmt.Fprintln(a.Out)
	a.Painted(Bold, s, 0)
}

// SettleColour sets whether output has colours. The first of these that is set decides: the
// flag --color (always or never), NO_COLOR, CLICOLOR_FORCE. Otherwise a terminal has colours.
func (a *Terminal) SettleColour(choice string) {
	force := os.Getenv("CLICOLOR_FORCE")
	switch {
	case choice != "auto":
		a.Colour = choice == "always"
	case os.Getenv("NO_COLOR") != "":
		a.Colour = false
	case force != "" && force != "0":
		a.Colour = true
	default:
		a.Colour = a.Tty && os.Getenv("TERM") != "dumb"
	}
}

// The colours of a terminal (ECMA-48). The terminal chooses their shades, so that they can be read on a
// light and on a dark background.
const (
	Bold      = "1"
	Faint     = "2"
	Underline = "4"
	Red       = "31"
	Green     = "32"
	Magenta   = "35" // readable on black and on white, unlike yellow
)

// Paint returns text in a colour, if output has colours.
func (a *Terminal) Paint(colour, s string) string {
	if !a.Colour || colour == "" || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// Verdict returns the word for a decision in its colour, padded to the longest word.
func (a *Terminal) Verdict(d robotstxt.Decision) string {
	return a.Paint(ColourOf(d), layout.Pad(report.VerdictOf(d), VerdictWidth))
}

// ColourOf returns the colour of a verdict.
func ColourOf(d robotstxt.Decision) string {
	if exit.Of(d) == exit.Undetermined {
		return Magenta
	}
	return GreenIf(d.Allowed)
}

// GreenIf returns green if allows is true, and otherwise red.
func GreenIf(allows bool) string {
	if allows {
		return Green
	}
	return Red
}

// VerdictWidth is the width of the longest verdict.
const VerdictWidth = len("unreachable")

// Counted counts lines of one kind: those with the same remark, or those with the same record.
type Counted struct {
	Name  string // of the remark or the record
	About string // what the record means
	Lines int
	spans []span // at most maxSpans+1
}

// A span is consecutive lines, by the numbers of the first and the last.
type span struct{ first, last int }

func (s span) String() string {
	if s.first == s.last {
		return strconv.Itoa(s.first)
	}
	return fmt.Sprintf("%d–%d", s.first, s.last)
}

// maxSpans limits how many spans are printed for one kind.
const maxSpans = 5

// Count counts a line in the element of all that has the same Name as the parameter one. If there is no such element, it
// first appends one. It returns all.
func Count(all []Counted, one Counted, line int) []Counted {
	i := slices.IndexFunc(all, func(c Counted) bool { return c.Name == one.Name })
	if i < 0 {
		i = len(all)
		all = append(all, one)
	}
	c := &all[i]
	switch n := len(c.spans); {
	case n > 0 && c.spans[n-1].last == line:
		return all // the second remark of this kind on one line
	case n > 0 && c.spans[n-1].last == line-1:
		c.spans[n-1].last = line
	case n <= maxSpans: // Where prints "…" for the last of maxSpans+1 spans
		c.spans = append(c.spans, span{line, line})
	}
	c.Lines++
	return all
}

// Where returns the numbers of the lines, such as "lines 2–4, 9".
func (c Counted) Where() string {
	var numbers []string
	for i, s := range c.spans {
		if i == maxSpans {
			numbers = append(numbers, "…")
			break
		}
		numbers = append(numbers, s.String())
	}
	if c.Lines == 1 {
		return "line " + numbers[0]
	}
	return "lines " + strings.Join(numbers, ", ")
}
