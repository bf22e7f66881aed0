package crawlers_test

import (
	"slices"
	"testing"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
)

// A crawler that does not follow "*" says so in its tokens, and no other crawler does.
func TestAgentsSayNotEveryone(t *testing.T) {
	n := 0
	for c := range crawlers.Known().All() {
		last := len(c.Agents()) > 0 && c.Agents()[len(c.Agents())-1] == robotstxt.NotEveryone
		if last != (c.ObeysWildcard == crawlers.No) || slices.Contains(c.Agents(), robotstxt.NotEveryone) != last {
			t.Errorf("%s: tokens %q, follows *: %s", c.Token, c.Agents(), c.ObeysWildcard)
		}
		if last {
			n++
		}
	}
	if n < 5 {
		t.Errorf("%d crawlers that do not follow *, expected at least 5", n)
	}
}
