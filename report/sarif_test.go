package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/lint"
)

// TestSARIFText has a whole log, apart from the declarations of rules.
func TestSARIFText(t *testing.T) {
	file := Linted{"a.txt", []byte("User-agent: a\nDisallow x{0}\xff\n"), []lint.Finding{{
		Code: "missing-colon", Severity: lint.Error, Line: 2, Column: 10, Length: 3, Message: "no {0} \xff}",
		Crawlers: []string{"a"}, Fix: &lint.Fix{Title: "write it", Safe: true},
	}}}
	log := SARIF("v1.2.3", []Linted{file}).(object)
	run := log["runs"].([]object)[0]
	driver := run["tool"].(object)["driver"].(object)
	rules := driver["rules"].([]object)
	delete(driver, "rules")
	delete(run["results"].([]object)[0], "ruleIndex")
	delete(run["results"].([]object)[0], "partialFingerprints")
	const want = `{"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json","runs":[{` +
		`"columnKind":"utf16CodeUnits","newlineSequences":["\r\n","\n","\r"],"results":[{"level":"error",` +
		`"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.txt"},"region":{"endColumn":13,"startColumn":10,"startLine":2}}}],` +
		`"message":{"text":"no {{0}} ` + "\ufffd" + `}} (for a)"},"properties":{"crawlers":["a"],"fix":{"title":"write it","safe":true}},"ruleId":"missing-colon"}],` +
		`"tool":{"driver":{"informationUri":"https://github.com/heed-robots/heed","name":"heed","version":"1.2.3"}}}],"version":"2.1.0"}`
	if got, err := json.Marshal(log); err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}

	rule := lint.Rules()[slices.IndexFunc(lint.Rules(), func(r lint.Rule) bool { return r.Code == "encoding" })]
	declared := rules[slices.IndexFunc(rules, func(r object) bool { return r["id"] == rule.Code })]
	text := rule.Summary + " " + rule.Why + "\n\n" + rule.Mend + "\n"
	bad, good := "User-agent: *\nDisallow: /caf\ufffd/", "User-agent: *\nDisallow: /caf%C3%A9/"
	for key, want := range map[string]any{
		"id":                   "encoding",
		"shortDescription":     object{"text": rule.Summary},
		"fullDescription":      object{"text": rule.Why},
		"helpUri":              "https://github.com/heed-robots/heed/blob/main/docs/lint.md#encoding",
		"defaultConfiguration": object{"level": "warning"},
		"help": object{
			"text":     text + "\nWrong:\n\n" + bad + "\n\nRight:\n\n" + good + "\n",
			"markdown": text + "\nWrong:\n\n```text\n" + bad + "\n```\n\nRight:\n\n```text\n" + good + "\n```\n",
		},
	} {
		got, _ := json.Marshal(declared[key])
		if w, _ := json.Marshal(want); string(got) != string(w) {
			t.Errorf("%s:\n%s\nwant\n%s", key, got, w)
		}
	}
}

