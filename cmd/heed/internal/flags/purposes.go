package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// Purposes are the flags that ask what a page may be used for.
type Purposes struct {
	Asked   []usage.Purpose // none: it is not asked
	Profile *usage.Profile  // nil: all carriers
	unknown string
}

// Flags adds --for, --profile and --unknown.
func (p *Purposes) Flags(c *cobra.Command) {
	var purposes, profiles []string
	for _, purpose := range usage.Purposes() {
		purposes = append(purposes, purpose.String())
	}
	for _, profile := range usage.Profiles() {
		profiles = append(profiles, profile.Name)
	}
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
	c.Flags().StringVar(&p.unknown, "unknown", unknownFails, "what an unknown preference means for the exit status: "+strings.Join(unknownChoices, ", "))
	Choose(c, "unknown", unknownChoices)
}

// What --unknown takes.
const unknownFails = "fail"

var unknownChoices = []string{unknownFails, "allow", "disallow"}

// Check returns an error if a flag is given that needs --for.
func (p *Purposes) Check(c *cobra.Command) error {
	for _, name := range []string{"profile", "unknown"} {
		if len(p.Asked) == 0 && c.Flags().Changed(name) {
			return fmt.Errorf("--%s says how preferences are read, and none is asked for: add --for PURPOSE, or leave it out", name)
		}
	}
	return nil
}

// IsAsked reports whether --for is given.
func (p *Purposes) IsAsked() bool { return len(p.Asked) > 0 }

// Options returns what --profile says.
func (p *Purposes) Options() usage.Options { return usage.Options{Profile: p.Profile} }

// Explain returns what a page may be used for, after the decision whether it may be crawled; nil without --for.
func (p *Purposes) Explain(policy *usage.Policy, target string, d robotstxt.Decision) report.Preferences {
	if !p.IsAsked() {
		return nil
	}
	return policy.With(p.Options()).Explain(target, d.Allowed, nil, p.Asked...)
}

// Status returns the exit status of a decision, and of what a page may be used for.
func (p *Purposes) Status(d robotstxt.Decision, uses report.Preferences) int {
	status := exit.Of(d)
	if !d.Allowed {
		return status
	}
	for _, v := range uses {
		switch {
		case v.Preference == usage.Disallowed, v.Preference == usage.Unknown && p.unknown == "disallow":
			status = exit.Worse(status, exit.Disallowed)
		case v.Preference == usage.Unknown && p.unknown == unknownFails:
			status = exit.Worse(status, exit.Undetermined)
		}
	}
	return status
}
