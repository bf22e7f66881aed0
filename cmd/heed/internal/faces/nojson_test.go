package faces

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// A jsonFace reads JSON of strangers. One more is one more row.
type jsonFace struct {
	name     string
	document string // disallows: what its member says, disallows everything
	member   string
	ask      func(r *run, document string) string // the verdict
	copies   bool                                 // it copies members that it does not know, as the documents say
	list     bool                                 // it knows one member only: its lines are anything with a URL
	wraps    bool                                 // what it reads strictly is a part of the document
	inside   bool                                 // the document is a part of another, so it has no beginning of its own
}

const (
	disallowsAll = `"User-agent: *\nDisallow: /"`
	askedText    = `{"agent":"ExampleBot","url":"/x","robots":` + disallowsAll + `}`
	askedSite    = `{"agent":"ExampleBot","url":"https://a.example/x","robots":` + disallowsAll + `}` // without robots, of the site
	keptText     = `{"origin":"https://a.example","robots":` + disallowsAll + `}`
	comparedText = `{"old":{"robots":` + disallowsAll + `},"new":{"robots":""},"agent":"ExampleBot"}`
)

var jsonFaces = []jsonFace{
	{name: "check --input jsonl", document: askedText, member: "robots", ask: lineOfCheck, copies: true},
	{name: "stream", document: askedText, member: "robots", ask: lineOfStream, copies: true},
	{name: "/v1/explain", document: askedSite, member: "robots", ask: posting("/v1/explain")},
	{name: "/v1/grid", document: `{"agents":["ExampleBot"],"urls":["/x"],"robots":` + disallowsAll + `}`, member: "robots", ask: posting("/v1/grid")},
	{name: "/v1/compare", document: comparedText, member: "robots", ask: posting("/v1/compare")},
	{name: "/v1/compare, its crawler", document: comparedText, member: "agent", ask: posting("/v1/compare")},
	{name: "/v1/lint", document: `{"robots":"Disallow: /"}`, member: "robots", ask: posting("/v1/lint")},
	{name: "MCP explain", document: askedSite, member: "robots", ask: calling("explain"), inside: true},
	{name: "MCP compare", document: comparedText, member: "robots", ask: calling("compare"), inside: true},
	{name: "MCP", document: callOf("explain", askedSite), member: "robots", ask: callingAs, wraps: true},
	{name: "MCP over pipes", document: callOf("explain", askedSite), member: "robots", ask: callingOverPipes, wraps: true},
	{name: "cache import", document: keptText, member: "robots", ask: importing},
	{name: "filter, a source", document: keptText, member: "robots", ask: filteringBy},
	{name: "filter, a list", document: `{"n":1,"url":"https://a.example/x"}`, member: "url", ask: filteringList, copies: true, list: true},
	{name: "heed test", document: `{"id":"1","agent":"ExampleBot","url":"/x","allow":false,"robots":` + disallowsAll + `}`, member: "robots", ask: testCase},
}

// damages make no JSON of a document, or JSON that readers read differently.
var damages = []struct {
	name string
	of   func(document, member string) string
}{
	{"a byte that is not UTF-8", inValue("\xff")},
	{"a part of a character", inValue("\xe2\x82")},
	{"a surrogate as UTF-8", inValue("\xed\xa0\x80")},
	{"the first half of a surrogate pair", inValue(`\ud83d`)},
	{"the second half of a surrogate pair", inValue(`\ude00`)},
	{"two first halves", inValue(`\ud83d\ud83d`)},
	{"a control character", inValue("\x01")},
	{"an unknown escape", inValue(`\x41`)},
	{"the name twice", func(d, m string) string { return strings.Replace(d, `"`+m+`":`, `"`+m+`":"","`+m+`":`, 1) }},
	{"the name twice, null", func(d, m string) string { return strings.Replace(d, `"`+m+`":`, `"`+m+`":null,"`+m+`":`, 1) }},
	{emptyAtEnd, func(d, m string) string { return d[:len(d)-1] + `,"` + m + `":""}` }},
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
	{"a byte that is not UTF-8, behind it", func(d, _ string) string { return d + "\xff" }},
}

// asides are members that are wrong, in front of one that is right.
var asides = []string{
	`"robots_b64":null`, `"robots_b64":""`, `"url_b64":null`, `"dialect":null`, `"dialect":""`,
}

// noBase64 is what base64 has not, behind its first bytes.
var noBase64 = []string{`\n`, `\r`, `\r\n`, `\u000a`, ` `, `\t`, `=`, `\u0000`}

// otherCase is the damage that is none for a face which copies what it does not know.
const otherCase = "the name also in upper case"

// emptyAtEnd is the damage that is none for a face whose document wraps another.
const emptyAtEnd = "the name twice, the last is empty"

func inValue(text string) func(document, member string) string {
	return func(d, m string) string { return strings.Replace(d, `"`+m+`":"`, `"`+m+`":"`+text, 1) }
}

func escaped(name string) string { return strings.Replace(name, "r", `\u0072`, 1) }

