package robotstxt

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// oracleCase is one line of a case file.
type oracleCase struct {
	ID        string          `json:"id"`
	Dialect   string          `json:"dialect"`
	Robots    string          `json:"robots"`
	RobotsB64 string          `json:"robots_b64"`
	Agent     json.RawMessage `json:"agent"`
	AgentB64  string          `json:"agent_b64"`
	URL       string          `json:"url"`
	URLB64    string          `json:"url_b64"`
	Allow     bool            `json:"allow"`
	Line      *int            `json:"line"`
}

func (c *oracleCase) agents(t *testing.T) []string {
	if c.AgentB64 != "" {
		return []string{oracleText(t, "", c.AgentB64)}
	}
	if len(c.Agent) == 0 {
		return nil
	}
	var one string
	if json.Unmarshal(c.Agent, &one) == nil {
		return []string{one}
	}
	var many []string
	if err := json.Unmarshal(c.Agent, &many); err != nil {
		t.Fatalf("%s: agent: %v", c.ID, err)
	}
	return many
}

func oracleText(t *testing.T, plain, b64 string) string {
	if b64 == "" {
		return plain
	}
	text, err := base64.StdEncoding.DecodeString(b64)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOracleConformance(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("HEED_CONFORMANCE")
	if dir == "" {
		t.Skip("HEED_CONFORMANCE is not set")
	}
	for name, want := range map[string]int{
		"google-cases.jsonl":    786,
		"rfc9309-figures.jsonl": 25,
		"traps.jsonl":           85,
		"google-fuzz.jsonl.gz":  50000,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := os.Open(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			var r io.Reader = file
			if strings.HasSuffix(name, ".gz") {
				if r, err = gzip.NewReader(file); err != nil {
					t.Fatal(err)
				}
			}
			lines := bufio.NewScanner(r)
			lines.Buffer(nil, 1<<26)
			cases := 0
			for lines.Scan() {
				var c oracleCase
				if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
					t.Fatal(err)
				}
				cases++
				body, url := oracleText(t, c.Robots, c.RobotsB64), oracleText(t, c.URL, c.URLB64)
				allowed, line, ok := oracle(c.Dialect, []byte(body), c.agents(t), url)
				if !ok || allowed != c.Allow || c.Line != nil && line != *c.Line {
					t.Errorf("%s: allowed %v, line %d, ok %v; want %v (the case: %s)", c.ID, allowed, line, ok, c.Allow, lines.Bytes())
				}
			}
			if err := lines.Err(); err != nil {
				t.Fatal(err)
			}
			if cases < want {
				t.Errorf("%d cases, want %d", cases, want)
			}
		})
	}
}

// The table of the 1996 draft (S96-5).
func TestOracle1996Table(t *testing.T) {
	for _, row := range []struct {
		record, url string
		matches     bool
	}{
		{"/tmp", "/tmp", true},
		{"/tmp", "/tmp.html", true},
		{"/tmp", "/tmp/a.html", true},
		{"/tmp/", "/tmp", false},
		{"/tmp/", "/tmp/", true},
		{"/tmp/", "/tmp/a.html", true},
		{"/a%3cd.html", "/a%3cd.html", true},
		{"/a%3Cd.html", "/a%3cd.html", true},
		{"/a%3cd.html", "/a%3Cd.html", true},
		{"/a%3cd.html", "/a%3cd.html", true},
		{"/a%2fb.html", "/a%2fb.html", true},
		{"/a%2fb.html", "/a%2Fb.html", true},
		{"/a%2fb.html", "/a/b.html", false},
		{"/%7ejoe/index.html", "/~joe/index.html", true},
		{"/~joe/index.html", "/%7Ejoe/index.html", true},
	} {
		oracleExpect(t, "draft1996", "User-agent: *\nDisallow: "+row.record, "a", row.url, !row.matches, 2)
	}
}

