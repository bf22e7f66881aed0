package faces

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// A lineFace reads a robots.txt in a line of JSON, and says whether it disallows everything at
// https://a.example, or refuses the line.
type lineFace struct {
	name string
	ask  func(r *run, line string) string
}

var lineFaces = []lineFace{
	{"filter", filteringBy},
	{"compile", compiling},
	{"cache import", importing},
	{"check --input jsonl", lineOfCheck},
	{"stream", lineOfStream},
	{"/v1/explain", posting("/v1/explain")},
	{"/v1/grid", posting("/v1/grid")},
}

// lines are lines of JSON with a robots.txt.
var lines = []struct {
	name string
	line string // FILE is the name of a file
	asks string // the faces that it is for
	take string // the faces that do not refuse it; all of asks should take it, or none
}{
	{"robots", `{"origin":"https://a.example","robots":ALL}`, records, records},
	{"robots_b64", `{"origin":"https://a.example","robots_b64":B64}`, records, records},
	{"body", `{"origin":"https://a.example","body":ALL}`, records, records},
	{"location", `{"origin":"https://a.example","status":301,"location":"https://b.example/robots.txt"}` + "\n" + `{"url":"https://b.example/robots.txt","robots":ALL}`, "filter compile", records},
	{"robots_file", `{"origin":"https://a.example","robots_file":"FILE"}`, records, "cache import"},
	{"a url with a path", `{"url":"https://a.example/cart?x","robots":ALL}`, records, records},
	{"url and origin", `{"url":"https://a.example/","origin":"https://a.example","robots":ALL}`, records, ""},
	{"neither", `{"robots":ALL}`, records, ""},
	{"two robots.txt", `{"origin":"https://a.example","robots":ALL,"robots_b64":B64}`, records, ""},
	{"no robots.txt", `{"origin":"https://a.example"}`, records, ""},
	{"status 99", `{"origin":"https://a.example","robots":ALL,"status":99}`, records, ""},
	{"a time", `{"origin":"https://a.example","robots":ALL,"fetched":"2026-05-03T14:00:00Z"}`, records, records},
	{"a time to come", `{"origin":"https://a.example","robots":ALL,"fetched":"2126-05-03T14:00:00Z"}`, records, ""},
	{"a time before 1994", `{"origin":"https://a.example","robots":ALL,"fetched":"1993-12-31T23:59:59Z"}`, records, ""},
	{"the year 1", `{"origin":"https://a.example","robots":ALL,"fetched":"0001-01-01T00:00:00Z"}`, records, ""},
	{"an escaped name", `{"\u006frigin":"https://a.example","robots":ALL}`, records, records},
	{"a fragment", `{"url":"https://a.example/robots.txt#x","body":ALL}`, records, records},
	{"a backslash", `{"url":"https://a.example\\robots.txt","body":ALL}`, records, records},
	{"two lines of a time", `{"origin":"https://a.example","robots":"","fetched":"2026-05-03T14:00:00Z"}` + "\n" + `{"origin":"https://a.example","robots":ALL,"fetched":"2026-05-03T16:00:00+02:00"}`, records, records},
	{"two lines without a time", `{"origin":"https://a.example","robots":""}` + "\n" + `{"origin":"https://a.example","robots":ALL}`, records, records},
	{"a time, then none", `{"origin":"https://a.example","robots":ALL,"fetched":"2026-05-03T14:00:00Z"}` + "\n" + `{"origin":"https://a.example","robots":""}`, records, records},
	{"no time, then one", `{"origin":"https://a.example","robots":""}` + "\n" + `{"origin":"https://a.example","robots":ALL,"fetched":"2026-05-03T14:00:00Z"}`, records, records},
	{"no time", `{"origin":"https://a.example","robots":ALL,"fetched":"yesterday"}`, records, ""},
	{"another member", `{"origin":"https://a.example","robots":ALL,"id":1}`, records, ""},
	{"null", `{"origin":"https://a.example","robots":null}`, records, ""},
	{"a number", `{"origin":"https://a.example","robots":1}`, records, ""},
	{"robots in a question", `{ASK,"robots":ALL}`, questions, questions},
	{"robots_b64 in a question", `{ASK,"robots_b64":B64}`, questions, questions},
	{"robots_file in a question", `{ASK,"robots_file":"FILE"}`, questions, "check --input jsonl"}, // of this machine: the daemon must not read it
	{"two robots.txt in a question", `{ASK,"robots":ALL,"robots_b64":B64}`, questions, ""},
	{"null in a question", `{ASK,"robots":null}`, questions, ""},
	{"2 MiB", `{"origin":"https://a.example","robots":2MIB}`, records, records},
	{"17 MiB", `{"origin":"https://a.example","robots":17MIB}`, records, records},
	{"700 KiB in a question", `{ASK,"robots":700KIB}`, questions, questions},
	{"2 MiB in a question", `{ASK,"robots":2MIB}`, questions, "check --input jsonl"},
}

const (
	records   = "filter compile cache import"
	questions = "check --input jsonl stream /v1/explain /v1/grid"
)

// A line of JSON with a robots.txt is taken by all faces that it is for, or by none. Where it is not so,
// the table says which take it: a row with only some of them is a known difference.
func TestOneRecord(t *testing.T) {
	defer closeDaemon()
	for _, l := range lines {
		if strings.HasPrefix(l.name, "17 MiB") && !portion.Whole() {
			continue // it takes seconds
		}
		for _, f := range lineFaces {
			if !strings.Contains(l.asks, f.name) || !portion.Of(4) {
				continue
			}
			r := &run{T: t, world: newWorld(1, 1), face: &face{}, source: &source{}, folder: t.TempDir()}
			r.path = filepath.Dir(r.folder)
			want := refused
			if strings.Contains(l.take, f.name) {
				want = disallowed
			}
			if got := f.ask(r, r.lineOf(l.line, f.name)); got != want {
				t.Errorf("%s: %s: got %s, want %s", l.name, f.name, got, want)
			}
		}
	}
}

// lineOf returns a line with what its capitals stand for.
func (r *run) lineOf(line, face string) string {
	ask := `"agent":"a","url":"/x"`
	if face == "/v1/grid" {
		ask = `"agents":["a"],"urls":["/x"]`
	}
	file := writeFile(r, "given.txt", "User-agent: *\nDisallow: /")
	old := time.Now().Add(-time.Hour)
	must(os.Chtimes(file, old, old))
	return strings.NewReplacer("ASK", ask, "FILE", filepath.ToSlash(file), "B64", fmt.Sprintf("%q", base64Of("User-agent: *\nDisallow: /")),
		"700KIB", long(700<<10), "2MIB", long(2<<20), "17MIB", long(17<<20), "ALL", disallowsAll).Replace(line)
}

// long returns a robots.txt of a size as JSON: comments behind the rule.
func long(size int) string {
	return disallowsAll[:len(disallowsAll)-1] + strings.Repeat(`\n# long`, size/len(`\n# long`)) + `"`
}

func compiling(r *run, document string) string {
	to := filepath.Join(r.folder, "compiled")
	if got := heed("", "compile", "-o", to, writeFile(r, "source", document+"\n")); got.status != 0 {
		return refused
	}
	got := heed("https://a.example/x\n", "filter", "-a", "a", "--robots", to)
	if strings.Contains(got.stdout, "no-capture") {
		return refused
	}
	return cellsOf(got, numbersTo(1))[0].verdict
}
