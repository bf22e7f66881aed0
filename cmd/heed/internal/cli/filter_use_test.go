package cli_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/cmd/heed/internal/cli"
)

// A useTest has a folder with a source and a list.
type useTest struct {
	*testing.T
	dir, sites, list string
}

func newUseTest(t *testing.T) *useTest {
	u := &useTest{T: t, dir: t.TempDir()}
	u.sites, u.list = filepath.Join(u.dir, "sites"), u.write("list", "https://a.example/\nhttps://a.example/x\nhttps://a.example/ok/1\nhttps://b.example/\nhttps://none.example/\nnonsense/ x\n")
	os.Mkdir(u.sites, 0o700)
	u.write("sites/a.example", "User-agent: *\nDisallow: /x\nContent-Usage: train-ai=n\nContent-Usage: /ok/ train-ai=y, search=y\nContent-Signal: ai-input=no\n")
	u.write("sites/b.example", "User-agent: *\nDisallow: /x\n")
	return u
}

func (u *useTest) write(name, text string) string {
	path := filepath.Join(u.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		u.Fatal(err)
	}
	return path
}

// filter runs heed filter, and returns its status, what it writes, and what it tells.
func (u *useTest) filter(args ...string) (status int, out, told string) {
	u.Helper()
	var stdout, stderr bytes.Buffer
	status = cli.Run(append([]string{"filter"}, args...), strings.NewReader(""), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// AI-1, AI-3, AI-4, AI-16, AI-17: each row says what its page may be used for, and which rows are kept goes by that.
func TestFilterUse(t *testing.T) {
	t.Parallel()
	u := newUseTest(t)
	for _, test := range []struct{ name, flags, want, told string }{
		{"rows", "--for search,train-ai --header", "url\tverdict\treason\tline\trule\tusage\n" +
			"https://a.example/\tallowed\tno-rule-matched\t\t\ttrain-ai=n\n" +
			"https://a.example/x\tdisallowed\trule\t2\tDisallow: /x\tnot-crawlable\n" +
			"https://a.example/ok/1\tallowed\tno-rule-matched\t\t\ttrain-ai=y, search=y\n" +
			"https://b.example/\tallowed\tno-rule-matched\t\t\t\n" +
			"https://none.example/\tunknown\tno-capture\t\t\t\n" +
			"nonsense/ x\tunknown\tno-url\t\t\t\n",
			"heed filter: use: train-ai 1 allowed, 1 disallowed, 2 unknown; search 1 allowed, 0 disallowed, 3 unknown; not crawlable 1\n"},
		{"another purpose", "--for ai-use --allowed", "https://b.example/\n", "heed filter: use: ai-use 0 allowed, 2 disallowed, 2 unknown; not crawlable 1\n"},
		{"allowed", "--for train-ai --allowed", "https://a.example/ok/1\nhttps://b.example/\n", ""},
		{"an unknown preference disallows", "--for train-ai --allowed --unknown disallow", "https://a.example/ok/1\n", ""},
		{"disallowed", "--for train-ai --disallowed", "https://a.example/\nhttps://a.example/x\n", ""},
		{"an unknown preference of a site without a robots.txt disallows too", "--for train-ai --disallowed --unknown disallow", "https://a.example/\nhttps://a.example/x\nhttps://b.example/\nhttps://none.example/\n", ""},
		{"a profile", "--for train-ai,ai-use --profile signals --allowed", "https://b.example/\n", "ai-use 0 allowed, 2 disallowed"},
		{"no robots.txt", "--for search --missing disallowed --format jsonl --disallowed", `{"url":"https://a.example/x","allowed":false,"reason":"rule","rule":{"line":2,"allow":false,"pattern":"/x"},"usage":"not-crawlable"}` + "\n" +
			`{"url":"https://none.example/","allowed":false,"reason":"no-capture","usage":"not-crawlable"}` + "\n", ""},
		{"several crawlers", "--for train-ai,search -a b --header --missing allowed", "url\ta\tb\ta usage\tb usage\n" +
			"https://a.example/\tallowed\tallowed\ttrain-ai=n\ttrain-ai=n\n" +
			"https://a.example/x\tdisallowed\tdisallowed\tnot-crawlable\tnot-crawlable\n" +
			"https://a.example/ok/1\tallowed\tallowed\ttrain-ai=y, search=y\ttrain-ai=y, search=y\n" +
			"https://b.example/\tallowed\tallowed\t\t\n" +
			"https://none.example/\tallowed\tallowed\t\t\n" +
			"nonsense/ x\tunknown\tunknown\t\t\n",
			"heed filter: use by b: train-ai 1 allowed, 1 disallowed, 2 unknown;"},
	} {
		status, out, told := u.filter(append(strings.Fields("-a a --robots "+u.sites+" "+test.flags), u.list)...)
		if status != 0 || out != test.want || !strings.Contains(told, test.told) {
			t.Errorf("%s: status %d\n%s\nwant\n%s\n%s", test.name, status, out, test.want, told)
		}
	}
	if _, out, told := u.filter("-a", "a", "--robots", u.sites, u.list); strings.Contains(out, "=") || strings.Contains(told, "filter: use") {
		t.Errorf("without --for: %s%s", out, told)
	}
	u.write("sites/b.example", "User-agent: *\nContent-Usage: TRAIN-AI=n\n")
	for profile, want := range map[string]int{"all": 1, "signals": 0} {
		if _, _, told := u.filter("-a", "a", "--robots", u.sites, "--for", "train-ai", "--profile", profile, u.list); strings.Count(told, "preferences in the robots.txt of https://b.example cannot be read, ") != want {
			t.Errorf("unread preferences, profile %s: %s", profile, told)
		}
	}
	for flags, want := range map[string]string{
		"--for training":                        "unknown purpose \"training\"; expected train-ai, search or ai-use",
		"--for search --profile eu":             "--profile",
		"--profile ietf":                        "add --for PURPOSE",
		"--unknown disallow --allowed":          "add --for PURPOSE",
		"--unknown disallow --for search":       "--unknown says which URLs --allowed or --disallowed keeps",
		"--unknown fail --for search --allowed": "expected one of allow, disallow",
	} {
		if status, _, told := u.filter(append(strings.Fields("-a a --robots "+u.sites+" "+flags), u.list)...); status != 2 || !strings.Contains(told, want) {
			t.Errorf("%s: status %d: %s", flags, status, told)
		}
	}
}

// A member or a column "usage" of the input is not taken for the one of heed, and JSON of several crawlers has an object.
func TestFilterUseOfTables(t *testing.T) {
	t.Parallel()
	u := newUseTest(t)
	lines := u.write("lines", `{"url":"https://a.example/","usage":"mine"}`+"\n")
	flags := []string{"-a", "a", "--robots", u.sites, "--for", "train-ai"}
	if status, _, told := u.filter(append(flags, lines)...); status != 2 || !strings.Contains(told, `already has a member "usage"`) || !strings.Contains(told, "--prefix") || !strings.Contains(told, "1 line rejected") {
		t.Errorf("status %d: %s", status, told)
	}
	if _, out, told := u.filter(append(flags, "--prefix", "heed_", "-a", "b", lines)...); out != `{"url":"https://a.example/","usage":"mine","heed_verdicts":{"a":"allowed","b":"allowed"},"heed_usage":{"a":"train-ai=n","b":"train-ai=n"}}`+"\n" {
		t.Errorf("%s%s", out, told)
	}

	type row struct {
		URL     *string `parquet:"url,optional"`
		Verdict *string `parquet:"verdict,optional"`
		Usage   *string `parquet:"usage,optional"`
	}
	type input struct {
		URL *string `parquet:"url,optional"`
	}
	in, out := filepath.Join(u.dir, "in.parquet"), filepath.Join(u.dir, "out.parquet")
	urls := []string{"https://a.example/", "https://a.example/x", "https://a.example/ok/", "https://b.example/"}
	rows := []input{{nil}}
	for i := range urls {
		rows = append(rows, input{&urls[i]})
	}
	if err := parquet.WriteFile(in, rows); err != nil {
		t.Fatal(err)
	}
	show := func(args ...string) string {
		os.Remove(out)
		if status, _, told := u.filter(append(append(flags, "-o", out, in), args...)...); status != 0 || !strings.Contains(told, "use: train-ai 1 allowed, 1 disallowed, 1 unknown; not crawlable 1") {
			t.Errorf("%q: status %d: %s", args, status, told)
		}
		checked, err := parquet.ReadFile[row](out)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, r := range checked {
			url := "null"
			if r.URL != nil {
				url = *r.URL
			}
			text += fmt.Sprintf("%s %s %q\n", url, *r.Verdict, *r.Usage)
		}
		return text
	}
	if got, want := show(), "null unknown \"\"\nhttps://a.example/ allowed \"train-ai=n\"\nhttps://a.example/x disallowed \"not-crawlable\"\nhttps://a.example/ok/ allowed \"train-ai=y\"\nhttps://b.example/ allowed \"\"\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := show("--allowed"), "https://a.example/ok/ allowed \"train-ai=y\"\nhttps://b.example/ allowed \"\"\n"; got != want {
		t.Errorf("kept\n%s\nwant\n%s", got, want)
	}
	if status, _, told := u.filter(append(flags, "-o", out+"2.parquet", out)...); status != 2 || !strings.Contains(told, "--prefix") {
		t.Errorf("an input with the columns: status %d: %s", status, told)
	}
}

// A run does not go on with another --for.
func TestFilterUseResume(t *testing.T) {
	t.Parallel()
	u := newUseTest(t)
	out, full := filepath.Join(u.dir, "out"), filepath.Join(u.dir, "full")
	os.Mkdir(full, 0o700)
	flags := []string{"-a", "a", "--robots", u.sites, "-o", out, "--allowed", "--rejects"}
	run := func(args ...string) (int, string) {
		status, _, told := u.filter(append(append(flags, args...), u.list)...)
		return status, told
	}
	// The rejects cannot be opened: the run ends, and its checkpoint stays.
	if status, told := run(full, "--for", "train-ai"); status != 2 {
		t.Fatalf("status %d: %s", status, told)
	}
	for _, other := range []string{"", "--for search", "--for train-ai --profile ietf", "--for train-ai --unknown disallow"} {
		if status, told := run(append([]string{full, "--resume"}, strings.Fields(other)...)...); status != 2 || !strings.Contains(told, "other arguments") {
			t.Errorf("%s: status %d: %s", other, status, told)
		}
	}
	if status, told := run(full, "--resume", "--for", "train-ai", "--profile", "all"); status != 2 || strings.Contains(told, "other arguments") {
		t.Errorf("the same: status %d: %s", status, told)
	}
}

// record returns a record of a WARC file.
func record(kind, url, date, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, url, date, len(block), block)
}

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text)) // into memory
	z.Close()
	return b.String()
}

