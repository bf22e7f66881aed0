package sites

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/internal/asked"
)

const approveFlag = "approve"

// noRobots is the value of --approve for sites without a robots.txt.
const noRobots = "none"

// ApproveFlag adds --approve.
func (l *Live) ApproveFlag(c *cobra.Command) {
	c.Flags().StringArray(approveFlag, nil, "`SHA256` of the robots.txt for which a crawl was approved, or \""+noRobots+"\" for a site without one: a URL of a site with another robots.txt gets an error; may be repeated")
	flags.CheckFlag(c, approveFlag, func(given string) error {
		switch {
		case given == noRobots:
			l.Approved = append(l.Approved, "")
		case asked.IsSHA256(given):
			l.Approved = append(l.Approved, given)
		default:
			return fmt.Errorf("--approve %q: expected the SHA-256 of a robots.txt in 64 hexadecimal digits, as heed fetch shows it, or %q for a site without a robots.txt", given, noRobots)
		}
		return nil
	})
}
