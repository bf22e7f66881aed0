package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
)

func completions(c *cobra.Command) {
	for _, below := range c.Commands() {
		completions(below)
	}
	if c.ValidArgsFunction == nil && strings.Contains(c.Use, "URL") {
		c.ValidArgsFunction = sites.CompleteOrigins
	}
	if _, has := c.GetFlagCompletionFunc("agent"); !has && c.Flags().Lookup("agent") != nil {
		flags.CompleteBy(c, "agent", sites.CompleteCrawlers)
	}
}
