package conformance_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/robotstxt"
)

// variable is the environment variable with the folder of the shared case files.
const variable = "HEED_CONFORMANCE"

// run decides a case file, reports at most 20 failures, and returns the number of cases.
func run(t *testing.T, file string, o conformance.Options) int {
	t.Helper()
	count, failed := 0, 0
	err := conformance.Run(file, o, func(r conformance.Result) {
		count++
		if r.Passed() {
			return
		}
		if failed++; failed <= 20 {
			t.Errorf("%s:%d: %s: %q, %q in %s: got %v, %s, line %d; want %v, line %s (%v)",
				r.Case.File, r.Case.FileLine, r.Case.ID, r.Case.Agents, r.Case.URL, r.Case.Dialect,
				r.Got.Allowed, r.Got.Reason, r.Got.Rule.Line, r.Case.Allow, line(r.Case.Line), r.Err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if failed > 20 {
		t.Errorf("%s: %d failed in all", file, failed)
	}
	return count
}

func line(n *int) string {
	if n == nil {
		return "any"
	}
	return fmt.Sprint(*n)
}

// The project's own cases; the name of each is the requirement that it tests.
func TestOwnCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if n := run(t, file, conformance.Options{}); n == 0 {
				t.Error("no cases")
			}
		})
	}
}

// Cases that others wrote, or that their parsers decided, if the environment has them (G-16).
func TestSharedCases(t *testing.T) {
	dir := os.Getenv(variable)
	if dir == "" {
		t.Skipf("%s is not set: expected the folder of google-cases.jsonl and similar files", variable)
	}
	for _, c := range []struct {
		file  string
		count int
	}{
		{"google-cases.jsonl", 786},
		{"google-fuzz.jsonl.gz", 50_000},
		{"rfc9309-figures.jsonl", 25},
		{"traps.jsonl", 85},
	} {
		t.Run(c.file, func(t *testing.T) {
			if n := run(t, filepath.Join(dir, c.file), conformance.Options{}); n != c.count {
				t.Errorf("%d cases, want %d", n, c.count)
			}
		})
	}
	t.Run("google-real.jsonl.gz", func(t *testing.T) {
		files := map[string][]byte{}
		for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
			files[path.Base(name)] = body
		}
		read := func(name string) ([]byte, error) {
			body, ok := files[name]
			if !ok {
				return nil, os.ErrNotExist
			}
			return body, nil
		}
		if n := run(t, filepath.Join(dir, "google-real.jsonl.gz"), conformance.Options{ReadFile: read}); n != 187_668 {
			t.Errorf("%d cases, want 187,668", n)
		}
	})
}

// results runs a case file with the given content.
func results(t *testing.T, content string, o conformance.Options) []conformance.Result {
	t.Helper()
	dir := t.TempDir()
	for name, body := range map[string]string{"cases": content, "robots.txt": "user-agent: a\ndisallow: /x\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var rs []conformance.Result
	if err := conformance.Run(filepath.Join(dir, "cases"), o, func(r conformance.Result) { rs = append(rs, r) }); err != nil {
		t.Fatal(err)
	}
	return rs
}

// describe returns for each result its line, whether it passed, and its error.
func describe(rs []conformance.Result) (got []string) {
	for _, r := range rs {
		s := fmt.Sprintf("%d %v", r.Case.FileLine, r.Passed())
		if r.Err != nil {
			s += " " + r.Err.Error()
		}
		got = append(got, s)
	}
	return got
}

// compare checks that each description begins as wanted.
func compare(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d results, want %d: %q", len(got), len(want), got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got  %q\nwant %q", got[i], want[i])
		}
	}
}

func TestTextFormIsRead(t *testing.T) {
	const content = `# A comment.
robots: robots.txt
case: from a file

allow a /y /z # and a comment
disallow b:a /x/1 line 2 # a chain
disallow a /y
disallow a /x line 3	# a tab before the comment
robots:
    user-agent: b   # kept

      disallow: /
dialect: google

disallow b https://h/robots.txt line 3
allow c /
`
	want := []string{"5 true", "5 true", "6 true", "7 false", "8 false", "15 true", "16 true"}
	rs := results(t, strings.ReplaceAll(content, "\n", "\r\n"), conformance.Options{})
	compare(t, describe(rs), want)
	if rs[0].Case.ID != "from a file" || rs[0].Case.Dialect != nil || rs[5].Case.Dialect != robotstxt.Google {
		t.Errorf("settings: %+v", rs[0].Case)
	}
	if got := string(rs[5].Case.Robots); got != "user-agent: b   # kept\n\n  disallow: /\n" {
		t.Errorf("the indented file is %q", got)
	}
}

