package crawlernames

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
)

// If a crawler has the name of its operator, "@NAME" means all crawlers of the operator.
func TestOperators(t *testing.T) {
	for name, want := range map[string]string{"@OpenAI": "OpenAI", "@openai": "GPTBot", "@Anthropic": "ClaudeBot", "@Common Crawl": "CCBot", "@GPTBot": "GPTBot"} {
		all, err := Crawlers(name, nil, nil)
		isWanted := func(c Crawler) bool { return c.Tokens[0] == want }
		if err != nil || !slices.ContainsFunc(all, isWanted) || (len(all) == 1) != (name == "@GPTBot" || name == "@Common Crawl") {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
		if tokens, err := Tokens(nil, []string{name}, nil); len(all) > 1 && (err == nil || !strings.Contains(err.Error(), fmt.Sprintf("means %d crawlers; expected one, such as ", len(all)))) {
			t.Errorf("only %s: %q, %v", name, tokens, err)
		}
	}
	_, err := Tokens(nil, []string{"@OpenAI"}, nil)
	if want := `agent "@OpenAI": this means 7 crawlers; expected one, such as OpenAI`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// tableOf returns a table with these rows, which have no source.
func tableOf(t *testing.T, rows ...string) *crawlers.Table {
	const source = `,"operator":"Example","source":{"url":"https://a.example/","by":"operator","read":"2026-11-21"}}`
	table, wrong, err := crawlers.Read(strings.NewReader(strings.Join(rows, source+"\n") + source))
	if wrong != nil || err != nil {
		t.Fatal(wrong, err)
	}
	return table
}

// A comma separates crawlers, a colon the tokens of one, and "@" names known crawlers. A
// User-Agent header is one token.
func TestCrawlers(t *testing.T) {
	table := tableOf(t, `{"token":"a","purposes":["academic"]`, `{"token":"b-news","chain":["b-news","b"],"purposes":["academic"]`, `{"token":"9a","read_as":"","purposes":["ads"]`)
	for value, want := range map[string]string{
		"a":                 `[["a"]]`,
		"*":                 `[["*"]]`,
		"a,b":               `[["a"] ["b"]]`,
		"a-news:a,b":        `[["a-news" "a"] ["b"]]`,
		"@academic,c":       `[["a"] ["b-news" "b"] ["c"]]`,
		"@A,9a":             `[["a"] ["*"]]`,
		"Foo/1.0":           `[["Foo"]]`,
		"Foo/1.0 (a:b, @c)": `[["Foo"]]`,
		"Foo web spider":    `[["Foo"]]`,
	} {
		all, err := Crawlers(value, table, nil)
		var got [][]string
		for _, c := range all {
			got = append(got, c.Tokens)
			if isSet := strings.HasPrefix(value, "@academic") && c.Tokens[0] != "c"; isSet == strings.Contains(","+value+",", ","+c.Name+",") {
				t.Errorf("%s: %+v", value, c)
			}
		}
		if err != nil || fmt.Sprintf("%q", got) != want {
			t.Errorf("%s: %q, %v; want %s", value, got, err, want)
		}
	}
	if all, err := named(tableOf(t, `{"token":"9a","read_as":"","purposes":["ads"]`, `{"token":"b","purposes":["ads"]`, `{"token":"8a","read_as":"","purposes":["ads"]`), "ads", nil); err != nil ||
		fmt.Sprint(all) != "[{9a and 8a (*) [*]} { [b]}]" {
		t.Error(all, err)
	}
	sameInLine := tableOf(t, `{"token":"ab.c","read_as":"ab","purposes":["ai-search"]`, `{"token":"AB1","read_as":"AB","purposes":["ai-user"]`, `{"token":"d","purposes":["ai-training","ai-search"]`)
	for name, want := range map[string]string{"ai": "[{ [ab]} { [d]}]", "AI-input": "[{ [ab]} { [d]}]", "ai-training": "[{ [d]}]"} {
		if all, err := named(sameInLine, name, robotstxt.Google); err != nil || fmt.Sprint(all) != want {
			t.Errorf("%s: %v, %v; want %s", name, all, err, want)
		}
	}
	for value, want := range map[string]string{
		"":       "a name is missing",
		"a,":     "a name is missing before or after a comma",
		"a,,b":   "a name is missing before or after a comma",
		"a:":     "a product token is missing",
		":a":     "a product token is missing",
		"!*":     `agent "!*": a product token is missing before !*; write for example shopbot:!*`,
		"!*:a":   "a product token is missing before !*",
		"@":      `agent "@": no known crawler has this name; expected a crawler or an operator`,
		"@feed":  `agent "@feed": no known crawler has this purpose; name a crawler, such as @Googlebot`,
		"@other": `agent "@other": no known crawler has this purpose; name a crawler, such as @Googlebot`,
		"@one":   `agent "@one": no known crawler has this name`,
		"bad!":   `agent "bad!": a product token cannot contain "!"`,
		"@a:b":   "already means all product tokens of a crawler",
		"b:@a":   "already means all product tokens of a crawler",

		"b," + strings.Repeat("a", MaxToken+1):             "512",
		strings.Repeat("a:", MaxTokens) + "a":              "16",
		"Foo/1.0 (" + strings.Repeat("a", MaxHeader) + ")": "8192",
	} {
		if got, err := Crawlers(value, table, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v; want an error with %q", value, got, err, want)
		}
	}
}

// A question is about one crawler. A name that means several crawlers or tokens in Crawlers is no other crawler there.
func TestAsked(t *testing.T) {
	for _, d := range robotstxt.Dialects() {
		for name, want := range map[string]string{
			"foo, b": "a comma", "foo,b": "a comma", "foo,,b": "a comma", ",": "a comma", "Googlebot, GPTBot": "a comma", "@GPTBot,b": "a comma",
			"foo:b": "a colon", "foo:*": "a colon", "foo:": "a colon", "AdsBot-Google:!*": "a colon", "@GPTBot:b": "a colon",
			"Foo/1.0 (a:b, @c)": "", "a,Foo/1.0": "",
		} {
			for _, given := range [][]string{{name}, {"a", name}} {
				got, err := Asked(nil, given, d)
				if err == nil != (want == "") || err != nil && !strings.HasPrefix(err.Error(), fmt.Sprintf("agent %q: %s separates", name, want)) {
					t.Errorf("%s: %q: %q, %v; want an error with %q", d, given, got, err, want)
				}
			}
		}
	}
}

// A crawler has the name that people know, and in brackets what a User-agent line is read up to.
func TestShown(t *testing.T) {
	for want, tokens := range map[string][]string{
		"MJ12bot (MJ)": {"MJ12bot"}, "mj12bot (MJ)": {"mj12bot"}, "mj": {"mj"}, "AI": {"AI"}, "MJ12bot:Ai (MJ)": {"MJ12bot", "Ai"}, "GPTBot": {"GPTBot"},
		"Googlebot-Image:Googlebot": {"Googlebot-Image", "Googlebot"}, "*": {"*"}, "": nil, "spider": {"spider"},
	} {
		if got := Shown(nil, tokens, nil); got != want {
			t.Errorf("%q: %q, want %q", tokens, got, want)
		}
	}
	for _, d := range []*robotstxt.Dialect{robotstxt.Standard1994, robotstxt.Draft1996, robotstxt.Google} { // "MJ" does not name it there
		if got := Shown(nil, []string{"MJ12bot"}, d); got != "MJ12bot" {
			t.Errorf("%s: %q", d, got)
		}
	}
}

// A token in a file has the name of a crawler that people know.
func TestShownInFile(t *testing.T) {
	for want, tokens := range map[string][]string{
		"MJ12bot (MJ)": {"MJ"}, "AI2Bot (AI)": {"AI"}, "AI2Bot:x (AI)": {"AI", "x"}, "@AI2Bot (AI)": {"AI", robotstxt.NotEveryone},
		"Ai2Bot-Dolma (Ai)": {"Ai2Bot-Dolma"}, "gptbot": {"gptbot"}, "*": {"*"}, "": nil, "spider": {"spider"},
	} {
		if got := ShownInFile(nil, tokens, nil); got != want {
			t.Errorf("%q: %q, want %q", tokens, got, want)
		}
	}
	for _, d := range []*robotstxt.Dialect{robotstxt.Standard1994, robotstxt.Draft1996, robotstxt.Google} { // "MJ" does not name MJ12bot there
		if got := ShownInFile(nil, []string{"MJ"}, d); got != "MJ" {
			t.Errorf("%s: %q", d, got)
		}
	}
}

// A value with a space, "/", "(", ")" or ";" in one of its names is a User-Agent header
// so it is not split.
func TestHeadersStayWhole(t *testing.T) {
	for value, want := range map[string]string{
		"a,b":            `["a" "b"]`,
		"a, b ,":         `["a" "b" ""]`,
		"a,Foo/1.0":      `["a,Foo/1.0"]`,
		"Foo Bar,a":      `["Foo Bar,a"]`,
		"Foo(x),a":       `["Foo(x),a"]`,
		"a,(x":           `["a,(x"]`,
		"a,x)":           `["a,x)"]`,
		"compatible;a,b": `["compatible;a,b"]`,
	} {
		if got := fmt.Sprintf("%q", Names(value)); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
	for _, name := range []string{"a/1:b", "a b:@c"} {
		if tokens, isKnown, err := Chain(name); len(tokens) != 1 || isKnown || err != nil {
			t.Errorf("%q: %q, %v, %v", name, tokens, isKnown, err)
		}
	}
}

// A known crawler is found under the name that each dialect reads, and is "*" if no line can name it.
func TestAgents(t *testing.T) {
	for _, test := range []struct {
		given, want string
		d           *robotstxt.Dialect
	}{
		{"@MJ12bot", "[MJ12bot]", robotstxt.RFC9309}, {"@MJ12bot", "[MJ]", robotstxt.Google}, {"@MJ12bot", "[MJ12bot]", robotstxt.Standard1994},
		{"@AdsBot-Google", "[AdsBot-Google !*]", robotstxt.RFC9309}, {"@Googlebot-Image", "[Googlebot-Image Googlebot]", robotstxt.Google},
		{"@MJ12bot", "[MJ]", robotstxt.Google.WithLimit(1 << 20)}, {"@MJ12bot", "[MJ12bot]", robotstxt.Draft2019}, {"@MJ12bot", "[MJ12bot]", nil},
		{"@360Spider", "[*]", robotstxt.RFC9309}, {"360spider", "[*]", robotstxt.RFC9309}, {"360Spider", "[*]", robotstxt.Google},
		{"@360Spider", "[360Spider]", robotstxt.Draft1996}, {"360Spider", "[360Spider]", robotstxt.Draft1996}, {"9Spider", "[9Spider]", robotstxt.RFC9309},
	} {
		if got, err := Tokens(nil, []string{test.given}, test.d); err != nil || fmt.Sprint(got) != test.want {
			t.Errorf("%s in %s: %s, %v; want %s", test.given, test.d, got, err, test.want)
		}
	}
	if _, err := named(crawlers.Known(), "none", robotstxt.RFC9309); err == nil {
		t.Error("no error for an unknown name")
	}
}

// CheckRead refuses a name that is read only up to a character that no crawler has in its name.
func TestCheckRead(t *testing.T) {
	for name, want := range map[string]string{
		"":                        "",
		"*":                       "",
		robotstxt.NotEveryone:     "",
		"4711":                    "",
		"Googlebot":               "",
		"MJ12bot":                 "",
		"archive.org_bot":         "",
		"Foo/1.0":                 "",
		"Foo/1.0 (a!; +https://)": "",
		"bad!":                    `agent "bad!": a product token cannot contain "!", but only letters, "_" and "-"; crawlers read a User-agent line with this name as "bad", so use "bad"`,
		"Foo web spider":          "",
		"badé":                    `cannot contain "é"`,
		"GPTBot,CCBot":            `so use "GPTBot"`,
	} {
		err := CheckRead(robotstxt.RFC9309, []string{"Other", name})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
		if err := CheckRead(robotstxt.Google, []string{name}); err != nil {
			t.Errorf("google reads the name %q as it is: %v", name, err)
		}
	}
}

// A header means its token in every dialect, also in google; a header without a token is what it is.
func TestReadAgent(t *testing.T) {
	for _, test := range []struct {
		name, want string
		d          *robotstxt.Dialect
	}{
		{"GPTBot/1.2", "GPTBot", robotstxt.Google}, {"GPTBot/1.2", "GPTBot", robotstxt.Google.WithLimit(1)}, {"GPTBot/1.2", "GPTBot", nil},
		{"Mozilla/5.0 (compatible; MJ12bot/v1.4.8)", "MJ", robotstxt.Google}, {"Mozilla/5.0 (compatible; MJ12bot/v1.4.8)", "MJ12bot", robotstxt.Standard1994},
		{"Sogou web spider", "Sogou", robotstxt.Google}, {"Sogou web spider", "Sogou web spider", robotstxt.Draft1996},
		{"MJ12bot", "MJ12bot", robotstxt.Google}, {"bad!", "bad!", robotstxt.Google}, {"360Spider/1.0", "360Spider/1.0", robotstxt.Google},
	} {
		if got, err := Asked(nil, []string{test.name}, test.d); err != nil || fmt.Sprint(got) != "["+test.want+"]" {
			t.Errorf("%q in %s: %q, %v; want %s", test.name, test.d, got, err, test.want)
		}
	}
}

// Meant finds the crawler or the set that a misspelt name means, and nothing for right names and for those that are not
// similar enough.
func TestMeant(t *testing.T) {
	for name, want := range map[string]string{
		"Gogglebot": "Googlebot", "gptbto": "GPTBot", "Googlebott": "Googlebot", "ooglebot": "Googlebot", "Gооglebot": "", "Gоoglebot": "Googlebot", // Cyrillic letters
		"Googlebot": "", "googlebot": "", "Google": "", "GPTB": "", "*": "", "": "", strings.Repeat("x", 600): "",
		"@serach": "@search", "@Gogglebot": "@Googlebot", "@gogle-bot": "@Googlebot", "@knwon": "@known",
		"@search": "", "@SEARCH": "", "@known": "", "@Googlebot": "", "@zzzzzzzz": "",
	} {
		if got := Meant(nil, name); got != want {
			t.Errorf("Meant(%q) = %q, want %q", name, got, want)
		}
	}
}

// Misspelt finds the crawler that a name in a robots.txt means. The wrong pairs are names in real files.
func TestMisspelt(t *testing.T) {
	for name, want := range map[string]string{
		"Gogglebot": "Googlebot", "googlbot": "Googlebot", "Googlebott": "Googlebot", "ooglebot": "Googlebot", "GTPBot": "GPTBot", "gpt_bot": "GPTBot",
		"chat_gpt_user": "ChatGPT-User", "metaexternalagent": "meta-externalagent", "Googlebot-Images": "Googlebot-Image", "Googlebot-": "Googlebot",
		"TunitinBot": "TurnitinBot", "magpie-crawle": "magpie-crawler", "clau-debot": "ClaudeBot",
		"Googlebot": "", "GOOGLEBOT": "", "Google": "", "-": "", "*": "", "": "", strings.Repeat("x", 600): "", "Gglbot": "", "Googlebtoo": "",
		"NPBot": "", "AIBOT": "", "IonCrawl": "", "Roverbot": "", "SemrushBot-BM": "", "occ-crawler": "", "Trade": "", "Devil": "", "CC-": "",
	} {
		if got := Misspelt(name); got != want {
			t.Errorf("Misspelt(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestCounted(t *testing.T) {
	for names, want := range map[string]string{
		"Googlebot":                            "1 crawler",
		"Googlebot,Foo":                        "2 crawlers",
		"Google-Extended":                      "1 purpose token",
		"GPTBot,Foo,Google-Extended":           "2 crawlers and 1 purpose token",
		"AI2Bot,Ai2Bot-Dolma":                  "2 crawlers",
		"AI,GPTBot":                            "2 product tokens", // AI2Bot and Ai2Bot-Dolma are both read as AI
		"AI,Google-Extended,Applebot-Extended": "1 product token and 2 purpose tokens",
	} {
		if got := Counted(strings.Split(names, ",")); got != want {
			t.Errorf("%s: %q, want %q", names, got, want)
		}
	}
}
