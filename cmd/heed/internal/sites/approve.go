package sites

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
)

const approveFlag = "approve"

// noRobots approves sites that use no robots.txt.
const noRobots = "none"

// ApproveFlag adds --approve.
func (l *Live) ApproveFlag(c *cobra.Command) {
	c.Flags().Var((*approvedValue)(&l.Approved), approveFlag, "`SHA256` of the robots.txt for which a crawl was approved, or \""+noRobots+"\" for a site without one: a URL of a site with another robots.txt gets an error; may be repeated")
}

// approvedValue is the value of --approve.
type approvedValue []string

func (v *approvedValue) String() string { return strings.Join(*v, ",") }
func (v *approvedValue) Type() string   { return "SHA256" }

func (v *approvedValue) Set(given string) error {
	sum := strings.ToLower(given)
	if octets, err := hex.DecodeString(sum); given == noRobots {
		sum = ""
	} else if err != nil || len(octets) != 32 {
		return flags.Refuse(fmt.Errorf("--approve %q: expected the 64 hexadecimal digits of a SHA-256, as heed fetch shows it, or %q", given, noRobots))
	}
	*v = append(*v, sum)
	return nil
}
