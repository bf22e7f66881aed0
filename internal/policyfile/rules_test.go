package policyfile

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/robotstxt"
)

// When a policy has used all the work for rules that change nothing, no more such work is done.
func TestIdleRulesTakeBoundedWork(t *testing.T) {
	var rules []rule
	for i := range 300 {
		rules = append(rules, newRule(robotstxt.Rule{Pattern: "/*b*" + strings.Repeat("ab", i%7) + "*a*b" + strings.Repeat("a", i)}))
	}
	left := effort(1000)
	if got := withoutIdle(rules, &left); len(got) != len(rules) || left != 0 {
		t.Errorf("%d of %d rules, and %d of the work is left", len(got), len(rules), left)
	}
}

// Rules for several names allow no path that the rules for one of them disallow, and mostly all other paths.
func TestStrictest(t *testing.T) {
	random := rand.New(rand.NewPCG(43, 7))
	patterns := []string{"/", "/a", "/b", "/ab", "/a*b", "/*a", "/a$", "/*b$", "/aa", "/%61b"}
	var paths []string
	for _, a := range []string{"", "a", "b"} {
		for _, b := range []string{"", "a", "b"} {
			for _, c := range []string{"", "a", "b", "ab"} {
				paths = append(paths, "/"+a+b+c)
			}
		}
	}
	allows := func(rules []rule, d *robotstxt.Dialect, path string) bool {
		text := "User-agent: *\n"
		for _, r := range rules {
			text += r.Text() + "\n"
		}
		return robotstxt.ParseString(text, d).Agent().Check(path).Allowed
	}
	same, more := 0, 0
	for range 400 {
		lists := make([][]rule, 2+random.IntN(2))
		for i := range lists {
			for range random.IntN(5) {
				lists[i] = append(lists[i], newRule(robotstxt.Rule{Allow: random.IntN(2) == 0, Pattern: patterns[random.IntN(len(patterns))]}))
			}
		}
		left := compare.MaxWork
		joint := strictest(t.Context(), lists, &left)
		for _, d := range proved {
			for _, path := range paths {
				want := !slices.ContainsFunc(lists, func(rules []rule) bool { return !allows(rules, d, path) })
				switch got := allows(joint, d, path); {
				case got && !want:
					t.Fatalf("%s: %s is allowed by %v; the lists are %v", d, path, joint, lists)
				case got == want:
					same++
				default:
					more++
				}
			}
		}
	}
	if more > same/10 {
		t.Errorf("%d paths as in the lists, %d disallowed without need", same, more)
	}
}

// If the search for opening rules ends early, no Allow rule is kept.
func TestStrictestWithoutWork(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	lists := [][]rule{{newRule(robotstxt.Rule{Pattern: "/*a"})}, {newRule(robotstxt.Rule{Pattern: "/b"}), newRule(robotstxt.Rule{Allow: true, Pattern: "/b*a"})}}
	left := compare.MaxWork
	for _, r := range strictest(ctx, lists, &left) {
		if r.Allow {
			t.Errorf("%v is kept", r)
		}
	}
}
