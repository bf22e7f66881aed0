package conformance_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/robotstxt"
)

// files are the files that the cases below name.
var files = fstest.MapFS{
	"robots.txt":    {Data: []byte("user-agent: a\ndisallow: /x\n\nuser-agent: b\ndisallow: /\n")},
	"important.txt": {Data: []byte("\ufeff# What must stay open.\n/y\r\n\nhttps://h.example/z # why\n")},
	"bad.txt":       {Data: []byte("/y\ny\n")},
	"mixed.txt":     {Data: []byte("https://h.example/1\nhttps://i.example/2\nhttps://i.example/3\n/path\n")},
	"empty.txt":     {Data: []byte("# Nothing yet.\n")},
}

// live is a live site with a robots.txt.
type live struct{ file *robotstxt.File }

func (l live) File() *robotstxt.File { return l.file }
func (l live) Check(agents []string, target string) (robotstxt.Decision, error) {
	return l.file.Agent(agents...).Check(target), nil
}

// table has the known crawlers of these tests.
var table = func() *crawlers.Table {
	const rest = `"operator":"Example","source":{"url":"https://h.example/","by":"operator","read":"2026-11-21"},"purposes":`
	t, wrong, err := crawlers.Read(strings.NewReader(`{"token":"a",` + rest + `["search"]}
{"token":"c-image","chain":["c-image","c"],` + rest + `["search"]}
{"token":"3d","read_as":"",` + rest + `["other"]}
{"token":"d3","read_as":"d",` + rest + `["other"]}`))
	if wrong != nil || err != nil {
		panic(fmt.Sprint(wrong, err))
	}
	return t
}()

// options returns Options with every function.
func options() conformance.Options {
	return conformance.Options{
		ReadFile: files.ReadFile,
		Site: func(url string, d *robotstxt.Dialect) (conformance.Site, error) {
			if strings.Contains(url, "down") {
				return live{robotstxt.DisallowAll(robotstxt.Unreachable, d)}, nil
			}
			return live{robotstxt.ParseString("user-agent: *\ndisallow: /live", d)}, nil
		},
		ReadSitemap: func(name string) iter.Seq2[conformance.URL, error] {
			return func(yield func(conformance.URL, error) bool) {
				if name != "sitemap.xml" {
					yield(conformance.URL{}, fmt.Errorf("%s: no such file", name))
					return
				}
				_ = yield(conformance.URL{Text: "https://h.example/1", From: "sitemap.xml:3"}, nil) &&
					yield(conformance.URL{}, errors.New("sitemap.xml:4: no URL")) &&
					yield(conformance.URL{Text: "https://h.example/x", From: "sitemap.xml:5"}, nil)
			}
		},
		Table: table,
		Origin: func(url string) (string, error) {
			scheme, rest, _ := strings.Cut(url, "://")
			host, _, _ := strings.Cut(rest, "/")
			if !strings.HasPrefix(scheme, "http") {
				return "", errors.New("expected an absolute URL")
			}
			return scheme + "://" + host, nil
		},
	}
}

// runText runs a case file and returns for each result "line agents URL from passed error".
func runText(t *testing.T, content string, o conformance.Options) (got []string) {
	t.Helper()
	for _, r := range gathered(t, func(report func(conformance.Result)) error {
		return conformance.RunReader(strings.NewReader(content), "cases", o, report)
	}) {
		s := fmt.Sprintf("%d %s %s %s %v", r.Case.FileLine, strings.Join(r.Case.Agents, ":"), r.Case.URL, r.Case.From, r.Passed())
		if r.Err != nil {
			s += " " + r.Err.Error()
		}
		got = append(got, strings.Join(strings.Fields(s), " "))
	}
	return got
}

// Commas separate crawlers, each with each URL; colons separate the tokens of one; "@" names a
// set.
func TestCrawlersOfACase(t *testing.T) {
	compare(t, runText(t, "robots: robots.txt\n"+
		"allow a,c:b /y /z\n"+
		"disallow @search,b /x\n"+
		"allow @serch /y\n"+
		"allow a, /y\n", options()), []string{
		"2 a /y true", "2 a /z true", "2 c:b /y false", "2 c:b /z false",
		"3 a /x true", "3 c-image:c /x false", "3 b /x true",
		`4 false agent "@serch": no known crawler has this name; did you mean @search?`,
		`5 false agent "a,": a name is missing before or after a comma`,
	})
}

