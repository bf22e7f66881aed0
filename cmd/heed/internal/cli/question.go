package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// question is what check and explain are asked with: the flags, and what they
// stand for.
type question struct {
	*app
	live                        liveSites
	agent                       []string
	robots, dialectName, format string
	robotsDir                   string // only check has it
	agentOptional               bool   // questions name theirs
	formats                     []string
	originURL                   string

	crawlers []crawler
	agents   []report.Agent // the same, for JSON
	dialect  *robotstxt.Dialect
	body     []byte        // of the robots.txt, where it is a file
	robotsOf origin.Origin // whose robots.txt is asked about all URLs; zero: no site's
	own      origin.Origin // of the robots.txt that is asked; zero: any
	others   otherOrigins
	unused   unused
}

// isLive: without a file sites are asked.
func (q *question) isLive() bool {
	return q.robotsDir == "" && (q.robots == "" || isURL(q.robots))
}

func (q *question) flags(c *cobra.Command, formats ...string) {
	q.formats = formats
	q.live.app = q.app
	q.crawlerFlags(c, &q.agent)
	c.Flags().StringVar(&q.robots, "robots", "", `robots.txt to use instead of the site's: a file, "-" for standard input, or a URL`)
	c.Flags().StringVar(&q.originURL, "origin", "", "site to which the file of --robots belongs; the answer for URLs of other sites is other-origin")
	dialectFlag(c, &q.dialectName, "dialect to read the file in (default rfc9309)")
	formatFlag(c, &q.format, formats...)
	q.live.flags(c)
}

// read checks the flags and reads the robots.txt, if there is a file.
func (q *question) read() (err error) {
	if err := oneOf("format", q.format, q.formats...); err != nil {
		return err
	}
	if q.dialect, err = dialectNamed(q.dialectName); err != nil {
		return err
	}
	if !q.agentOptional || len(q.agent) > 0 {
		if q.crawlers, err = q.readCrawlers(q.agent, q.dialect); err != nil {
			return err
		}
	}
	if q.known.file != "" {
		if _, err := q.knownTable(); err != nil {
			return err
		}
	}
	for _, c := range q.crawlers {
		q.agents = append(q.agents, report.AgentOf(c.tokens))
	}
	if err := q.readOrigins(); err != nil {
		return err
	}
	if q.isLive() {
		return q.readLive()
	}
	if err := q.live.meaningless(); err != nil {
		return err
	}
	if q.robotsDir != "" {
		return checkRobotsDir(q.robotsDir, q.robots)
	}
	q.body, err = q.readRobots(q.robots)
	return err
}

// readLive checks the flags of a question about live sites.
func (q *question) readLive() error {
	if q.robots == "" && q.live.command.Flags().Changed("robots") {
		return errors.New(`--robots is empty; expected a file, a URL, or "-" for standard input`)
	}
	if q.live.command.Flags().Changed("robots-dir") {
		return errors.New(`--robots-dir is empty; expected a folder`)
	}
	return q.live.checkFor(q.crawlers)
}

// readOrigins reads whose robots.txt is asked, and which origin it speaks for.
func (q *question) readOrigins() (err error) {
	if isURL(q.robots) {
		if q.robotsOf, err = origin.Parse(q.robots); err != nil {
			return fmt.Errorf("--robots: %w", bare(err))
		}
		_, rest, _ := strings.Cut(q.robots, "://")
		if path := rest[len(authority(rest)):]; path != "" && path != "/" && path != "/robots.txt" {
			return fmt.Errorf("--robots %q: the robots.txt of this site is %s; to use another file, save it and give its path", q.robots, q.robotsOf.RobotsURL())
		}
	}
	if q.originURL == "" {
		return nil
	}
	if q.robots == "" {
		return errors.New("--origin says to which site the file of --robots belongs, and there is no --robots: leave it out")
	}
	if q.own, err = q.originOf(q.originURL); err != nil {
		return fmt.Errorf("--origin: %w", bare(err))
	}
	q.others.add(q.own)
	return nil
}

// otherOrigin is what the robots.txt of one site says about the URLs of others.
var otherOrigin = robotstxt.Decision{Reason: robotstxt.OtherOrigin}

// target returns what is asked about: a URL, or where the site is known a path. Google's
// parser takes any string, but no host is taken for a path, and no mail address.
func (q *question) target(given string) (string, error) {
	takesPaths := q.robots != ""
	switch {
	case strings.HasPrefix(given, "/"):
		if takesPaths {
			return given, nil
		}
	case q.isLive():
		if _, err := origin.Parse(given); err == nil {
			return given, nil
		}
	case strings.HasPrefix(given, "https://") || isURL(given): // nearly always the first
		return given, nil
	case q.dialect == robotstxt.Google && !isHost(given) && schemeOf(given) == "":
		return given, nil
	}
	return q.absolute(given, takesPaths)
}

// siteOf returns the site to ask about a URL, and what to ask it about.
func (q *question) siteOf(ctx context.Context, url string) (site *cache.Site, target string, err error) {
	if q.robotsOf.IsZero() {
		site, err = q.live.site(ctx, url)
		return site, url, err
	}
	site, err = q.live.site(ctx, q.robotsOf.RobotsURL())
	return site, moved(url, q.robotsOf), err
}

// source returns where the robots.txt lies that is asked about all URLs; "": each site has
// its own.
func (q *question) source() string {
	if q.robotsOf.IsZero() {
		return q.robots
	}
	return q.robotsOf.RobotsURL()
}

// isOfOther reports whether a URL is not of the origin that the robots.txt is of. Where
// that is not said, URLs of several origins are told of.
func (q *question) isOfOther(url string) bool {
	if q.robots == "" || strings.HasPrefix(url, "/") || q.others.isFirst(url) || q.own.IsZero() && q.others.told.Load() {
		return false
	}
	o, err := origin.Parse(url)
	switch {
	case !q.own.IsZero():
		return o != q.own && (isURL(url) || isHost(url) || schemeOf(url) != "") // Google's parser takes any string
	case err == nil:
		if first := q.others.add(o); first != o && !q.others.told.Swap(true) {
			q.notice(fmt.Sprintf("note: the URLs belong to several sites, such as %s and %s, and a robots.txt applies to one; --origin URL says to which", first, o))
		}
	}
	return false
}
