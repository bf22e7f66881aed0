// Package sieve chooses the URLs that package flips compares. It is a separate package, so that package flips stays small
// for WebAssembly.
package sieve

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

type Sieve struct {
	Site     origin.Origin // only URLs of this site are compared; zero: URLs of all sites are compared
	Others   int64         // the number of URLs of other sites
	Rejected int64         // the number of texts that are not a URL
	Samples  []string      // the first errors of texts that were rejected

	Sites map[origin.Origin]bool // the sites of the URLs that are compared; at most MaxSites

	Name string // if not "", the input that has the next text
	Line int    // the line of this text

	last origin.Origin // saves parsing the same origin again for each URL
}

// MaxSites limits the memory for a list with URLs of many sites.
const MaxSites = 1000

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
		s.addSite(s.last)
	}
	if !s.Site.IsZero() && s.last != s.Site {
		s.Others++
		return false
	}
	return true
}

func (s *Sieve) addSite(o origin.Origin) {
	if s.Sites == nil {
		s.Sites = map[origin.Origin]bool{}
	}
	if len(s.Sites) < MaxSites && (s.Site.IsZero() || s.Site == o) {
		s.Sites[o] = true
	}
}

// keepsPath reports whether a text that is no absolute URL is compared as a path. If not, it counts err.
func (s *Sieve) keepsPath(url string, err error) bool {
	if s.Site.IsZero() && nobody.Check(url).Reason != robotstxt.InvalidTarget {
		return true
	}
	if s.Name != "" {
		err = fmt.Errorf("%s, line %d: %w", s.Name, s.Line, err)
	}
	s.Reject(err)
	return false
}

// nobody is a policy without rules. Its decision about a text says only whether the text is a URL.
var nobody = robotstxt.ParseString("", nil).Agent()

// Reject counts a text that is not a URL, and keeps the first errors.
func (s *Sieve) Reject(err error) {
	const most = 5
	if s.Rejected++; len(s.Samples) < most {
		s.Samples = append(s.Samples, err.Error())
	}
}
