// Package sieve says which URLs of a list are compared. It is apart from package flips, since that must be small as WebAssembly.
package sieve

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Sieve says which URLs of a list are compared, and counts the others.
type Sieve struct {
	Of       origin.Origin // zero: URLs of all sites are compared
	Others   int64         // URLs of other sites
	Rejected int64         // texts that are no URL
	Samples  []string      // of why these are not compared

	last origin.Origin // of the last URL
}

// Keeps reports whether a URL or a path is compared.
func (s *Sieve) Keeps(url string) bool {
	switch {
	case strings.HasPrefix(url, "/"):
		return true
	case s.last.IsZero() || !s.last.Begins(url):
		of, err := origin.Parse(url)
		if err != nil {
			return s.keepsPath(url, err)
		}
		s.last = of.Clone()
	}
	if !s.Of.IsZero() && s.last != s.Of {
		s.Others++
		return false
	}
	return true
}

// keepsPath reports whether a URL without an origin is compared: two files of no site decide about its path, as heed check does.
func (s *Sieve) keepsPath(url string, err error) bool {
	if s.Of.IsZero() && nobody.Check(url).Reason != robotstxt.InvalidTarget {
		return true
	}
	s.Reject(fmt.Errorf("%s: %w", printable.Quote(url), err))
	return false
}

// nobody has no rules: it only says which URLs can be compared.
var nobody = robotstxt.ParseString("", nil).Agent()

// Reject counts what is no URL, and keeps the first errors.
func (s *Sieve) Reject(err error) {
	const most = 5
	if s.Rejected++; len(s.Samples) < most {
		s.Samples = append(s.Samples, err.Error())
	}
}
