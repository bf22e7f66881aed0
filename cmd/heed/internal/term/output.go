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

// Fit returns a text in a form that fits a terminal. If a text, such as a URL, is wider than room cells, "…" replaces
// its middle. If the output is not a terminal, Fit returns the whole text.
func (a *Terminal) Fit(s string, room int) string {
	if !a.Tty {
		return s
	}
	return layout.Middle(s, room)
}

// Wrapped breaks a text into lines between words. If a word is longer than a line of the terminal, such as a URL, "…"
// replaces its middle.
func (a *Terminal) Wrapped(text string, width, indent int) string {
	if a.Tty {
		return layout.WrapShort(text, width, indent, a.Width-indent)
	}
	return layout.Wrap(text, width, indent)
}

// Wrap prints a text, broken into lines between words. The first line begins with indent spaces, and all other lines
// begin with below spaces.
func (a *Terminal) Wrap(indent, below int, text string) {
	fmt.Fprintf(a.Out, "%*s%s\n", indent, "", a.Wrapped(text, max(a.TextWidth(), indent+MinTextWidth), below))
}

// Painted prints a text in a colour, broken into lines between words. Each line has its own escape sequences.
func (a *Terminal) Painted(colour, text string, indent int) {
	for line := range strings.SplitSeq(a.Wrapped(text, a.TextWidth(), indent), "\n") {
		fmt.Fprintf(a.Out, "%*s%s\n", indent, "", a.Paint(colour, strings.TrimLeft(line, " ")))
	}
}

// Heading prints an empty line and the title of a section.
func (a *Terminal) Heading(s string) {
	fmt.Fprintln(a.Out)
	a.Painted(Bold, s, 0)
}

// SettleColour decides whether the output has colours. choice is the value of --color. The values "always" and
// "never" decide. Otherwise the environment variables NO_COLOR and CLICOLOR_FORCE decide. If none of them is set, the
// output has colours if it is a terminal.
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

// The colours of a terminal (ECMA-48). These colours can be read on a light and on a dark background, because the
// terminal chooses their shades.
const (
	Bold      = "1"
	Faint     = "2"
	Underline = "4"
	Red       = "31"
	Green     = "32"
	Magenta   = "35" // this colour can be read on black and on white, unlike yellow
)

// Paint returns the text in a colour. If the output has no colours, it returns the text unchanged.
func (a *Terminal) Paint(colour, s string) string {
	if !a.Colour || colour == "" || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// Verdict returns the word for a decision in its colour. Spaces make it as wide as the longest verdict.
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

// GreenIf returns green if allows is true. Otherwise it returns red.
func GreenIf(allows bool) string {
	if allows {
		return Green
	}
	return Red
}

// VerdictWidth is the width of the longest verdict.
const VerdictWidth = len("unreachable")

// Counted counts lines that have something in common: the same remark, or the same record name.
type Counted struct {
	Name  string // the remark, the name of the record, or the code of the finding
	About string // what the record means
	Lines int
	spans []span // intervals of line numbers, at most maxSpans+1 of them
}

// A span is a range of line numbers.
type span struct{ first, last int }

func (s span) String() string {
	if s.first == s.last {
		return strconv.Itoa(s.first)
	}
	return fmt.Sprintf("%d–%d", s.first, s.last)
}

// maxSpans is how many ranges of lines are printed for one Counted.
const maxSpans = 5

// Count adds a line to the element of the list all whose Name is one.Name. If there is no such element, Count appends
// one to the list. It returns the list.
func Count(all []Counted, one Counted, line int) []Counted {
	i := slices.IndexFunc(all, func(c Counted) bool { return c.Name == one.Name })
	if i < 0 {
		i = len(all)
		all = append(all, one)
	}
	c := &all[i]
	switch n := len(c.spans); {
	case n > 0 && c.spans[n-1].last == line:
		return all // this line already has a remark of this kind
	case n > 0 && c.spans[n-1].last == line-1:
		c.spans[n-1].last = line
	case n <= maxSpans: // if there are maxSpans+1 spans, Where prints "…" for the last one
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
