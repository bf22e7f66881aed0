package cli

import (
	"bufio"
	"io"

	"github.com/spf13/cobra"
)

// Command returns the command heed with its subcommands, to generate man pages and
// completions. To run heed, use Run.
func Command() *cobra.Command {
	a := &app{out: bufio.NewWriter(io.Discard), err: io.Discard, width: 80, name: "heed"}
	return a.command()
}
