// Command svg reads the text of a terminal from its standard input and draws it as SVG:
//
//	tmux capture-pane -e -p | go run ./internal/screenshot/svg [auto|light|dark [COLUMNS]]
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/heed-robots/heed/internal/screenshot"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "svg:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	theme, columns := screenshot.Auto, 0
	var err error
	if len(args) > 0 {
		if theme, err = screenshot.ThemeNamed(args[0]); err != nil {
			return err
		}
	}
	if len(args) > 1 {
		if columns, err = strconv.Atoi(args[1]); err != nil {
			return err
		}
	}
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	_, err = fmt.Print(screenshot.SVG(string(text), columns, theme))
	return err
}
