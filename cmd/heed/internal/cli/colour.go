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
	complete(root, "color", colourChoices)
}

// settleColour decides whether output has colours. The flag wins over NO_COLOR, that over
// CLICOLOR_FORCE, and that over what standard output is.
func (a *app) settleColour(choice string) error {
	switch choice {
	case "always", "never":
		a.colour = choice == "always"
	case "auto":
		force := os.Getenv("CLICOLOR_FORCE")
		switch {
		case os.Getenv("NO_COLOR") != "":
			a.colour = false
		case force != "" && force != "0":
			a.colour = true
		default:
			a.colour = a.tty && os.Getenv("TERM") != "dumb"
		}
	default:
		return oneOf("color", choice, colourChoices...)
	}
	return nil
}

// The colours of a terminal (ECMA-48). Only those of its own palette are used, which it
// shows well on light and on dark.
const (
	bold      = "1"
	faint     = "2"
	underline = "4"
	red       = "31"
	green     = "32"
	yellow    = "33"
)

// paint wraps text in a colour where standard output wants any.
func (a *app) paint(colour, s string) string {
	if !a.colour || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}
