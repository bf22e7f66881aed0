package crawlers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestKnownHasAtLeast120RowsAnd40FromOperators(t *testing.T) {
	operators := 0
	for c := range Known().All() {
		if c.Source.By == ByOperator {
			operators++
		}
	}
	if len(Known().rows) < 120 || operators < 40 {
		t.Errorf("%d crawlers, %d of them from their operator's page", len(Known().rows), operators)
	}
	t.Logf("%d crawlers, %d of them from their operator's page", len(Known().rows), operators)
}

func TestEachFactHasASourceWithADate(t *testing.T) {
	for c := range Known().All() {
		for _, fact := range []string{"operator", "purposes", "chain", "obeys", "wildcard", "crawls", "active", "ranges", "hosts", "reads", "ignores", "note"} {
			s := cmp.Or(c.Sources[fact], c.Source)
			if err := s.check(); err != nil {
				t.Errorf("%s, %s: %v", c.Token, fact, err)
			}
			if s.Read > Known().Date() || s.Dated > s.Read {
				t.Errorf("%s, %s: read %s, dated %s, in a table of %s", c.Token, fact, s.Read, s.Dated, Known().Date())
			}
		}
	}
	day, err := time.Parse(time.DateOnly, Known().Date())
	if err != nil || time.Now().Before(day) {
		t.Errorf("the date of the table is %q (%v)", Known().Date(), err)
	}
}

func TestChainsAreRowsOfTheTable(t *testing.T) {
	for c := range Known().All() {
		for _, token := range c.Chain {
			if other, ok := Known().Lookup(token); !ok || other.Token != token {
				t.Errorf("%s: its chain contains %s, which has no row", c.Token, token)
			}
		}
	}
}

func TestNoTokenIsTheNameOfASet(t *testing.T) {
	for _, p := range Purposes() {
		if _, ok := Known().Lookup(string(p)); ok {
			t.Errorf("%s is a crawler and a purpose", p)
		}
		if next(Known().For(p)) == "" {
			t.Errorf("no crawler is for %s", p)
		}
	}
	if _, ok := Known().Lookup("known"); ok {
		t.Error("a crawler has the token known")
	}
}

func next(rows func(func(Crawler) bool)) (token string) {
	for c := range rows {
		return c.Token
	}
	return ""
}

// The file is sorted by token, and each line is what MarshalJSON returns. So a diff of two
// versions of the file shows only changed facts.
func TestKnownIsSortedAndInTheFormOfMarshalJSON(t *testing.T) {
	var written bytes.Buffer
	enc := json.NewEncoder(&written)
	enc.SetEscapeHTML(false)
	var tokens []string
	for c := range Known().All() {
		tokens = append(tokens, strings.ToLower(c.Token))
		if err := enc.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.IsSorted(tokens) {
		t.Error("the rows are not sorted by token")
	}
	want, got := strings.Split(known, "\n"), strings.Split(written.String(), "\n")
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("line %d is\n%s\nMarshalJSON returns\n%s", i+1, want[i], got[i])
		}
	}
	again, wrong, err := Read(&written)
	if err != nil || wrong != nil || !reflect.DeepEqual(slices.Collect(again.All()), slices.Collect(Known().All())) || !maps.Equal(again.byToken, Known().byToken) {
		t.Errorf("Read returns another table than was written: %v, %v", wrong, err)
	}
}

func TestKnownFacts(t *testing.T) {
	tests := []struct {
		token  string
		agents string
		fact   func(Crawler) YesNo
		want   YesNo
	}{
		{"Googlebot-Image", "Googlebot-Image Googlebot", func(c Crawler) YesNo { return c.ReadsRecord("Crawl-delay") }, No},
		{"Googlebot", "Googlebot", func(c Crawler) YesNo { return c.ReadsRecord("sitemap") }, Yes},
		{"Applebot", "Applebot Googlebot", func(c Crawler) YesNo { return c.Crawls }, Unknown},
		{"Applebot-Extended", "Applebot-Extended", func(c Crawler) YesNo { return c.Crawls }, No},
		{"AdsBot-Google", "AdsBot-Google !*", func(c Crawler) YesNo { return c.ObeysWildcard }, No},
		{"ClaudeBot", "ClaudeBot", func(c Crawler) YesNo { return c.ReadsRecord("crawl-delay") }, Yes},
		{"Perplexity-User", "Perplexity-User", func(c Crawler) YesNo { return c.Obeys }, No},
		{"Amzn-User", "Amzn-User", func(c Crawler) YesNo { return c.Obeys }, No},
		{"bingbot", "bingbot msnbot", func(c Crawler) YesNo { return c.ObeysWildcard }, Yes},
		{"MJ12bot", "MJ", func(c Crawler) YesNo { return c.Obeys }, Yes},
		{"360Spider", "", func(c Crawler) YesNo { return c.Obeys }, Unknown},
	}
	for _, test := range tests {
		c, ok := Known().Lookup(test.token)
		if got := strings.Join(c.Agents(), " "); !ok || got != test.agents || test.fact(c) != test.want {
			t.Errorf("%s: found %v, tokens %q, the fact is %v", test.token, ok, got, test.fact(c))
		}
	}
}

