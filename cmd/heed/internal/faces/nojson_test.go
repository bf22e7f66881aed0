package faces

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A jsonFace reads JSON of strangers. One more is one more row.
type jsonFace struct {
	name     string
	document string // disallows: what its member says, disallows everything
	member   string
	ask      func(r *run, document string) string // the verdict
	copies   bool                                 // it copies members that it does not know, as the documents say
	known    []string                             // damages that it does not refuse, and should
}

const (
	disallowsAll = `"User-agent: *\nDisallow: /"`
	askedText    = `{"agent":"ExampleBot","url":"/x","robots":` + disallowsAll + `}`
	keptText     = `{"origin":"https://a.example","robots":` + disallowsAll + `}`
	comparedText = `{"old":{"robots":` + disallowsAll + `},"new":{"robots":""},"agent":"ExampleBot"}`
)

var jsonFaces = []jsonFace{
	{name: "check --input jsonl", document: askedText, member: "robots", ask: lineOfCheck, copies: true},
	{name: "stream", document: askedText, member: "robots", ask: lineOfStream, copies: true},
	{name: "/v1/explain", document: askedText, member: "robots", ask: posting("/v1/explain")},
	{name: "/v1/grid", document: `{"agents":["ExampleBot"],"urls":["/x"],"robots":` + disallowsAll + `}`, member: "robots", ask: posting("/v1/grid")},
	{name: "/v1/compare", document: comparedText, member: "robots", ask: posting("/v1/compare")},
	{name: "/v1/lint", document: `{"robots":"Disallow: /"}`, member: "robots", ask: posting("/v1/lint")},
	{name: "MCP explain", document: askedText, member: "robots", ask: calling("explain"), known: []string{"a bracket behind it"}},
	{name: "MCP compare", document: comparedText, member: "robots", ask: calling("compare"), known: []string{"a bracket behind it"}},
	{name: "cache import", document: keptText, member: "robots", ask: importing},
	{name: "filter, a source", document: keptText, member: "robots", ask: filteringBy},
	{name: "filter, a list", document: `{"n":1,"url":"https://a.example/x"}`, member: "url", ask: filteringList, copies: true},
	{name: "heed test", document: `{"id":"1","agent":"ExampleBot","url":"/x","allow":false,"robots":` + disallowsAll + `}`, member: "robots", ask: testCase},
}

// damages make no JSON of a document, or JSON that readers read differently.
var damages = []struct {
	name string
	of   func(document, member string) string
}{
	{"an octet that is not UTF-8", inValue("\xff")},
	{"a part of a character", inValue("\xe2\x82")},
	{"a surrogate as UTF-8", inValue("\xed\xa0\x80")},
	{"the first half of a surrogate pair", inValue(`\ud83d`)},
	{"the second half of a surrogate pair", inValue(`\ude00`)},
	{"two first halves", inValue(`\ud83d\ud83d`)},
	{"a control character", inValue("\x01")},
	{"an unknown escape", inValue(`\x41`)},
	{"the name twice", func(d, m string) string { return strings.Replace(d, `"`+m+`":`, `"`+m+`":"","`+m+`":`, 1) }},
	{"the name twice, null", func(d, m string) string { return strings.Replace(d, `"`+m+`":`, `"`+m+`":null,"`+m+`":`, 1) }},
	{"the name twice, the last is empty", func(d, m string) string { return d[:len(d)-1] + `,"` + m + `":""}` }},
	{"the name twice, with an escape", func(d, m string) string {
		return strings.Replace(d, `"`+m+`":`, `"`+escaped(m)+`":"","`+m+`":`, 1)
	}},
	{"the name in upper case", func(d, m string) string { return strings.Replace(d, `"`+m+`":`, `"`+strings.ToUpper(m)+`":`, 1) }},
	{otherCase, func(d, m string) string {
		return strings.Replace(d, `"`+m+`":`, `"`+strings.ToUpper(m)+`":"","`+m+`":`, 1)
	}},
	{"text behind it", func(d, _ string) string { return d + " x" }},
	{"another object behind it", func(d, _ string) string { return d + d }},
	{"a bracket behind it", func(d, _ string) string { return d + "}" }},
	{"a comma at the end", func(d, _ string) string { return d[:len(d)-1] + ",}" }},
	{"no end", func(d, _ string) string { return d[:len(d)-1] }},
	{"no quotation marks", func(d, m string) string { return strings.Replace(d, `"`+m+`":`, m+":", 1) }},
	{"a comment", func(d, _ string) string { return "{/* */" + d[1:] }},
	{"an octet that is not UTF-8, behind it", func(d, _ string) string { return d + "\xff" }},
}

