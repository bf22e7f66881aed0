package report

import (
	"fmt"

	"github.com/heed-robots/heed/robotstxt"
)

// Verdict is the word for whether a URL is allowed.
func Verdict(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "disallowed"
}

// VerdictOf is the word for a decision. A site whose robots.txt is unreachable has one of
// its own: it is disallowed for now, and not by its owner.
func VerdictOf(d robotstxt.Decision) string {
	if !d.Allowed && (d.Reason == robotstxt.Unreachable || d.Reason == robotstxt.Undecided) {
		return "unreachable"
	}
	return Verdict(d.Allowed)
}

// Counted returns "1 rule", "2 rules".
func Counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
