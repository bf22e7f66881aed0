package cli

import (
	"errors"

	"github.com/spf13/cobra"

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

	crawlers []crawler
	dialect  *robotstxt.Dialect
	body     []byte // of the robots.txt
}

// isLive: without a file the sites are asked.
func (q *question) isLive() bool { return q.robots == "" && q.robotsDir == "" }

func (q *question) flags(c *cobra.Command, formats ...string) {
	q.formats = formats
	q.live.app = q.app
	c.Flags().StringArrayVarP(&q.agent, "agent", "a", nil,
		`crawler, by its product token; several are joined by commas, a fallback of one crawler by a colon`)
	c.Flags().StringVar(&q.robots, "robots", "", `robots.txt to ask instead of the site's; "-" is standard input`)
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
	if q.isLive() {
		if q.live.command.Flags().Changed("robots") {
			return errors.New(`--robots is empty; expected a file, or "-" for standard input`)
		}
		if q.live.command.Flags().Changed("robots-dir") {
			return errors.New(`--robots-dir is empty; expected a folder`)
		}
		if err := checkFetcher(&q.live.fetcher); err != nil {
			return err
		}
		if sent := q.live.fetcher.UserAgent; sent != "" {
			for _, c := range q.crawlers {
				if err := sendsAs(sent, c); err != nil {
					return err
				}
			}
		}
		if q.live.offline && q.live.refresh {
			return errors.New("--offline asks no site, and --refresh every one: leave one of them out")
		}
		return nil
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