// Every face refuses what one refuses: what is no JSON, and what readers of JSON read differently.
func TestNoJSON(t *testing.T) {
	portion.Skip(t, 4)
	defer closeDaemon()
	for _, f := range jsonFaces {
		r := &run{T: t, world: newWorld(1, 1), face: &face{}, source: &source{}, folder: t.TempDir()}
		r.path = r.folder
		usual := f.ask(r, f.document)
		if usual == refused || usual == allowed {
			t.Fatalf("%s: %s of %s", f.name, usual, f.document)
		}
		expect := func(what, want, text string) {
			r.folder = t.TempDir()
			if got := f.ask(r, text); got != want {
				t.Errorf("%s: %s: got %s, want %s: %q", f.name, what, got, want, text)
			}
		}
		for _, damage := range damages {
			want := refused
			if damage.name == otherCase && f.copies || damage.name == emptyAtEnd && f.wraps {
				want = usual
			}
			expect(damage.name, want, damage.of(f.document, f.member))
		}
		r.expectStrict(f, usual, expect)
	}
}

// expectStrict asks with null, with base64 that is damaged, and with byte-order marks.
func (r *run) expectStrict(f jsonFace, usual string, expect func(what, want, text string)) {
	key := `"` + f.member + `":`
	front, rest, _ := strings.Cut(f.document, key)
	from := json.NewDecoder(strings.NewReader(rest))
	var value string
	if err := from.Decode(&value); err != nil {
		r.Fatal(err)
	}
	end := rest[from.InputOffset():]
	expect("null", refused, front+key+"null"+end)
	for _, aside := range asides {
		want := refused
		if f.list {
			want = usual // it copies what is beside the URL
		}
		expect(aside, want, front+aside+","+key+rest)
	}
	if f.member == "robots" {
		text := base64.StdEncoding.EncodeToString([]byte(value))
		expect("base64", usual, front+`"robots_b64":"`+text+`"`+end)
		expect("base64 with a line end behind it", refused, front+`"robots_b64":"`+text+`\n"`+end)
		for _, wrong := range noBase64 {
			expect("base64 with "+wrong, refused, front+`"robots_b64":"`+text[:4]+wrong+text[4:]+`"`+end)
		}
	}
	want := usual
	if f.inside {
		want = refused
	}
	expect("a mark in front", want, mark+f.document)
	expect("two marks in front", refused, mark+mark+f.document)
	expect("a mark behind white space", refused, " "+mark+f.document)
	expect("a mark behind it", refused, f.document+mark)
}

// A byte-order mark in front of a line of a list is skipped, and a second one is not.
func TestMarksOfLists(t *testing.T) {
	defer closeDaemon()
	r := &run{T: t, world: newWorld(1, 1), face: &face{}, source: &source{}, folder: t.TempDir()}
	r.path = r.folder
	source, file := writeFile(r, "source", keptText+"\n"), writeFile(r, "robots.txt", "User-agent: *\nDisallow: /\n")
	const url = "https://a.example/x"
	for name, ask := range map[string]func(list string) string{
		"check -": func(list string) string {
			return rowsOf(heed(list, "check", "-a", "a", "--format", "jsonl", "--robots", file, "-"), 2)[1].verdict
		},
		"filter": func(list string) string {
			return cellsOf(heed(list, "filter", "-a", "a", "--robots", source), numbersTo(2))[1].verdict
		},
		"filter, CSV": func(list string) string {
			return cellsOf(heed("url\n"+list, "filter", "-a", "a", "--robots", source), numbersTo(2))[1].verdict
		},
		"check --input jsonl": func(list string) string {
			list = strings.ReplaceAll(list, url, askedText)
			return rowsOf(heed(list, "check", "--input", "jsonl"), 2)[1].verdict
		},
		"heed test, urls": func(list string) string {
			writeFile(r, "list", list)
			return testCase(r, "robots: robots.txt\nurls: list\ndisallow a urls")
		},
		"heed test, JSON": func(list string) string {
			return testCase(r, strings.ReplaceAll(list, url, jsonFaces[len(jsonFaces)-1].document))
		},
	} {
		for front, want := range map[string]string{"": disallowed, mark: disallowed, mark + mark: refused} {
			if got := ask(url + "\n" + front + url + "\n"); got != want {
				t.Errorf("%s, %q in front of a line: got %s, want %s", name, front, got, want)
			}
		}
	}
}

// mark is a byte-order mark.
const mark = "\ufeff"

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
		return verdictOfCall(status, body)
	}
}

func verdictOfCall(status int, body string) string {
	text, isError := toolResult(body)
	if isError && status < http.StatusInternalServerError {
		return refused
	}
	return verdictIn(text).verdict
}

// callingAs sends a call as it is.
func callingAs(r *run, call string) string {
	return verdictOfCall(r.send("POST", "/mcp", call))
}

// callingOverPipes sends a call as a line, and another call: the session goes on.
func callingOverPipes(r *run, call string) string {
	got := heed(started+call+"\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n", "serve", "--mcp")
	var first string
	goesOn := false
	for line := range strings.Lines(got.stdout) {
		var answer struct{ ID any }
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			r.Fatal(err)
		}
		switch answer.ID {
		case "start":
		case 2.0:
			goesOn = true
		default:
			first = line
		}
	}
	if !goesOn {
		r.Errorf("the next call has no answer: %q", got.stdout)
	}
	return verdictOfCall(http.StatusOK, first)
}

const started = `{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

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
