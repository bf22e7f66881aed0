package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
)

// A line that names a known crawler is read as the table says, in each dialect of
// tokens, and a crawler is asked about by tokens that lines can name.
func TestLinesThatNameKnownCrawlersAreReadAsTheTableSays(t *testing.T) {
	for c := range crawlers.Known().All() {
		as := c.ReadAs()
		if as == "" {
			if len(c.Agents()) != 0 {
				t.Errorf("%s, which no line can name, is asked about as %q", c.Token, c.Agents())
			}
			continue
		}
		if got, ok := robotstxt.RFC9309.ReadAgent(c.Token); !ok || got != as || !robotstxt.ValidToken(as) {
			t.Errorf("%s is read as %q, and as %q in the table", c.Token, got, as)
		}
		for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google} {
			for _, token := range c.Agents() {
				file := robotstxt.Parse(fmt.Appendf(nil, "User-agent: %s\nDisallow: /\n", token), d)
				if file.Agent(c.Agents()...).Check("/").Allowed {
					t.Errorf("%s: the group of %s is not that of %q in %s", c.Token, token, c.Agents(), d)
				}
			}
			file := robotstxt.Parse(fmt.Appendf(nil, "User-agent: %s\nDisallow: /\n", c.Token), d)
			if file.Agent(c.Agents()...).Check("/").Allowed {
				t.Errorf("a line with %s does not name %q in %s", c.Token, c.Agents(), d)
			}
		}
	}
}

// The table of known crawlers takes longer to read than a small robots.txt: it is read
// where a chain may matter only.
func TestTheTableIsReadWhereAChainMayMatter(t *testing.T) {
	file := robotstxt.ParseString("User-agent: GPTBot\nDisallow: /\n", robotstxt.RFC9309)
	for agent, want := range map[string]bool{"GPTBot": false, "*": false, "GPTBot:CCBot": false, "CCBot:Foo": false, "CCBot": true} {
		q := &question{app: &app{}, crawlers: []crawler{{strings.Split(agent, ":")}}}
		if q.seeChain(0, file); (q.known.read != nil) != want {
			t.Errorf("%s: read %v, want %v", agent, !want, want)
		}
	}
}
