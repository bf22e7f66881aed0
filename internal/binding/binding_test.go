package binding

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// Other languages read a Decision from memory.
func TestDecisionLayout(t *testing.T) {
	var d Decision
	if unsafe.Sizeof(d) != 8 || unsafe.Offsetof(d.Line) != 0 || unsafe.Offsetof(d.Allowed) != 4 || unsafe.Offsetof(d.Reason) != 5 {
		t.Errorf("%d bytes, the line at %d, allowed at %d, the reason at %d", unsafe.Sizeof(d), unsafe.Offsetof(d.Line), unsafe.Offsetof(d.Allowed), unsafe.Offsetof(d.Reason))
	}
}

func TestReasons(t *testing.T) {
	names := Reasons()
	if names[robotstxt.ByRule] != "rule" || names[robotstxt.InvalidTarget] != "invalid-target" {
		t.Errorf("got %q", names)
	}
	if text, _ := robotstxt.Reason(len(names)).MarshalText(); string(text) != "unknown" {
		t.Errorf("the reason %s is missing", text)
	}
}

func TestCheck(t *testing.T) {
	var table Table
	p := mustAgent(t, &table, mustParse(t, &table, robots), "a")
	urls := []string{"/private", "/", "https://a.example/private/x", "", "x", "/robots.txt", "/\x00\xff"}
	want := []Decision{{2, 0, 1, 0}, {0, 1, 2, 0}, {2, 0, 1, 0}, {0, 0, 10, 0}, {0, 0, 10, 0}, {0, 1, 4, 0}, {0, 1, 2, 0}}
	var lengths32 []uint32
	var lengths64 []uint64
	for i, url := range urls {
		if got, err := table.Check(p, url); err != nil || got != want[i] {
			t.Errorf("%q: got %+v, %v; want %+v", url, got, err, want[i])
		}
		lengths32, lengths64 = append(lengths32, uint32(len(url))), append(lengths64, uint64(len(url)))
	}
	got := make([]Decision, len(urls))
	if err := CheckAll(&table, p, strings.Join(urls, ""), lengths32, got); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	clear(got)
	if err := CheckAll(&table, p, strings.Join(urls, ""), lengths64, got); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// R-17, L-4: a robots.txt in UTF-16 has rules, as for the command, except in the dialect google.
func TestParseUTF16(t *testing.T) {
	var table Table
	for _, body := range []string{"\xff\xfe" + utf16LE(robots), utf16LE(robots)} {
		p := mustAgent(t, &table, mustParse(t, &table, body), "a")
		if got, err := table.Check(p, "/private"); err != nil || got != (Decision{2, 0, 1, 0}) {
			t.Errorf("%.10q: %+v, %v", body, got, err)
		}
		h, err := table.Parse([]byte(body), "google")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := table.Check(mustAgent(t, &table, h, "a"), "/private"); err != nil || got.Allowed != 1 {
			t.Errorf("%.10q in google: %+v, %v", body, got, err)
		}
	}
}

func utf16LE(ascii string) string {
	return strings.Join(strings.SplitAfter(ascii, ""), "\x00") + "\x00"
}

// what will be requested decides.
func TestRequested(t *testing.T) {
	var table Table
	f := mustParse(t, &table, robots)
	p := mustAgent(t, &table, f, "a")
	for url, want := range map[string]string{"/priv\tate": "/private", "/a\t": "/a\t", "http://a.example\\private": "http://a.example/private", "x": "x"} {
		if got, err := table.Requested(p, url); err != nil || string(got) != want {
			t.Errorf("%q: got %q, %v; want %q", url, got, err, want)
		}
	}
	if got, err := table.Requested(f, "/"); code(err) != Kind || got != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// what is no robots.txt, though the status says so.
func TestRefusal(t *testing.T) {
	for _, c := range []struct {
		status        int
		codings, body string
		want          string // in the reason; "": it is a robots.txt
	}{
		{200, "", robots, ""},
		{200, "", "", ""},
		{200, "", "<html>", ""},
		{200, "identity", robots, ""},
		{200, "utf-8, none", robots, ""},
		{200, "utf-8", "", ""},
		{200, "utf-8", "x", `encoded as "utf-8"`},
		{200, "br", robots, `encoded as "br"`},
		{200, "utf-8, GZIP", robots, `encoded as "gzip"`},
		{200, "", "\x28\xb5\x2f\xfd" + robots[len("User-agent:"):], "still compressed, as zstd"},
		{200, "", "\x00\x01\x02\xff\x03", "binary"},
		{202, "", "", "status 202"},
		{202, "", "Sitemap: https://a.example/", "status 202"},
		{202, "", robots, ""},
		{206, "", robots, "a part of the file"},
		{226, "", robots, "a part of the file"},
	} {
		why, err := Refusal(c.status, c.codings, []byte(c.body))
		if err != nil || (c.want == "") != (len(why) == 0) || !strings.Contains(string(why), c.want) {
			t.Errorf("%d, %q, %.40q: %q, %v; want %q", c.status, c.codings, c.body, why, err, c.want)
		}
	}
	if _, err := Refusal(200, "", make([]byte, MaxBody+1)); code(err) != TooLarge {
		t.Errorf("a large body: %v", err)
	}
}

// What crawlers ask for beside decisions: records that cannot be read are left out.
func TestRecords(t *testing.T) {
	body := "User-agent: a\nCrawl-delay: 2.5\nCrawl-delay: 1\nAllow: /\nUser-agent: *\nCrawl-delay: x\nSitemap: https://a.example/1\nSite-map: https://a.example/2\nSitemap: /3\n"
	var table Table
	f := mustParse(t, &table, body)
	for agent, want := range map[string]float64{"a": 2.5, "b": math.NaN()} {
		got, err := table.CrawlDelay(mustAgent(t, &table, f, agent))
		if err != nil || got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: got %v, %v; want %v", agent, got, err, want)
		}
	}
	urls, err := table.Sitemaps(f)
	if want := "https://a.example/1\nhttps://a.example/2\n"; err != nil || string(urls) != want {
		t.Errorf("got %q, %v; want %q", urls, err, want)
	}
	if seconds, err := table.CrawlDelay(f); code(err) != Kind || !math.IsNaN(seconds) {
		t.Errorf("the crawl delay of a file: %v, %v", seconds, err)
	}
	if urls, err := table.Sitemaps(mustAgent(t, &table, f, "a")); code(err) != Kind || urls != nil {
		t.Errorf("the sitemaps of a policy: %q, %v", urls, err)
	}
}

// Lengths that are not those of the text are an error, however they are wrong.
func TestLengths(t *testing.T) {
	var table Table
	p := mustAgent(t, &table, mustParse(t, &table, robots), "a")
	for _, lengths := range [][]uint64{{}, {3}, {5}, {2, 3}, {1 << 63, 1 << 63, 4}, {1<<64 - 1, 5}, {4, 1}} {
		if err := CheckAll(&table, p, "/abc", lengths, make([]Decision, 3)); code(err) != Argument {
			t.Errorf("check all with %d: %v", lengths, err)
		}
		if all, err := Strings("/abc", lengths); code(err) != Argument {
			t.Errorf("%q with %d: %v", all, lengths, err)
		}
	}
	if all, err := Strings("/abc", []uint64{0, 3, 1, 0}); err != nil || !slices.Equal(all, []string{"", "/ab", "c", ""}) {
		t.Errorf("got %q, %v", all, err)
	}
}

func TestParseErrors(t *testing.T) {
	portion.Skip(t, 4)
	var table Table
	if _, err := table.Parse(nil, "gogle\x1b"); code(err) != Argument || !strings.Contains(err.Error(), "rfc9309") || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("an unknown dialect: %v", err)
	}
	if _, err := table.Parse(make([]byte, MaxBody+1), ""); code(err) != TooLarge {
		t.Errorf("a large file: %v", err)
	}
	if _, err := Lint(make([]byte, MaxBody+1)); code(err) != TooLarge {
		t.Errorf("a large file for lint: %v", err)
	}
	if len(table.free) > 0 || table.size > 0 {
		t.Errorf("%d objects are open", table.size)
	}
}