const (
	before, after = "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"
	htmlPage      = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
)

// captures are the records of a WARC file with a robots.txt and pages.
var captures = []string{
	record("warcinfo", "", before, "software: x"),
	record("response", "https://a.example/early", before, htmlPage+"\r\n<p>"),
	record("response", "https://a.example/robots.txt", "2026-01-02T00:00:00Z", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /x\nContent-Usage: search=y\n"),
	record("request", "https://a.example/1", after, "GET /1 HTTP/1.1\r\n\r\n"),
	record("response", "https://a.example/1", after, htmlPage+"\r\n<META content=no&#97;i name=robots>"),
	record("response", "https://a.example/2", after, htmlPage+"Content-Usage: train-ai=n\r\nContent-Usage: ai-use=y\r\n\r\n<p>"),
	record("response", "https://a.example/x", after, htmlPage+"Content-Usage: train-ai=y\r\n\r\n<p>"),
	record("response", "https://a.example/z", after, htmlPage+"Content-Encoding: gzip\r\n\r\n"+gzipped("<meta name=tdm-reservation content=1>")),
	record("response", "https://a.example/undecodable", after, htmlPage+"Content-Encoding: br\r\n\r\nxxxxxxxxxxxx"),
	record("response", "https://a.example/no-http", after, "no http"),
	record("response", "nonsense", after, htmlPage+"\r\n"),
	record("response", "https://a.example/date", "yesterday", htmlPage+"\r\n"),
	record("response", "https://a.example/pdf", after, "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nX-Robots-Tag: b: noai\r\nX-Robots-Tag: noindex\r\n\r\n<meta name=robots content=noai>"),
	record("response", "https://a.example/missing", after, "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<meta name=robots content=noindex>"),
	record("response", "https://b.example/", after, htmlPage+"Content-Usage: train-ai=n\r\n\r\n<p>"),
}

// AI-9, AI-13, AI-14: with --responses, each response is a question about its own content, at the time when it was captured.
func TestFilterResponses(t *testing.T) {
	t.Parallel()
	u := newUseTest(t)
	var members strings.Builder
	for _, r := range captures {
		members.WriteString(gzipped(r))
	}
	plain, zipped := u.write("plain.warc", strings.Join(captures, "")), u.write("zipped.warc.gz", members.String())
	want := `https://a.example/early	unknown	no-capture			
https://a.example/robots.txt	allowed	robots-txt-itself			search=y
https://a.example/1	allowed	no-rule-matched			train-ai=n, search=y
https://a.example/2	allowed	no-rule-matched			train-ai=n, search=y
https://a.example/x	disallowed	rule	2	Disallow: /x	not-crawlable
https://a.example/z	allowed	no-rule-matched			train-ai=n, search=y
https://a.example/pdf	allowed	no-rule-matched			search=n
https://a.example/missing	allowed	no-rule-matched			search=n
https://b.example/	unknown	no-capture			train-ai=n
`
	for _, file := range []string{plain, zipped} {
		flags := []string{"-a", "a", "--robots", file, "--responses", "--for", "train-ai,search"}
		status, out, told := u.filter(append(flags, file)...)
		if status != 0 || out != want {
			t.Errorf("status %d\n%s\nwant\n%s%s", status, out, want, told)
		}
		for _, want := range []string{"9 URLs checked: 6 allowed, 1 disallowed, 2 unknown", "use: train-ai 0 allowed, 4 disallowed, 4 unknown; search 4 allowed, 2 disallowed, 2 unknown; not crawlable 1", "4 records rejected:",
			`decoded as "br"`, "the record has no HTTP response", `"nonsense": expected an absolute URL`, `WARC-Date is "yesterday"`} {
			if !strings.Contains(told, want) {
				t.Errorf("no %s in\n%s", want, told)
			}
		}
		if _, out, _ := u.filter(append(flags, "--as-of", "now", "--allowed", file)...); out != "https://a.example/early\nhttps://a.example/robots.txt\n" {
			t.Errorf("kept with the latest robots.txt:\n%s", out)
		}
		rejects := filepath.Join(u.dir, "rejects")
		if _, out, _ := u.filter(append(flags, "-a", "b", "--header", "--rejects", rejects, file, file)...); !strings.HasPrefix(out, "url\ta\tb\ta usage\tb usage\n") || strings.Count(out, "https://a.example/pdf\tallowed\tallowed\tsearch=n\ttrain-ai=n, search=n\n") != 2 {
			t.Errorf("two crawlers and inputs:\n%s", out)
		}
		if text, err := os.ReadFile(rejects); err != nil || strings.Count(string(text), `"text":"https://a.example/no-http"`) != 2 {
			t.Errorf("rejects %s, %v", text, err)
		}
	}

	// A damaged record costs only itself.
	torn := []byte(members.String())
	at := len(gzipped(captures[0])) + 40
	torn[at], torn[at+1] = 0xff, 0xff
	file := u.write("torn.warc.gz", string(torn)+gzipped(captures[4])[:30])
	status, out, told := u.filter("-a", "a", "--robots", zipped, "--responses", "--for", "train-ai,search", file)
	if _, rest, _ := strings.Cut(want, "\n"); status != 0 || out != rest || !strings.Contains(told, "6 records rejected") {
		t.Errorf("status %d\n%s\nwant\n%s%s", status, out, rest, told)
	}

	for flags, want := range map[string]string{
		u.list + " --for search":              "expected a WARC file, because --responses checks the responses in WARC files",
		u.dir + "/nothing.warc --for search":  "there is no such file",
		"--for search":                        "--responses cannot read standard input",
		plain:                                 "add --for PURPOSE",
		plain + " --for search --input plain": "leave --input, --column and --field out",
		plain + " --for search --robots live --store x": "instead of --robots live",
	} {
		args := append([]string{"-a", "a", "--robots", plain, "--responses"}, strings.Fields(flags)...)
		if status, out, told := u.filter(args...); status != 2 || out != "" || !strings.Contains(told, want) {
			t.Errorf("%s: status %d: %s%s", flags, status, out, told)
		}
	}
}