// The percent-encoding table of the 2019 draft. In each row, the first and the second
// path are patterns that must match the third.
func TestOracle2019Table(t *testing.T) {
	for _, row := range [][3]string{
		{"/foo/bar?baz=quz", "/foo/bar?baz=quz", "/foo/bar?baz=quz"},
		{"/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http%3A%2F%2Ffoo.bar", "/foo/bar?baz=http%3A%2F%2Ffoo.bar"},
		{"/foo/bar/\u30C4", "/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"},
		{"/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"},
		{"/foo/bar/%62%61%7A", "/foo/bar/%62%61%7A", "/foo/bar/baz"},
	} {
		for _, dialect := range []string{"draft2019", "rfc9309"} {
			for _, path := range row[:2] {
				oracleExpect(t, dialect, "User-agent: *\nDisallow: "+path, "a", "https://h"+row[2], false, 2)
			}
		}
	}
}

// oracleExpect checks a verdict, and the line if the verdict is to disallow.
func oracleExpect(t *testing.T, dialect, body, agent, target string, allow bool, line int) {
	t.Helper()
	if allow {
		line = 0
	}
	allowed, got, ok := oracle(dialect, []byte(body), []string{agent}, target)
	if !ok || allowed != allow || got != line {
		t.Errorf("%s: %q, %s, %q: allowed %v, line %d, ok %v; want %v, line %d", dialect, body, agent, target, allowed, got, ok, allow, line)
	}
}