func TestKnownAddresses(t *testing.T) {
	tests := []struct {
		token, ranges, hosts string
	}{
		{"Googlebot", "https://developers.google.com/static/crawling/ipranges/common-crawlers.json", "googlebot.com"},
		{"AdsBot-Google", "https://developers.google.com/static/crawling/ipranges/special-crawlers.json", "google.com"},
		{"GPTBot", "https://openai.com/gptbot.json", ""},
		{"Claude-User", "https://claude.com/crawling/bots.json", ""},
		{"bingbot", "https://www.bing.com/toolbox/bingbot.json", "search.msn.com"},
		{"YandexBot", "", "yandex.ru yandex.net yandex.com"},
		{"MojeekBot", "https://www.mojeek.com/mojeekbot.json", "mojeek.com"},
		{"facebookexternalhit", "", ""},
	}
	for _, test := range tests {
		c, ok := Known().Lookup(test.token)
		if hosts := strings.Join(c.Hosts, " "); !ok || c.Ranges != test.ranges || hosts != test.hosts {
			t.Errorf("%s: found %v, ranges %q, hosts %q", test.token, ok, c.Ranges, hosts)
		}
	}
	for c := range Known().All() {
		if c.Crawls == No && (c.Ranges != "" || c.Hosts != nil) {
			t.Errorf("%s makes no requests, but has addresses", c.Token)
		}
	}
}

func TestLookupIgnoresLetterCaseAndAllocatesNothing(t *testing.T) {
	for _, token := range []string{"Googlebot-Image", "googlebot-image", "GOOGLEBOT-IMAGE"} {
		if c, ok := Known().Lookup(token); !ok || c.Token != "Googlebot-Image" {
			t.Errorf("Lookup(%q) = %q, %v", token, c.Token, ok)
		}
	}
	for _, token := range []string{"", "Google", "Googlebot-Imag", strings.Repeat("g", maxToken+1)} {
		if c, ok := Known().Lookup(token); ok {
			t.Errorf("Lookup(%q) = %q", token, c.Token)
		}
	}
	if _, ok := new(Table).Lookup("Googlebot"); ok {
		t.Error("an empty table has a crawler")
	}
	if n := testing.AllocsPerRun(100, func() { Known().Lookup("googlebot-IMAGE") }); n != 0 {
		t.Errorf("Lookup allocates %v times", n)
	}
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		Known().Lookup("Googlebot-Image")
	}
}

const source = `"source":{"url":"https://example.com/bot","by":"operator","read":"2026-11-21"}`

func row(token, more string) string {
	return `{"token":"` + token + `","operator":"Example","purposes":["search"],` + more + source + "}\n"
}

func TestNamed(t *testing.T) {
	for text, want := range map[string]string{
		"sogou WEB spider": "Sogou", "Sogou": "Sogou", "Mediapartners-Google*": "Mediapartners-Google", "008": "008",
		"sogou web": "", "Googlebot*": "", "": "",
	} {
		if c, ok := Known().Named(text); c.Token != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, c.Token, ok, want)
		}
	}
}

func TestWithReplacesAndExtends(t *testing.T) {
	first := read(t, row("A", `"obeys":"yes",`)+row("B", ""))
	both := first.With(read(t, row("a", "")+row("C", "")))
	var tokens string
	for c := range both.All() {
		tokens += c.Token
	}
	if tokens != "aBC" || both.Date() != "2026-11-21" {
		t.Errorf("the sum contains %q, of %s", tokens, both.Date())
	}
	if c, _ := both.Lookup("A"); c.Obeys != Unknown {
		t.Error("a fact of the row that was replaced is still there")
	}
	if c, _ := first.Lookup("A"); c.Token != "A" || len(first.rows) != 2 {
		t.Error("With changed the table")
	}
	if sum := new(Table).With(first); len(sum.rows) != 2 || new(Table).Date() != "" {
		t.Error("an empty table with another is not that one")
	}
}

