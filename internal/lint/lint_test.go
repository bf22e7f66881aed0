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
		case rule.check != nil:
		case rule.response != nil:
			find = func(example string) []Finding { return CheckResponse(responseIn(t, example)) }
		default:
			find = checkSitemapIn
		}
		is := func(f Finding) bool { return f.Code == rule.Code }
		if bad := find(rule.BadExample()); !slices.ContainsFunc(bad, is) {
			t.Errorf("%s: no finding in the bad example", rule.Code)
		}
		if good := find(rule.Good); slices.ContainsFunc(good, is) {
			t.Errorf("%s: a finding in the good example", rule.Code)
		}
	}
}

// TestSafeFixes checks that a fix that says it is safe changes no verdict, and that it fixes
// what it is for.
func TestSafeFixes(t *testing.T) {
	for _, rule := range Rules() {
		for _, found := range Check([]byte(rule.BadExample())) {
			if found.Fix == nil || found.Code != rule.Code {
				continue
			}
			fixed, applied := Apply([]byte(rule.BadExample()), []Fix{*found.Fix})
			if len(applied) != 1 {
				t.Errorf("%s: %d fixes applied", rule.Code, len(applied))
			}
			if found.Fix.Safe && !ChangesNothing([]byte(rule.BadExample()), fixed) {
				t.Errorf("%s: the fix is not safe", rule.Code)
			}
			if again := Check(fixed); slices.ContainsFunc(again, func(f Finding) bool { return f.Code == rule.Code && f.Line == found.Line }) {
				t.Errorf("%s: the fix does not fix it:\n%s", rule.Code, fixed)
			}
		}
	}
}

// ruleCodes are the codes of each severity. They are promises: owners write them in comments, flags
// and the configuration, and the status of heed lint depends on their severity.
var ruleCodes = map[Severity]string{
	Error: `html-body too-large rule-before-agent merge-conflict-marker key-prefix-swallowed empty-agent
		agent-list groups-merged path-start block-all sitemap-invalid clean-param-invalid license-not-absolute signal-invalid
		usage-unparseable usage-wrong-vocabulary signal-outside-group http-status challenge-page`,
	Warning: `too-many-rules ignore-invalid missing-colon key-misspelt stray-text encoding byte-order-mark line-too-long agent-not-token agent-misspelt duplicate-group
		dollar-not-last percent-encoding blocks-all-queries named-group-drops-wildcard rule-never-decides
		tie dialect-divergence blocks-assets hidden-noindex crawl-delay-invalid crawl-delay-huge signal-contradicts
		usage-contradicts signal-path purpose-token-mixed content-type
		redirected cache-over-24h sitemap-disallowed sitemap-unreadable`,
	Note: `empty-file no-sitemap paths-disclosed old-parsers blocks-images unknown-record ignored-by dead-record purpose-token
		crawler-disobeys usage-path-drops group-drops-preferences rule-changes-nothing preferences-of-one-group
		usage-not-crawlable`,
}

func TestRuleCodes(t *testing.T) {
	last := Error
	for _, rule := range Rules() {
		want := strings.Fields(ruleCodes[rule.Severity])
		if !slices.Contains(want, rule.Code) {
			t.Errorf("ruleCodes[%v] has no %q", rule.Severity, rule.Code)
		}
		if rule.Severity > last {
			t.Errorf("%s is behind rules that are less bad", rule.Code)
		}
		last = rule.Severity
	}
	for severity, codes := range ruleCodes {
		for _, code := range strings.Fields(codes) {
			if n := len(slices.DeleteFunc(Rules(), func(r Rule) bool { return r.Code != code })); n != 1 {
				t.Errorf("%v %s is the code of %d rules", severity, code, n)
			}
		}
	}
}

// Of the lines that are not right, those that Google's parser reads are warnings, and those that no crawler reads are errors.
func TestSeverityOfUnreadLines(t *testing.T) {
	for line, want := range map[string]Severity{
		"Disallow /a":        Warning,
		"Disallow; /a":       Warning, // Google's parser reads it by its prefix
		"Disallow /a b":      Error,
		"Disallow=/a b":      Error,
		"Disallow; /a:b":     Error,
		"disallows /a":       Warning,
		"Useragents *":       Warning,
		"Crawl-delay; 5":     Error,
		"Dissallow: /a":      Warning,
		"Dissalow: /a":       Warning,
		"Dsallow: /a":        Error,
		"Sitemap = http://a": Error,
	} {
		found := slices.DeleteFunc(Check([]byte("User-agent: *\nDisallow: /b\n"+line+"\n")), func(f Finding) bool { return f.Line != 3 })
		if len(found) == 0 || found[0].Severity != want {
			t.Errorf("%q: %+v, want %v", line, found, want)
		}
	}
}

// The numbers in the texts of rules are those of the code.
func TestNumbersInTexts(t *testing.T) {
	for code, number := range map[string]int{"too-many-rules": maxRules, "line-too-long": googleLineLimit, "redirected": maxRedirects} {
		rule := RuleOf(code)
		text := strings.ReplaceAll(rule.Summary+rule.Why, "five", "5")
		if !strings.Contains(text, fmt.Sprint(number)) {
			t.Errorf("%s does not say %d", code, number)
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