// The dialect of a file is that which was asked for.
func TestDialect(t *testing.T) {
	var table Table
	for _, name := range []string{"", "rfc9309", "google", "draft2019", "draft1996", "standard1994"} {
		h, err := table.Parse([]byte(robots), name)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := table.fileOf(h)
		if d := f.file.file.Dialect().String(); d != name && (name != "" || d != "rfc9309") {
			t.Errorf("%q: read as %s", name, d)
		}
	}
}

func member(t *testing.T, answer []byte, err error, name string) any {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(answer, &all); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	return all[name]
}

func TestAnswers(t *testing.T) {
	var table Table
	f := mustParse(t, &table, robots)
	p := mustAgent(t, &table, f, "a")
	answer, err := table.Explain(p, "/private")
	if got := member(t, answer, err, "dialects").([]any)[3].(map[string]any)["rule"].(map[string]any)["line"]; got != 2.0 {
		t.Errorf("explain: %s", answer)
	}
	answer, err = table.Show(p)
	if got := member(t, answer, err, "crawlers").([]any)[0].(map[string]any)["crawl_delay"].(map[string]any)["seconds"]; got != 3.0 {
		t.Errorf("show: %s", answer)
	}
	answer, err = Lint([]byte("User-agent: *\nDisalow: /x\n"))
	var findings []report.Finding
	if wrong := json.Unmarshal(answer, &findings); err != nil || wrong != nil || len(findings) == 0 {
		t.Errorf("lint: %s, %v, %v", answer, err, wrong)
	}
	answer, err = Lint(nil)
	if err != nil || answer[0] != '[' {
		t.Errorf("lint: %s, %v", answer, err)
	}
	other := mustParse(t, &table, "User-agent: b\nDisallow: /\n")
	answer, err = table.Diff(f, other, []string{"b", "c-news:c"})
	if got := member(t, answer, err, "crawlers"); got == nil {
		t.Errorf("diff: %s", answer)
	}
	if answer, err = table.Diff(f, other, nil); err != nil || !json.Valid(answer) {
		t.Errorf("diff for all: %s, %v", answer, err)
	}
}