// A block is the indented lines below "robots:", with the blank lines between them. Tabs indent
// too. A block may have no lines.
func TestBlocksOfRobots(t *testing.T) {
	for _, test := range []struct {
		content string
		robots  string // of the only case
	}{
		{"robots:\nallow a /x\n", ""},
		{"robots:\n\nallow a /x\nrobots:", ""},
		{"robots:\n  user-agent: *\n\n  allow: /\n\n \nallow a /x\n", "user-agent: *\n\nallow: /\n"},
		{"robots:\n\tuser-agent: *\n\t\tallow: /\nallow a /x\n", "user-agent: *\n\tallow: /\n"},
		{"robots:\n\n    user-agent: *\n  allow: /\nallow a /x\n", "\n    user-agent: *\n  allow: /\n"},
		{"robots:\n    user-agent: *\n  allow: /\nallow a /x\n", "user-agent: *\nallow: /\n"},
	} {
		rs := results(t, test.content, conformance.Options{})
		if len(rs) != 1 || !rs[0].Passed() || string(rs[0].Case.Robots) != test.robots {
			t.Errorf("%q: %q, want one case with %q", test.content, describe(rs), test.robots)
		}
	}
}

// Options.Robots replaces each robots.txt that the cases name or contain.
func TestRobotsOptionReplacesAll(t *testing.T) {
	const content = "disallow a /x line 2\nrobots:\n  user-agent: *\ndisallow a /x line 2\nrobots: missing.txt\ndisallow a /x line 2\n"
	compare(t, describe(results(t, content, conformance.Options{Robots: "robots.txt"})), []string{"1 true", "4 true", "6 true"})
}

// A wrong line is reported, and the others are decided nevertheless.
func TestWrongLinesOfTheTextForm(t *testing.T) {
	const content = `allow a /
robots: robots.txt
  disallow: /
permit a /
allow a
disallow a /x line x
dialect: rfc
robots: missing.txt
allow a /
robots: robots.txt
allow a /
User-agent: *
Disallow: /cart
allow a, b /
disallow a /x line -1
allow line 5
dialect:
`
	want := []string{
		`1 false no robots.txt is given; expected a line "robots: FILE" above this line`,
		`3 false the line is indented, but is not below a line "robots:": remove the indent, because only the lines of a robots.txt have one`,
		`4 false no line can begin with "permit"; expected "allow CRAWLER URL…", "disallow CRAWLER URL…", "usage CRAWLER PURPOSE=y URL…", "robots:", "origin:", "dialect:", "case:", "urls:" or "sitemap:"`,
		`5 false expected a crawler and at least one URL after it`,
		`6 false "line x": expected the number of the line that decides, or 0 if no line decides`,
		`7 false dialect "rfc" is unknown; expected one of [standard1994 draft1996 draft2019 rfc9309 google]`,
		`9 false heed cannot use the robots.txt of this test case: `,
		`11 true`,
		`12 false "User-agent:" begins a line of a robots.txt, but this is a file with cases`,
		`14 false agent "a,": a name is missing before or after a comma; write several crawlers with commas and without spaces`, // line 13 is of the same robots.txt as line 12
		`15 false "line -1": expected the number of the line that decides, or 0 if no line decides`,
		`16 false expected a crawler and at least one URL after it`,
		`17 false dialect "" is unknown`,
	}
	compare(t, describe(results(t, content, conformance.Options{})), want)
}

