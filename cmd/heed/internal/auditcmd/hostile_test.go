package auditcmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
)

// files makes a log and a robots.txt.
func files(t testing.TB, log, robots string) (logFile, robotsFile string) {
	t.Helper()
	folder := t.TempDir()
	logFile, robotsFile = filepath.Join(folder, "access.log"), filepath.Join(folder, "robots.txt")
	for name, text := range map[string]string{logFile: log, robotsFile: robots} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return logFile, robotsFile
}

// run runs the command with arguments, and returns what it prints.
func run(t testing.TB, stdin string, args ...string) (out, errors string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := term.New(strings.NewReader(stdin), &stdout, &stderr)
	c := Command(a)
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	err = c.Execute()
	a.Out.Flush()
	return stdout.String(), stderr.String(), err
}

// elements are those that the page has, with their attributes.
var elements = map[string]string{
	"html": "lang", "head": "", "meta": "charset name content http-equiv", "title": "", "style": "", "body": "", "h1": "", "h2": "", "p": "", "ul": "", "li": "", "div": "class",
	"table": "", "thead": "", "tbody": "", "tr": "", "th": "class scope", "td": "class colspan data-label", "section": "", "figure": "", "figcaption": "", "svg": "viewbox role aria-label viewBox",
	"g": "", "rect": "class x y width height", "line": "x1 y1 x2 y2", "small": "", "code": "", "br": "", "abbr": "title", "b": "", "span": "class",
}

// isHostile reports whether a rune controls a terminal or the direction of a text.
func isHostile(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029')
}

// checkSafe checks that no text of a log or a robots.txt changes the page, the terminal, the CSV or the JSON (AU-17, security).
func checkSafe(t *testing.T, log, robots string) {
	logFile, robotsFile := files(t, log, robots)
	for _, args := range [][]string{{"--format", "html"}, {}, {"--evidence", "all", "--format", "csv"}, {"--evidence", "all"}, {"--format", "json"}} {
		out, complaints, err := run(t, "", append([]string{logFile, "--robots", robotsFile}, args...)...)
		if err != nil {
			complaints += err.Error()
		}
		if i := strings.IndexFunc(complaints, isHostile); i >= 0 {
			t.Errorf("%q: standard error has %q", args, complaints[i:min(len(complaints), i+20)])
		}
		if i := strings.IndexFunc(out, isHostile); i >= 0 && !slices.Contains(args, "json") && !slices.Equal(args, []string{"--evidence", "all"}) {
			t.Errorf("%q: the output has %q", args, out[i:min(len(out), i+20)])
		}
		switch {
		case len(args) == 0 || out == "":
		case args[1] == "html":
			checkPage(t, out)
		case args[1] == "json":
			if !json.Valid([]byte(out)) {
				t.Errorf("no JSON: %.200q", out)
			}
		case len(args) == 4:
			records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
			if err != nil {
				t.Errorf("CSV: %v", err)
			}
			for _, r := range records {
				for _, field := range r {
					if field != "" && strings.Contains("=+-@", field[:1]) {
						t.Errorf("a field of CSV begins like a formula: %q", field)
					}
				}
			}
		default:
			for line := range strings.Lines(out) {
				if !json.Valid([]byte(line)) {
					t.Errorf("no JSON: %.200q", line)
				}
			}
		}
	}
}

// checkPage checks that a page has only its own elements.
func checkPage(t *testing.T, page string) {
	t.Helper()
	for tokens := html.NewTokenizer(strings.NewReader(page)); tokens.Next() != html.ErrorToken; {
		token := tokens.Token()
		if token.Type == html.CommentToken {
			t.Errorf("a comment: %.100q", token.Data)
		}
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
			continue
		}
		attributes, ok := elements[token.Data]
		if !ok {
			t.Errorf("an element %q", token.Data)
		}
		for _, a := range token.Attr {
			if !slices.Contains(strings.Fields(attributes), a.Key) {
				t.Errorf("%s has the attribute %q", token.Data, a.Key)
			}
		}
	}
}

// TestHostile: lines of 1 MiB, control characters, forged fields, and texts that change the direction.
func TestHostile(t *testing.T) {
	long := strings.Repeat("A", 1<<20)
	line := func(address, target, agent string) string {
		return address + ` - - [03/May/2026:12:00:00 +0000] "GET ` + target + ` HTTP/1.1" 200 31 "-" "` + agent + "\"\n"
	}
	log := line("192.0.2.1", "/a", "GPTBot/1.0") +
		line("192.0.2.1", "/<script>alert(1)</script>", "GPTBot/1.0 <img src=x onerror=alert(1)>") +
		line("192.0.2.1", `/\x1b[31m\"><b>`, `GPTBot/1.0 \x1b]0;x\x07 \xe2\x80\xae`) +
		line("192.0.2.1", "/\x1b[31m\u202e\u2066", "GPTBot/1.0 \x00\x9b") +
		line("\u202e<b>", "/x", "GPTBot/1.0") + line("<b>:443 192.0.2.1", "/x", "GPTBot") +
		line("192.0.2.1", "/"+long[:1000], "GPTBot") + line("192.0.2.1", "/"+long, "GPTBot") + long + "\n" + long + long + "\n" +
		line("192.0.2.1", "/x", "<script>Bot/1.0") + line("192.0.2.1", "/x", "=cmd|Bot/1.0") + "\x1b[2J<script>\n\u202e\n"
	checkSafe(t, log, "User-agent: *\nDisallow: /\nUser-agent: GPTBot\nDisallow: /<b>\x1b[31m\u202e\nDisallow: /\n")
	logFile, robotsFile := files(t, log, "User-agent: *\nDisallow: /\n")
	out, _, err := run(t, "", logFile, "--robots", robotsFile, "--format", "json")
	if err != nil || !strings.Contains(out, `"lines":9,"unreadable":5,`) {
		t.Errorf("%v: %.900s", err, out)
	}
}

// FuzzHostile: no text of a log or a robots.txt changes what the report is.
func FuzzHostile(f *testing.F) {
	f.Add("/<b>", "GPTBot/1.0 \x1b[31m", "www.example.com:443", "Disallow: /<i>")
	f.Add(`/"><script>`, "=StrangeBot", "<b>", "Disallow: /\nUser-agent: StrangeBot\nDisallow: /")
	f.Fuzz(func(t *testing.T, target, agent, host, robots string) {
		good := `192.0.2.1 - - [03/May/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 31 "-" "GPTBot/1.0"` + "\n"
		checkSafe(t, good+host+` 192.0.2.1 - - [03/May/2026:12:00:00 +0000] "GET /`+target+` HTTP/1.1" 200 31 "-" "`+agent+`"`+"\n"+
			`192.0.2.1 - - [03/May/2026:12:00:00 +0000] "GET /`+target+` HTTP/1.1" 200 31 "-" "GPTBot/1.0 `+agent+`"`+"\n",
			"User-agent: GPTBot\n"+robots+"\nDisallow: /\n")
	})
}