// The dialect of a case says with which tokens a known crawler is looked up, and which names are refused.
func TestCrawlersInDialects(t *testing.T) {
	const cases = "robots: robots.txt\nallow 3d,@3d,d3,@d3 /\ndialect: draft1996\nallow 3d,@3d,@d3,bad! /\n"
	compare(t, runText(t, cases+"dialect: google\nallow 3d,d3,@d3,bad! /\ndialect: rfc9309\nallow bad! /\n", options()), []string{
		"2 * / true", "2 * / true", "2 d3 / true", "2 d3 / true",
		"4 3d / true", "4 3d / true", "4 d3 / true", "4 bad! / true",
		"6 * / true", "6 d3 / true", "6 d / true", "6 bad! / true",
		`8 false agent "bad!": a product token cannot contain "!", but only letters, "_" and "-"; crawlers read a User-agent line with this name as "bad", so use "bad"`,
	})
	o := options()
	o.Dialect = robotstxt.Draft1996
	compare(t, runText(t, "robots: robots.txt\nallow 3d,@d3 /\n", o), []string{"2 3d / true", "2 d3 / true"})
}

// A line that names a set is a case for each of its URLs, and each result has the file and line
// of its URL.
func TestSetsOfURLs(t *testing.T) {
	compare(t, runText(t, "robots: robots.txt\nurls: important.txt # those\nsitemap: sitemap.xml\n"+
		"allow a urls sitemap\n"+
		"disallow b urls line 5\n"+
		"urls: bad.txt\n"+
		"allow a urls\n", options()), []string{
		"4 false sitemap: sitemap.xml:4: no URL",
		"4 a /y important.txt:2 true", "4 a https://h.example/z important.txt:4 true",
		"4 a https://h.example/1 sitemap.xml:3 true", "4 a https://h.example/x sitemap.xml:5 false",
		"5 b /y important.txt:2 true", "5 b https://h.example/z important.txt:4 true",
		"7 a /y bad.txt:1 true", `7 a y bad.txt:2 false expected an absolute URL, or a path that begins with "/"`,
	})
}

// A set without URLs, or one that no line uses, is an error.
func TestUselessSetsAreErrors(t *testing.T) {
	compare(t, runText(t, "robots: robots.txt\nurls: empty.txt\nallow a urls\nallow a urls /y\n"+
		"urls: none.txt\nallow a urls\n"+
		"sitemap: none.xml\nallow a sitemap\n"+
		"urls:\nsitemap:\nurls: https://h.example/list.txt\nallow a urls\n"+
		"urls: important.txt\nurls: bad.txt\nsitemap: sitemap.xml\nallow a /y\n"+
		"urls: important.txt\nallow @serch urls\n", options()), []string{
		`3 false the file empty.txt of the line "urls: empty.txt" has no URL; expected at least one`,
		`4 false the file empty.txt of the line "urls: empty.txt" has no URL; expected at least one`, "4 a /y true",
		"6 false urls: open none.txt: file does not exist",
		"8 false sitemap: none.xml: no such file",
		`9 false expected a file after "urls:"`,
		`10 false expected a file or a URL after "sitemap:"`,
		`11 false "urls: https://h.example/list.txt": expected a file`,
		`12 false no line above says what "urls" is; expected a line "urls: FILE" above this line`,
		`13 false no case uses "urls: important.txt"; expected a line "allow CRAWLER urls" or "disallow CRAWLER urls" below it`,
		"16 a /y true",
		`14 false no case uses "urls: bad.txt"`,
		`18 false agent "@serch": no known crawler has this name; did you mean @search?`,
		`15 false no case uses "sitemap: sitemap.xml"`,
	})
}