// Decisions about which the documents are not clear, made by hand.
func TestOracleReadings(t *testing.T) {
	const star = "User-agent: *\nDisallow: "
	long := "User-agent: *\n#" + strings.Repeat("x", oracleLimit-14-1-1-11) + "\n"
	for _, c := range []struct {
		dialects, body, agent, target string
		allow                         bool
		line                          int
	}{
		// Lines, white space, keys (S94-2, S94-4, R-17).
		{"94 96 19 93", "\xEF\xBB" + star + "/a", "x", "/a", false, 2},
		{"94 96", "User-agent: *\r#\r\n \t#c\n\rDisallow\v:\f/a#b", "x", "/a", true, 0},
		{"19 93", "User-agent: *\r#\r\n \t#c\n\rDisallow\v:\f/a#b", "x", "/a", false, 5},
		{"94 96", "User-agent: *\r#\r\n \t#c\nDisallow\v:\f/a#b", "x", "/a", false, 4},
		{"94 96", "User-agent: *\n\v\nDisallow: /", "x", "/a", true, 0},
		{"94 96", "\x00User-agent: *\nDisallow: /", "x", "/a", true, 0},
		{"19 93", "\x00User-agent: *\nDisallow\x7F \x01:\x02 /\x1B", "x", "/a", false, 2},
		{"94 96", "Useragent: *\nDisallow: /", "x", "/a", true, 0},
		{"94 96", "User-agent: *\nDisallow /", "x", "/a", true, 0},
		{"19 93", "USERAGENT *\ndisalow\t /", "x", "/a", false, 2},
		{"19 93", "User-agent: *\nDisallowAITraining: /", "x", "/a", true, 0},
		{"19 93", "User-agent: *\nDi\u017Fallow: /", "x", "/a", true, 0},
		// The limit.
		{"94 96 19 93", long + "Disallow: /", "x", "/a", false, 3},
		{"94 96 19 93", long + "Disallow: /a", "x", "/a", true, 0},
		// Records (S94-3, S94-5, S94-6, S94-7, S94-9, S96-2, S96-3).
		{"94 96", "User-agent: a\nDisallow: /x\nUser-agent: b\nDisallow: /", "a", "/y", true, 0},
		{"94 96", "User-agent: a\n\nUser-agent: *\nDisallow: /", "a", "/y", true, 0},
		{"94 96", "User-agent: a\nDisallow:\nUser-agent: b\nDisallow: /", "a", "/y", true, 0},
		{"94", "User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /", "a", "/y", false, 4},
		{"96", "User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /", "a", "/y", true, 2},
		{"94", "User-agent: BOT /2.0\nDisallow: /", "mybot", "/y", false, 2},
		{"96", "User-agent: BOT /2.0\nDisallow: /", "mybot", "/y", true, 0},
		{"96", "User-agent: BOT /2.0\nDisallow: /", "bot", "/y", false, 2},
		{"94 96", star + "/1\n\n" + star + "/2", "x", "/2", true, 0},
		{"94 96", star + "\nDisallow: /a\nDisallow: /", "x", "/a", false, 3},
		{"94 96", star + "/a%62", "x", "/a*b", true, 0},
		{"94", star + "/p?q", "x", "http://h/p?q=1", false, 2},
		{"96", star + "/p?q", "x", "http://h/p?q=1", true, 0},
		{"96", star + "/p;q", "x", "http://h/p;q?1", false, 2},
		{"96", star + "/a%25zz", "x", "/a%zz", false, 2},
		// Groups (R-1 to, D-1).
		{"19", star + "/1\n\n" + star + "/2", "x", "/2", true, 0},
		{"93", star + "/1\n\n" + star + "/2", "x", "/2", false, 5},
		{"19 93", "User-agent: a\nDisallow: x\nUser-agent: b\nDisallow: /", "a", "/y", true, 0},
		{"19 93", "User-agent: a\nDisallow:\nUser-agent: b\nDisallow: /", "a", "/y", true, 0},
		{"19 93", "User-agent: a/1\nUser-agent: *\nDisallow: /1\nUser-agent: A\nDisallow: /2", "a", "/1", false, 3},
		{"19 93", "User-agent: * x\nDisallow: /", "a", "/1", false, 2},
		{"19 93", "User-agent: *x\nDisallow: /", "a", "/1", true, 0},
		// Targets.
		{"19 93", star + "/", "x", "http://h/robots%2Etxt#f", true, 0},
		{"19 93", star + "/", "x", "http://h/robots.txt?", false, 2},
		{"94 96", star + "/", "x", "http://h/robots.txt", false, 2},
		{"94 96 19 93", star + "//x", "x", "//x", false, 2},
		{"94 19 93", star + "/?q", "x", "a+b://h?q", false, 2},
		// Canonical form and length.
		{"19 93", star + "/a%2fb", "x", "/a%2Fb", false, 2},
		{"19 93", star + "/a/b", "x", "/a%2Fb", true, 0},
		{"19 93", star + "/a?b/c%2fd", "x", "/a?b%2Fc/d", false, 2},
		{"19 93", star + "/*/print", "x", "/p?ref=/print", false, 2},
		{"19 93", star + "/a%3Fb", "x", "/a?b", true, 0},
		{"19 93", star + "/a%3Ab%20 c$", "x", "/a:b %20c", false, 2},
		{"19 93", star + "/100%$", "x", "/100%25", true, 0},
		{"19 93", star + "/a$b", "x", "/a%24b", false, 2},
		{"19 93", star + "/a%2Ab", "x", "/axb", true, 0},
		{"19 93", "User-agent: *\nDisallow: /a?b%2Fc\nAllow: /a?b/*", "x", "/a?b/c", true, 3},
		{"19 93", "User-agent: *\nDisallow: /a$b\nAllow: /a*****", "x", "/a$b", true, 3},
		{"19 93", "User-agent: *\nDisallow: /a$b\nAllow: /a****", "x", "/a$b", true, 3},
		{"19 93", "User-agent: *\nDisallow: /a$b\nAllow: /a***", "x", "/a$b", false, 2},
		{"19 93", "User-agent: *\nDisallow: /a%3Ab$\nAllow: /a:b\nAllow: /***", "x", "/a:b", false, 2},
	} {
		for _, d := range strings.Fields(c.dialects) {
			dialect := map[string]string{"94": "standard1994", "96": "draft1996", "19": "draft2019", "93": "rfc9309"}[d]
			allowed, line, ok := oracle(dialect, []byte(c.body), []string{c.agent}, c.target)
			if !ok || allowed != c.allow || line != c.line {
				t.Errorf("%s: %.80q, %s, %q: allowed %v, line %d, ok %v; want %v, line %d",
					dialect, c.body, c.agent, c.target, allowed, line, ok, c.allow, c.line)
			}
		}
	}
	for _, target := range []string{"", "a", "#/", "http:///a", "http://?q", "://h/", "1a://h/", "a_b://h/", "http:/h/", "?q"} {
		if _, _, ok := oracle("rfc9309", nil, nil, target); ok {
			t.Errorf("%q is accepted as a target", target)
		}
	}
}
