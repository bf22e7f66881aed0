package term

import (
	"fmt"
	"os"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
)

// Fit returns a text that comes from a remote site. If the output is a terminal and the
// text is wider than room, fit cuts its middle out.
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

// The colours of a terminal (ECMA-48). They are of its own palette, so they can be read on a
// light and on a dark background.
const (
	Bold      = "1"
	Faint     = "2"
	Underline = "4"
	Red       = "31"
	Green     = "32"
	Yellow    = "33"
)

// Paint returns text in a colour, if output has colours.
func (a *Terminal) Paint(colour, s string) string {
	if !a.Colour || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}
