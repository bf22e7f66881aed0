package cli

import (
	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// htmlPages is the value of --html-unreachable.
type htmlPages struct{ unreachable bool }

const htmlFlag = "html-unreachable"

func (p *htmlPages) flag(c *cobra.Command) {
	c.Flags().BoolVar(&p.unreachable, htmlFlag, false, "treat a site as unreachable if its robots.txt is an HTML page, such as a login form")
}

// statuses returns what the responses of a site mean in a dialect.
func (p *htmlPages) statuses(d *robotstxt.Dialect) fetch.Statuses {
	s := fetch.StatusesOf(d)
	if p.unreachable {
		s.HTMLPages = fetch.Unreachable
	}
	return s
}
