// Package exit has the exit statuses of heed. The exit status does not depend on the output format.
package exit

import (
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

const (
	Allowed      = 0 // every URL is allowed, or every case passed
	Disallowed   = 1 // a URL is disallowed, a case failed, or heed lint has a finding
	Usage        = 2 // the command line or an input is wrong
	Undetermined = 3 // heed could not find out whether a URL is allowed
)

// severity orders the exit statuses. A run ends with the most severe status.
var severity = [...]int{Allowed: 0, Disallowed: 1, Undetermined: 2, Usage: 3}

func Worse(a, b int) int {
	if severity[b] > severity[a] {
		return b
	}
	return a
}

func ForDecision(d robotstxt.Decision) int {
	switch {
	case d.Reason == robotstxt.InvalidTarget || d.Reason == robotstxt.InvalidAgent:
		return Usage
	case d.Reason == robotstxt.Unreachable || d.Reason == robotstxt.Undecided || d.Reason == robotstxt.OtherOrigin:
		return Undetermined
	case !d.Allowed:
		return Disallowed
	}
	return Allowed
}

// Unknown says what the exit status is for a page with an unknown preference. The zero value is UnknownFails.
type Unknown uint8

const (
	UnknownFails     Unknown = iota // an unknown preference has the exit status Undetermined
	UnknownAllows                   // an unknown preference has the exit status of an allowed use
	UnknownDisallows                // an unknown preference has the exit status of a disallowed use
)

// OfUses returns the exit status for a page and the preferences about its use.
func OfUses(d robotstxt.Decision, uses []usage.Verdict, unknown Unknown) int {
	status := ForDecision(d)
	if !d.Allowed {
		return status
	}
	for _, v := range uses {
		switch {
		case v.Preference == usage.Disallowed, v.Preference == usage.Unknown && unknown == UnknownDisallows:
			status = Worse(status, Disallowed)
		case v.Preference == usage.Unknown && unknown == UnknownFails:
			status = Worse(status, Undetermined)
		}
	}
	return status
}