// A finding that is for all crawlers and has no fix needs no property.
func TestSARIFProperties(t *testing.T) {
	file := Linted{"a.txt", nil, []lint.Finding{{Code: "no-sitemap", Message: "a"}}}
	result := sarifResults(file, lint.Rules())[0]
	if _, ok := result["properties"]; ok || result["level"] != "note" {
		t.Errorf("%v", result)
	}
	for _, c := range []struct {
		found lint.Finding
		want  string
	}{
		{lint.Finding{Crawlers: []string{"a"}}, `{"crawlers":["a"]}`},
		{lint.Finding{Fix: &lint.Fix{Title: "b"}}, `{"fix":{"title":"b","safe":false}}`},
	} {
		if got, err := json.Marshal(sarifProperties(c.found)); err != nil || string(got) != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Long examples are cut, because GitHub shows them whole.
func TestSARIFLongHelp(t *testing.T) {
	for _, rule := range sarifRules(lint.Rules()) {
		if help := rule["help"].(object)["text"].(string); len(help) > 4000 {
			t.Errorf("%s: the help has %d octets", rule["id"], len(help))
		}
	}
}

// A rule without examples has no titles for them, and braces in its texts are no placeholders.
func TestSARIFHelp(t *testing.T) {
	got := sarifHelp(lint.Rule{Summary: "a", Why: "{b}", Mend: "c", Good: "{d}\n\n"})
	if want := "a {{b}}\n\nc\n\nRight:\n\n{{d}}\n"; got["text"] != want {
		t.Errorf("text: %q", got["text"])
	}
	if want := "a {{b}}\n\nc\n\nRight:\n\n```text\n{{d}}\n```\n"; got["markdown"] != want {
		t.Errorf("markdown: %q", got["markdown"])
	}
}

// Where a result is: GitHub shows nothing without a line.
func TestSARIFRegions(t *testing.T) {
	const text = "a\u00e9\U0001F600b"
	for _, c := range []struct {
		found lint.Finding
		want  string
	}{
		{lint.Finding{}, `{"startLine":1}`},
		{lint.Finding{Line: 1}, `{"startLine":1}`},
		{lint.Finding{Line: 7}, `{"startLine":7}`},
		{lint.Finding{Line: 2, Column: 1}, `{"startColumn":1,"startLine":2}`},
		{lint.Finding{Line: 2, Column: 1, Length: 1}, `{"endColumn":2,"startColumn":1,"startLine":2}`},
		{lint.Finding{Line: 2, Column: 2, Length: 2}, `{"endColumn":3,"startColumn":2,"startLine":2}`},
		{lint.Finding{Line: 2, Column: 4, Length: 5}, `{"endColumn":6,"startColumn":3,"startLine":2}`},
		{lint.Finding{Line: 2, Column: 8, Length: 99}, `{"endColumn":6,"startColumn":5,"startLine":2}`},
		{lint.Finding{Line: 2, Column: 99}, `{"startColumn":6,"startLine":2}`},
	} {
		region := sarifLocation("a", text, c.found)["physicalLocation"].(object)["region"]
		if got, _ := json.Marshal(region); string(got) != c.want {
			t.Errorf("%+v: %s, want %s", c.found, got, c.want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	seen := map[string]int{}
	first := fingerprint("a", "\ufeff b ", seen)
	if second := fingerprint("a", "b", seen); len(first) != 32 || second == first || len(second) != 32 {
		t.Errorf("%s, then %s", first, second)
	}
	if same := fingerprint("a", "b", map[string]int{}); same != first {
		t.Errorf("%s in another file, want %s", same, first)
	}
	// Programs compare fingerprints with those of earlier versions.
	if want := "332d4741402e1780a3c1a70a2ff4b62e"; first != want {
		t.Errorf("%s, want %s", first, want)
	}
	if other := fingerprint("b", "a", map[string]int{}); other == first {
		t.Errorf("%s is also that of another rule", other)
	}
}

// TestNames checks when the crawlers are in a message.
func TestNames(t *testing.T) {
	for _, c := range []struct{ message, names, want string }{
		{"a", "", "a"},
		{"a-b c_d 7", "a-b c_d 7", "a-b c_d 7"},
		{"a-b", "a b", "a-b (for a, b)"},
		{"x", "a b c d e", "x (for a, b, c, d, e)"},
		{"x", "a b c d e f", "x (for a, b, c, d, e and 1 other)"},
		{"c: x.", "a b c d e f", "c: x. (for a, b, d, e, f)"},
		{"é", "é", "é"},
	} {
		if got := messageOf(lint.Finding{Message: c.message, Crawlers: strings.Fields(c.names)}); got != c.want {
			t.Errorf("%q for %s: %q, want %q", c.message, c.names, got, c.want)
		}
	}
}

func TestLineText(t *testing.T) {
	lines := []string{"a\r\n", " b\r", "c"}
	for line, want := range map[int]string{-1: "", 0: "", 1: "a", 2: " b", 3: "c", 4: ""} {
		if got := textOf(lines, lint.Finding{Line: line}); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
}

// A byte-order mark is no part of the text only where a file begins.
func TestColumn(t *testing.T) {
	if first, later := column("\ufeffa", 1, 4), column("\ufeffa", 2, 4); first != 2 || later != 3 {
		t.Errorf("columns %d and %d, want 2 and 3", first, later)
	}
}
