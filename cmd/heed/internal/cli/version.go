package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/internal/build"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Say which version of heed this is",
		Example: `  heed version`,
		Args:    noArguments,
		Run:     func(*cobra.Command, []string) { fmt.Fprintf(a.out, "heed %s\n", versionText()) },
	}
}

// versionText is the version, and what it was built with and for.
func versionText() string {
	return fmt.Sprintf("%s (%s %s/%s)", build.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
