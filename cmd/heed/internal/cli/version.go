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
		Short:   "Show the version of heed",
		Example: `  heed version`,
		Args:    noArguments,
		Run:     func(*cobra.Command, []string) { fmt.Fprintf(a.out, "heed %s\n", versionText()) },
	}
}

// versionText returns the version, with the Go release and the platform of the build.
func versionText() string {
	return fmt.Sprintf("%s (%s %s/%s)", build.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
