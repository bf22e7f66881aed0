package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heed-robots/heed/lint"
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	homepage    = "https://github.com/heed-robots/heed"
	rulesPage   = homepage + "/blob/main/docs/lint.md"
)

// object is a JSON object.
type object map[string]any

// SARIF returns what was found in some files as a log in the format SARIF 2.1.0, for package
// encoding/json. It declares all rules of lint. The version is that of the program, such as "v0.3.0".
//
// It has no edits of fixes, because these are wrong as soon as the file changes.
func SARIF(version string, files []Linted) any {
	rules := lint.Rules()
	results := []object{} // not null, which means that nothing was checked
	for _, l := range files {
		results = append(results, sarifResults(l, rules)...)
	}
	driver := object{"name": "heed", "version": strings.TrimPrefix(version, "v"), "informationUri": homepage, "rules": sarifRules(rules)}
	run := object{
		"tool":             object{"driver": driver},
		"columnKind":       "utf16CodeUnits",
		"newlineSequences": []string{"\r\n", "\n", "\r"},
		"results":          results,
	}
	return object{"$schema": sarifSchema, "version": "2.1.0", "runs": []object{run}}
}

var sarifLevels = [...]string{lint.Information: "note", lint.Warning: "warning", lint.Error: "error"}

// sarifRules returns the declarations of rules.
func sarifRules(rules []lint.Rule) []object {
	var declared []object
	for _, rule := range rules {
		declared = append(declared, object{
			"id":                   rule.Code,
			"shortDescription":     sarifText(rule.Summary),
			"fullDescription":      sarifText(rule.Why),
			"help":                 sarifHelp(rule),
			"helpUri":              rulesPage + "#" + rule.Code,
			"defaultConfiguration": object{"level": sarifLevels[rule.Severity]},
		})
	}
	return declared
}

// sarifHelp returns the whole description of a rule, as text and as Markdown.
func sarifHelp(rule lint.Rule) object {
	var text, markdown strings.Builder
	fmt.Fprintf(&text, "%s %s\n\n%s\n", rule.Summary, rule.Why, rule.Mend)
	fmt.Fprintf(&markdown, "%s %s\n\n%s\n", rule.Summary, rule.Why, rule.Mend)
	for _, example := range []struct{ title, body string }{{"Wrong", rule.Bad}, {"Right", rule.Good}} {
		if example.body != "" {
			body := strings.TrimRight(lint.Shown(example.body), "\n")
			fmt.Fprintf(&text, "\n%s:\n\n%s\n", example.title, body)
			fmt.Fprintf(&markdown, "\n%s:\n\n```text\n%s\n```\n", example.title, body)
		}
	}
	help := sarifText(text.String())
	help["markdown"] = sarifBraces.Replace(strings.ToValidUTF8(markdown.String(), "\ufffd"))
	return help
}

// sarifResults returns what was found in one file.
func sarifResults(l Linted, rules []lint.Rule) []object {
	lines, seen := l.lines(), map[string]int{}
	var results []object
	for _, f := range l.Findings {
		text := textOf(lines, f)
		result := object{
			"ruleId":              f.Code,
			"ruleIndex":           slices.IndexFunc(rules, func(r lint.Rule) bool { return r.Code == f.Code }),
			"level":               sarifLevels[f.Severity],
			"message":             sarifText(messageOf(f)),
			"locations":           []object{sarifLocation(l.File, text, f)},
			"partialFingerprints": object{"lineText/v1": fingerprint(f.Code, text, seen)},
		}
		if properties := sarifProperties(f); len(properties) > 0 {
			result["properties"] = properties
		}
		results = append(results, result)
	}
	return results
}

// sarifProperties returns what SARIF has no field for.
func sarifProperties(f lint.Finding) object {
	properties := object{}
	if len(f.Crawlers) > 0 {
		properties["crawlers"] = f.Crawlers
	}
	if fix := fixOf(f.Fix); fix != nil {
		properties["fix"] = fix
	}
	return properties
}

func sarifLocation(file, text string, f lint.Finding) object {
	region := object{"startLine": max(f.Line, 1)} // GitHub demands a line, also for a whole file
	if start, end := columns(text, f); start > 0 {
		region["startColumn"] = start
		if end > 0 {
			region["endColumn"] = end
		}
	}
	return object{"physicalLocation": object{"artifactLocation": object{"uri": sarifURI(file)}, "region": region}}
}

// sarifURI returns the URL of a file: relative for a relative path.
func sarifURI(file string) string {
	if u, err := url.Parse(file); err == nil && u.Scheme != "" && u.Host != "" {
		return u.String()
	}
	slashed := path.Clean(filepath.ToSlash(file))
	if filepath.IsAbs(file) {
		return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(slashed, "/")}).String()
	}
	return (&url.URL{Path: slashed}).String()
}

// fingerprint identifies a finding also after its line has moved: it is made of the rule and the
// text of the line. If several findings of a file have the same, it is also made of their order.
func fingerprint(code, text string, seen map[string]int) string {
	key := code + "\n" + strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	seen[key]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", key, seen[key]))
	return hex.EncodeToString(sum[:16])
}

// sarifText returns a message.
func sarifText(text string) object {
	return object{"text": sarifBraces.Replace(strings.ToValidUTF8(text, "\ufffd"))}
}

// sarifBraces escapes the braces of a message, which are placeholders in SARIF (§ 3.11.5).
var sarifBraces = strings.NewReplacer("{", "{{", "}", "}}")
