package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/lint"
)

// found are findings of all forms, in a file with a byte-order mark, with characters outside of
// ASCII and of 16 bits, with an octet that is not UTF-8, and with all line ends.
var found = Linted{
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

func TestFindingJSON(t *testing.T) {
	want := []string{
		`{"file":"sites/a b,c.txt","code":"no-sitemap","severity":"information","message":"no Sitemap"}`,
		`{"file":"sites/a b,c.txt","line":1,"column":1,"code":"byte-order-mark","severity":"warning","message":"a mark","fix":{"title":"remove it","safe":true,"edits":[{"start":0,"end":3,"text":""}]}}`,
		`{"file":"sites/a b,c.txt","line":1,"column":4,"code":"unknown-record","severity":"information","message":"odd"}`,
		`{"file":"sites/a b,c.txt","line":2,"code":"missing-colon","severity":"error","message":"100%,\nor: so","crawlers":["a","b"],"fix":{"title":"change","safe":false}}`,
		`{"file":"sites/a b,c.txt","line":3,"column":13,"code":"missing-colon","severity":"error","message":"{0} for bot","crawlers":["bot"]}`,
	}
	for i, w := range want {
		if got, err := json.Marshal(FindingOf(found.File, found.Findings[i])); err != nil || string(got) != w {
			t.Errorf("finding %d: %v\n%s\nwant\n%s", i, err, got, w)
		}
	}
}

func TestAnnotations(t *testing.T) {
	mend := mendings()["missing-colon"]
	if mend == "" || strings.ContainsAny(mend, "%\r\n") {
		t.Fatalf("the test needs a simple text about missing-colon, not %q", mend)
	}
	want := []string{
		"::notice file=sites/a b%2Cc.txt,title=no-sitemap::no Sitemap",
		"::warning file=sites/a b%2Cc.txt,line=1,col=1,title=byte-order-mark::a mark",
		"::notice file=sites/a b%2Cc.txt,line=1,col=1,endColumn=6,title=unknown-record::odd",
		"::error file=sites/a b%2Cc.txt,line=2,title=missing-colon::100%25,%0Aor: so (for a, b)%0A" + mend,
		"::error file=sites/a b%2Cc.txt,line=3,col=13,title=missing-colon::{0} for bot%0A" + mend,
		"::error file=sites/a b%2Cc.txt,line=3,col=13,title=missing-colon::again (for a, b, c, d, e and 2 others)%0A" + mend,
	}
	got := Annotations(found)
	if len(got) != len(want) {
		t.Fatalf("%d commands, want %d", len(got), len(want))
	}
	for i, w := range want {
		// The texts of other rules may be there or not: only those of missing-colon are compared.
		if got[i] != w && !(found.Findings[i].Code != "missing-colon" && strings.HasPrefix(got[i], w+"%0A")) {
			t.Errorf("finding %d:\n%s\nwant\n%s", i, got[i], w)
		}
	}
	other := Linted{"a", nil, []lint.Finding{{Code: "other", Message: "b"}}}
	if got := Annotations(other); len(got) != 1 || got[0] != "::notice file=a,title=other::b" {
		t.Errorf("a finding of no rule: %q", got)
	}
	hostile := Linted{File: "a\x1b]0;\u202e.txt", Findings: []lint.Finding{{Code: "no-sitemap"}}}
	if got := Annotations(hostile)[0]; !strings.HasPrefix(got, `::notice file=a\x1b]0;\u{202e}.txt,title=no-sitemap::`) {
		t.Errorf("the name of a file is not escaped: %q", got)
	}
	if data := escapeData.Replace("a:b,c%\r\n"); data != "a:b,c%25%0D%0A" {
		t.Errorf("a message: %s", data)
	}
	if title := escapeProperty.Replace("a:b,c%\r\n"); title != "a%3Ab%2Cc%25%0D%0A" {
		t.Errorf("a property: %s", title)
	}
}

// sarifLog has what the schema requires of a log, and what GitHub does.
type sarifLog struct {
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
		Results    []sarifResult
	}
}

type sarifResult struct {
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

func logOf(t *testing.T, files ...Linted) sarifLog {
	t.Helper()
	text, err := json.Marshal(SARIF("v1.2.3", files))
	var log sarifLog
	if err == nil {
		err = json.Unmarshal(text, &log)
	}
	if err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Results == nil || log.Runs[0].ColumnKind != "utf16CodeUnits" {
		t.Fatalf("%v: version %q, %d runs", err, log.Version, len(log.Runs))
	}
	return log
}

func TestSARIFRules(t *testing.T) {
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
		case !slices.Contains(sarifLevels[:], r.DefaultConfiguration.Level):
			t.Errorf("rule %s: level %q", r.ID, r.DefaultConfiguration.Level)
		}
		seen[r.ID] = true
	}
}

func TestSARIFResults(t *testing.T) {
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
		if r.RuleID != f.Code || r.Level != sarifLevels[f.Severity] || r.Fixes != nil || len(r.Locations) != 1 || len(r.PartialFingerprints) != 1 {
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
		for _, r := range logOf(t, Linted{"robots.txt", []byte(body), lint.Check([]byte(body))}).Runs[0].Results {
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

func TestSARIFURI(t *testing.T) {
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
		if got := sarifURI(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
