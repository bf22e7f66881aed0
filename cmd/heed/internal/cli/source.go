package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A source is the argument SITE|FILE of a command: a robots.txt from a live site or from a
// file.
type source struct {
	*app
	live liveSites

	name string // as output shows it: a path, "-", or a URL
	file *robotstxt.File
	site *cache.Answer // for no crawler in particular; nil: the robots.txt comes from a file

	result    *fetch.Result // of a site; nil: nothing is cached, or it is a file
	truncated bool          // the site's robots.txt is longer than what was retrieved
}

// sourceHelp explains SITE|FILE in the help of commands.
const sourceHelp = `SITE is a URL, or a host such as www.example.com, which is read as
https://www.example.com/. heed retrieves its robots.txt, or uses the cached one if
that is fresh (see heed help check). FILE is the path of a file, "-" for standard
input, or git:REV:PATH for a file in a Git repository. If a name can be a host and
a file of that name exists, heed reads the file.`

func (s *source) flags(c *cobra.Command) {
	s.live.app = s.app
	s.live.flags(c)
	c.ValidArgsFunction = completeSources
}

// oneSource returns an error unless a command has one argument SITE|FILE.
func oneSource(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New(`expected one site, such as https://www.example.com/, or one file; "-" is standard input`)
	}
	return nil
}

// read reads and parses the robots.txt of an argument.
func (s *source) read(arg string, d *robotstxt.Dialect) error {
	if s.isSite(arg) {
		return s.readSite(arg, d)
	}
	if flag := s.live.changedFlag(); flag != "" {
		return fmt.Errorf("--%s is for sites, and %s is a file: leave the flag out", flag, arg)
	}
	body, err := s.readRobots(arg)
	s.name, s.file = arg, robotstxt.Parse(body, d)
	return err
}

// readSite reads the robots.txt of a site.
func (s *source) readSite(given string, d *robotstxt.Dialect) error {
	return s.live.visit(given, d, s.setSite)
}

// setSite sets the fields from the site of an origin.
func (s *source) setSite(ctx context.Context, o origin.Origin) error {
	site, err := s.live.site(ctx, o)
	if err != nil {
		return err
	}
	answer, err := site.Check([]string{"*"}, "/")
	if err != nil {
		return err
	}
	answer.CrawlDelay = 0 // a crawler may have another delay than "*"
	if answer.Outcome == fetch.Unreachable {
		s.raise(exitUndetermined)
	}
	s.name, s.file, s.site = answer.Origin.RobotsURL(), site.File(), &answer
	s.result = site.Result()
	s.truncated = s.result != nil && s.result.Truncated
	return nil
}

// sitesAmong returns which arguments are sites. If none is, flags for sites are an error, unless
// something else needs them.
func (l *liveSites) sitesAmong(args []string, needed bool) (sites []string, err error) {
	for _, arg := range args {
		if l.isSite(arg) {
			sites = append(sites, arg)
		}
	}
	if flag := l.changedFlag(); flag != "" && len(sites) == 0 && !needed {
		err = fmt.Errorf("--%s is for sites, and no site is given: leave the flag out", flag)
	}
	return sites, err
}

// isSite reports whether an argument is a site, and not a file. If a name can be a host and a
// file of that name exists, the argument is the file, and isSite prints a notice.
func (a *app) isSite(arg string) bool {
	switch {
	case isGit(arg):
		return false
	case isURL(arg):
		return true
	case !origin.IsHost(arg) || strings.HasPrefix(arg, ".") || strings.HasSuffix(arg, ".txt"):
		return false
	}
	_, err := os.Stat(arg)
	if err == nil {
		a.notice(fmt.Sprintf("note: heed reads the file %s; for the site give https://%s", arg, arg))
	}
	return err != nil
}
