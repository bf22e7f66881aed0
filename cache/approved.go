package cache

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/origin"
)

// A NotApprovedError says that a crawl was approved for other robots.txt files than that of a site.
type NotApprovedError struct {
	Origin origin.Origin
	SHA256 string // as Site.SHA256 has it
}

// Error names the robots.txt of now.
func (e *NotApprovedError) Error() string {
	now := "it uses none now"
	if e.SHA256 != "" {
		now = "its robots.txt now has the SHA-256 " + e.SHA256
	}
	return fmt.Sprintf("the robots.txt of %s is not the approved one: %s", e.Origin, now)
}

// CheckApproved returns a *NotApprovedError if the SHA-256 of the robots.txt is not in a list of those that a crawl was approved
// for; "" in the list approves sites without one. A nil list approves all.
func (s *Site) CheckApproved(approved []string) error {
	if approved == nil || slices.ContainsFunc(approved, func(sum string) bool { return strings.EqualFold(sum, s.SHA256()) }) {
		return nil
	}
	return &NotApprovedError{s.Origin().Clone(), s.SHA256()}
}
