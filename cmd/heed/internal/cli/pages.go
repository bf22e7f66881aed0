package cli

import (
	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// htmlPages says how a site is read whose robots.txt is an HTML page.
type htmlPages struct{ unreachable bool }

const htmlFlag = "html-unreachable"

func (p *htmlPages) flag(c *cobra.Command) {
	c.Flags().BoolVar(&p.unreachable, htmlFlag, false, "if a robots.txt is an HTML page, such as a login form, the site is unreachable")
}

// statuses returns what statuses mean in a dialect.
func (p *htmlPages) statuses(d *robotstxt.Dialect) fetch.Statuses {
	s := fetch.StatusesOf(d)
	if p.unreachable {
		s.HTMLPages = fetch.Unreachable
	}
	return s
}