func read(t *testing.T, text string) *Table {
	t.Helper()
	table, wrong, err := Read(strings.NewReader(text))
	if err != nil || wrong != nil {
		t.Fatal(wrong, err)
	}
	return table
}

func TestReadNamesTheLineAndTheField(t *testing.T) {
	tests := []struct{ row, want string }{
		{`{`, `line 2: expected a JSON object such as {"token":"ExampleBot",…}: unexpected end of JSON input`},
		{`["A"]`, `line 2: expected a JSON object such as {"token":"ExampleBot",…}: json: cannot unmarshal array`},
		{`{"operator":"Example"}`, `line 2: token: this field is missing or empty: give it a value`},
		{`{"token":7}`, `line 2: token: expected a string, found 7`},
		{row("Example Bot", ""), `line 2: token: expected a token without spaces`},
		{row("A:B", ""), `line 2: token: expected a token without spaces`},
		{row("Known", ""), `line 2: token: "Known" cannot be a token, because it is the name of a set of crawlers: give another token`},
		{row("AI-training", ""), `line 2: token: "AI-training" cannot be a token, because it is the name of a set of crawlers: give another token`},
		{row(strings.Repeat("a", 65), ""), `line 2: token: expected a token of at most 64 characters, found 65`},
		{row("FIRST", ""), `line 2: token: "FIRST" is in the table twice, first as "First": leave one of the two lines out`},
		{row("MJ12bot", ""), `line 2: read_as: expected "MJ", found "", because crawlers read a User-agent line with MJ12bot only up to the first character that is not a letter, "_" or "-"`},
		{row("Bot", `"read_as":"Bo",`), `line 2: read_as: expected "Bot", found "Bo", because crawlers read a User-agent line with Bot only up to`},
		{`{"token":"A"}`, `line 2: operator: this field is missing or empty: give it a value`},
		{`{"token":"A","operator":"a\nb"}`, `line 2: operator: expected one line of text, found "a\nb"`},
		{`{"token":"A","operator":"E","purposes":[]}`, `line 2: purposes: this field is missing or empty: give it a value`},
		{`{"token":"A","operator":"E","purposes":"search"}`, `line 2: purposes: expected a list of strings, found "search"`},
		{`{"token":"A","operator":"E","purposes":["searching"]}`, `line 2: purposes: unknown purpose "searching"; expected one or more of search, ai-training,`},
		{row("A", `"chain":["B","A"],`), `line 2: chain: expected a list of tokens that begins with the token of this line, "A"`},
		{row("A", `"chain":[],`), `line 2: chain: expected a list of tokens that begins with the token of this line, "A"`},
		{row("A", `"chain":["A","a"],`), `line 2: chain: "a" is in the list twice: leave one out`},
		{row("A", `"chain":["A","b c"],`), `line 2: chain: expected a token without spaces`},
		{row("A", `"obeys":"perhaps",`), `line 2: obeys: expected "yes", "no" or "unknown", found "perhaps"`},
		{row("A", `"wildcard":true,`), `line 2: wildcard: expected "yes", "no" or "unknown", found true`},
		{row("A", `"ranges":["https://a.example/"],`), `line 2: ranges: expected a string, found ["https://a.example/"]`},
		{row("A", `"ranges":"a.example/bot.json",`), `line 2: ranges: expected a URL such as https://example.com/bot.json, found "a.example/bot.json"`},
		{row("A", `"ranges":"ftp://a.example/bot.json",`), `line 2: ranges: expected a URL such as https://example.com/bot.json, found "ftp://a.example/bot.json"`},
		{row("A", `"ranges":"https://a.example/\u001b",`), `line 2: ranges: expected a URL such as https://example.com/bot.json, found "https://a.example/\x1b"`},
		{row("A", `"hosts":"a.example",`), `line 2: hosts: expected a list of strings, found "a.example"`},
		{row("A", `"hosts":["a.example","B.example"],`), `line 2: hosts: expected a domain in lower case, such as "example.com"; found "B.example"`},
		{row("A", `"hosts":["example"],`), `line 2: hosts: expected a domain in lower case, such as "example.com"; found "example"`},
		{row("A", `"hosts":[".a.example"],`), `line 2: hosts: expected a domain in lower case, such as "example.com"; found ".a.example"`},
		{row("A", `"hosts":["*.example"],`), `line 2: hosts: expected a domain in lower case, such as "example.com"; found "*.example"`},
		{row("A", `"hosts":["-a.example"],`), `line 2: hosts: expected a domain in lower case, such as "example.com"; found "-a.example"`},
		{row("A", `"hosts":["a-.example"],`), `line 2: hosts: expected a domain in lower case, such as "example.com"; found "a-.example"`},
		{row("A", `"hosts":["a.example","b.example","a.example"],`), `line 2: hosts: "a.example" is in the list twice: leave one out`},
		{row("A", `"reads":["Crawl-delay"],`), `line 2: reads: expected the key of a line in lower case`},
		{row("A", `"reads":["host"],"ignores":["host"],`), `line 2: ignores: "host" is in "reads" and in "ignores": leave it out of one of them`},
		{row("A", `"retired":"yes",`), `line 2: retired: this field is unknown; correct its name, or leave it out`},
		{`{"token":"A","operator":"E","purposes":["seo"]}`, `line 2: source: each fact needs a source: expected the fields "url", "by" and "read"`},
		{strings.Replace(row("A", ""), "https:", "ftp:", 1), `line 2: source: url: expected a URL such as https://example.com/bot, found "ftp://example.com/bot"`},
		{strings.Replace(row("A", ""), `"operator","read"`, `"me","read"`, 1), `line 2: source: by: expected "operator" or "others", found "me"`},
		{strings.Replace(row("A", ""), "2026-11-21", "yesterday", 1), `line 2: source: read: expected a day such as 2026-11-21, found "yesterday"`},
		{strings.Replace(row("A", ""), `"read"`, `"dated":"May","read"`, 1), `line 2: source: dated: expected a day such as 2026-11-21, or nothing, found "May"`},
		{row("A", `"sources":{"obeys":{}},`), `line 2: sources: there is a source for "obeys", but the row does not have this field: leave the source out, or add the field`},
		{row("A", `"sources":{"ranges":{}},`), `line 2: sources: there is a source for "ranges", but the row does not have this field: leave the source out, or add the field`},
		{row("A", `"ranges":"https://a.example/","sources":{"ranges":{}},`), `line 2: sources: ranges: each fact needs a source`},
		{row("A", `"hosts":["a.example"],"sources":{"hosts":{}},`), `line 2: sources: hosts: each fact needs a source`},
		{row("A", `"obeys":"no","sources":{"obeys":{}},`), `line 2: sources: obeys: each fact needs a source`},
	}
	for _, test := range tests {
		table, wrong, err := Read(strings.NewReader(row("First", "") + strings.TrimSpace(test.row) + "\n\n" + row("Last", "")))
		if err != nil || len(wrong) != 1 || !strings.HasPrefix(wrong[0].Error(), test.want) {
			t.Errorf("%s\ngives %v, %v\nexpected %s", test.row, wrong, err, test.want)
		}
		if len(table.rows) != 2 { // a wrong row does not affect the others
			t.Errorf("%s: the table has %d of 2 good rows", test.row, len(table.rows))
		}
	}
}

func TestReadSkipsEmptyLinesAndAByteOrderMark(t *testing.T) {
	if table := read(t, "\ufeff"+row("A", "")+"\n \r\n"+row("B", "")); len(table.rows) != 2 {
		t.Errorf("%d rows", len(table.rows))
	}
}

func TestReadReportsWhereItStopped(t *testing.T) {
	table, wrong, err := Read(strings.NewReader(row("A", "") + strings.Repeat("x", maxLine+1) + "\n" + row("B", "")))
	if err != nil || len(wrong) != 1 || wrong[0].Error() != "line 2 is longer than 64 KiB, so heed does not read it, or any line after it: make it shorter" || len(table.rows) != 1 {
		t.Errorf("%d rows, %v, %v", len(table.rows), wrong, err)
	}
	failure := errors.New("the disk is gone")
	table, _, err = Read(&failing{text: row("A", ""), err: failure})
	if !errors.Is(err, failure) || len(table.rows) != 1 {
		t.Errorf("%d rows, %v", len(table.rows), err)
	}
}

type failing struct {
	text string
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	n := copy(p, f.text)
	f.text = f.text[n:]
	if n == 0 {
		return 0, f.err
	}
	return n, nil
}
