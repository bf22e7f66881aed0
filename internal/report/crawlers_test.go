package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
)

func TestCrawlersOf(t *testing.T) {
	rest := `"operator":"Example","purposes":["search","ai-training"],"source":{"url":"https://example.com/bot","by":"operator","read":"2026-11-21"}}`
	table, wrong, err := crawlers.Read(strings.NewReader(strings.Join([]string{
		`{"token":"One","names":["One bot"],` + rest,
		`{"token":"Two-Image","chain":["Two-Image","Two"],"wildcard":"no",` + rest,
		`{"token":"Three9x","read_as":"Three",` + rest,
		`{"token":"Three9y","read_as":"Three",` + rest,
		`{"token":"4Four","read_as":"",` + rest,
	}, "\n")))
	if err != nil || wrong != nil {
		t.Fatal(wrong, err)
	}
	const purposes = ` Example [search ai-training]`
	for i, want := range []string{
		"One [One bot]" + purposes + " [One] false ",
		"Two-Image []" + purposes + " [Two-Image Two !*] true ",
		"Three9x []" + purposes + " [Three] false Three9x (Three)",
		"Three9y []" + purposes + " [Three] false Three9x (Three)", // as the first crawler with this name
		"4Four []" + purposes + " [*] false 4Four (*)",
	} {
		c := CrawlersOf(table).Crawlers[i]
		if got := fmt.Sprint(c.Token, " ", c.Names, " ", c.Operator, " ", c.Purposes, " ", []string(c.Agent), " ", c.OnlyOwn, " ", c.ShownAs); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Each known crawler can be asked about, and has its purposes in the list of purposes.
func TestCrawlersCanBeAsked(t *testing.T) {
	all := CrawlersOf(crawlers.Known())
	if len(all.Crawlers) != len(slices.Collect(crawlers.Known().All())) || len(all.Purposes) != len(crawlers.Purposes()) {
		t.Errorf("%d crawlers, %d purposes", len(all.Crawlers), len(all.Purposes))
	}
	f := robotstxt.ParseString("", nil)
	for _, c := range all.Crawlers {
		if d := f.Agent(c.Agent...).Check("/"); d.Reason != robotstxt.NoGroup || len(c.Purposes) == 0 {
			t.Errorf("%+v: %v", c, d)
		}
	}
}

// A purpose token is no crawler, whatever the table says (AI-10).
func TestFactsOfPurposeTokens(t *testing.T) {
	for _, c := range []struct{ token, json, words string }{
		{"__usage_ai-training", `{"purpose_token":"train-ai"}`, "a purpose token for train-ai"},
		{"google-EXTENDED", `{"purpose_token":"train-ai"}`, "a purpose token for train-ai"},
		{"__usage_ai-trainin", "{}", ""},
		{"GPTBot", "{}", ""},
	} {
		facts := FactsOf(nil, []string{c.token})
		if got := string(facts.appendJSON(nil)); got != c.json || facts.String() != c.words {
			t.Errorf("%s: %s, %q", c.token, got, facts)
		}
	}
	for _, c := range CrawlersOf(crawlers.Known()).Crawlers {
		if is := c.Token == "Google-Extended" || c.Token == "Applebot-Extended"; is != (c.PurposeToken != "") {
			t.Errorf("%+v", c)
		}
	}
}

// What a user says of a crawler that no table has is no fact from sources.
func TestFactsComeFromTheTable(t *testing.T) {
	if facts := FactsOf(nil, []string{"foo", robotstxt.NotEveryone}); facts != (Facts{}) {
		t.Errorf("foo: %s", facts)
	}
	if facts := FactsOf(nil, []string{"AdsBot-Google", robotstxt.NotEveryone}); facts.ObeysEveryone == nil {
		t.Error("AdsBot-Google: no fact")
	}
}
