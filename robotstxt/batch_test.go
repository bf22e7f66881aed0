package robotstxt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// CheckAll decides as Check does, for policies of every kind, and does not allocate.
func TestCheckAll(t *testing.T) {
	many := "User-agent: *\n" + strings.Repeat("Disallow: /*x*y\n", 3)
	for i := range 200 {
		many += fmt.Sprintf("Disallow: /%d/\n", i)
	}
	kinds := []*robotstxt.Policy{
		{},
		robotstxt.Parse(nil, nil).Agent("a"),
		robotstxt.AllowAll(robotstxt.Unavailable, nil).Agent("a"),
		robotstxt.DisallowAll(robotstxt.Unreachable, nil).Agent("a"),
		robotstxt.ParseString("User-agent: b\nDisallow: /\n", nil).Agent("a"),
		robotstxt.ParseString("User-agent: a\nDisallow: /1\nAllow: /*2$\n", robotstxt.Google).Agent("a"),
		robotstxt.ParseString(many, robotstxt.Draft2019).Agent("a"),
	}
	var policies []*robotstxt.Policy
	var targets []string
	for i := range 100 * len(kinds) { // so many that there are lookups
		policies = append(policies, kinds[i%len(kinds)])
		targets = append(targets, []string{fmt.Sprintf("https://a.example/%d/2", i), "/1", "/robots.txt", "?", ""}[i%5])
	}
	got := make([]robotstxt.Decision, len(policies))
	for range 3 {
		robotstxt.CheckAll(policies, targets, got)
		for i, p := range policies {
			if want := p.Check(targets[i]); got[i] != want {
				t.Fatalf("policy %d, %s: %v, want %v", i%len(kinds), targets[i], got[i], want)
			}
		}
	}
	if !robotstxt.RaceDetector {
		if n := testing.AllocsPerRun(10, func() { robotstxt.CheckAll(policies, targets, got) }); n > 0 {
			t.Errorf("%v allocations", n)
		}
	}
	robotstxt.CheckAll(nil, nil, nil)
}
