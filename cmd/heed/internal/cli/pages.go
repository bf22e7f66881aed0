package cli

import (
	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// otherPages is the value of --pages-unreachable.
type otherPages struct{ unreachable bool }

const pagesFlag = "pages-unreachable"

func (p *otherPages) flag(c *cobra.Command) {
	c.Flags().BoolVar(&p.unreachable, pagesFlag, false, "treat a site as unreachable if its robots.txt is an HTML page or a JSON value, such as a login form")
}

// statuses returns what the responses of a site mean in a dialect.
func (p *otherPages) statuses(d *robotstxt.Dialect) fetch.Statuses {
	s := fetch.StatusesOf(d)
	if p.unreachable {
		s.Pages = fetch.Unreachable
	}
	return s
}
