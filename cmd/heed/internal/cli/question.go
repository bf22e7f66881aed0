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
	agent, robots, dialectName, format string
	formats                            []string

	agents  []string
	dialect *robotstxt.Dialect
	body    []byte // of the robots.txt
}

func (q *question) flags(c *cobra.Command, formats ...string) {
	q.formats = formats
	c.Flags().StringVarP(&q.agent, "agent", "a", "",
		"product token of the crawler; several joined by commas, the most specific first")
	c.Flags().StringVar(&q.robots, "robots", "", `robots.txt to ask; "-" is standard input`)
	dialectFlag(c, &q.dialectName, "dialect to read the file in (default rfc9309)")
	formatFlag(c, &q.format, formats...)
}

// read checks the flags and reads the robots.txt.
func (q *question) read() (err error) {
	if err := oneOf("format", q.format, q.formats...); err != nil {
		return err
	}
	if q.dialect, err = dialectNamed(q.dialectName); err != nil {
		return err
	}
	if q.agents, err = q.readAgents(q.agent, q.dialect); err != nil {
		return err
	}
	if q.robots == "" {
		return errors.New(`--robots FILE is missing: the robots.txt to ask, or "-" for standard input`)
	}
	q.body, err = q.readRobots(q.robots)
	return err
}
