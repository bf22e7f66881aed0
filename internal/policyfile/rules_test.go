package policyfile

import (
	"strings"
	"testing"

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
