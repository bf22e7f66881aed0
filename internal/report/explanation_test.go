package report

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// The line of a group is the one that names the crawler, as "heed explain" shows it.
func TestLineOfGroup(t *testing.T) {
	const body = "User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: c\nUser-agent: *\nDisallow: /\n\nUser-agent: d\nUser-agent: e\nDisallow: /y\n"
	explained := Explain(t.Context(), []byte(body), robotstxt.RFC9309, only("b"), "/x")
	for _, d := range explained.Explanation().Dialects {
		for i, want := range []int{2, 6, 9} {
			if got := d.Groups[i].Line; got != want {
				t.Errorf("%s: the group %d has line %d, want %d", d.Dialect, i, got, want)
			}
		}
	}
}

// A hostile file makes no explanation of many times its size: each of its rules matches in
// thousands of parts, in each dialect.
func TestManySpans(t *testing.T) {
	portion.Skip(t, 4)
	body := "User-agent: *\n" + strings.Repeat("Disallow: /"+strings.Repeat("*a", 2000)+"\n", 50)
	explained := Explain(t.Context(), []byte(body), robotstxt.RFC9309, only("a"), "/"+strings.Repeat("a", 4000))
	e := explained.Explanation()
	for _, d := range e.Dialects {
		spans := 0
		for _, c := range d.Candidates {
			spans += len(c.Spans)
		}
		if wild := d.Dialect == "rfc9309" || d.Dialect == "google"; spans > maxSpans || wild && (spans < 4000 || len(d.Candidates) != 50) {
			t.Errorf("%s: %d spans of %d candidates", d.Dialect, spans, len(d.Candidates))
		}
	}
}

// A file with many equal rules makes no answer of many times its size. The deciding rule is always in the answer.
func TestManyCandidates(t *testing.T) {
	body := "User-agent: *\n" + strings.Repeat("Disallow: /\n", 1500) + "Allow: /a\n"
	explained := Explain(t.Context(), []byte(body), robotstxt.RFC9309, only("a"), "/a")
	for _, d := range explained.Explanation().Dialects {
		if len(d.Candidates) != 1000 || d.More < 500 || d.Candidates[0].Rule.Line != d.Rule.Line {
			t.Errorf("%s: %d candidates and %d more, of which %+v is the first; %+v decides", d.Dialect, len(d.Candidates), d.More, d.Candidates[0].Rule, d.Rule)
		}
	}
	if len(explained.Uses) > 1000 {
		t.Errorf("%d uses", len(explained.Uses))
	}
}

func only(token string) crawlernames.InDialect { return crawlernames.Each(nil, []string{token}) }
