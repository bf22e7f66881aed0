package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// The JSON form of this Schema. In the files in testdata a line may get a new field; any
// other change of a line needs another Schema.
func TestJSON(t *testing.T) {
	const body = "User-agent: *\nDisallow: /\xff*x # odd\nAllow: /\xffyx\nUser-agent: a\nSitemap: https://a.example/s.xml\n" +
		"Clean-param: a&b /p\nContent-Signal: search=yes, use=never\nCrawl-delay: 5\nRequest-rate: 1/10 0845-1700\nnobody knows: this\nhow\n"
	explain := func(d *robotstxt.Dialect) robotstxt.Trace {
		return robotstxt.Parse([]byte(body), d).Agent("ExampleBot").Explain("/\xffyx")
	}
	var all []robotstxt.Trace
	for _, d := range robotstxt.Dialects() {
		all = append(all, explain(d))
	}
	var values []any
	for _, d := range []robotstxt.Decision{
		{}, {Allowed: true, Reason: robotstxt.Unavailable}, {Reason: robotstxt.OtherOrigin}, all[0].Decision, all[3].Decision,
	} {
		values = append(values, AnswerOf("/\xffyx", d))
	}
	refused := AnswerOf("x", robotstxt.Decision{Reason: robotstxt.InvalidTarget})
	refused.Error = "expected a URL"
	explained := Explained{Agents: []string{"ExampleBot"}, Main: all[3], All: all, Contrast: robotstxt.Contrast}
	values = append(values, refused, explained.Explanation())
	for line := range robotstxt.Parse([]byte(body), nil).Lines() {
		values = append(values, LineOf(line, robotstxt.RFC9309))
	}
	complete := refused
	for _, tokens := range [][]string{{"ExampleBot"}, {"ExampleBot-News", "\xff<"}} {
		complete.Agent, complete.Dialect, complete.Source = AgentOf(tokens), "rfc9309", "robots.txt"
		values = append(values, complete)
	}
	var got strings.Builder
	for _, v := range values {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got.Write(append(b, '\n'))
	}
	name := filepath.Join("testdata", "schema1.jsonl")
	if os.Getenv("UPDATE_TRANSCRIPTS") != "" {
		if err := os.WriteFile(name, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	wants := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(wants) || line != wants[i] {
			t.Errorf("line %d is\n%s", i+1, line)
		}
	}
	if Schema != 1 {
		t.Errorf("the file of schema %d is missing", Schema)
	}
}

// An Agent is read from the JSON that it is written as; what is no token and no list of them is
// an error.
func TestAgentJSON(t *testing.T) {
	for text, want := range map[string]Agent{
		`"GPTBot"`:                        {"GPTBot"},
		`["Googlebot-News", "Googlebot"]`: {"Googlebot-News", "Googlebot"},
		`["GPTBot"]`:                      {"GPTBot"},
		`[]`:                              nil,
		`null`:                            nil,
		`[null]`:                          nil,
		`1`:                               nil,
		`["a",1]`:                         nil,
	} {
		var got Agent
		if err := json.Unmarshal([]byte(text), &got); (err == nil) != (want != nil) || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}
