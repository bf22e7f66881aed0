package cli

import (
	"bufio"
	"io"

	"github.com/spf13/cobra"
)

// Command returns heed with all its commands, to write manuals and completions from.
// Run is what runs it.
func Command() *cobra.Command {
	a := &app{out: bufio.NewWriter(io.Discard), err: io.Discard, width: 80, name: "heed"}
	return a.command()
}
