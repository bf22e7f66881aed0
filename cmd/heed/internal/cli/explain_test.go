package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// A response is what a site may send, and the decision about a path that its file disallows.
type response struct {
	name                 string
	serve                http.HandlerFunc
	older, newer, google string // the reason in 1994 and 1996, in 2019 and RFC 9309, in Google
	prefix               string // of the sentences on why dialects differ, if they differ by the status
}

const someRules = "User-agent: *\nDisallow: /x\n"

// utf16Text returns a text in UTF-16, with a byte-order mark.
func utf16Text(s string) string {
	b := []byte{0xfe, 0xff}
	for _, unit := range utf16.Encode([]rune(s)) {
		b = binary.BigEndian.AppendUint16(b, unit)
	}
	return string(b)
}

func responses() []response {
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	redirects := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			at := 0
			fmt.Sscanf(r.URL.Path, "/%d", &at)
			if at == n {
				io.WriteString(w, someRules)
				return
			}
			http.Redirect(w, r, fmt.Sprintf("/%d", at+1), http.StatusFound)
		}
	}
	return []response{
		{"rules", status(200, someRules), "rule", "rule", "rule", ""},
		{"an empty file", status(200, ""), "no-group", "no-group", "no-group", ""},
		{"rules with wildcards", status(200, "User-agent: *\nDisallow: /*x\n"), "no-rule-matched", "rule", "rule", ""},
		{"a file in UTF-16 that is longer in UTF-8", status(200, utf16Text(someRules+strings.Repeat("# "+strings.Repeat("漢", 98)+"\n", 2000))), "rule", "rule", "rule", ""},
		{"401", status(401, someRules), "restricted", "unavailable", "unavailable", "status 401"},
		{"403", status(403, ""), "restricted", "unavailable", "unavailable", "status 403"},
		{"404", status(404, ""), "unavailable", "unavailable", "unavailable", ""},
		{"410", status(410, ""), "unavailable", "unavailable", "unavailable", ""},
		{"418", status(418, ""), "unavailable", "unavailable", "unavailable", ""},
		{"429", status(429, ""), "unreachable", "unreachable", "unreachable", "status 429"},
		{"500", status(500, "broken"), "unreachable", "unreachable", "unreachable", "status 500"},
		{"500 that says not found", status(500, "<title>404 Not Found</title><h1>Page not found</h1>"),
			"unreachable", "unreachable", "unavailable", `status 500 with a page that says "not found"`},
		{"503", status(503, ""), "unreachable", "unreachable", "unreachable", "status 503"},
		{"a redirect to nowhere", status(302, ""), "unreachable", "unreachable", "unreachable", ""},
		{"5 redirects", redirects(5), "rule", "rule", "rule", ""},
		{"6 redirects", redirects(6), "rule", "unavailable", "unavailable", "6 redirects"},
		{"10 redirects", redirects(10), "rule", "unavailable", "unavailable", "10 redirects"},
		{"redirects without end", redirects(-1), "unreachable", "unavailable", "unavailable", "11 redirects"},
		{"no answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "unreachable", "unreachable", "unreachable", ""},
	}
}

// For each response of a site, explain prints a verdict for each dialect, in text and as JSON,
// and a correct reason for each dialect that differs from that of --dialect.
func TestExplainEveryResponse(t *testing.T) {
	for _, c := range responses() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.serve)
			defer server.Close()
			store := t.TempDir()
			for _, path := range []string{"/x", "/robots.txt"} {
				for _, d := range robotstxt.Dialects() {
					args := []string{"explain", "-a", "ExampleBot", "--allow-private", "--store", store, "--dialect", d.String(), server.URL + path}
					status, out := runText(t, append(args, "--format", "json")...)
					var e explained
					if err := json.Unmarshal([]byte(out), &e); err != nil {
						t.Fatalf("%v: %s", err, out)
					}
					c.check(t, e, path, status)
					textStatus, text := runText(t, args...)
					if textStatus != status {
						t.Errorf("exit status %d for text, %d for JSON", textStatus, status)
					}
					unwrapped := strings.Join(strings.Fields(text), " ")
					for _, difference := range e.Differences {
						// In text, dialects that ignore a line for the same reason share a sentence.
						_, reason, shared := strings.Cut(difference.Why, ", but not in ")
						if shared {
							_, reason, _ = strings.Cut(reason, ": ")
						} else {
							reason = "- " + difference.Why
						}
						if !strings.Contains(unwrapped, reason) {
							t.Errorf("%q is not in the text:\n%s", difference.Why, text)
						}
					}
				}
			}
		})
	}
}

// explained is the fields of the JSON form that this test reads.
type explained struct {
	Agents      []string
	Dialect     string
	Dialects    []row
	Differences []report.Difference
}

type row struct {
	Dialect string
	Allowed bool
	Reason  string
	Rule    struct{ Line int }
}

// runText runs a command line and returns its exit status and what it prints.
func runText(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = Run(args, strings.NewReader(""), &stdout, &stderr)
	if stderr.Len() > 0 {
		t.Errorf("%q: %s", args, stderr.String())
	}
	return status, stdout.String()
}

// check compares an explanation with the expected reasons.
func (c *response) check(t *testing.T, e explained, path string, status int) {
	t.Helper()
	byName := map[string]row{}
	for _, row := range e.Dialects {
		byName[row.Dialect] = row
		if want := c.reason(row.Dialect); path == "/x" && row.Reason != want {
			t.Errorf("%s: %s, want %s", row.Dialect, row.Reason, want)
		}
		alwaysAllowed := row.Dialect == "rfc9309" || row.Dialect == "draft2019"
		if path == "/robots.txt" && alwaysAllowed && !row.Allowed {
			t.Errorf("%s does not allow /robots.txt: %s", row.Dialect, row.Reason)
		}
	}
	if len(byName) != 5 || len(e.Agents) != 1 {
		t.Errorf("%d dialects, agents %q", len(byName), e.Agents)
	}
	main := byName[e.Dialect]
	want := exit.Allowed
	switch {
	case main.Reason == "unreachable":
		want = exit.Undetermined
	case !main.Allowed:
		want = exit.Disallowed
	}
	if status != want {
		t.Errorf("%s: exit status %d, want %d", e.Dialect, status, want)
	}
	why := map[string]string{}
	for _, difference := range e.Differences {
		why[difference.Dialect] = difference.Why
	}
	for name, row := range byName {
		differs := row.Allowed != main.Allowed || row.Rule != main.Rule
		if differs != (why[name] != "") {
			t.Errorf("%s and %s differ: %v, %q", e.Dialect, name, differs, why[name])
		}
		if differs && path == "/x" && c.prefix != "" && !strings.HasPrefix(why[name], c.prefix+": ") {
			t.Errorf("%s and %s: %q does not begin with %q", e.Dialect, name, why[name], c.prefix)
		}
		if strings.Contains(why[name], "something else") {
			t.Errorf("%s and %s: %q is no reason", e.Dialect, name, why[name])
		}
	}
}

// reason returns the expected reason in a dialect.
func (c *response) reason(dialect string) string {
	switch dialect {
	case "standard1994", "draft1996":
		return c.older
	case "google":
		return c.google
	}
	return c.newer
}
