package sites

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/internal/ascii"
)

const approveFlag = "approve"

// With this value, --approve approves that a site has no robots.txt.
const noRobots = "none"

func (l *Live) ApproveFlag(c *cobra.Command) {
	c.Flags().StringArray(approveFlag, nil, "`SHA256` of a robots.txt that was approved, or \""+noRobots+"\" to approve sites without a robots.txt; for a site with another robots.txt, the answer is an error; may be repeated")
	flags.CheckFlag(c, approveFlag, func(given string) error {
		switch {
		case given == noRobots:
			l.Approved = append(l.Approved, "")
		case ascii.IsSHA256(given):
			l.Approved = append(l.Approved, given)
		default:
			return fmt.Errorf(`--approve %q: expected the SHA-256 of a robots.txt in 64 hexadecimal digits, as "heed fetch" shows it, or %q for a site without a robots.txt`, given, noRobots)
		}
		return nil
	})
}
