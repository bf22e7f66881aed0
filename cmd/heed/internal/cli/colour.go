package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// colourChoices are the values of --color.
var colourChoices = []string{"auto", "always", "never"}

func colourFlag(root *cobra.Command, value *string) {
	root.PersistentFlags().StringVar(value, "color", colourChoices[0], "use colours: "+strings.Join(colourChoices, ", "))
	choose(root, "color", colourChoices)
}

// settleColour sets whether output has colours. The first of these that is set decides: the
// flag --color (always or never), NO_COLOR, CLICOLOR_FORCE. Otherwise a terminal has colours.
func (a *app) settleColour(choice string) {
	force := os.Getenv("CLICOLOR_FORCE")
	switch {
	case choice != "auto":
		a.colour = choice == "always"
	case os.Getenv("NO_COLOR") != "":
		a.colour = false
	case force != "" && force != "0":
		a.colour = true
	default:
		a.colour = a.tty && os.Getenv("TERM") != "dumb"
	}
}

// The colours of a terminal (ECMA-48). They are of its own palette, so they can be read on a
// light and on a dark background.
const (
	bold      = "1"
	faint     = "2"
	underline = "4"
	red       = "31"
	green     = "32"
	yellow    = "33"
)

// paint returns text in a colour, if output has colours.
func (a *app) paint(colour, s string) string {
	if !a.colour || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}