func TestAnswerErrors(t *testing.T) {
	var table Table
	f := mustParse(t, &table, robots)
	p := mustAgent(t, &table, f, "a")
	for what, err := range map[string]error{
		"a URL":          second(table.Explain(p, "private")),
		"@NAME":          second(table.Diff(f, f, []string{"@nobody"})),
		"no token":       second(table.Diff(f, f, []string{""})),
		"empty in chain": second(table.Diff(f, f, []string{"a::b"})),
	} {
		if code(err) != Argument {
			t.Errorf("%s: got %v", what, err)
		}
	}
	none := mustAgent(t, &table, f)
	if answer, err := table.Explain(none, "/private"); len(member(t, answer, err, "agents").([]any)) != 0 {
		t.Errorf("explain without tokens: %s, %v", answer, err)
	}
	if answer, err := table.Show(none); err != nil || !json.Valid(answer) {
		t.Errorf("show without tokens: %s, %v", answer, err)
	}
}

// A panic is an error that names the input, cut and escaped.
func TestPanic(t *testing.T) {
	var table Table
	h, err := table.put(&object{file: &file{}}, 0) // without a robotstxt.File
	if err != nil {
		t.Fatal(err)
	}
	_, err = table.Agent(h, []string{"a\x1b", strings.Repeat("b", 1000)})
	if code(err) != Failed || !strings.Contains(err.Error(), `agent: runtime error: `) || !strings.Contains(err.Error(), `"a\x1b", "bbb`) || len(err.Error()) > 500 {
		t.Errorf("got %v", err)
	}
	mustParse(t, &table, robots) // the table still works
}