// A robots.txt does not apply to the URLs of another origin: such a case is an error,
// whatever it expects.
func TestURLsOfOtherOriginsAreErrors(t *testing.T) {
	compare(t, runText(t, "robots: robots.txt\nurls: mixed.txt\n"+
		"allow c urls\n"+
		"origin: https://i.example/\n"+
		"disallow b urls\n"+
		"robots: https://h.example/\n"+
		"disallow a https://i.example/live /live https://h.example/live\n"+
		"origin: h.example\n"+
		"robots: robots.txt\norigin: *\nallow c https://h.example/ https://i.example/\n", options()), []string{
		"3 https://i.example/2 mixed.txt:2 false the URLs belong to https://h.example and to https://i.example, but a robots.txt applies to only one origin",
		"3 c https://h.example/1 mixed.txt:1 true", "3 c https://i.example/3 mixed.txt:3 true", "3 c /path mixed.txt:4 true",
		"5 https://h.example/1 mixed.txt:1 false https://h.example/1 is not a URL of https://i.example, to which the robots.txt belongs: expected a URL of that origin",
		"5 b https://i.example/2 mixed.txt:2 true", "5 b https://i.example/3 mixed.txt:3 true", "5 b /path mixed.txt:4 true",
		"7 https://i.example/live false https://i.example/live is not a URL of https://h.example",
		"7 a /live true", "7 a https://h.example/live true",
		"8 false expected an absolute URL",
		"11 c https://h.example/ true", "11 c https://i.example/ true",
	})
}

// A live site decides cases; if it is unreachable, a case could not be determined.
func TestLiveSites(t *testing.T) {
	compare(t, runText(t, "robots: https://h.example/\nallow a /x\ndisallow a /live line 2\nrobots: https://down.example\ndisallow a /x\n", options()), []string{
		"2 a /x true", "3 a /live true",
		"5 a /x false heed cannot get the robots.txt of the site, which this test case needs: robots.txt is unreachable",
	})
	o := options()
	o.Robots = "https://h.example/"
	compare(t, runText(t, "disallow a /live line 2\nrobots: none.txt\nallow a /x\nrobots:\n  user-agent: *\n  disallow: /\nallow a /y\n", o), []string{
		"1 a /live true", "3 a /x true", "7 a /y true",
	})
	o.Robots = "robots.txt"
	compare(t, runText(t, "disallow a /x line 2\n", o), []string{"1 a /x true"})
	compare(t, runText(t, `{"robots": "", "agent": "a", "url": "/x", "allow": false, "line": 2}`, o), []string{"1 a /x true"})
	compare(t, runText(t, `{"robots_file": "https://down.example", "agent": "a", "url": "/x", "allow": false}`, options()), []string{
		"1 a /x false heed cannot get the robots.txt of the site, which this test case needs: robots.txt is unreachable",
	})
	compare(t, runText(t, "robots: https://h.example/\nallow a /x\n", conformance.Options{}), []string{
		"2 a /x false heed cannot test live sites here: set Options.Site",
	})
}

// A case with an invalid URL, crawler or file never passes, although the decision disallows.
func TestInvalidCasesNeverPass(t *testing.T) {
	compare(t, runText(t, "robots: robots.txt\ndisallow b products/\ndisallow 123 /\n", options()), []string{
		"2 b products/ false expected an absolute URL", "3 123 / false expected a crawler with a product token",
	})
	o := options()
	o.Decode = func([]byte) ([]byte, error) { return nil, errors.New("still compressed") }
	compare(t, runText(t, "robots: robots.txt\nallow a /y\nurls: important.txt\nallow a urls\n", o), []string{
		"2 a /y false heed cannot use the robots.txt of this test case: still compressed",
		"4 false urls: still compressed",
	})
}

// RobotsLine gives the line in the case file for a line of a robots.txt that is part of it.
func TestRobotsLineOfABlock(t *testing.T) {
	const content = "# cases\nrobots:\n\n  user-agent: *\n\n  disallow: /x\n\nallow a /x\nrobots: robots.txt\nallow a /y\n"
	rs := gathered(t, func(report func(conformance.Result)) error {
		return conformance.RunReader(strings.NewReader(content), "cases", options(), report)
	})
	line := strings.Split(content, "\n")[rs[0].Case.RobotsLine+rs[0].Got.Rule.Line-2]
	if line != "  disallow: /x" || rs[1].Case.RobotsLine != 0 {
		t.Errorf("%q, %+v", line, rs[1].Case)
	}
}

