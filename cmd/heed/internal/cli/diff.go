package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/compare"
)

// diff is one run of "heed diff".
type diff struct {
	inputs
	dialectName string
	old, new    input
	result      compare.FilesResult
}

func (a *app) diffCommand() *cobra.Command {
	o := &diff{inputs: inputs{app: a}}
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show what a change of a robots.txt means, with URLs that prove it",
		Long: `Compare two robots.txt files, for each crawler that one of them names and for
everyone else. heed proves that every URL has the same verdict in both files, or
shows URLs that have not.

Each of OLD and NEW ` + inputsHelp + `

Exit status: 0 proved equal, 1 the files differ, 2 wrong usage or input, 3 not
decided, because the comparison takes too much work.`,
		Example: `  heed diff old.txt new.txt
  heed diff git:HEAD:robots.txt robots.txt
  heed diff robots.txt https://www.example.com/`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("expected two files or sites, the old one and the new one")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0], args[1]) },
	}
	dialectFlag(c, &o.dialectName, "dialect to read the files in (default rfc9309)")
	o.flags(c)
	return c
}

func (o *diff) run(old, new string) error {
	d, err := dialectNamed(o.dialectName)
	if err != nil {
		return err
	}
	files, err := o.readInputs(d, old, new)
	if err != nil {
		return err
	}
	o.old, o.new = files[0], files[1]
	o.result = compare.Files(o.old.file, o.new.file)
	fmt.Fprintln(o.out, o.result.Outcome)
	o.raise(comparedStatus[o.result.Outcome])
	return nil
}

// comparedStatus has the exit status of each outcome of a comparison.
var comparedStatus = map[compare.Outcome]int{
	compare.Equal: exitAllowed, compare.Differs: exitDisallowed, compare.Undecided: exitUndetermined,
}