// After a panic no decision is left that says allowed.
func TestPanicInCheckAll(t *testing.T) {
	var table Table
	p := mustAgent(t, &table, mustParse(t, &table, robots), "a")
	decisions := make([]Decision, 1) // too few
	if err := CheckAll(&table, p, "/a/b", []uint32{2, 2}, decisions); code(err) != Failed || decisions[0] != (Decision{}) {
		t.Errorf("got %+v, %v", decisions, err)
	}
}

func BenchmarkCheck(b *testing.B) {
	var table Table
	f, _ := table.Parse([]byte(robots), "")
	p, _ := table.Agent(f, []string{"a"})
	b.ReportAllocs()
	for b.Loop() {
		table.Check(p, "https://www.example.com/private/page")
	}
}

func TestCheckDoesNotAllocate(t *testing.T) {
	var table Table
	p := mustAgent(t, &table, mustParse(t, &table, robots), "a")
	lengths, decisions := []uint32{8, 1}, make([]Decision, 2)
	if n := testing.AllocsPerRun(100, func() {
		table.Check(p, "/private")
		CheckAll(&table, p, "/private/", lengths, decisions)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// @NAME is the crawler with what is known about it.
func TestKnownCrawler(t *testing.T) {
	var table Table
	f := mustParse(t, &table, "User-agent: *\nDisallow: /\n")
	for name, want := range map[string]Decision{
		"@AdsBot-Google": {Allowed: 1, Reason: uint8(robotstxt.IgnoresEveryone)},
		"AdsBot-Google":  {Line: 2, Reason: uint8(robotstxt.ByRule)},
		"@Googlebot":     {Line: 2, Reason: uint8(robotstxt.ByRule)},
	} {
		got, err := table.Check(mustAgent(t, &table, f, name), "/x")
		if err != nil || got.Allowed != want.Allowed || got.Line != want.Line || uint8(got.Reason) != want.Reason {
			t.Errorf("%s: got %+v, %v; want %+v", name, got, err, want)
		}
	}
	for _, name := range []string{"@nobody", "@search", "@OpenAI"} {
		if _, err := table.Agent(f, []string{name}); code(err) != Argument {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestAnswer(t *testing.T) {
	robots := "User-agent: *\nDisallow: /cart\n"
	for _, c := range []struct {
		path, question string
		robots         *string
		status         int
		want           string // in the answer
	}{
		{"/v1/grid", `{"urls":["/cart"],"agents":["ExampleBot"]}`, &robots, 200, `"rule":{"line":2`},
		{"/v1/grid", `{"urls":["/cart"],"agents":["ExampleBot"],"robots":""}`, nil, 200, `"reason":"no-group"`},
		{"/v1/crawlers", "", nil, 200, `"GPTBot"`},
		{"/v1/lint", "\xff", nil, 400, `"error":`},
		{"/v1/check", "{}", nil, 404, `"error":`},
	} {
		status, answer, err := Answer(c.path, []byte(c.question), c.robots)
		if err != nil || status != c.status || !strings.Contains(string(answer), c.want) {
			t.Errorf("%s %q: %d %.200s %v, want %d with %s", c.path, c.question, status, answer, err, c.status, c.want)
		}
	}
}

// Each row has the members of "heed crawlers --format json", and its product tokens.
func TestCrawlers(t *testing.T) {
	answer, err := Crawlers()
	var rows []map[string]json.RawMessage
	if wrong := json.Unmarshal(answer, &rows); err != nil || wrong != nil {
		t.Fatal(err, wrong)
	}
	i := 0
	for c := range crawlers.Known().All() {
		var want map[string]json.RawMessage
		if err := json.Unmarshal(report.AppendJSON(nil, c), &want); err != nil {
			t.Fatal(err)
		}
		agent := rows[i]["agent"]
		delete(rows[i], "agent")
		if !reflect.DeepEqual(rows[i], want) || len(agent) == 0 {
			t.Errorf("%s: %s, agent %s", c.Token, rows[i], agent)
		}
		i++
	}
	if i != len(rows) {
		t.Errorf("%d rows, want %d", len(rows), i)
	}
}
