package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// question is what the commands check and explain have in common: the flags and their
// values.
type question struct {
	*app
	live           liveSites
	agent          []string
	robots, format string
	robotsDir      string // the folder of --robots; robots is empty then
	agentOptional  bool   // -a may be missing: each line of --input can name its crawler
	originURL      string

	crawlers   [][]string // each as its tokens
	dialect    *robotstxt.Dialect
	body       []byte        // the file of --robots
	robotsSite origin.Origin // of --robots URL; zero: --robots is a file, or each site's own is used
	own        origin.Origin // of --origin; zero: any
	others     otherOrigins
	unused     sync.Map // the indexes of the crawlers that would have other answers with their known chains: heed suggests these
}

// isLive reports whether the robots.txt files come from live sites, and not from files.
func (q *question) isLive() bool {
	return q.robotsDir == "" && (q.robots == "" || isURL(q.robots))
}

func (q *question) flags(c *cobra.Command, formats ...string) {
	q.live.app = q.app
	q.crawlerFlags(c, &q.agent)
	c.Flags().StringVar(&q.robots, "robots", "", `robots.txt to use instead of the site's: a file, a folder with the file of each host, "-" for standard input, git:REV:PATH, or the URL of a site`)
	c.Flags().StringVar(&q.originURL, "origin", "", "site to which the file of --robots belongs; URLs of other sites get the answer other-origin")
	dialectFlag(c, &q.dialect, robotstxt.RFC9309, "dialect to read the file in")
	formatFlag(c, &q.format, formats...)
	q.live.flags(c)
}

// read checks the flags, and reads the file of --robots.
func (q *question) read() (err error) {
	if !q.agentOptional || len(q.agent) > 0 {
		if q.crawlers, err = q.readCrawlers(q.agent, q.dialect); err != nil {
			return err
		}
	}
	if err = q.readKind(); err == nil {
		err = q.readOrigins()
	}
	if err != nil {
		return err
	}
	flag := q.live.changedFlag()
	switch {
	case q.isLive() && q.robots == "" && q.live.command.Flags().Changed("robots"):
		return errors.New(`--robots is empty; expected a file, a folder, git:REV:PATH, a URL, or "-" for standard input`)
	case q.isLive():
		return q.live.checkFor(q.crawlers)
	case flag != "":
		return fmt.Errorf("--%s is for sites, and with --robots FILE or DIR nothing is retrieved: leave one of them out", flag)
	}
	if q.robotsDir == "" {
		q.body, err = q.readRobots(q.robots, q.dialect)
	}
	return err
}

// readKind sets robotsDir if --robots is a folder. Captures are an error: they are of many sites, and times.
func (q *question) readKind() error {
	switch kind, err := bulksource.KindOf(q.robots); {
	case err != nil: // it is a robots.txt, or reading it reports the error
		return nil
	case kind != bulksource.Folder:
		return fmt.Errorf("--robots %s has captures of sites (%s): heed filter judges URLs with them", q.robots, kind)
	}
	q.robotsDir, q.robots = q.robots, ""
	return nil
}

// readOrigins reads the origins of --robots URL and --origin.
func (q *question) readOrigins() (err error) {
	if isURL(q.robots) {
		if q.robotsSite, err = origin.Parse(q.robots); err != nil {
			return fmt.Errorf("--robots: %w", bare(err))
		}
		_, rest, _ := strings.Cut(q.robots, "://")
		if path := rest[len(origin.Authority(rest)):]; path != "" && path != "/" && path != "/robots.txt" {
			return fmt.Errorf("--robots %q: the robots.txt of this site is %s; to use another file, save it and give its path", q.robots, q.robotsSite.RobotsURL())
		}
	}
	if q.originURL == "" {
		return nil
	}
	if q.robotsDir != "" {
		return errors.New("--origin names the site to which the file of --robots belongs, and --robots is a folder with the files of many: leave --origin out")
	}
	if q.robots == "" {
		return errors.New("--origin names the site to which the file of --robots belongs, but --robots is missing: leave --origin out")
	}
	if q.own, err = q.originOf(q.originURL); err != nil {
		return fmt.Errorf("--origin: %w", bare(err))
	}
	q.others.add(q.own)
	return nil
}

// otherOrigin is the decision about URLs to which a robots.txt does not apply, because they
// belong to another origin.
var otherOrigin = robotstxt.Decision{Reason: robotstxt.OtherOrigin}

// target returns the URL, or with --robots the path, that an argument means; and the origin of the
// URL, unless only a file needs it. Google's parser takes any string as a path. But a host or a mail
// address as an argument is a mistake, also with --dialect google.
func (q *question) target(given string) (url string, o origin.Origin, err error) {
	takesPaths := q.robots != ""
	switch {
	case strings.HasPrefix(given, "/"):
		if takesPaths {
			return given, o, nil
		}
	case q.isLive(): // its origin is needed
	case strings.HasPrefix(given, "https://") || isURL(given): // HasPrefix comes first because it is faster
		return given, o, nil
	case q.dialect == robotstxt.Google && !origin.IsHost(given) && schemeOf(given) == "":
		return given, o, nil
	}
	return q.absolute(given, takesPaths)
}

// siteOf returns the site whose robots.txt is used for a URL of an origin, and the URL to check there.
func (q *question) siteOf(ctx context.Context, url string, o origin.Origin) (site *cache.Site, target string, err error) {
	if q.robotsSite.IsZero() {
		site, err = q.live.site(ctx, o)
		return site, url, err
	}
	site, err = q.live.site(ctx, q.robotsSite)
	return site, moved(url, q.robotsSite), err
}

// source returns the path or URL of the robots.txt that is used for all URLs; "": each site's
// own is used.
func (q *question) source() string {
	if q.robotsSite.IsZero() {
		return q.robots
	}
	return q.robotsSite.RobotsURL()
}

// isOfOther reports whether a URL belongs to another origin than --origin. Without --origin
// it returns false, and prints a notice when it first sees a URL of a second origin.
func (q *question) isOfOther(url string) bool {
	if q.robots == "" || strings.HasPrefix(url, "/") || q.others.isFirst(url) || q.own.IsZero() && q.others.noted.Load() {
		return false
	}
	o, err := origin.Parse(url)
	switch {
	case !q.own.IsZero():
		return o != q.own && (isURL(url) || origin.IsHost(url) || schemeOf(url) != "") // other strings are paths to Google's parser
	case err == nil:
		if first := q.others.add(o); first != o && !q.others.noted.Swap(true) {
			q.notice(fmt.Sprintf("note: the URLs belong to several sites, such as %s and %s, but a robots.txt applies to one site; name it with --origin URL", first, o))
		}
	}
	return false
}
