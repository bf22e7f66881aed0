package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// The limit on the work also holds where no search is hard, but each of very many rules may
// match the paths of all others.
func TestLimitOfManyRules(t *testing.T) {
	portion.Skip(t, 4)
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range 13_000 {
		fmt.Fprintf(&b, "Disallow: /*%05d\n", i)
	}
	uses := map[compare.Use]int{}
	for _, u := range compare.Rules(robotstxt.ParseString(b.String(), nil).Agent()) {
		uses[u.Use]++
	}
	if uses[compare.UseUnknown] == 0 || uses[compare.Needed] == 0 || len(uses) > 2 {
		t.Errorf("%v", uses)
	}
}
