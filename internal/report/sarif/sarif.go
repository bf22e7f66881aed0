// Package sarif returns the findings of lint in the format SARIF 2.1.0, which other tools read.
package sarif

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/report"
)

const (
	schema    = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	homepage  = "https://github.com/heed-robots/heed"
	rulesPage = homepage + "/blob/main/docs/lint.md"
)

type object map[string]any

// Log returns findings as a log for encoding/json. The log also has all rules of lint. The parameter version is the version
// of the program.
//
// The log has no fixes, because their places are wrong after the file has changed.
func Log(version string, files []report.Linted) any {
	rules := lint.Rules()
	results := []object{} // an empty list and not null, because null would mean that nothing was checked
	for _, l := range files {
		results = append(results, resultsOf(l, rules)...)
	}
	driver := object{"name": "heed", "version": strings.TrimPrefix(version, "v"), "informationUri": homepage, "rules": declarations(rules)}
	run := object{
		"tool":             object{"driver": driver},
		"columnKind":       "utf16CodeUnits",
		"newlineSequences": []string{"\r\n", "\n", "\r"},
		"results":          results,
	}
	return object{"$schema": schema, "version": "2.1.0", "runs": []object{run}}
}

func declarations(rules []lint.Rule) []object {
	var declared []object
	for _, rule := range rules {
		declared = append(declared, object{
			"id":                   rule.Code,
			"shortDescription":     messageOf(rule.Summary),
			"fullDescription":      messageOf(rule.Why),
			"help":                 helpOf(rule),
			"helpUri":              rulesPage + "#" + rule.Code,
			"defaultConfiguration": object{"level": rule.Severity.String()},
		})
	}
	return declared
}

func helpOf(rule lint.Rule) object {
	var text, markdown strings.Builder
	fmt.Fprintf(&text, "%s %s\n\n%s\n", rule.Summary, rule.Why, rule.Fix)
	fmt.Fprintf(&markdown, "%s %s\n\n%s\n", rule.Summary, rule.Why, rule.Fix)
	for _, example := range []struct{ title, body string }{{"Wrong", rule.BadExample()}, {"Right", rule.Good}} {
		if example.body != "" {
			body := strings.TrimRight(lint.Shown(example.body), "\n")
			fmt.Fprintf(&text, "\n%s:\n\n%s\n", example.title, body)
			fmt.Fprintf(&markdown, "\n%s:\n\n```text\n%s\n```\n", example.title, body)
		}
	}
	help := messageOf(text.String())
	help["markdown"] = braces.Replace(strings.ToValidUTF8(markdown.String(), "\ufffd"))
	return help
}

func resultsOf(l report.Linted, rules []lint.Rule) []object {
	seen := map[string]int{}
	var results []object
	for i, place := range l.Places() {
		f := l.Findings[i]
		result := object{
			"ruleId":              f.Code,
			"ruleIndex":           slices.IndexFunc(rules, func(r lint.Rule) bool { return r.Code == f.Code }),
			"level":               f.Severity.String(),
			"message":             messageOf(report.MessageOf(f)),
			"locations":           []object{locationOf(l.File, f.Line, place)},
			"partialFingerprints": object{"lineText/v1": fingerprint(f.Code, place.Text, seen)},
		}
		if properties := propertiesOf(f); len(properties) > 0 {
			result["properties"] = properties
		}
		results = append(results, result)
	}
	return results
}

// SARIF has no fields for these parts of a finding.
func propertiesOf(f lint.Finding) object {
	properties := object{}
	if len(f.Crawlers) > 0 {
		properties["crawlers"] = f.Crawlers
	}
	if f.Fix != nil {
		properties["fix"] = lint.Fix{Title: f.Fix.Title, Safe: f.Fix.Safe}
	}
	return properties
}

func locationOf(file string, line int, place report.Place) object {
	region := object{"startLine": max(line, 1)} // GitHub needs the number of a line, even for a finding about the whole file
	if place.Start > 0 {
		region["startColumn"] = place.Start
	}
	if place.End > 0 {
		region["endColumn"] = place.End
	}
	return object{"physicalLocation": object{"artifactLocation": object{"uri": uriOf(file)}, "region": region}}
}

// For a relative path, the URL is relative.
func uriOf(file string) string {
	if u, err := url.Parse(file); err == nil && u.Scheme != "" && u.Host != "" {
		return u.String()
	}
	slashed := path.Clean(filepath.ToSlash(file))
	if filepath.IsAbs(file) {
		return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(slashed, "/")}).String()
	}
	return (&url.URL{Path: slashed}).String()
}

// fingerprint is the same after the line of the finding has moved. The map seen counts equal findings of a file, so that
// each has its own fingerprint.
func fingerprint(code, text string, seen map[string]int) string {
	key := code + "\n" + strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	seen[key]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", key, seen[key]))
	return hex.EncodeToString(sum[:16])
}

func messageOf(text string) object {
	return object{"text": braces.Replace(strings.ToValidUTF8(text, "\ufffd"))}
}

// braces escapes the braces of a message, because they mark placeholders in SARIF (§ 3.11.5).
var braces = strings.NewReplacer("{", "{{", "}", "}}")
