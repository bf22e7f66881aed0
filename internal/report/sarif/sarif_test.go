package sarif

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/report"
)

// TestText has a whole log, apart from the declarations of rules.
func TestText(t *testing.T) {
	file := report.Linted{File: "a.txt", Body: []byte("User-agent: a\nDisallow x{0}\xff\n"), Findings: []lint.Finding{{
		Code: "missing-colon", Severity: lint.Error, Line: 2, Column: 10, Length: 3, Message: "no {0} \xff}",
		Crawlers: []string{"a"}, Fix: &lint.Fix{Title: "write it", Safe: true},
	}}}
	log := Log("v1.2.3", []report.Linted{file}).(object)
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
	text := rule.Summary + " " + rule.Why + "\n\n" + rule.Fix + "\n"
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
func TestProperties(t *testing.T) {
	file := report.Linted{File: "a.txt", Findings: []lint.Finding{{Code: "no-sitemap", Message: "a"}}}
	result := resultsOf(file, lint.Rules())[0]
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
		if got, err := json.Marshal(propertiesOf(c.found)); err != nil || string(got) != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Long examples are cut, because GitHub shows them whole.
func TestLongHelp(t *testing.T) {
	for _, rule := range declarations(lint.Rules()) {
		if help := rule["help"].(object)["text"].(string); len(help) > 4000 {
			t.Errorf("%s: the help has %d bytes", rule["id"], len(help))
		}
	}
}

// A rule without examples has no titles for them, and braces in its texts are no placeholders.
func TestHelp(t *testing.T) {
	got := helpOf(lint.Rule{Summary: "a", Why: "{b}", Fix: "c", Good: "{d}\n\n"})
	if want := "a {{b}}\n\nc\n\nRight:\n\n{{d}}\n"; got["text"] != want {
		t.Errorf("text: %q", got["text"])
	}
	if want := "a {{b}}\n\nc\n\nRight:\n\n```text\n{{d}}\n```\n"; got["markdown"] != want {
		t.Errorf("markdown: %q", got["markdown"])
	}
}

// Where a result is: GitHub shows nothing without a line.
func TestRegions(t *testing.T) {
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
		file := report.Linted{File: "a", Body: []byte(text + "\n" + text), Findings: []lint.Finding{c.found}}
		place := resultsOf(file, nil)[0]["locations"].([]object)[0]["physicalLocation"].(object)
		if got, _ := json.Marshal(place["region"]); string(got) != c.want {
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

// found are findings of all forms, in a file with a byte-order mark, with characters outside of
// ASCII and of 16 bits, with a byte that is not UTF-8, and with all line ends.
var found = report.Linted{
	File: "sites/a b,c.txt",
	Body: []byte("\ufeffé𝒳 x: 1\r\nUser-agent: *\rDisallow: /\xff{0}\n"),
	Findings: []lint.Finding{
		{Code: "no-sitemap", Message: "no Sitemap"},
		{Code: "byte-order-mark", Severity: lint.Warning, Line: 1, Column: 1, Length: 3, Message: "a mark", Fix: &lint.Fix{Title: "remove it", Safe: true, Edits: []lint.Edit{{Start: 0, End: 3}}}},
		{Code: "unknown-record", Line: 1, Column: 4, Length: 8, Message: "odd"},
		{Code: "missing-colon", Severity: lint.Error, Line: 2, Message: "100%,\nor: so", Crawlers: []string{"a", "b"}, Fix: &lint.Fix{Title: "change"}},
		{Code: "missing-colon", Severity: lint.Error, Line: 3, Column: 13, Message: "{0} for bot", Crawlers: []string{"bot"}},
		{Code: "missing-colon", Severity: lint.Error, Line: 3, Column: 13, Message: "again", Crawlers: strings.Fields("a b c d e f g")},
	},
}

// parsedLog has what the schema requires of a log, and what GitHub does.
type parsedLog struct {
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name, Version string
				Rules         []struct {
					ID                                      string
					ShortDescription, FullDescription, Help struct{ Text string }
					HelpURI                                 string
					DefaultConfiguration                    struct{ Level string }
				}
			}
		}
		ColumnKind string
		Results    []result
	}
}

type result struct {
	RuleID    string
	RuleIndex int
	Level     string
	Message   struct{ Text string }
	Fixes     []any
	Locations []struct {
		PhysicalLocation struct {
			ArtifactLocation struct{ URI string }
			Region           struct{ StartLine, StartColumn, EndColumn int }
		}
	}
	PartialFingerprints map[string]string
}

func logOf(t *testing.T, files ...report.Linted) parsedLog {
	t.Helper()
	text, err := json.Marshal(Log("v1.2.3", files))
	var log parsedLog
	if err == nil {
		err = json.Unmarshal(text, &log)
	}
	if err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Results == nil || log.Runs[0].ColumnKind != "utf16CodeUnits" {
		t.Fatalf("%v: version %q, %d runs", err, log.Version, len(log.Runs))
	}
	return log
}

func TestRules(t *testing.T) {
	driver := logOf(t).Runs[0].Tool.Driver
	if driver.Name != "heed" || driver.Version != "1.2.3" || len(driver.Rules) != len(lint.Rules()) {
		t.Errorf("%s %s has %d rules, want %d", driver.Name, driver.Version, len(driver.Rules), len(lint.Rules()))
	}
	seen := map[string]bool{}
	for _, r := range driver.Rules {
		switch {
		case r.ID == "" || seen[r.ID]:
			t.Errorf("rule %q is there twice", r.ID)
		case r.ShortDescription.Text == "" || r.FullDescription.Text == "" || r.Help.Text == "" || !strings.HasSuffix(r.HelpURI, "#"+r.ID):
			t.Errorf("rule %s: a text is missing: %+v", r.ID, r)
		case !slices.Contains([]string{"note", "warning", "error"}, r.DefaultConfiguration.Level):
			t.Errorf("rule %s: level %q", r.ID, r.DefaultConfiguration.Level)
		}
		seen[r.ID] = true
	}
}

func TestResults(t *testing.T) {
	log := logOf(t, found)
	results, rules := log.Runs[0].Results, log.Runs[0].Tool.Driver.Rules
	type place struct{ line, start, end int }
	places := []place{{1, 0, 0}, {1, 1, 1}, {1, 1, 6}, {2, 0, 0}, {3, 13, 0}, {3, 13, 0}}
	if len(results) != len(places) {
		t.Fatalf("%d results, want %d", len(results), len(places))
	}
	fingerprints := map[string]bool{}
	for i, r := range results {
		f := found.Findings[i]
		if r.RuleID != f.Code || r.Level != f.Severity.String() || r.Fixes != nil || len(r.Locations) != 1 || len(r.PartialFingerprints) != 1 {
			t.Fatalf("result %d: %+v", i, r)
		}
		if r.RuleIndex >= 0 && rules[r.RuleIndex].ID != f.Code {
			t.Errorf("result %d has the rule %s", i, rules[r.RuleIndex].ID)
		}
		p := r.Locations[0].PhysicalLocation
		if got := (place{p.Region.StartLine, p.Region.StartColumn, p.Region.EndColumn}); got != places[i] {
			t.Errorf("result %d is at %v, want %v", i, got, places[i])
		}
		if p.ArtifactLocation.URI != "sites/a%20b,c.txt" {
			t.Errorf("result %d: the URI is %q", i, p.ArtifactLocation.URI)
		}
		fingerprints[r.PartialFingerprints["lineText/v1"]] = true
	}
	if len(fingerprints) != len(results) {
		t.Errorf("%d different fingerprints of %d results", len(fingerprints), len(results))
	}
	if got := results[4].Message.Text; got != "{{0}} for bot" {
		t.Errorf("message %q: braces are placeholders", got)
	}
}

// The fingerprint of a finding is the same where its line is moved, and another one where the
// line is changed.
func TestFingerprints(t *testing.T) {
	of := func(body string) (all []string) {
		for _, r := range logOf(t, report.Linted{File: "robots.txt", Body: []byte(body), Findings: lint.Check([]byte(body))}).Runs[0].Results {
			if r.RuleID == "missing-colon" {
				all = append(all, r.PartialFingerprints["lineText/v1"])
			}
		}
		return all
	}
	old := of("User-agent: *\nDisallow /a\nDisallow /b\nDisallow /a\n")
	moved := of("\ufeffUser-agent: *\n# new\n\nDisallow /a\n  Disallow /b \r\nDisallow: /c\nDisallow /a\n")
	if len(old) != 3 || !slices.Equal(old, moved) {
		t.Errorf("moved lines:\n%v\n%v", old, moved)
	}
	if changed := of("User-agent: *\nDisallow /a\nDisallow /B\nDisallow /a\n"); changed[0] != old[0] || changed[1] == old[1] || changed[2] != old[2] {
		t.Errorf("a changed line:\n%v\n%v", old, changed)
	}
}

func TestURI(t *testing.T) {
	for file, want := range map[string]string{
		"robots.txt":                       "robots.txt",
		"./sites//robots.txt":              "sites/robots.txt",
		"../ä#?.txt":                       "../%C3%A4%23%3F.txt",
		"a:b.txt":                          "./a:b.txt",
		"//a.example/x":                    "file:///a.example/x", // a path, not a URL
		"/srv/100%.txt":                    "file:///srv/100%25.txt",
		"https://a.example/robots.txt":     "https://a.example/robots.txt",
		"https://a.example:8443/my robots": "https://a.example:8443/my%20robots",
	} {
		if got := uriOf(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
