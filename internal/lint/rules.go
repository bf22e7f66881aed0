package lint

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// rulesJSON has the texts and examples of all rules, the most severe first.
//
//go:embed rules.json
var rulesJSON []byte

// A Rule is something that lint checks, such as "missing-colon".
type Rule struct {
	Code     string   // the code of the rule, such as "missing-colon", which never changes
	Severity Severity // of most findings; some are worse
	Summary  string   // what is wrong, in one sentence
	Why      string   // what can happen because of the mistake, and with which crawlers
	Fix      string   // what the owner of the file should do
	// An example with a finding: a robots.txt, or the responses of a server if the rule is about a site. See BadExample.
	Bad  string
	Good string // like Bad, but without a finding

	// Both functions are nil for the rules of CheckSitemaps.
	check    func(*file, func(Finding))
	response func(*Response, func(Finding))
}

// Rules returns all rules, the most severe first.
func Rules() []Rule { return slices.Clone(rules()) }

var rules = sync.OnceValue(func() (all []Rule) {
	if err := json.Unmarshal(rulesJSON, &all); err != nil {
		panic(err) // cannot happen, because a test reads rules.json
	}
	for i, rule := range all {
		all[i].check, all[i].response = checks[rule.Code], responseChecks[rule.Code]
	}
	return all
})

// BadExample returns an example with the mistake. Very long examples and bytes that are not UTF-8 cannot be in rules.json.
func (r *Rule) BadExample() string {
	switch r.Code {
	case "too-large":
		return "User-agent: *\n" + strings.Repeat("# a long list of remarks about our site and its pages\n", 10_000) + "Disallow: /private/\n"
	case "too-many-rules":
		return "User-agent: *\n" + strings.Repeat("Disallow: /private/\n", maxRules+1)
	case "line-too-long":
		return "User-agent: *\nDisallow: /private/ # " + strings.Repeat("not for crawlers ", 1000) + "\n"
	case "encoding":
		return "User-agent: *\nDisallow: /caf\xe9/\n"
	}
	return r.Bad
}

var checks = map[string]func(*file, func(Finding)){
	"html-body":                  htmlBody,
	"too-large":                  tooLarge,
	"rule-before-agent":          ruleBeforeAgent,
	"merge-conflict-marker":      mergeConflictMarker,
	"key-prefix-swallowed":       keyPrefixSwallowed,
	"empty-agent":                emptyAgent,
	"agent-list":                 agentList,
	"groups-merged":              groupsMerged,
	"path-start":                 pathStart,
	"block-all":                  blockAll,
	"sitemap-invalid":            invalidSitemap,
	"clean-param-invalid":        invalidRecord("Clean-param"),
	"license-not-absolute":       invalidRecord("License"),
	"signal-invalid":             invalidRecord("Content-Signal"),
	"usage-unparseable":          unparseableUsage,
	"usage-wrong-vocabulary":     wrongVocabulary,
	"signal-outside-group":       signalOutsideGroup,
	"too-many-rules":             tooManyRules,
	"ignore-invalid":             wrongComments,
	"missing-colon":              missingColon,
	"key-misspelt":               keyMisspelt,
	"stray-text":                 strayText,
	"encoding":                   encoding,
	"byte-order-mark":            byteOrderMark,
	"line-too-long":              lineTooLong,
	"agent-not-token":            agentNotToken,
	"agent-misspelt":             agentMisspelt,
	"duplicate-group":            duplicateGroup,
	"dollar-not-last":            dollarNotLast,
	"percent-encoding":           percentEncoding,
	"blocks-all-queries":         blocksAllQueries,
	"named-group-drops-wildcard": namedGroupDropsWildcard,
	"rule-never-decides":         ruleNeverDecides,
	"tie":                        tie,
	"dialect-divergence":         divergesFromGoogle,
	"hidden-noindex":             hiddenNoindex,
	"blocks-assets":              blocksAssets,
	"crawl-delay-invalid":        invalidDelay,
	"crawl-delay-huge":           hugeDelay,
	"signal-contradicts":         signalContradicts,
	"usage-contradicts":          usageContradicts,
	"signal-path":                signalWithPath,
	"purpose-token-mixed":        purposeTokenMixed,
	"empty-file":                 emptyFile,
	"no-sitemap":                 noSitemap,
	"paths-disclosed":            pathsDisclosed,
	"old-parsers":                oldParsers,
	"blocks-images":              blocksImages,
	"unknown-record":             unknownRecord,
	"ignored-by":                 ignoredBy,
	"dead-record":                deadRecord,
	"purpose-token":              purposeTokens,
	"crawler-disobeys":           crawlerDisobeys,
	"usage-path-drops":           usagePathDrops,
	"group-drops-preferences":    groupDropsPreferences,
	"rule-changes-nothing":       ruleChangesNothing,
	"preferences-of-one-group":   preferencesOfOneGroup,
	"usage-not-crawlable":        usageNotCrawlable,
}

var responseChecks = map[string]func(*Response, func(Finding)){
	"too-large":      cutOff,
	"http-status":    wrongStatus,
	"challenge-page": challengePage,
	"content-type":   wrongType,
	"redirected":     redirected,
	"cache-over-24h": keptTooLong,
}

// Check returns the findings about a robots.txt, in the order of their lines.
func Check(body []byte) []Finding { return CheckContext(context.Background(), body) }

// CheckContext is like Check. If the context ends, CheckContext soon returns the findings that it has so far.
func CheckContext(ctx context.Context, body []byte) []Finding {
	return newFile(string(body)).findings(ctx)
}

func (f *file) findings(ctx context.Context) []Finding {
	for _, rule := range rules() {
		f.codes = append(f.codes, rule.Code)
	}
	var findings []Finding
	for _, rule := range rules() {
		if rule.check != nil && ctx.Err() == nil {
			var found []Finding
			rule.check(f, rule.into(&found))
			findings = append(findings, f.joinFindings(found)...)
		}
	}
	slices.SortStableFunc(findings, ByPlace)
	f.compareFixes(findings)
	return findings
}

func (r Rule) into(findings *[]Finding) func(Finding) {
	return func(found Finding) {
		found.Code, found.Severity = r.Code, max(r.Severity, found.Severity)
		*findings = append(*findings, found)
	}
}

// ByPlace compares the places of findings, for slices.SortStableFunc.
func ByPlace(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// CheckResponse returns the findings about how a site sends its robots.txt. For findings about the content of the robots.txt,
// use Check.
func CheckResponse(r Response) []Finding {
	var findings []Finding
	for _, rule := range rules() {
		if rule.response != nil {
			rule.response(&r, rule.into(&findings))
		}
	}
	return findings
}

// RuleOf returns the rule with a code. It panics if there is no such rule.
func RuleOf(code string) Rule {
	return rules()[slices.IndexFunc(rules(), func(r Rule) bool { return r.Code == code })]
}

const maxShown = 100

// Shown returns an example for people: long lines are cut, and equal lines in a row are counted.
func Shown(example string) string {
	var b strings.Builder
	last, again := "", 0
	more := func() {
		if again > 0 {
			fmt.Fprintf(&b, "… %s\n", countText(again, "more line like this", "%d more lines like this"))
		}
		again = 0
	}
	for line := range strings.Lines(example) {
		if line == last {
			again++
			continue
		}
		more()
		last = line
		if len(line) > maxShown {
			end := maxShown
			for !utf8.RuneStart(line[end]) {
				end--
			}
			line = line[:end] + "…\n"
		}
		b.WriteString(line)
	}
	more()
	return b.String()
}