// otherCase is the damage that is none for a face which copies what it does not know.
const otherCase = "the name also in upper case"

func inValue(text string) func(document, member string) string {
	return func(d, m string) string { return strings.Replace(d, `"`+m+`":"`, `"`+m+`":"`+text, 1) }
}

func escaped(name string) string { return strings.Replace(name, "r", `\u0072`, 1) }

// Every face refuses what one refuses: what is no JSON, and what readers of JSON read differently.
func TestNoJSON(t *testing.T) {
	defer closeDaemon()
	for _, f := range jsonFaces {
		r := &run{T: t, world: newWorld(1, 1), face: &face{}, source: &source{}, folder: t.TempDir()}
		r.path = r.folder
		usual := f.ask(r, f.document)
		if usual == refused || usual == allowed {
			t.Fatalf("%s: %s of %s", f.name, usual, f.document)
		}
		for _, damage := range damages {
			want := refused
			if damage.name == otherCase && f.copies {
				want = usual
			}
			r.folder = t.TempDir()
			text := damage.of(f.document, f.member)
			got := f.ask(r, text)
			isKnown := slices.Contains(f.known, damage.name)
			switch {
			case got != want && !isKnown:
				t.Errorf("%s: %s: got %s, want %s: %q", f.name, damage.name, got, want, text)
			case got == want && isKnown:
				t.Errorf("%s: %s: it is %s now: delete it from known", f.name, damage.name, got)
			}
		}
	}
}

func lineOfCheck(r *run, document string) string {
	return rowsOf(heed(document, "check", "--input", "jsonl"), 1)[0].verdict
}

func lineOfStream(r *run, document string) string {
	_, body := r.send("POST", "/v1/check", document)
	return rowsOf(result{stdout: body}, 1)[0].verdict
}

// posting returns what sends a document to the daemon.
func posting(path string) func(*run, string) string {
	return func(r *run, document string) string {
		status, body := r.send("POST", path, document)
		return one(status, body, verdictIn).verdict
	}
}

func calling(tool string) func(*run, string) string {
	return func(r *run, document string) string {
		status, body := r.send("POST", "/mcp", callOf(tool, document))
		text, isError := toolResult(body)
		if isError && status < http.StatusInternalServerError {
			return refused
		}
		return verdictIn(text).verdict
	}
}

// verdictIn returns the verdict in an answer of the daemon, of any kind.
func verdictIn(body string) answer {
	var all struct {
		Result   string
		Dialects []decision
		Rows     []struct{ Cells []decision }
		Findings []any
	}
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		return answer{verdict: "no JSON"}
	}
	switch {
	case all.Result == "differs", len(all.Findings) > 0:
		return answer{verdict: disallowed}
	case len(all.Rows) == 1:
		return all.Rows[0].Cells[0].answer()
	case len(all.Dialects) > 0:
		return all.Dialects[0].answer()
	}
	return answer{verdict: allowed}
}

func importing(r *run, document string) string {
	store := filepath.Join(r.folder, "store")
	if heed(document, "cache", "import", "--store", store, "-").status != 0 {
		return refused
	}
	return rowsOf(heed("", "check", "-a", "a", "--format", "jsonl", "--offline", "--store", store, "https://a.example/x"), 1)[0].verdict
}

func filteringBy(r *run, document string) string {
	got := heed("https://a.example/x\n", "filter", "-a", "a", "--robots", writeFile(r, "source", document+"\n"))
	if got.status != 0 && got.stdout == "" || strings.Contains(got.stdout, "no-capture") {
		return refused
	}
	return cellsOf(got, numbersTo(1))[0].verdict
}

func filteringList(r *run, document string) string {
	source := writeFile(r, "source", keptText+"\n")
	return rowsOf(heed(document+"\n", "filter", "-a", "a", "--robots", source, "--input", "jsonl"), 1)[0].verdict
}

func testCase(r *run, document string) string {
	switch heed("", "test", writeFile(r, "cases.jsonl", document+"\n")).status {
	case 0:
		return disallowed
	case 1:
		return allowed
	}
	return refused
}
