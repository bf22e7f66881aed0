package cli

import (
	"fmt"
	"testing"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
)

// heed reads a User-agent line with the token of a known crawler as the table states.
// Agents returns only tokens that a line can name.
func TestLinesThatNameKnownCrawlersAreReadAsTheTableStates(t *testing.T) {
	for c := range crawlers.Known().All() {
		as := c.ReadAs()
		if as == "" {
			if len(c.Agents()) != 0 {
				t.Errorf("no line can name %s, but its agents are %q", c.Token, c.Agents())
			}
			continue
		}
		if got, ok := robotstxt.RFC9309.ReadAgent(c.Token); !ok || got != as || !robotstxt.ValidToken(as) {
			t.Errorf("%s is read as %q, and as %q in the table", c.Token, got, as)
		}
		for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google} {
			for _, token := range c.Agents() {
				if token == robotstxt.NotEveryone { // which is no name
					continue
				}
				file := robotstxt.Parse(fmt.Appendf(nil, "User-agent: %s\nDisallow: /\n", token), d)
				if file.Agent(c.Agents()...).Check("/").Allowed {
					t.Errorf("%s: the group of %s does not apply to %q in %s", c.Token, token, c.Agents(), d)
				}
			}
			file := robotstxt.Parse(fmt.Appendf(nil, "User-agent: %s\nDisallow: /\n", c.Token), d)
			if file.Agent(c.Agents()...).Check("/").Allowed {
				t.Errorf("a line with %s does not name %q in %s", c.Token, c.Agents(), d)
			}
		}
	}
}
