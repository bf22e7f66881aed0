package cache

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/origin"
)

// A NotApprovedError is the error of CheckApproved for a site whose robots.txt is not in the approved list.
type NotApprovedError struct {
	Origin origin.Origin
	// SHA256 identifies the robots.txt that is used now, as Site.SHA256 does; "" if no robots.txt is used.
	SHA256 string
}

func (e *NotApprovedError) Error() string {
	now := "no robots.txt is used for the site now"
	if e.SHA256 != "" {
		now = "its SHA-256 is now " + e.SHA256
	}
	return fmt.Sprintf("the robots.txt of %s is not an approved one: %s", e.Origin, now)
}

// CheckApproved returns a *NotApprovedError if the SHA-256 of the robots.txt is not in approved. A "" in approved stands
// for a site without a robots.txt. A nil approved approves every site.
func (s *Site) CheckApproved(approved []string) error {
	if approved == nil || slices.ContainsFunc(approved, func(sum string) bool { return strings.EqualFold(sum, s.SHA256()) }) {
		return nil
	}
	return &NotApprovedError{s.Origin().Clone(), s.SHA256()}
}
