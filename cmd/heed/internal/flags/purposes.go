package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/usage"
)

// Purposes has the values of the flags about purposes of use, such as training an AI model with a page.
type Purposes struct {
	asked.Purposes
	Unknown exit.Unknown
}

func (p *Purposes) Flags(c *cobra.Command) { p.flags(c, "for the exit status", unknownChoices) }

// ListFlags is for commands that print only some lines. Few sites state a preference, so an unknown preference counts as
// allowed by default.
func (p *Purposes) ListFlags(c *cobra.Command) {
	p.flags(c, "for --allowed and --disallowed", unknownChoices[exit.UnknownAllows:])
}

func (p *Purposes) flags(c *cobra.Command, unknownMatters string, choices []string) {
	var purposes, profiles []string
	for _, purpose := range usage.Purposes() {
		purposes = append(purposes, purpose.String())
	}
	for _, profile := range usage.Profiles() {
		profiles = append(profiles, profile.Name)
	}
	c.Flags().String("for", "", "also answer whether a page may be used for each `PURPOSE`: "+strings.Join(purposes, ", ")+"; separate several with commas")
	Complete(c, "for", purposes)
	var given []string
	CheckFlag(c, "for", func(value string) (err error) {
		given = append(given, value)
		if p.For, err = usage.ParsePurposes(strings.Join(given, ",")); err != nil {
			err = fmt.Errorf("--for: %w", err)
		}
		return err
	})
	c.Flags().String("profile", profiles[0], "which statements about the use of a page --for reads: "+strings.Join(profiles, ", "))
	Complete(c, "profile", profiles)
	CheckFlag(c, "profile", func(name string) (err error) {
		if p.Profile.Profile, err = usage.ProfileNamed(name); err != nil {
			return OneOf("profile", name, profiles...)
		}
		return nil
	})
	c.Flags().String("unknown", choices[0], "what an unknown preference means "+unknownMatters+": "+strings.Join(choices, ", "))
	Complete(c, "unknown", choices)
	CheckFlag(c, "unknown", func(value string) error {
		p.Unknown = exit.Unknown(max(0, slices.Index(unknownChoices, value)))
		return OneOf("unknown", value, choices...)
	})
}

// The index is an exit.Unknown.
var unknownChoices = []string{"fail", "allow", "disallow"}

func (p *Purposes) Check(c *cobra.Command) error {
	for _, name := range []string{"profile", "unknown"} {
		if !p.IsAsked() && c.Flags().Changed(name) {
			return fmt.Errorf("--%s can only be used together with --for: add --for PURPOSE, or leave --%[1]s out", name)
		}
	}
	return nil
}

func (p *Purposes) IsAsked() bool { return len(p.For) > 0 }
