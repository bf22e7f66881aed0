package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/lint"
)

// found are findings of all forms, in a file with a byte-order mark, with characters outside of
// ASCII and of 16 bits, with a byte that is not UTF-8, and with all line ends.
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
		`{"file":"sites/a b,c.txt","code":"no-sitemap","severity":"note","message":"no Sitemap","advice":ADVICE}`,
		`{"file":"sites/a b,c.txt","line":1,"column":1,"code":"byte-order-mark","severity":"warning","message":"a mark","advice":ADVICE,"fix":{"title":"remove it","safe":true,"edits":[{"start":0,"end":3,"text":""}]}}`,
		`{"file":"sites/a b,c.txt","line":1,"column":4,"code":"unknown-record","severity":"note","message":"odd","advice":ADVICE}`,
		`{"file":"sites/a b,c.txt","line":2,"code":"missing-colon","severity":"error","message":"100%,\nor: so","advice":ADVICE,"crawlers":["a","b"],"fix":{"title":"change","safe":false}}`,
		`{"file":"sites/a b,c.txt","line":3,"column":13,"code":"missing-colon","severity":"error","message":"{0} for bot","advice":ADVICE,"crawlers":["bot"]}`,
	}
	for i, w := range want {
		finding := found.Findings[i]
		advice, _ := json.Marshal(lint.RuleOf(finding.Code).Fix)
		w = strings.Replace(w, "ADVICE", string(advice), 1)
		if got, err := json.Marshal(FindingOf(found.File, finding)); err != nil || len(advice) < 10 || string(got) != w {
			t.Errorf("finding %d: %v\n%s\nwant\n%s", i, err, got, w)
		}
	}
}

func TestAnnotations(t *testing.T) {
	fix := lint.RuleOf("missing-colon").Fix
	if fix == "" || strings.ContainsAny(fix, "%\r\n") {
		t.Fatalf("the test needs a simple text about missing-colon, not %q", fix)
	}
	want := []string{
		"::notice file=sites/a b%2Cc.txt,title=no-sitemap::no Sitemap",
		"::warning file=sites/a b%2Cc.txt,line=1,col=1,title=byte-order-mark::a mark",
		"::notice file=sites/a b%2Cc.txt,line=1,col=1,endColumn=6,title=unknown-record::odd",
		"::error file=sites/a b%2Cc.txt,line=2,title=missing-colon::100%25,%0Aor: so (for a, b)%0A" + fix,
		"::error file=sites/a b%2Cc.txt,line=3,col=13,title=missing-colon::{0} for bot%0A" + fix,
		"::error file=sites/a b%2Cc.txt,line=3,col=13,title=missing-colon::again (for a, b, c, d, e and 2 others)%0A" + fix,
	}
	got := Annotations(found)
	if len(got) != len(want) {
		t.Fatalf("%d commands, want %d", len(got), len(want))
	}
	for i, w := range want {
		got := got[i].String()
		// The texts of other rules may be there or not: only those of missing-colon are compared.
		if got != w && !(found.Findings[i].Code != "missing-colon" && strings.HasPrefix(got, w+"%0A")) {
			t.Errorf("finding %d:\n%s\nwant\n%s", i, got, w)
		}
	}
	hostile := Linted{File: "a\x1b]0;\u202e.txt", Findings: []lint.Finding{{Code: "no-sitemap"}}}
	if got := Annotations(hostile)[0].String(); !strings.HasPrefix(got, `::notice file=a\x1b]0;\u{202e}.txt,title=no-sitemap::`) {
		t.Errorf("the name of a file is not escaped: %q", got)
	}
	if data := escapeData.Replace("a:b,c%\r\n"); data != "a:b,c%25%0D%0A" {
		t.Errorf("a message: %s", data)
	}
	if title := escapeProperty.Replace("a:b,c%\r\n"); title != "a%3Ab%2Cc%25%0D%0A" {
		t.Errorf("a property: %s", title)
	}
}

// TestNames checks when the crawlers are in a message.
func TestNames(t *testing.T) {
	for _, c := range []struct{ message, names, want string }{
		{"a", "", "a"},
		{"a-b c_d 7", "a-b c_d 7", "a-b c_d 7"},
		{"a-b", "a b", "a-b (for a, b)"},
		{"x", "a b c d e", "x (for a, b, c, d, e)"},
		{"x", "a b c d e f", "x (for a, b, c, d, e, f)"},
		{"x", "a b c d e f g", "x (for a, b, c, d, e and 2 others)"},
		{"c: x.", "a b c d e f", "c: x. (for a, b, d, e, f)"},
		{"é", "é", "é"},
	} {
		if got := MessageOf(lint.Finding{Message: c.message, Crawlers: strings.Fields(c.names)}); got != c.want {
			t.Errorf("%q for %s: %q, want %q", c.message, c.names, got, c.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	first, third := "\ufeffé𝒳 x: 1", "Disallow: /\xff{0}"
	want := []Place{{}, {first, 1, 1}, {first, 1, 6}, {"User-agent: *", 0, 0}, {third, 13, 0}, {third, 13, 0}}
	if got := found.Places(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
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