func TestWrongLinesOfTheJSONForm(t *testing.T) {
	const content = `{"robots": "user-agent: a\ndisallow: /", "agent": "a", "url": "/", "allow": false, "line": 2}

{"robots": "", "agent": ["a", "b"], "url": "/", "allow": true}
{"robots_file": "robots.txt", "agent": "a", "url_b64": "L3g=", "allow": false}
{"agent": "a", "url": "/", "allow": true}
{"robots": "", "url": "/", "allow": true}
{"robots": "", "agent": "a", "allow": true}
{"robots": "", "agent": "a", "url": "/"}
{"robots": "", "agent": 1, "url": "/", "allow": true}
{"robots_b64": "!", "agent": "a", "url": "/", "allow": true}
{"robots": "", "agent": "a", "url": "/", "allow": true, "dialect": "x"}
not JSON
{"robots": "", "agent_b64": "YQ==", "url": "/", "allow": true}
{"robots": "", "robots_b64": "YQ==", "agent": "a", "url": "/", "allow": true}
{"robots": "", "agent": "b", "agent_b64": "YQ==", "url": "/", "allow": true}
{"robots": "", "agent": "b", "url": "/", "url_b64": "Lw==", "allow": true}
{"robots": "", "agent": "a", "url": "/", "allow": true, "dialect": ""}
{"robots": "", "agent": "a", "url": "/", "allow": true, "line": null}
`
	want := []string{
		"1 true", "3 true", "4 true",
		`5 false the test case has none of these members, and needs one: ["robots" "robots_b64" "robots_file"]`,
		`6 false the test case has none of these members, and needs one: ["agent" "agent_b64"]`,
		`7 false the test case has none of these members, and needs one: ["url" "url_b64"]`,
		`8 false the test case has none of these members, and needs one: ["allow"]`,
		"9 false the line is not a test case as JSON: ",
		"10 false the line is not a test case as JSON: \"robots_b64\": expected base64: illegal base64",
		`11 false dialect "x" is unknown`,
		"12 false the line is not a test case as JSON: ",
		"13 true",
		`14 false the test case has several of these members; expected only one: ["robots" "robots_b64" "robots_file"]`,
		`15 false the test case has several of these members; expected only one: ["agent" "agent_b64"]`,
		`16 false the test case has several of these members; expected only one: ["url" "url_b64"]`,
		`17 false dialect "" is unknown`,
		`18 false the line is not a test case as JSON: "line": the value is null`,
	}
	compare(t, describe(results(t, content, conformance.Options{})), want)
}

// A byte-order mark at the beginning of a case file is skipped, in text and in JSON.
func TestByteOrderMarkIsSkipped(t *testing.T) {
	for _, content := range []string{
		"\ufeffrobots: robots.txt\ndisallow a /x line 2\n",
		"\ufeff" + `{"robots_file": "robots.txt", "agent": "a", "url": "/x", "allow": false, "line": 2}`,
	} {
		if rs := results(t, content, conformance.Options{}); len(rs) != 1 || !rs[0].Passed() {
			t.Errorf("%q: %q", content, describe(rs))
		}
	}
}

// Results are in the order of the file, although several cores decide them.
func TestResultsAreInFileOrder(t *testing.T) {
	var content strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&content, `{"id": "%d", "robots_file": "robots.txt", "agent": "a", "url": "/x", "allow": %v}`+"\n", i, i%7 == 0)
	}
	for i, r := range results(t, content.String(), conformance.Options{}) {
		if r.Case.ID != fmt.Sprint(i) || r.Case.FileLine != i+1 || r.Passed() != (i%7 != 0) {
			t.Fatalf("result %d is case %s of line %d, passed %v, %v", i, r.Case.ID, r.Case.FileLine, r.Passed(), r.Err)
		}
	}
}

func TestDialectOptionIsUsed(t *testing.T) {
	const content = "robots:\n  user-agent: *\n  disallow: /*x\nallow a /x\n"
	if rs := results(t, content, conformance.Options{}); rs[0].Passed() {
		t.Error("RFC 9309 is not the default")
	}
	if rs := results(t, content, conformance.Options{Dialect: robotstxt.Draft1996}); !rs[0].Passed() {
		t.Error("the dialect of the options is not used")
	}
	if err := conformance.Run(filepath.Join(t.TempDir(), "none"), conformance.Options{}, nil); err == nil {
		t.Error("no error for a file that is not there")
	}
}
