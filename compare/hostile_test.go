package compare_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/testing/hostile"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// slack is how much more work than MaxWork may be done before that is seen.
const slack = compare.MaxWork / 8

// Hostile files take no more than the limit, which counts all work: for some families, some
// rules are undecided. All families are tried if HEED_WHOLE is set.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	for _, f := range hostile.Families() {
		if !portion.Of(60) {
			continue
		}
		old := robotstxt.ParseString(f.Body, nil)
		for _, body := range []string{"User-agent: *\nDisallow: /\n", "User-agent: *\nAllow: /a\n", strings.ReplaceAll(f.Body, "1", "2")} {
			r := compare.Policies(context.Background(), old.Agent("ExampleBot"), robotstxt.ParseString(body, nil).Agent("ExampleBot"))
			if r.Work > compare.MaxWork+slack {
				t.Errorf("%s: %d steps", f.Name, r.Work)
			}
			for _, c := range r.Changes {
				if c.Old.Allowed == c.New.Allowed {
					t.Fatalf("%s: %q does not differ", f.Name, c.Witness)
				}
			}
		}
	}
}

// Where names are parts of a User-Agent, thousands of names make more sets of names than the limit allows. Then the result is
// incomplete, and not equal. Two files with the same names in the same order need no such sets.
func TestManyCrawlers(t *testing.T) {
	if !portion.Whole() {
		t.Skip("it takes some seconds; HEED_WHOLE=1 runs it")
	}
	var groups []string
	for i := range 2_000 {
		groups = append(groups, fmt.Sprintf("User-agent: %s\nDisallow: /%d\n\n", word(i), i))
	}
	file := strings.Join(groups, "")
	slices.Reverse(groups)
	reversed := strings.Join(groups, "")
	for _, d := range []*robotstxt.Dialect{robotstxt.Standard1994, robotstxt.RFC9309} {
		for _, other := range []string{file, reversed} {
			r := compare.Files(context.Background(), robotstxt.ParseString(file, d), robotstxt.ParseString(other, d))
			incomplete := d.NamesAreParts() && other == reversed
			if r.Incomplete != incomplete || (r.Outcome == compare.Equal) == incomplete {
				t.Errorf("%s, reversed: %v: %s, incomplete %v, %d crawlers", d, other == reversed, r.Outcome, r.Incomplete, len(r.Crawlers))
			}
		}
	}
}

// word returns a name of four letters.
func word(i int) string {
	return string([]byte{'a' + byte(i%10), 'a' + byte(i/10%10), 'a' + byte(i/100%10), 'a' + byte(i/1000)})
}
