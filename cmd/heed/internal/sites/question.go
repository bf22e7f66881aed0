package sites

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/authority"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// Question has the flags that the commands check and explain share.
type Question struct {
	Fetches bool // the command fetches pages, whatever the value of --robots is

	Live
	Known          Known
	Agent          []string
	Robots, Format string
	RobotsDir      string // the folder that --robots names; if it is set, Robots is empty
	AgentOptional  bool   // -a may be missing, because each line of --input can name its crawler
	originURL      string

	Crawlers     [][]string
	Dialect      *robotstxt.Dialect
	Body         []byte
	RobotsSite   origin.Origin // the site that --robots names; zero if --robots is a file or missing
	own          origin.Origin // the value of --origin; zero if it is missing
	others       otherOrigins
	UnusedChains sync.Map // the indexes of crawlers for which fallback tokens would change answers; see SuggestChains
}

// IsLive reports whether each robots.txt comes from a live site, not from a file.
func (q *Question) IsLive() bool {
	return q.RobotsDir == "" && (q.Robots == "" || flags.IsURL(q.Robots))
}

func (q *Question) Flags(c *cobra.Command, formats ...string) {
	q.Known.CrawlerFlags(q.Term, c, &q.Agent)
	c.Flags().StringVar(&q.Robots, "robots", "", `robots.txt to use instead of the site's: a file, a folder with the file of each host, "-" for standard input, git:REV:PATH, or the URL of a site`)
	c.Flags().StringVar(&q.originURL, "origin", "", "site to which the file of --robots belongs; URLs of other sites get the answer other-origin")
	flags.DialectFlag(c, &q.Dialect, robotstxt.RFC9309, "dialect to read the file in")
	flags.FormatFlag(c, &q.Format, formats...)
	q.Live.Flags(c)
}

func (q *Question) Read() (err error) {
	if !q.AgentOptional || len(q.Agent) > 0 {
		if q.Crawlers, err = q.Known.ReadCrawlers(q.Agent, q.Dialect); err != nil {
			return err
		}
	}
	if err = q.readKind(); err == nil {
		err = q.readOrigins()
	}
	if err != nil {
		return err
	}
	flag := q.Live.ChangedFlag()
	switch {
	case q.IsLive() && q.Robots == "" && q.Live.Command.Flags().Changed("robots"):
		return errors.New(`--robots is empty; expected a file, a folder, git:REV:PATH, a URL, or "-" for standard input`)
	case q.IsLive():
		return q.Live.CheckFor(q.Crawlers)
	case flag != "" && !q.Fetches:
		return fmt.Errorf("--%s is for live sites, but with --robots FILE or DIR heed fetches nothing: leave one of the two flags out", flag)
	}
	if q.RobotsDir == "" {
		q.Body, err = ReadRobots(q.Term, q.Robots, q.Dialect)
	}
	return err
}

// If --robots has captures of many sites, such as a WARC file, readKind returns an error.
func (q *Question) readKind() error {
	switch kind, err := bulksource.KindOf(q.Robots); {
	case err != nil: // --robots is a robots.txt; if not, reading it reports the error
		return nil
	case kind != bulksource.Folder:
		return fmt.Errorf(`--robots %s has captures of many sites (%s), which "heed filter" reads: to check URLs with these captures, use "heed filter"`, q.Robots, kind)
	}
	q.RobotsDir, q.Robots = q.Robots, ""
	return nil
}

func (q *Question) readOrigins() (err error) {
	if flags.IsURL(q.Robots) {
		if q.RobotsSite, err = origin.Parse(q.Robots); err != nil {
			return fmt.Errorf("--robots: %w", WithoutURL(err))
		}
		if path := authority.After(q.Robots); path != "" && path != "/" && path != "/robots.txt" {
			return fmt.Errorf("--robots %q: the robots.txt of this site is %s; to use another file of the site, save it and give its path", q.Robots, q.RobotsSite.RobotsURL())
		}
	}
	if q.originURL == "" {
		return nil
	}
	if q.RobotsDir != "" {
		return errors.New("--origin says to which site the robots.txt of --robots belongs, but this --robots is a folder with one file for each site: leave --origin out")
	}
	if q.Robots == "" {
		return errors.New("--origin says to which site the robots.txt of --robots belongs, but --robots is missing: add --robots, or leave --origin out")
	}
	if q.own, err = OriginOf(q.Term, q.originURL); err != nil {
		return fmt.Errorf("--origin: %w", WithoutURL(err))
	}
	q.others.add(q.own)
	return nil
}

// OtherOrigin is the decision about a URL that belongs to another origin than the robots.txt.
var OtherOrigin = robotstxt.Decision{Reason: robotstxt.OtherOrigin}

// If --robots is given, the argument may be a path. Target returns a path unchanged, with a zero Origin.
func (q *Question) Target(given string) (url string, o origin.Origin, err error) {
	takesPaths := q.Robots != ""
	switch {
	case strings.HasPrefix(given, "/"):
		if takesPaths {
			return given, o, nil
		}
	case q.IsLive(): // the origin of the URL is needed
	case strings.HasPrefix(given, "https://") || flags.IsURL(given): // HasPrefix comes first because it is faster than IsURL
		return given, o, nil
	case q.Dialect == robotstxt.Google && !address.IsHost(given) && schemeOf(given) == "":
		return given, o, nil
	}
	return absoluteURL(q.Term, given, takesPaths)
}

// SiteOf returns the site that decides about a URL. If --robots names this site, target is the URL with the origin of
// the site.
func (q *Question) SiteOf(ctx context.Context, url string, o origin.Origin) (site *cache.Site, target string, err error) {
	if q.RobotsSite.IsZero() {
		site, err = q.Live.Site(ctx, o)
		return site, url, err
	}
	site, err = q.Live.Site(ctx, q.RobotsSite)
	return site, WithOrigin(url, q.RobotsSite), err
}

// Source returns the path or URL of --robots, or "" if each site has its own robots.txt.
func (q *Question) Source() string {
	if q.RobotsSite.IsZero() {
		return q.Robots
	}
	return q.RobotsSite.RobotsURL()
}

// HasOtherOrigin reports whether a URL has another origin than --origin. Without --origin, a notice is printed when the
// URLs have several origins.
func (q *Question) HasOtherOrigin(url string) bool {
	if q.Robots == "" || strings.HasPrefix(url, "/") || q.others.isFirst(url) || q.own.IsZero() && q.others.isNoted.Load() {
		return false
	}
	o, err := origin.Parse(url)
	switch {
	case !q.own.IsZero():
		return o != q.own && (flags.IsURL(url) || address.IsHost(url) || schemeOf(url) != "") // all other texts are paths, as in Google's parser
	case err == nil:
		if first := q.others.add(o); first != o && !q.others.isNoted.Swap(true) {
			q.Term.Notice(fmt.Sprintf("note: the URLs belong to several sites, such as %s and %s, but a robots.txt applies to only one site: name that site with --origin URL", first, o))
		}
	}
	return false
}
