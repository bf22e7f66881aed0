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
	"github.com/heed-robots/heed/usage"
)

// On a terminal, Fit shortens a text to the number of cells in room.
func (a *Terminal) Fit(s string, room int) string {
	if !a.Tty {
		return s
	}
	return layout.Middle(s, room)
}

// On a terminal, WrapText also shortens words that are longer than a line.
func (a *Terminal) WrapText(text string, width, indent int) string {
	if a.Tty {
		return layout.WrapShort(text, width, indent, a.Width-indent)
	}
	return layout.Wrap(text, width, indent)
}

// Fold breaks a text into lines only on a terminal. In other output, a text stays on one line, so that grep can find it.
func (a *Terminal) Fold(text string, indent int) string {
	if !a.Tty {
		return text
	}
	return a.WrapText(text, a.TextWidth(), indent)
}

// PrintWrapped breaks a text into lines. The first line has indent spaces at its start, all others have hangingIndent.
func (a *Terminal) PrintWrapped(indent, hangingIndent int, text string) {
	fmt.Fprintf(a.Out, "%*s%s\n", indent, "", a.WrapText(text, max(a.TextWidth(), indent+MinTextWidth), hangingIndent))
}

func (a *Terminal) PrintPainted(colour, text string, indent int) {
	for line := range strings.SplitSeq(a.WrapText(text, a.TextWidth(), indent), "\n") {
		fmt.Fprintf(a.Out, "%*s%s\n", indent, "", a.Paint(colour, strings.TrimLeft(line, " ")))
	}
}

func (a *Terminal) PrintHeading(s string) {
	fmt.Fprintln(a.Out)
	a.PrintPainted(Bold, s, 0)
}

// If choice is "auto", the variables NO_COLOR and CLICOLOR_FORCE and the terminal decide about colours.
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

// The colours of a terminal (ECMA-48). The terminal chooses shades that can be read on its background.
const (
	Bold      = "1"
	Faint     = "2"
	Underline = "4"
	Red       = "31"
	Green     = "32"
	Magenta   = "35" // this colour can be read on black and on white, unlike yellow
)

func (a *Terminal) Paint(colour, s string) string {
	if !a.Colour || colour == "" || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

func (a *Terminal) Verdict(d robotstxt.Decision) string {
	return a.Paint(ColourOf(d), layout.Pad(report.VerdictOf(d), VerdictWidth))
}

func ColourOf(d robotstxt.Decision) string {
	if exit.ForDecision(d) == exit.Undetermined {
		return Magenta
	}
	return GreenIf(d.Allowed)
}

func GreenIf(allows bool) string {
	if allows {
		return Green
	}
	return Red
}

// PreferenceColours are the colours of preferences about the use of content, by their names.
var PreferenceColours = map[string]string{
	usage.Allowed.String(): Green, usage.Disallowed.String(): Red, usage.Unknown.String(): Magenta, usage.NotCrawlable.String(): Faint,
}

const VerdictWidth = len("unreachable")

// LineCount counts lines with the same remark, record name or code of a finding.
type LineCount struct {
	Name  string // what the lines have in common
	About string // what a record means
	Lines int
	spans []span // intervals of line numbers, at most maxSpans+1
}

type span struct{ first, last int }

func (s span) String() string {
	if s.first == s.last {
		return strconv.Itoa(s.first)
	}
	return fmt.Sprintf("%d–%d", s.first, s.last)
}

const maxSpans = 5

// CountLine adds a line to the element of the list that has the same Name as the parameter kind. If there is no such element,
// CountLine first appends kind to the list.
func CountLine(list []LineCount, kind LineCount, line int) []LineCount {
	i := slices.IndexFunc(list, func(c LineCount) bool { return c.Name == kind.Name })
	if i < 0 {
		i = len(list)
		list = append(list, kind)
	}
	c := &list[i]
	switch n := len(c.spans); {
	case n > 0 && c.spans[n-1].last == line:
		return list // this line already has a remark of this kind
	case n > 0 && c.spans[n-1].last == line-1:
		c.spans[n-1].last = line
	case n <= maxSpans: // if there are maxSpans+1 spans, LineNumbers prints "…" for the last one
		c.spans = append(c.spans, span{line, line})
	}
	c.Lines++
	return list
}

// LineNumbers returns a text such as "lines 2–4, 9".
func (c LineCount) LineNumbers() string {
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
