package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

const sheetFile = "User-agent: a\nUser-agent: b\nDisallow: /cart\nAllow: /cart/help\nDisallow:\nDisallow: private\n" +
	"Crawl-delay: 5\nContent-Signal: search=yes, ai-train=no\nFoo: bar\nSitemap: https://a.example/\xff.xml\nSitemap: x\n" +
	"User-agent: *\nDisallow: /\nHost: a.example\nNoindex: x\nUser-agent: A/2\nCrawl-delay: 7\nCrawl-delay: x\n"

// The records for a grid are those of a sheet.
func TestRecordsOf(t *testing.T) {
	crawlers := [][]string{{"a"}, {"b"}, {"c", "b"}, {"d"}, {"9"}}
	for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google} {
		f := robotstxt.ParseString(sheetFile, d)
		sheet := SheetOf(nil, "robots.txt", f, crawlers)
		want := Records{Sitemaps: sheet.Sitemaps, Records: sheet.Records}
		for _, a := range sheet.Crawlers {
			want.Crawlers = append(want.Crawlers, RecordsFor{a.CrawlDelay, a.Records})
		}
		if got := RecordsOf(f, crawlers); !reflect.DeepEqual(*got, want) || len(got.Sitemaps) != 2 || got.Crawlers[0].Records == nil {
			t.Errorf("%v: %+v, want %+v", d, *got, want)
		}
	}
}

// The JSON form of a sheet; what TestJSON says about changes is true here too.
func TestSheetJSON(t *testing.T) {
	crawlers := [][]string{{"a"}, {"b"}, {"c", "b"}, {"d"}}
	var got []byte
	for _, f := range []*robotstxt.File{
		robotstxt.Parse([]byte(sheetFile), nil), robotstxt.Parse([]byte(sheetFile), robotstxt.Google), robotstxt.Parse(nil, robotstxt.Draft1996),
		robotstxt.DisallowAll(robotstxt.Unreachable, nil),
	} {
		b, err := json.Marshal(SheetOf(nil, "robots.txt", f, crawlers))
		if err != nil {
			t.Fatal(err)
		}
		got = append(append(got, b...), '\n')
	}
	name := filepath.Join("testdata", "sheet1.jsonl")
	if os.Getenv("UPDATE_TRANSCRIPTS") != "" {
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || string(want) != string(got) {
		t.Errorf("%v\n%s", err, got)
	}
}

// If one verdict holds for every URL, Everything contains it (R-3, R-5, R-10, R-14, R-15,
// S94-9).
func TestEverything(t *testing.T) {
	const group = "User-agent: *\n"
	for text, want := range map[string]string{
		"":                                      "allowed",
		"User-agent: x\nDisallow: /":            "allowed",
		group:                                   "allowed",
		group + "Disallow:":                     "allowed",
		group + "Disallow: x":                   "allowed",
		group + "Allow: /x":                     "allowed",
		group + "Disallow: /x\nDisallow: /":     "disallowed",
		group + "Disallow: /*":                  "disallowed",
		group + "Disallow: *":                   "disallowed",
		group + "Disallow: /$":                  "",
		group + "Disallow: /x":                  "",
		group + "Disallow: /\nAllow: /x":        "",
		group + "Disallow: /x\nDisallow:":       "",
		group + "Disallow: /x\nUser-agent: bot": "",
	} {
		for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google} {
			s := SheetOf(nil, "", robotstxt.Parse([]byte(text), d), [][]string{{"ExampleBot"}})
			if got := s.Crawlers[0].Everything; got != want {
				t.Errorf("%s, %q: %q, want %q", d, text, got, want)
			}
		}
	}
	for file, want := range map[*robotstxt.File]string{
		robotstxt.AllowAll(robotstxt.Unavailable, nil):                         "allowed",
		robotstxt.DisallowAll(robotstxt.Unreachable, nil):                      "disallowed",
		robotstxt.DisallowAll(robotstxt.Restricted, robotstxt.Draft1996):       "disallowed",
		robotstxt.Parse([]byte(group+"Disallow: /*"), robotstxt.Standard1994):  "",
		robotstxt.Parse([]byte(group+"Disallow: /\n"), robotstxt.Standard1994): "disallowed",
	} {
		if got := SheetOf(nil, "", file, [][]string{{"ExampleBot"}}).Crawlers[0].Everything; got != want {
			t.Errorf("%s: %q, want %q", file.Dialect(), got, want)
		}
	}
}

// Crawlers to which the same groups apply for the same reasons have the same rules; the longest crawl delay of
// all groups counts.
func TestSheetOfMergedGroups(t *testing.T) {
	s := SheetOf(nil, "", robotstxt.Parse([]byte(sheetFile), nil), [][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"c", "b"}})
	a, b, c, d, chain := s.Crawlers[0], s.Crawlers[1], s.Crawlers[2], s.Crawlers[3], s.Crawlers[4]
	if a.SameAs(b) || !c.SameAs(d) || b.SameAs(c) || b.SameAs(chain) {
		t.Errorf("%+v", s.Crawlers)
	}
	if a.CrawlDelay == nil || *a.CrawlDelay != (Delay{17, 7}) || b.CrawlDelay == nil || *b.CrawlDelay != (Delay{7, 5}) || c.CrawlDelay != nil {
		t.Errorf("%+v, %+v, %+v", a.CrawlDelay, b.CrawlDelay, c.CrawlDelay)
	}
}

// In real files every rule of the groups that apply is in one of the two lists, and if
// Everything has a verdict, each URL gets that verdict. A sheet takes as long as many questions, so
// without HEED_WHOLE only one file in twenty is read, others each time.
func TestSheetsOfCorpus(t *testing.T) {
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		if !portion.Of(120) {
			continue
		}
		for _, d := range robotstxt.Dialects() {
			f := robotstxt.Parse(body, d)
			for _, a := range SheetOf(nil, "", f, [][]string{{"GPTBot"}, {"Googlebot-Image", "Googlebot"}, {"*"}}).Crawlers {
				rules := 0
				for _, g := range a.Groups {
					rules += g.Length
				}
				if got := len(a.Rules) + len(a.Useless); got != rules {
					t.Fatalf("%s, %s, %v: %d rules are listed of %d", name, d, a.Agent, got, rules)
				}
				p := f.Agent(a.Agent...)
				for _, path := range []string{"/", "/a", "/x/y.php?z=1", "/%7Efoo/*", "/index.html"} {
					if got := Verdict(p.Check(path).Allowed); a.Everything != "" && got != a.Everything {
						t.Fatalf("%s, %s, %v: everything is %s, and %s is %s", name, d, a.Agent, a.Everything, path, got)
					}
				}
			}
		}
	}
}
