package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// Purposes are the flags that ask what a page may be used for.
type Purposes struct {
	Asked   []usage.Purpose // none: it is not asked
	Profile *usage.Profile
	unknown string
}

// Flags adds --for, --profile and --unknown, for a command with an exit status about its answers.
func (p *Purposes) Flags(c *cobra.Command) {
	p.flags(c, "for the exit status", unknownFails, unknownAllows, unknownDisallows)
}

// ListFlags is Flags for a command that keeps some lines of a list. A preference is rarely known, so lines are kept without one.
func (p *Purposes) ListFlags(c *cobra.Command) {
	p.flags(c, "for --allowed and --disallowed", unknownAllows, unknownDisallows)
}

func (p *Purposes) flags(c *cobra.Command, unknownMatters string, unknownChoices ...string) {
	var purposes, profiles []string
	for _, purpose := range usage.Purposes() {
		purposes = append(purposes, purpose.String())
	}
	for _, profile := range usage.Profiles() {
		profiles = append(profiles, profile.Name)
	}
	p.Profile = usage.Profiles()[0]
	c.Flags().String("for", "", "also answer what a page may be used for, as `PURPOSE,…`: "+strings.Join(purposes, ", "))
	Complete(c, "for", purposes)
	CheckFlag(c, "for", func(value string) (err error) {
		if p.Asked, err = usage.ParsePurposes(value); err != nil {
			err = fmt.Errorf("--for: %w", err)
		}
		return err
	})
	c.Flags().String("profile", profiles[0], "whose statements count with --for: "+strings.Join(profiles, ", "))
	Complete(c, "profile", profiles)
	CheckFlag(c, "profile", func(name string) (err error) {
		if p.Profile, err = usage.ProfileNamed(name); err != nil {
			return OneOf("profile", name, profiles...)
		}
		return nil
	})
	c.Flags().StringVar(&p.unknown, "unknown", unknownChoices[0], "what an unknown preference means "+unknownMatters+": "+strings.Join(unknownChoices, ", "))
	Choose(c, "unknown", unknownChoices)
}

// What --unknown takes.
const (
	unknownFails     = "fail"
	unknownAllows    = "allow"
	unknownDisallows = "disallow"
)

// UnknownDisallows reports whether --unknown takes an unknown preference for one that disallows.
func (p *Purposes) UnknownDisallows() bool { return p.unknown == unknownDisallows }

// Check returns an error if a flag is given that needs --for.
func (p *Purposes) Check(c *cobra.Command) error {
	for _, name := range []string{"profile", "unknown"} {
		if len(p.Asked) == 0 && c.Flags().Changed(name) {
			return fmt.Errorf("--%s says how preferences are read, and none is asked for: add --for PURPOSE, or leave it out", name)
		}
	}
	return nil
}

// Status returns the exit status of a decision with the preferences of the purposes that were asked for.
func (p *Purposes) Status(d robotstxt.Decision, answer usage.Answer) int {
	status := exit.Of(d)
	if !d.Allowed {
		return status
	}
	for _, purpose := range p.Asked {
		switch preference := answer[purpose]; {
		case preference == usage.Disallowed, preference == usage.Unknown && p.UnknownDisallows():
			status = exit.Worse(status, exit.Disallowed)
		case preference == usage.Unknown && p.unknown == unknownFails:
			status = exit.Worse(status, exit.Undetermined)
		}
	}
	return status
}