// Coverage returns rules that decided no case, and groups that apply to no crawler of a case.
func TestCoverage(t *testing.T) {
	const content = `robots:
  user-agent: a
  user-agent: a-news
  disallow: /x
  disallow: /y
  disallow:
  allow: /x/z

  user-agent: *
  disallow: /

  user-agent: c
  user-agent: d
  disallow: /1
  disallow: /2

allow a-news:a /x
disallow a     /x/1 /free
disallow e     /x
disallow f     x
`
	var c conformance.Coverage
	for _, r := range gathered(t, func(report func(conformance.Result)) error {
		return conformance.RunReader(strings.NewReader(content), "cases", options(), report)
	}) {
		c.Add("robots.txt", r)
	}
	var got []string
	for _, f := range c.Files() {
		got = append(got, fmt.Sprintf("%s: %d of %d", f.Name, f.Reached, f.Rules))
		for _, m := range f.Missed {
			got = append(got, fmt.Sprintf("%d %s", m.Line, m))
		}
	}
	compare(t, got, []string{"robots.txt: 2 of 6", "4 Disallow: /y", "6 Allow: /x/z", "11 User-agent: c, d (2 rules)"})
	c = conformance.Coverage{}
	c.Add("x", conformance.Result{Err: errors.New("no robots.txt")})
	if len(c.Files()) != 0 {
		t.Error("a case without a robots.txt counts")
	}
}

// An error repeats only the beginning of a long word.
func TestLongWordIsCutInErrors(t *testing.T) {
	var got error
	err := conformance.RunReader(strings.NewReader(strings.Repeat("x", 100_000)), "x.cases", conformance.Options{}, func(r conformance.Result) { got = r.Err })
	if err != nil || got == nil || len(got.Error()) > 300 {
		t.Errorf("%v, %.400v", err, got)
	}
}

// If a crawler is tested in two dialects, the groups that apply in either are reached.
func TestCoverageOfDialects(t *testing.T) {
	const content = `robots:
  user-agent: a
  disallow: /x

  user-agent: *
  disallow: /y

dialect: rfc9309
disallow a-news /y
dialect: standard1994
disallow a-news /x
`
	var c conformance.Coverage
	for _, r := range gathered(t, func(report func(conformance.Result)) error {
		return conformance.RunReader(strings.NewReader(content), "cases", options(), report)
	}) {
		if !r.Passed() {
			t.Errorf("%+v", r)
		}
		c.Add("robots.txt", r)
	}
	if f := c.Files()[0]; f.Reached != 2 || len(f.Missed) != 0 {
		t.Errorf("%+v", f)
	}
}

// A set is read once, and its errors are reported once, even if several lines name it.
func TestSetsAreReadOnce(t *testing.T) {
	compare(t, runText(t, "robots: robots.txt\nsitemap: sitemap.xml\ndisallow b sitemap\ndisallow b sitemap\n", options()), []string{
		"3 false sitemap: sitemap.xml:4: no URL",
		"3 b https://h.example/1 sitemap.xml:3 true", "3 b https://h.example/x sitemap.xml:5 true",
		"4 b https://h.example/1 sitemap.xml:3 true", "4 b https://h.example/x sitemap.xml:5 true",
	})
}

// Each robots.txt has its own origin, and a URL in a query is not the origin.
func TestEachRobotsTxtHasItsOrigin(t *testing.T) {
	compare(t, runText(t, "robots:\n  user-agent: *\nallow a https://h.example/ /?u=https://b.example/\n"+
		"robots:\n  user-agent: *\nallow a https://b.example/\n", options()), []string{
		"3 a https://h.example/ true", "3 a /?u=https://b.example/ true", "6 a https://b.example/ true",
	})
}
