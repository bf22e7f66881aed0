package report

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

func TestGrid(t *testing.T) {
	const body = "User-agent: a\nDisallow: /x\nAllow: /x/y\n\nDisallow\nUser-agent: b\nDisallow:\n\nUser-agent: *\nDisallow: /"
	const (
		noToken = `the crawler has no product token in it (letters, "_" and "-")`
		noURL   = `heed cannot compare this URL with rules; expected a path, such as "/cart", or an absolute URL, such as "https://www.example.com/cart"`
	)
	crawlers := [][]string{{"a"}, {"b"}, {"news", "a"}, {"other"}, {"123"}}
	for _, c := range []struct {
		dialect *robotstxt.Dialect
		url     string
		want    []string // for each crawler
		decides string   // for each rule: its line, and how many cells
	}{
		{robotstxt.RFC9309, "/x", []string{"rule 2", "no-rule-matched", "rule 2", "rule 10", noToken}, "2:2 3:0 7:0 10:1"},
		{robotstxt.RFC9309, "/x/y", []string{"rule 3", "no-rule-matched", "rule 3", "rule 10", noToken}, "2:0 3:2 7:0 10:1"},
		{robotstxt.RFC9309, "https://any.example/x/y?z#f", []string{"rule 3", "no-rule-matched", "rule 3", "rule 10", noToken}, "2:0 3:2 7:0 10:1"},
		{robotstxt.RFC9309, "/robots.txt", []string{"robots-txt-itself", "robots-txt-itself", "robots-txt-itself", "robots-txt-itself", noToken}, "2:0 3:0 7:0 10:0"},
		{robotstxt.RFC9309, "x", []string{noURL, noURL, noURL, noURL, noToken}, "2:0 3:0 7:0 10:0"},
		{robotstxt.RFC9309, "", []string{noURL, noURL, noURL, noURL, noToken}, "2:0 3:0 7:0 10:0"},
		// Google has another rule for an empty pattern, and uses any string as a name.
		{robotstxt.Google, "/x/y", []string{"rule 3", "rule 7", "rule 3", "rule 10", "rule 10"}, "2:0 3:2 7:1 10:2"},
	} {
		f := robotstxt.ParseString(body, c.dialect)
		g, err := GridOf(context.Background(), f, crawlers, []string{c.url}, false)
		if err != nil || len(g.Rows) != 1 || g.Rows[0].URL != c.url || g.Dialect != c.dialect.String() {
			t.Errorf("%v %q: %+v, %v", c.dialect, c.url, g, err)
			continue
		}
		var got, decides []string
		for i, cell := range g.Rows[0].Cells {
			text := cell.Error
			if text == "" {
				reason, _ := cell.Reason.MarshalText()
				text = string(reason)
			}
			if cell.Rule != nil {
				text += fmt.Sprint(" ", cell.Rule.Line)
			}
			got = append(got, text)
			if d := f.Agent(crawlers[i]...).Check(c.url); d.Allowed != cell.Allowed || d.Reason != cell.Reason {
				t.Errorf("%v %q for %q: %+v; Check says %v", c.dialect, c.url, crawlers[i], cell, d)
			}
		}
		for _, r := range g.Rules {
			decides = append(decides, fmt.Sprint(r.Line, ":", r.Decides))
		}
		if !slices.Equal(got, c.want) || strings.Join(decides, " ") != c.decides {
			t.Errorf("%v %q:\n got %q, rules %s\nwant %q, rules %s", c.dialect, c.url, got, decides, c.want, c.decides)
		}
	}
}

// All cells count: a rule decides in several rows and columns. A group applies if it applies to one of the crawlers.
func TestGridCounts(t *testing.T) {
	f := robotstxt.ParseString("User-agent: *\nDisallow: /x\nUser-agent: a\nDisallow: /x/y\n", nil)
	g, err := GridOf(context.Background(), f, [][]string{{"b"}, {"a"}, {"c"}}, []string{"/x/y", "/x", "/", "/x/y/z"}, false)
	if err != nil || len(g.Rules) != 2 || g.Rules[0].Decides != 6 || g.Rules[1].Decides != 2 {
		t.Errorf("%+v, %v", g.Rules, err)
	}
	for _, crawler := range []string{"a", "b"} {
		g, err := GridOf(context.Background(), f, [][]string{{crawler}}, nil, false)
		if err != nil || g.Rules[0].Applies != (crawler == "b") || g.Rules[1].Applies != (crawler == "a") {
			t.Errorf("%s: %+v, %v", crawler, g.Rules, err)
		}
	}
}

