package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// TestFlipsOf: a URL that is given twice counts once; a line for each flip has the bytes of its URL, and is what encoding/json writes; crawlers are found by their bytes, too, and those with the same groups are together.
func TestFlipsOf(t *testing.T) {
	file := func(text string) Input { return InputOf("", robotstxt.ParseString(text, robotstxt.Standard1994)) }
	old, new := file("User-agent: \xe9\nUser-agent: c\nDisallow: /a\n\nUser-agent: b\nDisallow: /\n"), file("User-agent: \xe9\nUser-agent: c\nDisallow: /\xff\n\nUser-agent: b\nDisallow: /\n")
	c, err := Compare(t.Context(), nil, old, new, nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	f, err := FlipsOf(&c, slices.Values([]string{"/a<b>", "/\xff", "/b", "/a<b>", "https://h.example/a"}), 1, &lines)
	if err != nil || f.URLs != 4 || f.Flipped != 3 || len(f.Crawlers) != 1 || len(f.Crawlers[0].Agents) != 2 || f.Crawlers[0].Blocked != 1 || f.Crawlers[0].Opened != 2 || len(f.Crawlers[0].Examples) != 2 {
		t.Fatalf("%v, %+v", err, f)
	}
	agents := f.Crawlers[0].Agents
	want := ""
	for _, e := range []Flip{
		{"/a<b>", nil, agents, Decision{false, robotstxt.ByRule, &Rule{3, false, "/a", nil}}, Decision{true, robotstxt.NoRuleMatched, nil}},
		{"/\ufffd", []byte("/\xff"), agents, Decision{true, robotstxt.NoRuleMatched, nil}, Decision{false, robotstxt.ByRule, &Rule{3, false, "/\ufffd", []byte("/\xff")}}},
		{"https://h.example/a", nil, agents, Decision{false, robotstxt.ByRule, &Rule{3, false, "/a", nil}}, Decision{true, robotstxt.NoRuleMatched, nil}},
	} {
		slow, _ := json.Marshal(e)
		want += strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(slow)) + "\n"
		if fast := string(e.AppendJSON(nil)) + "\n"; !strings.HasSuffix(want, fast) {
			t.Errorf("%swant %s", fast, slow)
		}
	}
	if want != lines.String() {
		t.Errorf("got\n%swant\n%s", lines.String(), want)
	}
}
