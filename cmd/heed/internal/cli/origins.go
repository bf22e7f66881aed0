package cli

import "github.com/spf13/cobra"

func completeOriginsAndFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}