// An error of decide is that of its cell only, and is no permission.
func TestGridBy(t *testing.T) {
	f := robotstxt.DisallowAll(robotstxt.Unreachable, robotstxt.Google)
	g, err := GridBy(context.Background(), f, [][]string{{"a"}, {"b"}}, []string{"/"}, false, func(crawler int, url string) (robotstxt.Decision, error) {
		if crawler == 1 {
			return robotstxt.Decision{Allowed: true}, errors.New("no")
		}
		return f.Agent("a").Check(url), nil
	})
	if want := `{"dialect":"google","crawlers":["a","b"],"rows":[{"url":"/","cells":[{"allowed":false,"reason":"unreachable"},{"allowed":false,"reason":"undecided","error":"no"}]}],"rules":[],"size":0}`; err != nil ||
		string(g.AppendJSON(nil)) != want {
		t.Errorf("\n got %s, %v\nwant %s", g.AppendJSON(nil), err, want)
	}
}

func TestGridErrors(t *testing.T) {
	ended, end := context.WithCancel(context.Background())
	end()
	f := robotstxt.ParseString("User-agent: *\nDisallow: /*"+strings.Repeat("*", 400<<10), nil)
	for _, c := range []struct {
		ctx   context.Context
		urls  int
		error string
	}{
		{context.Background(), 20, ""},
		{context.Background(), 21, errGridText.Error()},
		{ended, 1, "context canceled"},
	} {
		_, err := GridOf(c.ctx, f, [][]string{{"a"}}, slices.Repeat([]string{"/"}, c.urls), false)
		if got := fmt.Sprint(err); got != c.error && (err != nil || c.error != "") {
			t.Errorf("%d URLs: %v; want %q", c.urls, err, c.error)
		}
	}
}

// AppendJSON returns what encoding/json does, for any text.
func FuzzGridJSON(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /x\nAllow: /\xff<\x00\n", "a", "b", "/x", "/\xff<")
	f.Add("", "", "\xff", "", "x")
	f.Fuzz(func(t *testing.T, body, one, other, url, second string) {
		for _, d := range robotstxt.Dialects() {
			g, err := GridOf(context.Background(), robotstxt.ParseString(body, d), [][]string{{one}, {other, one}}, []string{url, second}, false)
			if err != nil {
				t.Fatal(err)
			}
			g.Size = len(body)
			if got, want := string(AppendJSON(nil, &g)), byReflection(t, g); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		}
	})
}

// BenchmarkGrid is what the page asks at each keystroke: a file of 500 KiB is read, asked and
// written as JSON. The file has groups of some hundred rules, or as many rules as possible.
func BenchmarkGrid(b *testing.B) {
	var groups, short strings.Builder
	for i := 0; groups.Len() < 500<<10; i++ {
		if i%300 == 0 {
			fmt.Fprintf(&groups, "\nUser-agent: bot-%s\n", strings.Repeat("x", i/300))
		}
		fmt.Fprintf(&groups, "Disallow: /shop/%d/*/cart?id=%d$\n", i, i*7)
	}
	short.WriteString("User-agent: *\n")
	for short.Len() < 500<<10 {
		short.WriteString("Allow:/a\n")
	}
	for _, file := range []struct{ name, body string }{{"groups", groups.String()}, {"short", short.String()}} {
		for _, size := range []struct{ crawlers, urls int }{{10, 20}, {20, 50}, {1, 1000}} {
			var crawlers [][]string
			var urls []string
			for i := range size.crawlers {
				crawlers = append(crawlers, []string{"bot-" + strings.Repeat("x", i)})
			}
			for i := range size.urls {
				urls = append(urls, fmt.Sprintf("https://shop.example/shop/%d/a/cart?id=%d", i*13, i*91))
			}
			b.Run(fmt.Sprintf("%s/%dx%d", file.name, size.crawlers, size.urls), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					g, err := GridOf(context.Background(), robotstxt.ParseString(file.body, nil), crawlers, urls, false)
					if err != nil || len(g.AppendJSON(nil)) < len(file.body) {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
