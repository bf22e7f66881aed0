package report

import (
	"github.com/heed-robots/heed/robotstxt"
)

// Verdict returns "allowed" or "disallowed".
func Verdict(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "disallowed"
}

// VerdictOf returns "allowed", "disallowed", or "unreachable" if that is why the URL is not
// allowed: then it is not the owner of the site who disallows it.
func VerdictOf(d robotstxt.Decision) string {
	if !d.Allowed && (d.Reason == robotstxt.Unreachable || d.Reason == robotstxt.Undecided) {
		return "unreachable"
	}
	return Verdict(d.Allowed)
}
