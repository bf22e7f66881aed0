package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestExamples checks that each rule finds something in its bad example, and nothing in its
// good one.
func TestExamples(t *testing.T) {
	for _, rule := range Rules() {
		find := func(example string) []Finding { return Check([]byte(example)) }
		switch {
		case rule.response != nil:
			find = func(example string) []Finding { return CheckResponse(responseIn(t, example)) }
		case rule.check == nil:
			find = checkSitemapIn
		}
		is := func(f Finding) bool { return f.Code == rule.Code }
		if bad := find(rule.Bad); !slices.ContainsFunc(bad, is) {
			t.Errorf("%s: no finding in the bad example", rule.Code)
		}
		if good := find(rule.Good); slices.ContainsFunc(good, is) {
			t.Errorf("%s: a finding in the good example", rule.Code)
		}
	}
}

// TestSafeFixes checks that a fix that says it is safe changes no verdict, and that it mends
// what it is for.
func TestSafeFixes(t *testing.T) {
	for _, rule := range Rules() {
		for _, found := range Check([]byte(rule.Bad)) {
			if found.Fix == nil || found.Code != rule.Code {
				continue
			}
			fixed, applied := Apply([]byte(rule.Bad), []Fix{*found.Fix})
			if applied != 1 {
				t.Errorf("%s: %d fixes applied", rule.Code, applied)
			}
			if found.Fix.Safe && !ChangesNothing([]byte(rule.Bad), fixed) {
				t.Errorf("%s: the fix is not safe", rule.Code)
			}
			if again := Check(fixed); slices.ContainsFunc(again, func(f Finding) bool { return f.Code == rule.Code && f.Line == found.Line }) {
				t.Errorf("%s: the fix does not mend it:\n%s", rule.Code, fixed)
			}
		}
	}
}

// A ruleCase has a file, a code, and what is found with this code: line, column, crawlers and
// message.
type ruleCase struct {
	name, body, code string
	want             []string
}

func checkCases(t *testing.T, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		var got []string
		for _, found := range Check([]byte(c.body)) {
			if found.Code == c.code {
				got = append(got, fmt.Sprintf("%d:%d %v %s", found.Line, found.Column, found.Crawlers, found.Message))
			}
		}
		if g, w := strings.Join(got, "\n"), strings.Join(c.want, "\n"); g != w {
			t.Errorf("%s: %s in %q:\n%s\nwant\n%s", c.name, c.code, c.body, g, w)
		}
	}
}
